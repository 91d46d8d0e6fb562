"""Runs the Python of a page of the documentation, and compares what it prints with the page.

snippets.py PAGE REPORT GOLDEN... runs each ```python block of PAGE in a directory where out is
REPORT. A ```text block after it is its output. What snippets logged to MLflow must be what
metrics.jsonl says, and MLflow must take the metrics.jsonl of the GOLDEN reports.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCKS = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)


def run(code, here):
    """Returns what a snippet prints."""
    done = subprocess.run([sys.executable, "-c", code], cwd=here, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{code}\n{done.stderr}")
    return done.stdout


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
    page, report, *goldens = sys.argv[1:]
    goldens = [pathlib.Path(g).resolve() for g in goldens]
    with tempfile.TemporaryDirectory() as here:
        here = pathlib.Path(here)
        shutil.copytree(report, here / "out")
        os.environ["MLFLOW_TRACKING_URI"] = f"sqlite:///{here}/mlflow.db"
        os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
        blocks = BLOCKS.findall(pathlib.Path(page).read_text())
        for code, want in blocks:
            got = run(code, here)
            if want and got != want:
                sys.exit(f"{code}\nprints\n{got}\nnot\n{want}")
        os.chdir(here)
        metrics = check_mlflow(here, goldens)
    if len(blocks) == 0 or metrics == 0:
        sys.exit(f"{page}: nothing to run")
    print(f"{page}: {len(blocks)} snippets passed, {metrics} metrics in MLflow")


if __name__ == "__main__":
    main()
