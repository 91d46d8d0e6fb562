"""What is wrong is said in the words of the command, with the caller's columns and rows."""

import gc
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import types

import beameval
import numpy as np
import pandas as pd
import pytest

GOOD = {"y": [0, 1, 1, 0], "p": [0.1, 0.8, 0.7, 0.4]}


@pytest.fixture(autouse=True)
def temporary(monkeypatch, tmp_path):
    """Nothing is left in the directory for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield tmp_path
    gc.collect()
    assert os.listdir(tmp_path) == []


def late(value):
    """A frame whose row 150,000 is in the third record batch."""
    frame = pd.DataFrame({"y": np.arange(200_000) % 2, "p": 0.5})
    frame.loc[150_000, "p"] = value
    return frame


@pytest.mark.parametrize(
    "data, keys, code, message",
    [
        ({"y": [], "p": []}, {}, 2, "no rows to evaluate: the input has none"),
        (pd.DataFrame(GOOD).iloc[:0], {}, 2, "no rows to evaluate: the input has none"),
        (GOOD, {"label": "yy"}, 2, 'input.columns.label: no column "yy"; did you mean "y"? The data has y, p, example_id'),
        (GOOD | {"country": ["de"] * 4}, {"slices": ["count"]}, 2, 'slices[0]: no column "count"; did you mean "country"? The data has y, p, country, example_id'),
        (GOOD | {"p": [0.1, 0.2]}, {}, None, "p has 2 rows, and y has 4"),
        (GOOD | {"p": [object()] * 4}, {}, None, 'column "p": Could not convert <object'),
        (GOOD | {"p": ["high"] * 4}, {}, 2, 'input.columns.score: column "p" is string: the score of task binary must be of type int or float; name another column'),
        (late(np.nan), {}, 1, 'row 150000: column "p": null: the score is missing (set bad_rows: skip to count and skip bad rows)'),
        (late(1.5), {}, 1, 'row 150000: column "p": 1.5: expected a probability within [0, 1]; set input.score_type'),
        (GOOD, {"gain": "linear"}, 2, 'unknown key "gain" (it belongs in ranking)'),
        (GOOD, {"confidenc": {}}, 2, 'unknown key "confidenc" (did you mean "confidence"?)'),
        (GOOD, {"metrics": ["roc"]}, 2, 'unknown metric "roc"'),
        (3, {}, None, "int is no table: expected paths of files, a frame of pandas or polars,"),
        ("missing.parquet", {}, 2, "missing.parquet: file does not exist; looked for in "),
        (pd.DataFrame([[0, 0.1, 0.2]], columns=["y", "p", "p"]), {}, None, 'two columns are called "p"'),
    ],
)  # fmt: skip
def test_message(data, keys, code, message):
    with pytest.raises(beameval.Error) as raised:
        beameval.evaluate(data, **{"label": "y", "score": "p", "quiet": True} | keys)
    assert message in str(raised.value)
    assert not str(raised.value).startswith("evaluate")
    assert raised.value.code == code


@pytest.mark.parametrize(
    "keys, message",
    [
        ({}, "nothing to evaluate: pass data, or y_true with y_score or y_pred"),
        ({"y_score": [0.1]}, "y_true is missing"),
        ({"y_true": [0, 1], "y_score": [0.1, 0.2, 0.3]}, "y_score has 3 rows, and y_true has 2"),
        ({"y_true": [0, 1], "y_score": [0.1, float("nan")]}, 'row 1: column "y_score": NaN: not a number'),
        ({"y_true": [0, 1], "y_score": [0.1, 0.2], "label": "y"}, "use one of both"),
        ({"y_true": [0, 1], "y_score": [0.1, 0.2], "slices": ["country"]}, "slices: expected a table"),
        ({"y_true": ["a", "b"], "y_score": [0.1, 0.2]}, 'column "y_true" has strings, such as "a", "b": set positive_label'),
    ],
)
def test_message_of_arrays(keys, message):
    with pytest.raises(beameval.Error) as raised:
        beameval.evaluate(quiet=True, **keys)
    assert message in str(raised.value)


@pytest.mark.skipif(os.name == "nt", reason="a program of the shell")
@pytest.mark.parametrize("quiet", [True, False])
@pytest.mark.parametrize(
    ("crash", "reason"),
    [
        (
            "echo 'panic: no user' >&2; for i in $(seq 9); do echo goroutine $i >&2; done; exit 2",
            "ended with exit code 2 and no message; it printed:\npanic: no user\ngoroutine 1\n",
        ),
        ("for i in $(seq 100); do echo note $i >&2; done; echo 'fatal error: out of memory' >&2; exit 2", "it printed:\nfatal error: out of memory"),
        ("for i in $(seq 100); do echo note $i >&2; done; exit 126", "ended with exit code 126 and no message; it printed:\nnote 81\n"),
        ("kill -9 $$", "ended with SIGKILL and no message"),
        ("exit 2", "ended with exit code 2 and no message"),
    ],
)
def test_crash(tmp_path_factory, monkeypatch, crash, reason, quiet):
    """A crash has its reason, quiet or not, and is no mistake in the arguments."""
    program = tmp_path_factory.mktemp("program") / "beameval"
    program.write_text(f"#!/bin/sh\n{crash}\n")
    program.chmod(0o755)
    monkeypatch.setenv("BEAMEVAL", str(program))
    with pytest.raises(beameval.Error) as raised:
        beameval.evaluate({"label": [0, 1], "score": [0.1, 0.7]}, quiet=quiet)
    assert reason in str(raised.value)
    assert raised.value.code == 1


@pytest.mark.skipif(os.name == "nt", reason="programs of the shell")
def test_program_that_cannot_run(tmp_path_factory, monkeypatch):
    """What the system says of a start is an Error of no exit code."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "text").write_text("no program")
    (folder / "text").chmod(0o755)
    (folder / "forbidden").write_text("#!/bin/sh\n")
    for name, reason in {"absent": "No such file", "text": "Exec format error", "forbidden": "Permission denied"}.items():
        monkeypatch.setenv("BEAMEVAL", str(folder / name))
        with pytest.raises(beameval.Error, match=f"{name} cannot run: {reason}") as raised:
            beameval.evaluate({"label": [0, 1], "score": [0.1, 0.7]}, quiet=True)
        assert raised.value.code is None


def test_arguments_that_are_too_long():
    with pytest.raises(beameval.Error, match="the system takes no .* name a directory or a glob") as raised:
        beameval.evaluate([f"predictions/part-{i:0100}.parquet" for i in range(50_000)], quiet=True)
    assert raised.value.code is None
    with pytest.raises(beameval.Error, match="an argument is none that a program can get: embedded null byte"):
        beameval.evaluate({"label": [0, 1], "score": [0.1, 0.7]}, output="a\0b", quiet=True)


def test_gates():
    gates = [{"metric": "accuracy", "min": 0.99}, {"metric": "accuracy", "min": 0.1}]
    data = {"y": [0, 1], "p": [0.1, 0.2]}
    r = beameval.evaluate(data, label="y", score="p", gates=gates, quiet=True)
    assert not r.gates.passed
    assert [gate["min"] for gate in r.gates.failed] == [0.99]
    with pytest.raises(beameval.Error, match="gate failed: accuracy: 0.5 .min 0.99.") as raised:
        beameval.evaluate(data, label="y", score="p", gates=gates, quiet=True, check=True)
    assert raised.value.code == 3
    assert raised.value.report["accuracy"] == 0.5
    raised = r = None


def test_missing_metric():
    r = beameval.evaluate(y_true=np.array([0, 1, 2]), y_score=np.eye(3), labels=["a", "b", "c"], quiet=True)
    for key, message in [
        ("recal", "no metric 'recal'; did you mean 'recall'?"),
        ("recall", "recall is a metric of each label: add one, such as r['recall', 'a']"),
        (("recall", "d"), "recall has no label 'd'; it has 'a', 'b', 'c'"),
    ]:
        with pytest.raises(KeyError) as raised:
            r[key]
        assert message in str(raised.value)


def test_output(temporary, tmp_path_factory):
    output = tmp_path_factory.mktemp("reports") / "today"
    data = {"label": [0, 1], "score": [0.1, 0.7]}
    beameval.evaluate(data, output=output, quiet=True)
    with pytest.raises(beameval.Error, match="overwrite"):
        beameval.evaluate(data, output=output, quiet=True)
    beameval.evaluate(data, output=output, quiet=True, overwrite=True, config={"output": {"formats": ["json"]}})
    r = beameval.Report.open(output)
    assert r["accuracy"] == 1
    with pytest.raises(beameval.Error, match="has no metrics.parquet: add parquet to output.formats"):
        r.metrics  # noqa: B018
    with pytest.raises(beameval.Error, match="has no metrics.json"):
        beameval.Report.open(output.parent)
    assert repr(r).startswith("Report(")
    assert r._repr_html_().startswith("<pre>Report(")


def test_progress(capfd):
    """Notes of the command are printed, and its message is in the exception alone."""
    with pytest.raises(beameval.Error):
        beameval.evaluate({"label": [0, 3], "score": [0.1, 0.7]})
    assert capfd.readouterr() == ("", 'label: column "label"\nscore: column "score"\ntask: binary (one label, one score)\npredictions: score >= 0.5\n')


def test_notes_in_notebooks(capfd, monkeypatch):
    """Notebooks show what goes to sys.stderr in red."""
    notebook = types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace(kernel=1))
    for module, of in (notebook, "out"), (types.SimpleNamespace(get_ipython=types.SimpleNamespace), "err"):  # a shell at a terminal has no kernel
        monkeypatch.setitem(sys.modules, "IPython", module)
        beameval.evaluate({"label": [0, 1], "score": [0.1, 0.7]})
        printed = capfd.readouterr()._asdict()
        assert 'label: column "label"' in printed.pop(of)
        assert set(printed.values()) == {""}


@pytest.mark.parametrize("sent", [signal.SIGINT])
def test_interrupt(temporary, sent):
    """Ctrl-C ends the command and removes what it wrote."""
    code = (
        "import beameval, numpy as np; n = 3_000_000; print('ready', flush=True); "
        "beameval.evaluate(y_true=np.arange(n) % 2, y_score=np.linspace(0, 1, n), confidence={'groups': 1000})"
    )
    process = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(temporary)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    while not list(pathlib.Path(temporary).glob("beameval-report-*")):
        time.sleep(0.01)
    time.sleep(0.2)
    process.send_signal(sent)
    _, err = process.communicate(timeout=180)
    assert err.rstrip().endswith("KeyboardInterrupt"), err
    running = subprocess.run(["pgrep", "-f", str(temporary)], capture_output=True, text=True)
    assert running.stdout == ""
