"""Measures what intervals cost: evaluations without and with `confidence`, in turn. Figures are medians of several runs."""

import argparse
import pathlib
from typing import NamedTuple

import jobs
import measure


class Data(NamedTuple):
    about: str
    workload: jobs.Workload
    curves: str = "exact"
    metrics: tuple = ()  # that have intervals; none: all
    slices: str = "each"  # that have intervals


BINARY, MULTILABEL = (next(w for w in jobs.WORKLOADS if w.name == name) for name in ("binary", "multilabel"))
SLICES, FIVE, SHOPS = (
    jobs.Workload("slices", "", f"--task binary --rows 2M --slices country:{n}", jobs.FIVE) for n in (1000, 5, 300)
)
FEW = ("accuracy", "f1", "recall", "log_loss")

DATA = {
    "binary": Data("binary, 10 M rows with weights, exact curves, 5 slices", BINARY),
    "binary-bounded": Data("the same, bounded curves", BINARY, "bounded"),
    "binary-few": Data(f"exact curves, intervals of `metrics: [{', '.join(FEW)}]`", BINARY, metrics=FEW),
    "multilabel": Data("multilabel, 1 M rows of 20 labels, exact curves, 5 slices", MULTILABEL),
    "multilabel-bounded": Data("the same, bounded curves", MULTILABEL, "bounded"),
    "slices-5": Data("binary, 2 M rows, exact curves, 5 slices", FIVE),
    "slices-300": Data("the same, 300 slices", SHOPS),
    "slices-300-overall": Data("300 slices, intervals of all examples alone (`slices: overall`)", SHOPS, slices="overall"),
    "slices": Data("binary, 2 M rows, exact curves, 1,000 slices", SLICES),
    "slices-few": Data(f"the same, intervals of `metrics: [{', '.join(FEW)}]`", SLICES, metrics=FEW),
}


def main():
    options = arguments()
    rows = []
    for name, data in DATA.items():
        if options.data and name not in options.data:
            continue
        measure.log(f"measuring {name}")
        rows.append([data.about, *cells(*in_turn(data, options.runs))])
    head = ["", "seconds", "ratio", "CPU seconds", "ratio", "memory", "ratio"]
    text = f"{measure.conditions(options.runs)}\n\n{measure.table(head, rows)}"
    measure.publish("confidence", text, options.docs)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="how many runs (default 3)")
    parser.add_argument("--docs", type=pathlib.Path, metavar="FILE", help="write the table into its section of this document")
    parser.add_argument("data", nargs="*", metavar="DATA", help=", ".join(DATA))
    return parser.parse_args()


def in_turn(data, runs):
    """Returns the median Usage without intervals, and with them."""
    folder = data.workload.generated()
    without = f"{data.workload.config}\ncurves: {{mode: {data.curves}}}"
    both = [without, f"{without}\nconfidence: {{metrics: [{', '.join(data.metrics)}], slices: {data.slices}}}"]
    usages = [[measure.evaluate(config, folder)[0] for config in both] for _ in range(runs)]
    return [measure.median(of) for of in zip(*usages)]


def cells(without, with_intervals):
    for name, text in ("seconds", measure.seconds), ("cpu", measure.seconds), ("peak", measure.megabytes):
        before, after = getattr(without, name), getattr(with_intervals, name)
        yield from (f"{text(before)} → {text(after)}", f"{after / before:.1f}")


if __name__ == "__main__":
    main()
