"""Compares reports."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute
from beameval import _temporary
from beameval._data import to_library
from beameval._evaluate import evaluate, settings_of_keywords
from beameval._program import Error
from beameval._report import Directory, Report


def why_table(document: Mapping[str, Any]) -> pa.Table:
    """What a document says about why metrics differ: a table as [Comparison.why]."""
    parts = [name + end for name in ("mix", "performance") for end in ("", "_ci_low", "_ci_high")]
    numbers = ["share_a", "share_b", "a", "b", "difference", *parts]
    schema = pa.schema(
        [("metric", pa.string()), ("by", pa.list_(pa.string())), ("slice", pa.string()), *((name, pa.float64()) for name in numbers), ("reason", pa.string())]
    )
    rows: list[dict[str, Any]] = []
    for of in document.get("why", []):
        rows.append(of)
        for part in of.get("slices", []):
            change = None if part["a"] is None or part["b"] is None else part["b"] - part["a"]
            rows.append({**part, "metric": of["metric"], "by": of["by"], "slice": json.dumps(part["slice"]), "difference": change})
    return pa.Table.from_pylist([{name: row.get(name) for name in schema.names} for row in rows], schema=schema)


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
    def why(self) -> Any:
        """Why headline metrics differ: how much comes from other shares of slices (`mix`), and how much from other behaviour
        within them (`performance`).

        A table. A row without a slice is a metric and the columns of slices that its difference is divided by; a row for each of
        these slices follows, with its shares of the examples. The examples in no slice are the slice `{}`."""
        return to_library(why_table(self._document), self._library)

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
    *systems: Any,
    output: str | os.PathLike[str] | None = None,
    config: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    adjust: str = "bh",
    reference: str | os.PathLike[str] | None = None,
    all_pairs: bool = False,
    adjust_over: str | None = None,
    by_dataset: bool = False,
    overwrite: bool = False,
    check: bool = False,
    quiet: bool = False,
    **evaluation: Any,
) -> Comparison:
    """Compares two reports: what became better or worse from a to b, and how sure that is; or ranks three to 50 systems.

    Predictions in place of reports are evaluated first, all in the same way:

    >>> frame = {"y": [1, 0, 1, 0] * 20, "p_lr": [0.9, 0.2, 0.4, 0.6] * 20, "p_gb": [0.8, 0.1, 0.6, 0.3] * 20}
    >>> c = compare(frame, label="y", score={"lr": "p_lr", "gb": "p_gb"}, quiet=True)
    >>> c.better["name"].to_pylist()[:3]
    ['brier', 'brier_skill', 'log_loss']

    Args:
        systems: reports, or their directories. If they were made with `confidence`, of the same
            examples, differences are tested, example by example. Or predictions: files, or tables as in `evaluate`.
        output: the directory of the comparison. Without it, the comparison is in a temporary
            directory that is removed with the object.
        config: a YAML file; of its keys, gates counts, and for predictions all others. For tables, a dict.
        adjust: how p-values are adjusted over the slices of a metric: bh, holm or none; over systems also maxt.
        reference: of three or more reports, the system to compare the others with: its name, its report or directory.
            Without it, it is the first.
        all_pairs: compare every system with every other.
        adjust_over: what p-values are adjusted over besides slices: systems, or systems,metrics.
        by_dataset: the reports are of several data sets.
        overwrite: replace a finished comparison in output.
        check: raise an Error with code 3 if a gate fails. Its report is the comparison.
        quiet: print no notes and no progress of evaluations.
        evaluation: of predictions, the keywords of `evaluate`, such as `label`, `slices` and keys of a
            configuration; `confidence` is `{}` unless it is given. If `score` is a dict, its keys are the systems, whose
            scores are columns of one table.

    Raises:
        Error: the command's message.
    """
    arguments = [
        "--adjust=" + adjust,
        *(["--reference=" + os.fspath(reference)] if reference is not None else []),
        *(["--adjust-over=" + adjust_over] if adjust_over is not None else []),
        *(["--all-pairs"] if all_pairs else []),
        *(["--by-dataset"] if by_dataset else []),
    ]
    library = getattr(systems[-1], "_library", "pyarrow") if systems else "pyarrow"
    with _temporary.directory("beameval-data-") as temporary:
        if isinstance(evaluation.get("score"), Mapping) or not all(isinstance(system, str | os.PathLike) for system in systems):
            keys, gates = _of_tables(config, evaluation)
            systems = tuple(_evaluated(systems, keys, quiet))
            library = systems[-1]._library
            config = _write_gates(gates, temporary) if gates else None
        elif isinstance(config, Mapping):
            evaluation, config = {**config, **evaluation}, None
        if config is not None:
            arguments.append("--config=" + os.fspath(config))
        if not all(isinstance(system, Directory) for system in systems):
            arguments += settings_of_keywords(evaluation)
        arguments += ["--", *(os.fspath(system) for system in systems)]  # a name may begin with --
        return Comparison._made_by("compare", arguments, output, overwrite=overwrite, quiet=quiet, check=check, library=library)


def _of_tables(config: Any, evaluation: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    """Returns the keywords of `evaluate` for tables, and the gates, which are of the comparison."""
    if config is not None and not isinstance(config, Mapping):
        raise Error("config is a file, whose gates are of the comparison and whose other keys are of the tables: pass a dict, or evaluate each table")
    keys = {"confidence": {}, **(config or {}), **evaluation}
    gates = keys.pop("gates", None)
    for name in ("baseline", "baseline_window", "output"):
        keys.pop(name, None)
    return keys, gates


def _evaluated(systems: Sequence[Any], keys: dict[str, Any], quiet: bool) -> Iterator[Report]:
    """Evaluates predictions, and yields the report of each system. Reports stay what they are."""
    score = keys.get("score")
    if isinstance(score, Mapping):
        if len(systems) != 1:
            raise Error(f"score is a dict, whose keys are the systems of one table, and there are {len(systems)}: pass one, or the name of a column")
        for name, column in score.items():
            yield _evaluate_system(systems[0], str(name), {**keys, "score": column}, quiet)
        return
    for number, system in enumerate(systems, 1):
        if isinstance(system, Report):
            yield system
            continue
        name = os.path.basename(os.fspath(system)) if isinstance(system, str | os.PathLike) else f"system {number}"
        yield _evaluate_system(system, name, keys, quiet)


def _evaluate_system(data: Any, name: str, keys: Mapping[str, Any], quiet: bool) -> Report:
    """Evaluates a system, with statistics where they can be made, by which differences between slices are explained."""
    keys = {**keys, "report": {**keys.get("report", {}), "model": name}}
    if keys.get("slices"):
        try:
            return evaluate(data, config={"output": {"statistics": True}}, **keys, quiet=quiet)
        except Error as error:
            if "output.statistics" not in str(error):
                raise
    return evaluate(data, **keys, quiet=quiet)


def _write_gates(gates: Any, directory: str) -> str:
    """Writes gates to a configuration in a directory, and returns its path."""
    path = os.path.join(directory, "gates.yaml")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"gates": gates}, file, ensure_ascii=False)
    return path
