"""Measures what statistics.bin takes: evaluations without and with it, and merging parts instead of evaluating all of them. Figures are medians of several runs."""

import argparse
import pathlib
import sys
import tempfile
from typing import NamedTuple

import measure


class Data(NamedTuple):
    about: str
    rows: int
    flags: str  # of the command generate
    config: str = ""
    parts: bool = False  # whether each file is a night of its own, and nights are merged


BINARY = "--task binary --slices country:5"
BOUNDED = "curves: {mode: bounded}\nslices: [[country]]\n"
INTERVALS = BOUNDED + "confidence: {}\n"
DATA = {
    "binary": Data("binary, 10 M rows, 5 slices, bounded curves", 10_000_000, BINARY, BOUNDED),
    "intervals": Data("the same with intervals", 10_000_000, BINARY, INTERVALS),
    "exact": Data("the same with intervals and `curves: exact`", 10_000_000, BINARY, "slices: [[country]]\nconfidence: {}\n"),
    "labels": Data("multilabel, 1 M rows × 20 labels, 5 slices, bounded curves", 1_000_000, "--task multilabel --labels 20 --float 32 --slices country:5", BOUNDED),
    "slices": Data("binary, 1 M rows, 5,000 slices, bounded curves", 1_000_000, "--task binary --slices country:5000", BOUNDED + "max_slices: 10000\n"),
    "nights": Data("30 nights of 1 M rows, 5 slices, bounded curves, intervals", 30_000_000, f"{BINARY} --files 30", INTERVALS, parts=True),
}


def main():
    options = arguments()
    files, nights = [], []
    for name, data in DATA.items():
        if options.data and name not in options.data:
            continue
        measure.log(f"measuring {name}")
        with tempfile.TemporaryDirectory() as temporary:  # data of some GB, which no other benchmark uses
            work = pathlib.Path(temporary)
            measure.generate(work / "data", f"{data.flags} --rows {round(data.rows * options.scale)}")
            (nights if data.parts else files).append([data.about, *(merged if data.parts else written)(name, data, work, options.runs)])
    tables = [measure.table(head, rows) for head, rows in [
        (["", "CPU without", "CPU with", "ratio", "`statistics.bin`"], files),
        (["", "CPU of evaluating all", "CPU of merging", "ratio", "memory of merging", "`statistics.bin` of a night"], nights),
    ] if rows]
    measure.publish("merge", "\n\n".join([measure.conditions(options.runs), *tables]), options.docs if options.scale == 1 else None)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="how many runs (default 3)")
    parser.add_argument("--scale", type=float, default=1, metavar="SHARE", help="a share of the rows, to try the benchmark; nothing is written into the document then")
    parser.add_argument("--docs", type=pathlib.Path, metavar="FILE", help="write the tables into their section of this document")
    parser.add_argument("data", nargs="*", metavar="DATA", help=", ".join(DATA))
    return parser.parse_args()


def evaluate(work, name, config, data, statistics):
    """Evaluates data into a report of this name, and returns the Usage."""
    (work / "config.yaml").write_text(config)
    keep = [f"--set=output.statistics={statistics}"] if statistics else []
    return measure.run([measure.ROOT / "bin/beameval", "evaluate", "--quiet", "--overwrite", "--config", work / "config.yaml", "--input", data, "--output", work / name, *keep])[0]


def written(name, data, work, runs):
    """Returns the cells of evaluations without and with statistics."""
    statistics = "{curves: exact}" if name == "exact" else "true"
    usages = [[evaluate(work, "report", data.config, work / "data", keep) for keep in ("", statistics)] for _ in range(runs)]
    size = (work / "report/statistics.bin").stat().st_size
    before, after = (measure.median(of) for of in zip(*usages))
    return measure.seconds(before.cpu), measure.seconds(after.cpu), f"{after.cpu / before.cpu:.2f}", f"{size / 1e6:.2f} MB"


def merged(name, data, work, runs):
    """Returns the cells of evaluating all nights, and of merging them. Both must have the same metrics."""
    files = sorted((work / "data").glob("*.parquet"))
    for i, file in enumerate(files):
        evaluate(work, f"nights/night={i:02}", data.config, file, "true")
    size = sum(file.stat().st_size for file in (work / "nights").glob("*/statistics.bin")) / len(files)
    usages = []
    for _ in range(runs):
        every = evaluate(work, "all", data.config, work / "data", "")
        together, _ = measure.run([measure.ROOT / "bin/beameval", "merge", "--quiet", "--overwrite", work / "nights", "--output", work / "merged"])
        usages.append([every, together])
    if (work / "all/metrics.json").read_bytes() != (work / "merged/metrics.json").read_bytes():
        sys.exit(f"{name}: the merged report has other metrics")
    every, together = (measure.median(of) for of in zip(*usages))
    return measure.seconds(every.cpu), measure.seconds(together.cpu), f"1/{every.cpu / together.cpu:.1f}", measure.megabytes(together.peak), f"{size / 1e6:.2f} MB"


if __name__ == "__main__":
    main()
