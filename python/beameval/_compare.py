"""Compares reports."""

import json
import os
from typing import Any

import pyarrow as pa
import pyarrow.compute
from beameval._data import to_library
from beameval._program import Error
from beameval._report import Directory


class Comparison(Directory):
    """What changed from report a to report b, or how several systems differ."""

    document = "comparison.json"
    page = "comparison.html"

    @property
    def table(self) -> Any:
        """All differences: a table with a row for each metric, slice and label, as in comparison.parquet."""
        return to_library(self._table("comparison.parquet"), self._library)

    @property
    def worse(self) -> Any:
        """The differences by which b is significantly worse."""
        return self._of("worse")

    @property
    def better(self) -> Any:
        """The differences by which b is significantly better."""
        return self._of("better")

    @property
    def ranks(self) -> Any:
        """Of several systems, their ranks: a table with a row for each metric, slice, label and system, as `ranks` in comparison.json."""
        columns = ["metric", "slice", "label", "system", "value", "ci_low", "ci_high", "rank_low", "rank_high", "tied_for_first", "best", "reason"]
        rows = [{**row, "slice": json.dumps(row["slice"])} for row in self._ranks()]
        if any("data" in row for row in rows):
            columns.insert(3, "data")
        return to_library(pa.table({name: [row.get(name) for row in rows] for name in columns}), self._library)

    @property
    def leaderboard(self) -> Any:
        """Of several systems, their values of the headline metrics for all examples: a table with a row for each system, the best first."""
        values: dict[tuple[str, str], dict[str, Any]] = {}
        for row in self._ranks():
            if row["metric"] in self._document["headline"] and not row["slice"] and row["label"] is None:
                values.setdefault((row.get("data", ""), row["system"]), {})[row["metric"]] = row["value"]
        rows = [{"data": data, "system": system, **of} for (data, system), of in values.items()]
        columns = [*(["data"] if any(row["data"] for row in rows) else []), "system", *self._document["headline"]]
        return to_library(pa.table({name: [row.get(name) for row in rows] for name in columns}), self._library)

    def _ranks(self) -> list[dict[str, Any]]:
        if "ranks" not in self._document:
            raise Error(f"{self.path} compares two reports, which have no ranks: compare three or more")
        return list(self._document["ranks"])

    def _of(self, verdict: str) -> Any:
        table = self._table("comparison.parquet")
        return to_library(table.filter(pa.compute.equal(table["verdict"], pa.scalar(verdict))), self._library)


def compare(
    *reports: str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    config: str | os.PathLike[str] | None = None,
    adjust: str = "bh",
    reference: str | os.PathLike[str] | None = None,
    all_pairs: bool = False,
    adjust_over: str | None = None,
    by_dataset: bool = False,
    overwrite: bool = False,
    check: bool = False,
) -> Comparison:
    """Compares two reports: what became better or worse from a to b, and how sure that is; or ranks three to 50 systems.

    Args:
        reports: reports, or their directories. If they were made with `confidence`, of the same
            examples, differences are tested, example by example.
        output: the directory of the comparison. Without it, the comparison is in a temporary
            directory that is removed with the object.
        config: a YAML file; of its keys, gates counts.
        adjust: how p-values are adjusted over the slices of a metric: bh, holm or none; over systems also maxt.
        reference: of three or more reports, the system to compare the others with: its name, its report or directory.
            Without it, it is the first.
        all_pairs: compare every system with every other.
        adjust_over: what p-values are adjusted over besides slices: systems, or systems,metrics.
        by_dataset: the reports are of several data sets.
        overwrite: replace a finished comparison in output.
        check: raise an Error with code 3 if a gate fails. Its report is the comparison.

    Raises:
        Error: the command's message.
    """
    arguments = [
        "--adjust=" + adjust,
        *(["--config=" + os.fspath(config)] if config is not None else []),
        *(["--reference=" + os.fspath(reference)] if reference is not None else []),
        *(["--adjust-over=" + adjust_over] if adjust_over is not None else []),
        *(["--all-pairs"] if all_pairs else []),
        *(["--by-dataset"] if by_dataset else []),
        *("--", *(os.fspath(report) for report in reports)),  # a name may begin with --
    ]
    library = getattr(reports[-1], "_library", "pyarrow") if reports else "pyarrow"
    return Comparison._made_by("compare", arguments, output, overwrite=overwrite, quiet=False, check=check, library=library)
