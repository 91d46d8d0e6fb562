"""Runs the Python of a page of the documentation, and compares what it prints with the page.

snippets.py [--update] PAGE [REPORT GOLDEN...] runs the ```python blocks of PAGE one after another,
in a directory where out is REPORT and testdata is the repository's. A ```text block after one is its output. If there is a REPORT,
what the blocks logged to MLflow must be what its metrics.jsonl says, and MLflow must take the
metrics.jsonl of the GOLDEN reports.
"""

import contextlib
import io
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

BLOCKS = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)


def run(code, names):
    """Returns what a block prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "block", "exec"), names)
    return printed.getvalue()


def logged(lines):
    return {name: float(value) for line in lines for name, value in json.loads(line).items()}


def check_mlflow(here, goldens):
    """Compares the metrics of the last run, and logs those of other reports."""
    import mlflow

    run = mlflow.search_runs(output_format="list", max_results=1)[0]
    want = logged(open(here / "out/metrics.jsonl"))
    assert run.data.metrics == want, "MLflow has other metrics than metrics.jsonl"
    for golden in goldens:
        lines = open(pathlib.Path(golden) / "metrics.jsonl").readlines()
        with mlflow.start_run() as started:
            for line in lines:
                mlflow.log_metrics(json.loads(line))
        got = mlflow.get_run(started.info.run_id).data.metrics
        assert got == logged(lines), f"MLflow has other metrics than {golden}"
    return len(want)


def main():
    update = "--update" in sys.argv
    page, *reports = (pathlib.Path(name).resolve() for name in sys.argv[1:] if name != "--update")
    text = page.read_text()
    names = {"__name__": "__main__"}
    blocks = 0

    def check(match):
        nonlocal blocks
        blocks += 1
        code, want = match.groups()
        got = run(code, names)
        if want is not None and got != want and not update:
            sys.exit(f"{code}\nprints\n{got}\nnot\n{want}")
        return match[0] if want is None else f"```python\n{code}```\n\n```text\n{got}```\n"

    with tempfile.TemporaryDirectory() as here:
        here = pathlib.Path(here)
        os.chdir(here)
        os.symlink(page.parent.parent / "testdata", "testdata")
        os.environ["MLFLOW_TRACKING_URI"] = f"sqlite:///{here}/mlflow.db"
        os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
        if reports:
            shutil.copytree(reports[0], "out")
        text = BLOCKS.sub(check, text)
        metrics = check_mlflow(here, reports[1:]) if reports else 0
    if blocks == 0 or (reports and metrics == 0):
        sys.exit(f"{page}: nothing to run")
    if update:
        page.write_text(text)
    print(f"{page.name}: {blocks} blocks passed" + (f", {metrics} metrics in MLflow" if reports else ""))


if __name__ == "__main__":
    main()
