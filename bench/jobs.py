"""Measures whole evaluations, in turn with others that read the same files.

Each run is a process of its own, from Parquet files to a report with every metric. Figures are medians of several runs.
Where a Python package is missing, what needs it is left out. The exit code is 1 if a peer computes something else.
"""

import argparse
import importlib.util
import json
import pathlib
import re
import sys
from typing import NamedTuple

import measure
import peers
import texts


class Workload(NamedTuple):
    name: str
    about: str
    flags: str  # of the command generate; "" if it cannot write such data
    config: str
    bounded: bool = False  # whether to measure bounded curves too
    text: str = ""  # the form of texts to which pyarrow converts the Parquet files, which are measured too

    @property
    def peers(self):
        """Returns the peers, by name: they do not care about the order of rows."""
        return peers.PEERS.get(self.name.removesuffix("-shuffled"), {})

    def generated(self):
        """Returns the folder of generated data, which is there after the first call."""
        folder = measure.ROOT / "bench/data" / re.sub(r"\W+", "-", self.flags).strip("-")
        measure.generate(folder, self.flags)
        return folder

    @property
    def possible(self):
        return not self.text or importlib.util.find_spec("pyarrow") is not None


FIVE = "slices: [[country]]"
BINARY = "--task binary --rows 10M --weights --slices country:5"
LONG = "{task: multilabel, input: {layout: label, columns: {class: label_name}}}"
TEN_COLUMNS = "--task binary --rows 10M --slices " + ",".join(f"c{i}:10" for i in range(10))
SHOPS = "--task binary --rows 4M --slices country:5,shop:300"
TEXTS = "--task binary --rows 2M --float 32"
LONG_FLAGS = "--task multilabel --layout label --rows 4M --labels 20 --float 32"
TEXT_FLAGS = "--task ranking --rows 2M --ids name"
JOIN_FLAGS = "--task binary --rows 2M --truth --ids"
JOIN = 'truth: {files: ["{data}/_truth-*.parquet"]}'

WORKLOADS = [
    Workload("binary", "10 M rows, weights, 5 slices", BINARY, FIVE, bounded=True),
    Workload("unweighted", "10 M rows without weights, 5 slices", BINARY, "{slices: [[country]], input: {columns: {weight: null}}}"),
    Workload("multilabel", "1 M rows × 20 labels, 5 slices",
             "--task multilabel --rows 1M --labels 20 --float 32 --slices country:5", FIVE, bounded=True),
    Workload("multiclass", "2 M rows × 10 classes, 5 slices",
             "--task multiclass --rows 2M --labels 10 --float 32 --slices country:5", FIVE, bounded=True),
    Workload("ranking", "50,000 queries × 100 items", "--task ranking --rows 5M", "task: ranking"),
    Workload("ranking-shuffled", "the same in random order", "--task ranking --rows 5M --shuffle", "task: ranking"),
    Workload("long", "200,000 examples × 20 labels, a row for each label", LONG_FLAGS, LONG),
    Workload("long-shuffled", "the same in random order", f"{LONG_FLAGS} --shuffle", LONG),
    Workload("long-text-shuffled", "the same with texts as ids", f"{LONG_FLAGS} --shuffle --ids uuid", LONG),
    Workload("ranking-text", "20,000 queries × 100 items with names, ndcg@10", TEXT_FLAGS, "{task: ranking, metrics: [ndcg@10]}"),
    Workload("ranking-text-shuffled", "the same in random order", f"{TEXT_FLAGS} --shuffle", "{task: ranking, metrics: [ndcg@10]}"),
    Workload("join", "2 M rows, labels in other files in another order", f"{JOIN_FLAGS} integer", JOIN),
    Workload("join-text", "the same with UUIDs as ids", f"{JOIN_FLAGS} uuid", JOIN),
    Workload("sparse", "sparse scores", "", "{}"),
    Workload("baseline", "10 M rows, with the predictions of a baseline", "--task binary --rows 10M --predictions",
             "input: {columns: {score: score, baseline_prediction: prediction}}"),
    Workload("estimate", "10 M rows, half of them without a label", "--task binary --rows 10M --unlabelled 0.5", "unlabelled: estimate"),
    Workload("preference", "10 M comparisons of 30 systems, 5 slices, with intervals",
             "--task preference --rows 10M --labels 30 --slices country:5", "{task: preference, slices: [[country]], confidence: {}}"),
    Workload("intervals", "10 M rows, 10 columns of 10 values, with intervals", TEN_COLUMNS, "confidence: {}"),
    Workload("search", "the same, searched for the worst slices of up to two columns", TEN_COLUMNS,
             "{confidence: {}, search: {columns: all}}"),
    Workload("slices", "4 M rows, slices of 5 countries and of 300 shops", SHOPS, "slices: [[country], [shop]]"),
    Workload("slices-intervals", "the same, with intervals", SHOPS, "{slices: [[country], [shop]], confidence: {}}"),
    Workload("slices-tiny", "1 M rows, 45,000 slices of two columns, accuracy and roc_auc",
             "--task binary --rows 1M --float 32 --slices shop:150,product:300", "{slices: [[shop, product]], metrics: [accuracy, roc_auc]}"),
    Workload("csv", "2 M rows of id, label and score, CSV", TEXTS, "{}", text="csv"),
    Workload("csv-quoted", "the same with quoted ids", TEXTS, "{}", text="csv-quoted"),
    Workload("jsonl", "2 M rows of four keys, JSON lines", f"{TEXTS} --slices country:5", "{}", text="jsonl"),
]


def main():
    options = arguments()
    jobs, compared, agree = [], [], True
    for workload, folder in wanted(options):
        measure.log(f"measuring {workload.name}")
        measured, values = in_turn(workload, folder, options)
        about = workload.about if options.data is None else f"{values['exact']['examples']:,} examples"
        jobs += job_rows(workload, about, measured)
        for row, same in peer_rows(workload, measured, values):
            compared.append(row)
            agree = agree and same
    head = ["workload", "data", *measure.COLUMNS, "pyarrow reads", "time ÷ pyarrow", "memory ÷ pyarrow"]
    conditions = measure.conditions(options.runs)
    measure.publish("jobs", f"{conditions}\n\n{measure.table(head, jobs)}", options.docs)
    if compared:
        head = ["workload", "peer", "metrics", "time", "peak memory", "time ÷ beameval", "memory ÷ beameval", "greatest difference"]
        measure.publish("peers", f"{conditions}\n\n{measure.table(head, compared)}", options.docs)
    sys.exit(0 if agree else "a peer has computed something else")


def wanted(options):
    """Yields the workloads that are asked for, or all, with their folders."""
    for workload in WORKLOADS:
        if options.workloads and workload.name not in options.workloads:
            continue
        if options.data is None and workload.flags and workload.possible:
            yield workload, workload.generated()
        elif options.data is not None and (options.data / workload.name).is_dir():
            yield workload, options.data / workload.name


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, metavar="DIR",
                        help="a directory with folders named like workloads (default: generated data)")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="how many runs (default 3)")
    parser.add_argument("--peers", action="store_true", help="measure scikit-learn, polars, DuckDB and Evidently too")
    parser.add_argument("--docs", type=pathlib.Path, metavar="FILE", help="write the tables into their sections of this document")
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=", ".join(w.name for w in WORKLOADS))
    return parser.parse_args()


def in_turn(workload, folder, options):
    """Runs beameval and the others in turn. Returns by name the median Usage, and the metrics of the last run."""
    commands = {"exact": lambda: beameval(workload.config, folder)}
    if workload.text:
        read = texts.written(folder, workload.text)
        commands = {"exact": lambda: beameval(workload.config, read), "parquet": lambda: beameval(workload.config, folder)}
    if workload.bounded:
        commands["bounded"] = lambda: beameval(f"{workload.config}\ncurves: {{mode: bounded}}", folder)
    for name in others(workload, options.peers):
        commands[name] = lambda name=name: other(name, workload, folder)
    usages, values = {name: [] for name in commands}, {}
    for _ in range(options.runs):
        for name, command in commands.items():
            usage, values[name] = command()
            usages[name].append(usage)
    return {name: measure.median(runs) for name, runs in usages.items()}, values


def others(workload, with_peers):
    """Returns the names of what a workload is compared with, of what is installed."""
    packages = {"pyarrow": "pyarrow"}
    if with_peers:
        packages |= {name: peer.package for name, peer in workload.peers.items()}
    return [name for name, package in packages.items() if importlib.util.find_spec(package)]


def beameval(config, folder):
    """Evaluates a folder, and returns the Usage and the metrics of all rows."""
    usage, report = measure.evaluate(config, folder)
    report = json.loads(report)
    values = {row["name"]: row["value"] for row in report["metrics"] if not row["slice"] and row["label"] is None}
    return usage, values | {"examples": report["examples"]}


def other(name, workload, folder):
    """Has pyarrow or a peer read a folder, and returns the Usage and the metrics."""
    function = peers.read if name == "pyarrow" else workload.peers[name].function
    usage, printed = measure.run([sys.executable, peers.__file__, function.__name__, folder])
    return usage, json.loads(printed)


def job_rows(workload, about, measured):
    read = measured.get("pyarrow")
    for name, first in ("exact", [workload.name, about]), ("bounded", ["", "bounded curves"]), ("parquet", ["", "the same rows in Parquet"]):
        if name not in measured:
            continue
        used = measured[name]
        row = [*first, *measure.columns(used)]
        if read is None:
            yield row + ["–"] * 3
        else:
            reading = f"{measure.seconds(read.seconds)}, {measure.megabytes(read.peak)}"
            yield row + [reading, f"{used.seconds / read.seconds:.1f}", f"{used.peak / read.peak:.2f}"]


TOLERANCE = 1e-6  # relative: peers add in other orders, some in float32


def peer_rows(workload, measured, values):
    """Yields a row for each peer, and whether its metrics are those of beameval."""
    for name in (name for name in workload.peers if name in measured):
        ours, used, theirs = measured["exact"], measured[name], values[name]
        difference = max(abs(value - values["exact"][metric]) / max(abs(value), 1) for metric, value in theirs.items())
        metrics = ", ".join(theirs) if len(theirs) <= 5 else f"{len(theirs)} metrics"
        row = [workload.name, name, metrics, measure.seconds(used.seconds), measure.megabytes(used.peak)]
        yield row + [f"{used.seconds / ours.seconds:.1f}", f"{used.peak / ours.peak:.1f}", f"{difference:.0e}"], difference <= TOLERANCE


if __name__ == "__main__":
    main()
