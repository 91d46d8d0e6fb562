"""Measures how time and memory of evaluations grow with rows, labels and slices, these also with intervals. Figures are medians of several runs."""

import argparse
import pathlib
from typing import NamedTuple

import measure


class Dimension(NamedTuple):
    name: str
    about: str
    flags: str  # of the command generate, with {} for a size
    sizes: tuple
    config: str
    modes: tuple = ("exact", "bounded")

    def data(self, size):
        return measure.ROOT / f"bench/data/{self.name}-{size}"


DIMENSIONS = [
    Dimension("rows", "binary, with weights and 5 slices", "--task binary --weights --slices country:5 --rows {}",
              (5_000_000, 10_000_000, 20_000_000, 40_000_000), "slices: [[country]]"),
    Dimension("labels", "multilabel, 50,000 rows", "--task multilabel --rows 50k --float 32 --labels {}",
              (1, 10, 100, 1000), "input: {label_encoding: indices}"),
    Dimension("slices", "binary, 1 M rows with weights", "--task binary --rows 1M --weights --slices country:{}",
              (1, 10, 100, 1000, 10_000), "slices: [[country]]\nmax_slices: 10000", ("exact", "bounded", "intervals")),
]
MODES = {  # keys of the configuration, and what the plot calls them
    "exact": ("curves: {mode: exact}", "exact curves"),
    "bounded": ("curves: {mode: bounded}", "bounded curves"),
    "intervals": ("confidence: {}", "exact curves and intervals"),
}


def main():
    options = arguments()
    measured = {d: measure_dimension(d, options.runs) for d in DIMENSIONS if d.name in options.dimensions or not options.dimensions}
    tables = [f"By {d.name} ({d.about}):\n\n{table(d, usages)}" for d, usages in measured.items()]
    measure.publish("growth", "\n\n".join([measure.conditions(options.runs), *tables]), options.docs)
    if options.docs:
        draw(measured, options.docs.with_name("growth.svg"))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="how many runs (default 3)")
    parser.add_argument("--docs", type=pathlib.Path, metavar="FILE",
                        help="write the tables into their section of this document, and growth.svg beside it (needs matplotlib)")
    parser.add_argument("dimensions", nargs="*", metavar="DIMENSION", help=", ".join(d.name for d in DIMENSIONS))
    return parser.parse_args()


def measure_dimension(dimension, runs):
    """Returns the median Usage of each size, by mode."""
    usages = {mode: [] for mode in dimension.modes}
    for size in dimension.sizes:
        measure.log(f"measuring {size:,} {dimension.name}")
        measure.generate(dimension.data(size), dimension.flags.format(size))
        for mode in dimension.modes:
            config = f"{dimension.config}\n{MODES[mode][0]}"
            usages[mode].append(measure.median(measure.evaluate(config, dimension.data(size))[0] for _ in range(runs)))
    return usages


def table(dimension, usages):
    rows = []
    for size, *by_mode in zip(dimension.sizes, *usages.values()):
        row = [f"{size:,}"]
        for usage in by_mode:
            row += measure.columns(usage)
        rows.append(row)
    return measure.table([dimension.name, *(f"{mode}: {figure}" for mode in usages for figure in measure.COLUMNS)], rows)


def draw(measured, file):
    """Draws seconds and memory by each dimension. The same figures give the same bytes."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams |= {"svg.hashsalt": "growth", "svg.fonttype": "none"}
    from matplotlib import pyplot

    size = (4 * len(measured), 6)
    figure, axes = pyplot.subplots(2, len(measured), figsize=size, sharex="col", sharey="row", squeeze=False, layout="constrained")
    for (dimension, usages), (time, memory) in zip(measured.items(), axes.T):
        for mode, by_size in usages.items():
            time.loglog(dimension.sizes, [usage.seconds for usage in by_size], "o-", label=MODES[mode][1])
            memory.loglog(dimension.sizes, [usage.peak / 1e6 for usage in by_size], "o-")
        time.set_title(dimension.about)
        memory.set_xlabel(dimension.name)
        for axis in (time, memory):
            axis.grid(True, alpha=0.3)
            axis.minorticks_off()
            axis.set_xticks(dimension.sizes, [short(size) for size in dimension.sizes])
            axis.yaxis.set_major_formatter("{x:,g}")
    axes[0, 0].set_ylabel("seconds")
    axes[1, 0].set_ylabel("peak memory, MB")
    axes[0, -1].legend()  # of all modes
    figure.savefig(file, metadata={"Date": None})


def short(size):
    return f"{size / 1e6:g} M" if size >= 1e6 else f"{size:,}"


if __name__ == "__main__":
    main()
