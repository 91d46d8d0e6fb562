"""Compares reports."""

import os
from typing import Any

import pyarrow as pa
import pyarrow.compute
from beameval._data import to_library
from beameval._report import Directory


class Comparison(Directory):
    """What changed from report a to report b."""

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

    def _of(self, verdict: str) -> Any:
        table = self._table("comparison.parquet")
        return to_library(table.filter(pa.compute.equal(table["verdict"], pa.scalar(verdict))), self._library)


def compare(
    a: str | os.PathLike[str],
    b: str | os.PathLike[str],
    *,
    output: str | os.PathLike[str] | None = None,
    config: str | os.PathLike[str] | None = None,
    adjust: str = "bh",
    overwrite: bool = False,
    check: bool = False,
) -> Comparison:
    """Compares two reports: what became better or worse from a to b, and how sure that is.

    Args:
        a, b: reports, or their directories. If both were made with `confidence`, of the same
            examples, differences are tested, example by example.
        output: the directory of the comparison. Without it, the comparison is in a temporary
            directory that is removed with the object.
        config: a YAML file; of its keys, gates counts.
        adjust: how p-values are adjusted over the slices of a metric: bh, holm or none.
        overwrite: replace a finished comparison in output.
        check: raise an Error with code 3 if a gate fails. Its report is the comparison.

    Raises:
        Error: the command's message.
    """
    arguments = [os.fspath(a), os.fspath(b), "--adjust", adjust]
    if config is not None:
        arguments += ["--config", os.fspath(config)]
    library = getattr(b, "_library", "pyarrow")
    return Comparison._made_by("compare", arguments, output, overwrite=overwrite, quiet=False, check=check, library=library)
