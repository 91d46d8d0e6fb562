"""Plans experiments."""

import json
import os
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from beameval._data import to_library
from beameval._program import run

_plan = pa.schema(
    [
        *((name, pa.string()) for name in ("metric", "slice", "label")),
        ("value", pa.float64()),
        ("direction", pa.string()),
        ("rows", pa.int64()),
        ("groups", pa.int64()),
        *((name, pa.float64()) for name in ("clusters", "design_effect", "std_error", "dof", "level", "visible_drop", "power", "rows_needed", "clusters_needed", "nights")),
        ("reason", pa.string()),
        *((name, pa.float64()) for name in ("judged_rows", "correlation", "correlation_low", "correlation_high", "half_width", "half_width_of_labels_alone")),
        ("half_widths", pa.list_(pa.struct([("labels", pa.int64()), ("half_width", pa.float64())]))),
        *((name, pa.float64()) for name in ("labels_needed", "label_share")),
        ("labels_reason", pa.string()),
    ]
)


def plan(
    report: str | os.PathLike[str],
    metric: str | Sequence[str] | None = None,
    drop: float | None = None,
    *,
    power: float = 0.8,
    level: float | None = None,
    baseline: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    slice: str | Sequence[str] | None = None,
    half_width: float | None = None,
    label_cost: float | None = None,
    judge_cost: float | None = None,
) -> Any:
    """What a report can show: the smallest visible drop of each metric and slice, and the rows that a given drop takes.

    >>> import beameval, math
    >>> data = {"y": [1, 0, 1, 0] * 50, "p": [0.9, 0.2, 0.4, 0.6] * 50}
    >>> r = beameval.evaluate(data, label="y", score="p", confidence={}, quiet=True)
    >>> table = r.plan("accuracy", drop=0.1)
    >>> table.select(["metric", "direction", "rows"]).to_pylist(), math.ceil(table["rows_needed"][0].as_py())
    ([{'metric': 'accuracy', 'direction': 'drop', 'rows': 200}], 388)

    Args:
        report: a report that was evaluated with `confidence`, or its directory.
        metric: a metric, or several. Without it, those that the report shows first.
        drop: the size of a change for the worse, such as 0.01. Where lower values are better, it is a rise.
        power: the probability with which a drop is to be shown.
        level: the confidence level, 1 - alpha. Without it, it is the report's.
        baseline: the report to compare with, its directory, or a directory or glob of reports, whose newest earlier one it
            is. Without it, it is an independent report of equal size.
        slice: only slices by this column, or by these columns together.
        half_width: half the width that intervals of prediction-powered means are to have.
        label_cost: what a label costs, together with judge_cost.
        judge_cost: what a judgement costs, in the same unit.

    Returns:
        A table with a row for each metric, slice and label. `visible_drop` is the smallest change for the worse that is shown
        with a probability of `power`, `power` the probability with which `drop` is shown, and `rows_needed` the rows of each
        report that it takes. They are null where `reason` says why. Of prediction-powered means, `half_width` is half the
        width of the interval, `half_widths` what it would be with other numbers of labels, `labels_needed` the labels that
        the given half_width takes, and `label_share` the cheapest share of the rows to label.

    Raises:
        Error: the command's message.
    """
    names = [baseline] if isinstance(baseline, str | os.PathLike) else baseline or []
    arguments = [
        *(["--metric=" + _joined(metric)] if metric is not None else []),
        *([f"--drop={drop}"] if drop is not None else []),
        f"--power={power}",
        *([f"--level={level}"] if level is not None else []),
        *("--baseline=" + os.fspath(name) for name in names),
        *(["--slice=" + _joined(slice)] if slice is not None else []),
        *(f"--{name}={x}" for name, x in {"half_width": half_width, "label_cost": label_cost, "judge_cost": judge_cost}.items() if x is not None),
        *("--json", "--", os.fspath(report)),  # a name may begin with --
    ]
    _, printed = run("plan", arguments, quiet=False)
    rows = [{**row, "slice": json.dumps(row["slice"], separators=(",", ":"), ensure_ascii=False)} for row in json.loads(printed)["metrics"]]
    return to_library(pa.Table.from_pylist(rows, _plan), getattr(report, "_library", "pyarrow"))


def _joined(names: str | Sequence[str]) -> str:
    return names if isinstance(names, str) else ",".join(names)
