"""What goes wrong outside: a Python that ends, streams that raise, damaged files, unusual names."""

import gc
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import warnings

import beameval
import pyarrow as pa
import pytest

GOOD = {"label": [0, 1, 1, 0], "score": [0.1, 0.8, 0.7, 0.4]}

SLOW = (
    "import beameval, numpy as np; n = 3_000_000; "
    "beameval.evaluate(y_true=np.arange(n) % 2, y_score=np.linspace(0, 1, n), confidence={'groups': 1000}, output='out')"
)


@pytest.fixture
def temporary(monkeypatch, tmp_path_factory):
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_python_that_is_ended(temporary, tmp_path, sent):
    """The program ends with the Python that started it, publishes nothing, and the next call removes what is left."""
    process = subprocess.Popen([sys.executable, "-c", SLOW], env={**os.environ, "TMPDIR": str(temporary)}, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    for line in process.stderr:
        if line.startswith("predictions: "):  # the last note before the run
            break
    program = next(pid for pid in os.listdir("/proc") if pid.isdigit() and _parent(pid) == process.pid)
    process.send_signal(sent)
    process.stderr.close()
    process.wait(timeout=180)
    deadline = time.monotonic() + 60
    while os.path.exists(f"/proc/{program}") and _state(program) != "Z":
        assert time.monotonic() < deadline, "the program still runs"
        time.sleep(0.05)
    assert os.listdir(tmp_path) == []
    left = {name.rsplit("-", 1)[0] for name in os.listdir(temporary)}
    assert left == (set() if sent == signal.SIGINT else {"beameval-data"})
    stranger = temporary / "beameval-data-of-others"
    stranger.mkdir()
    beameval.evaluate(GOOD, quiet=True)
    assert os.listdir(temporary) == [stranger.name], "it has no owner that ended"


def _parent(pid):
    try:
        return int(pathlib.Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None


def _state(pid):
    try:
        return pathlib.Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def test_temporary_directories_of_the_living(temporary):
    """Another process does not remove what this one has, however many there are, and each is removed with its object."""
    code = "import beameval; beameval.evaluate({'label': [0, 1], 'score': [0.1, 0.7]}, quiet=True)"
    kept = [beameval.evaluate(GOOD, quiet=True) for _ in range(3)]
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(temporary)}, check=True)
    assert [r["accuracy"] for r in kept] == [1, 1, 1]
    while kept:
        assert len(list(temporary.glob("beameval-report-????????"))) == len(kept)
        kept.pop(0)
    assert os.listdir(temporary) == []


class Stream:
    """An Arrow stream that raises, after a batch or at once."""

    columns = ["label", "score"]

    def __init__(self, batches):
        self.batches = batches
        self.schema = pa.schema([("label", pa.int64()), ("score", pa.float64())])

    def __arrow_c_stream__(self, requested=None):
        def batches():
            for _ in range(self.batches):
                yield pa.record_batch([[0, 1], [0.1, 0.7]], schema=self.schema)
            raise ConnectionError("the database is gone")

        return pa.RecordBatchReader.from_batches(self.schema, batches()).__arrow_c_stream__(requested)


class NoStream:
    columns = ["label"]

    def __arrow_c_stream__(self, requested=None):
        raise ConnectionError("the database is gone")


@pytest.mark.parametrize("data", [Stream(0), Stream(2), NoStream()])
def test_stream_that_raises(temporary, data):
    with pytest.raises(beameval.Error, match="the data cannot be read: .*the database is gone") as raised:
        beameval.evaluate(data, quiet=True)
    assert raised.value.code is None
    assert os.listdir(temporary) == []
    if isinstance(data, Stream):
        with pytest.raises(beameval.Error, match="the data cannot be read: "):
            beameval.evaluate(y_true=[0, 1], y_score=[0.1, 0.7], slices=data, quiet=True)


def test_damaged_report(tmp_path):
    out = tmp_path / "out"
    beameval.evaluate(GOOD, output=out, quiet=True)
    (out / "metrics.parquet").write_bytes(b"PAR1")
    (out / "curves.parquet").unlink()
    (out / "curves.parquet").mkdir()
    r = beameval.Report.open(out)
    with pytest.raises(beameval.Error, match="metrics.parquet is damaged: "):
        r.metrics  # noqa: B018
    with pytest.raises(beameval.Error, match="curves.parquet cannot be read: "):
        r.curves  # noqa: B018
    for content, message in {"{": "is damaged: ", "\xff": "is damaged: ", "[]": "is of no report", "{}": "is of no report", '{"schema": 1}': "is of no report"}.items():
        (out / "metrics.json").write_text(content, encoding="latin-1")
        with pytest.raises(beameval.Error, match="metrics.json " + message):
            beameval.Report.open(out)


def test_names_like_options(tmp_path, monkeypatch):
    """A name that begins with dashes is a name, not an option."""
    monkeypatch.chdir(tmp_path)
    for name in ["--strict", "-o", "--reference=x"]:
        beameval.evaluate(GOOD, output=name, quiet=True)
        assert beameval.Report.open(name)["accuracy"] == 1
    pathlib.Path("--config").write_text("monitor: {metrics: [accuracy]}\ngates: [{metric: accuracy, min: 0.1}]")
    assert beameval.compare("--strict", "-o", output="--a", config="--config").path == "--a"
    assert len(beameval.monitor("--strict", output="--m", config="--config", reference="-o").nights) == 1
    assert sorted(os.listdir()) == sorted(["--strict", "-o", "--reference=x", "--config", "--a", "--m"])


@pytest.mark.parametrize("odd", ["two\nlines", "\nbegins", "ends\n", "ends\r", "\r\n", "a\rb", "\ufeffmark", ""])
def test_labels_with_line_breaks(odd):
    """Labels with line breaks are whole, however many labels there are."""
    for many in [3, 1200]:
        for at in [0, 1, many - 1]:
            names = [f"label {i}" for i in range(many)]
            names[at] = odd
            data = {"label": [odd, odd], "score": [[{"label": odd, "score": 0.9}]] * 2}
            r = beameval.evaluate(data, task="multiclass", labels=names, per_label="all", metrics=["accuracy", "recall"], quiet=True)
            assert r["accuracy"] == 1
            assert r["recall", odd] == 1
            assert r["recall", names[2 if at != 2 else 0]] is not None


def test_many_labels_with_line_breaks_and_a_file(tmp_path):
    (tmp_path / "c.yaml").write_text("task: multiclass")
    with pytest.raises(beameval.Error, match="a name of 1200 has a line break: write the labels into the file .*c.yaml"):
        beameval.evaluate(GOOD, config=tmp_path / "c.yaml", labels=["a\nb", *map(str, range(1199))], quiet=True)


@pytest.mark.parametrize("name", ["a`b", "`", "`a`", "a``b", "a`.b", "a.`b`"])
def test_columns_with_backquotes(name):
    """A column is read by its name, also as the name is written in backquotes."""
    for spelling in [name, "`" + name.replace("`", "``") + "`"]:
        r = beameval.evaluate({name: [0, 1, 1, 0], "p": [0.1, 0.8, 0.7, 0.4]}, label=spelling, score="p", quiet=True)
        assert r["roc_auc"] == 1
        assert r["accuracy"] == 1




def test_leaves_no_file_open():
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        beameval.evaluate([1, 0], [0.9, 0.1], quiet=True)
        with pytest.raises(beameval.Error):
            beameval.evaluate([1, 2], [0.9, 0.1], quiet=True)
        gc.collect()
    assert [str(w.message) for w in met if issubclass(w.category, ResourceWarning)] == []
