"""Measures processes, and writes tables in Markdown. Needs Python alone."""

import datetime
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from importlib import metadata
from typing import NamedTuple

LOAD = os.getloadavg()[0]  # of what else runs on this machine
ROOT = pathlib.Path(__file__).resolve().parent.parent


class Usage(NamedTuple):
    """What a process used, with the processes that it started and waited for."""

    seconds: float
    cpu: float  # seconds
    peak: float  # bytes of memory, of the largest process
    written: float  # bytes to files, pipes and connections; nan where the system does not say


def run(command):
    """Runs a command, and returns its Usage and what it printed."""
    written, began = bytes_written(), time.monotonic()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True)
    printed = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.monotonic() - began
    process.returncode = os.waitstatus_to_exitcode(status)  # so that nobody waits for it again
    if process.returncode != 0:
        sys.exit(f"exit code {process.returncode}: {' '.join(process.args)}")
    unit = 1 if sys.platform == "darwin" else 1024
    usage = Usage(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * unit, bytes_written() - written)
    return usage, printed


def bytes_written():
    """Returns how many bytes this process wrote, with those that it waited for: on Linux only."""
    try:
        fields = dict(line.split(": ") for line in open("/proc/self/io"))
    except OSError:
        return float("nan")
    return int(fields["wchar"])


def log(text):
    print(text, file=sys.stderr)


def median(usages):
    return Usage(*(statistics.median(values) for values in zip(*usages)))


def generate(folder, flags):
    """Writes synthetic predictions into a folder, unless an earlier run has done so."""
    if not folder.exists():
        run([ROOT / "bin/beameval", "generate", "--output", folder, *flags.split()])


def evaluate(config, data):
    """Evaluates data with a configuration, in which {data} stands for their folder.

    Returns the Usage and the text of metrics.json.
    """
    work = pathlib.Path(tempfile.mkdtemp())
    try:
        (work / "config.yaml").write_text(config.replace("{data}", str(data)))
        usage, _ = run([ROOT / "bin/beameval", "evaluate", "--quiet", "--config", work / "config.yaml", "--input", data, "--output", work / "report"])
        report = sum(file.stat().st_size for file in (work / "report").iterdir())
        return usage._replace(written=usage.written - report), (work / "report/metrics.json").read_text()
    finally:
        shutil.rmtree(work)


def seconds(value):
    return f"{value:.2f} s" if value < 10 else f"{value:.0f} s"


def megabytes(value):
    return "–" if value != value else f"{value / 1e6:,.0f} MB"


COLUMNS = ["time", "CPU", "peak memory", "shuffled"]


def columns(usage):
    """Returns the cells of COLUMNS."""
    return [seconds(usage.seconds), seconds(usage.cpu), megabytes(usage.peak), megabytes(usage.written)]


def table(head, rows):
    """Returns a table in Markdown whose columns are aligned for people."""
    lines = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*lines)]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join("| " + " | ".join(map(str.ljust, line, widths)) + " |" for line in lines)


def conditions(runs):
    """Returns a sentence that says when, on what, with what and how often this was measured."""
    lines = open("/proc/cpuinfo") if os.path.exists("/proc/cpuinfo") else []
    cpu = next((line.split(": ")[1].strip() for line in lines if line.startswith("model name")), platform.processor())
    go = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True).stdout.strip()
    packages = [f"{name} {version(name)}" for name in ("pyarrow", "scikit-learn", "polars", "duckdb", "evidently") if version(name)]
    used = ", ".join([go, f"Python {platform.python_version()}", *packages])
    cores = f"{os.cpu_count()} cores of {cpu or platform.machine()} with a load of {LOAD:.1f} before"
    return f"{datetime.date.today()}; {platform.system()}, {cores}; {used}. Medians; runs: {runs}."


def version(package):
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def publish(name, text, document):
    """Prints a text or, if a document is given, puts it into the section of this name there."""
    if document is None:
        print(f"{text}\n")
        return
    begin, end = f"<!-- {name}: written by make bench-docs -->\n", f"<!-- end of {name} -->\n"
    before, begins, rest = document.read_text().partition(begin)
    _, ends, after = rest.partition(end)
    if not begins or not ends:
        sys.exit(f"{document} has no section {name}")
    document.write_text(f"{before}{begin}\n{text}\n\n{end}{after}")
