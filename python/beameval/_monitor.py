"""Looks at the reports of many nights."""

import datetime
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, overload

import pyarrow as pa
from beameval._compare import why_table
from beameval._data import to_library
from beameval._program import Error
from beameval._report import Directory

_place = [("metric", pa.string()), ("slice", pa.string()), ("label", pa.string())]
_series = pa.schema(
    [
        *_place,
        ("nights", pa.int64()),
        ("two_sided", pa.bool_()),
        ("evidence", pa.float64()),
        ("threshold", pa.float64()),
        ("alarm", pa.bool_()),
        ("since", pa.string()),
        ("change", pa.float64()),
        ("reason", pa.string()),
    ]
)
_alarms = pa.schema([*_place, ("since", pa.string()), ("change", pa.float64()), ("min", pa.float64()), ("max", pa.float64())])
_nights = pa.schema(
    [
        ("date", pa.string()),
        ("report", pa.string()),
        ("at", pa.string()),
        ("model", pa.string()),
        ("examples", pa.int64()),
        ("segment", pa.int64()),
        ("changed", pa.list_(pa.string())),
    ]
)
_parts = pa.schema(
    [
        ("value", pa.string()),
        ("nights", pa.int64()),
        ("date", pa.string()),
        ("series", pa.int64()),
        ("alarms", pa.int64()),
        ("metric", pa.string()),
        ("last", pa.float64()),
        ("ci_low", pa.float64()),
        ("ci_high", pa.float64()),
        ("change", pa.float64()),
        ("reason", pa.string()),
    ]
)
_distances = ["psi", "jensen_shannon", "wasserstein", "ks_bound"]
_drift = pa.schema([("score", pa.string()), *_place[1:], *((name + suffix, pa.float64()) for name in _distances for suffix in ("", "_ci_low", "_ci_high"))])


class Monitor(Directory):
    """What the reports of many nights show together."""

    document = "monitor.json"
    page = "monitor.html"
    _index: "Monitors | None" = None

    @property
    def series(self) -> Any:
        """The series: a table with a row for each metric, slice and label."""
        return _table(self._document["series"], _series, self._library)

    @property
    def alarms(self) -> Any:
        """What alarmed: a table with a row for each series and bound, and since when it is worse, or changed."""
        return _table(self._alarms(), _alarms, self._library)

    @property
    def trend(self) -> Any:
        """All values: a table with a row for each night of each series, as in trend.parquet."""
        return to_library(self._table("trend.parquet"), self._library)

    @property
    def nights(self) -> Any:
        """The reports, the oldest first: a table with a row for each."""
        return _table(self._document["nights"], _nights, self._library)

    @property
    def drift(self) -> Any:
        """The changes of distributions: a table with a row for each distribution, slice and label."""
        return _table(self._document["drift"], _drift, self._library)

    @property
    def why(self) -> Any:
        """Why metrics of all examples alarmed, between nights before the change (a) and the nights since (b): a table as
        `why` of a comparison."""
        return to_library(why_table(self._document), self._library)

    @property
    def label_shift(self) -> dict[str, float]:
        """How many times as frequent each class is on the last night as in the reference, as far as
        the predicted classes tell."""
        return {row["label"]: row["weight"] for row in self._document["label_shift"]}

    @property
    def skipped(self) -> list[dict[str, str]]:
        """The reports that are left out, and why."""
        return list(self._document["skipped"])

    def _alarms(self) -> list[dict[str, Any]]:
        return [row for row in self._document["series"] + self._document["bounds"] if row["alarm"]]

    def _failure(self) -> str:
        return "\n".join(_line(row) for row in self._alarms())


class Monitors(Directory, Mapping[str, Monitor]):
    """What the reports of many nights show for each value of a key in their paths, such as each model: the monitors by value."""

    document = "monitors.json"
    page = "index.html"

    def __getitem__(self, value: str) -> Monitor:
        for row in self._monitors():
            if row["value"] == value:
                of = Monitor(self.path.rstrip("/") + "/" + row["folder"], self._library)
                of._index = self  # whose directory may be removed with it
                return of
        raise KeyError(value)

    def __iter__(self) -> Iterator[str]:
        return (row["value"] for row in self._monitors())

    def __len__(self) -> int:
        return len(self._monitors())

    @property
    def index(self) -> Any:
        """The values: a table with a row for each, with the number of alarms, and the last value of the first metric. `reason`
        says why there is no monitor, or why it judges nothing yet."""
        return _table(self._document["monitors"], _parts, self._library)

    @property
    def alarms(self) -> Any:
        """What alarmed: a table as of each monitor, with a first column for the value."""
        rows = [{"value": value, **row} for value, one in self.items() for row in one._alarms()]
        return _table(rows, pa.schema([_parts.field("value"), *_alarms]), self._library)

    @property
    def warnings(self) -> list[str]:
        """The warnings of all monitors, each after its value."""
        return [f"{value}: {warning}" for value, one in self.items() for warning in one.warnings]

    @property
    def skipped(self) -> list[dict[str, str]]:
        """The reports whose paths have no value of the key, and why they are left out."""
        return list(self._document["skipped"])

    def _monitors(self) -> list[dict[str, Any]]:
        return [row for row in self._document["monitors"] if row["folder"] is not None]

    def _failure(self) -> str:
        return "\n".join(f"{self._document['each']}={value}: {_line(row)}" for value, one in self.items() for row in one._alarms())


def _table(rows: Iterable[dict[str, Any]], schema: pa.Schema, library: str) -> Any:
    if "slice" in schema.names:
        rows = [{**row, "slice": json.dumps(row["slice"], separators=(",", ":"), ensure_ascii=False)} for row in rows]
    return to_library(pa.Table.from_pylist(list(rows), schema), library)


def _line(alarm: dict[str, Any]) -> str:
    where = ", ".join(f"{column}={value}" for column, value in alarm["slice"].items())
    verdict = "beyond its bound" if "mean" in alarm else "changed" if alarm["two_sided"] else "worse"
    return f"alarm: {' of '.join(str(part) for part in (alarm['metric'], alarm['label'], where) if part)}: {verdict} since {alarm['since']}"


@overload
def monitor(
    *reports: str | os.PathLike[str],
    each: None = None,
    output: str | os.PathLike[str] | None = ...,
    config: str | os.PathLike[str] | None = ...,
    reference: str | os.PathLike[str] | None = ...,
    since: str | datetime.date | None = ...,
    strict: bool = ...,
    overwrite: bool = ...,
    check: bool = ...,
) -> Monitor: ...


@overload
def monitor(
    *reports: str | os.PathLike[str],
    each: str,
    output: str | os.PathLike[str] | None = ...,
    config: str | os.PathLike[str] | None = ...,
    reference: str | os.PathLike[str] | None = ...,
    since: str | datetime.date | None = ...,
    strict: bool = ...,
    overwrite: bool = ...,
    check: bool = ...,
) -> Monitors: ...


def monitor(
    *reports: str | os.PathLike[str],
    each: str | None = None,
    output: str | os.PathLike[str] | None = None,
    config: str | os.PathLike[str] | None = None,
    reference: str | os.PathLike[str] | None = None,
    since: str | datetime.date | None = None,
    strict: bool = False,
    overwrite: bool = False,
    check: bool = False,
) -> Monitor | Monitors:
    """Looks at the reports of many nights: what became worse, and since when.

    Args:
        reports: reports or their directories, directories that hold reports at any depth, or globs
            of either.
        each: a key in their paths, such as model of reports/model=a/dt=2026-11-19: the reports of each
            value are monitored alone, and the result has a monitor for each. Without it, all reports are of one model.
        output: the directory of the result. Without it, the result is in a temporary directory that
            is removed with the object.
        config: a YAML file; of its keys, monitor counts.
        reference: the report that drift is measured from, or its directory. Without it, it is the
            first nights.
        since: a day up to which alarms are acknowledged, such as 2026-11-19.
        strict: make a report that cannot be read, or does not belong to the others, an error.
        overwrite: replace a finished monitor in output.
        check: raise an Error with code 3 if there is an alarm. Its report is the monitor.

    Raises:
        Error: the command's message.
    """
    if not reports:
        raise Error("no reports: monitor needs at least one", 2)
    arguments = [
        *(["--each=" + each] if each is not None else []),
        *(["--config=" + os.fspath(config)] if config is not None else []),
        *(["--reference=" + os.fspath(reference)] if reference is not None else []),
        *([f"--since={since}"] if since is not None else []),
        *(["--strict"] if strict else []),
        *("--", *(os.fspath(report) for report in reports)),  # a name may begin with --
    ]
    library = getattr(reports[0], "_library", "pyarrow")
    made: type[Monitor] | type[Monitors] = Monitor if each is None else Monitors
    return made._made_by("monitor", arguments, output, overwrite=overwrite, quiet=False, check=check, library=library)
