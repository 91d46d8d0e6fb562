"""What the program has written."""

import contextlib
import difflib
import functools
import html
import json
import os
import pathlib
import weakref
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute
import pyarrow.fs
import pyarrow.parquet
from beameval import _data, _names, _plan, _shapes, _temporary
from beameval._data import to_library
from beameval._program import Error, run

Made = TypeVar("Made", bound="Directory")


# What a notebook shows of a page, which is a text of its script.
_FRAME = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>beameval</title>
<style>body { margin: 0; font: 14px system-ui, sans-serif } iframe { width: 100%%; height: 40rem; border: 0 }</style>
<a href="#tab">Open in a tab</a>
<iframe sandbox="allow-scripts" title="The page"></iframe>
<script>
const page = %s;
document.querySelector("iframe").srcdoc = page;
document.querySelector("a").onclick = () => { open(URL.createObjectURL(new Blob([page], { type: "text/html" }))); return false; };
</script></html>"""


class Directory:
    """A directory that the program has written, local or at a URI such as gs://bucket/report."""

    document: str  # the file that the program reads again, too
    page: str

    def __init__(self, path: str | os.PathLike[str], library: str = "pyarrow", printed: str = "") -> None:
        self.path = os.fspath(path)
        self._library = library
        self._printed = printed

    @classmethod
    def _made_by(cls: type[Made], verb: str, arguments: Sequence[str], output: str | os.PathLike[str] | None, *, overwrite: bool, quiet: bool, check: bool, library: str) -> Made:
        """Returns what a verb of the program writes to output, or to a temporary directory that is
        removed with the object. With check, exit code 3 is an Error."""
        temporary = _temporary.make("beameval-report-") if output is None else None
        directory = temporary or os.fspath(output or "")
        try:
            code, printed = run(verb, ["--output=" + directory, *(["--overwrite"] if overwrite else []), *arguments], quiet)
            made = cls(directory, library, printed)
        except BaseException:
            if temporary:
                _temporary.remove(temporary)
            raise
        if temporary:
            weakref.finalize(made, _temporary.remove, temporary)
        if code == 3 and check:
            raise Error(made._failure(), code, made)
        return made

    def __fspath__(self) -> str:
        return self.path

    def _read(self, name: str) -> bytes:
        try:
            if "://" in self.path:
                files, base = pa.fs.FileSystem.from_uri(self.path)
                with files.open_input_file(base.rstrip("/") + "/" + name) as file:
                    return bytes(file.read())
            return pathlib.Path(self.path, name).read_bytes()
        except FileNotFoundError:
            raise Error(f"{self.path} has no {name}" + (_keys.get(name) or _formats.get(name.partition(".")[2], ""))) from None
        except (OSError, pa.ArrowException) as reason:
            raise Error(f"{self.path}: {name} cannot be read: {reason}") from reason

    def _table(self, name: str) -> pa.Table:
        try:
            return pa.parquet.read_table(pa.BufferReader(self._read(name)))
        except (OSError, pa.ArrowException) as reason:
            raise Error(f"{self.path}: {name} is damaged: {reason}") from reason

    @functools.cached_property
    def _document(self) -> dict[str, Any]:
        try:
            document = json.loads(self._read(self.document))
        except ValueError as reason:
            raise Error(f"{self.path}: {self.document} is damaged: {reason}") from reason
        if not isinstance(document, dict) or not str(document.get("schema")).startswith("beameval."):
            raise Error(f"{self.path}: {self.document} is of no report of beameval")
        return document

    @property
    def warnings(self) -> list[str]:
        """The warnings of the report."""
        return list(self._document["warnings"])

    @property
    def gates(self) -> "Gates":
        """The results of the gates."""
        return Gates(self._document.get("gates", []))

    def _failure(self) -> str:
        """Why the exit code is 3."""
        return self.gates.message

    def __repr__(self) -> str:
        if self._printed:
            return self._printed.rstrip("\n")
        try:
            return self._read("summary.txt").decode().rstrip("\n")
        except Error:
            return f"{type(self).__name__}({self.path!r})"

    def _repr_html_(self) -> str:
        """The page below a link that opens it in a tab, in a frame that can run its script, but neither send requests nor reach
        the notebook. So is the tab, because sandboxes hold for what is opened from them."""
        try:
            page = self._read(self.page).decode()
        except Error:
            return f"<pre>{html.escape(repr(self))}</pre>"
        framed = _FRAME % json.dumps(page, ensure_ascii=False).replace("<", "\\u003c")
        return f'<iframe sandbox="allow-scripts allow-popups" srcdoc="{html.escape(framed)}" style="width: 100%; height: 42rem; border: 0"></iframe>'


# The columns of tables of systems that are compared in pairs.
_of_systems = {
    key: pa.schema([(name, pa.string()) for name in names] + [(name, pa.float64()) for name in numbers] + others)
    for key, names, numbers, others in [
        ("ranks", ["slice", "system", "metric"], ["value"], [("rank_low", pa.int64()), ("rank_high", pa.int64()), ("tied_for_first", pa.bool_())]),
        ("comparisons", ["a", "b"], ["a_wins", "b_wins", "ties"], [("comparisons", pa.int64())]),
    ]
}

# What to do if a file is missing that a key or a format adds.
_keys: dict[str, str] = {}
_formats = {suffix: f": add {form} to output.formats" for suffix, form in [("parquet", "parquet"), ("html", "html"), ("txt", "markdown")]}


def _in_file(name: str, about: str, key: str = "") -> property:
    """Returns a property that is the table in a Parquet file, which a key of the configuration adds."""
    if key:
        _keys[f"{name}.parquet"] = f": set {key}, and keep parquet among output.formats"
    return property(lambda report: to_library(report._examples(name) if name.endswith("_examples") else report._table(f"{name}.parquet"), report._library), doc=about)


class Gates(list[dict[str, Any]]):
    """The results of gates: a dict for each, with `metric`, `slice`, `verdict` and more."""

    @property
    def failed(self) -> list[dict[str, Any]]:
        """The gates that failed."""
        return [gate for gate in self if gate["verdict"] == "fail"]

    @property
    def passed(self) -> bool:
        """Whether no gate failed."""
        return not self.failed

    @property
    def message(self) -> str:
        """The failed gates, a line for each."""
        return "\n".join(_line(gate) for gate in self.failed)


class Report(Directory):
    """A report. `r["roc_auc"]` is a metric of all examples, `r["recall", "sunset"]` one of a label:
    a float, or None if it is undefined. All names that `metrics` takes are names here, such as `r["auc"]`.

    >>> import beameval
    >>> r = beameval.evaluate({"y": [1, 0, 1, 0], "p": [0.9, 0.2, 0.4, 0.6]}, label="y", score="p", quiet=True)
    >>> r["f1"], r.gates.passed, r.warnings[:0]
    (0.5, True, [])
    >>> r.confusion.select(["true", "predicted", "count"]).to_pylist()[0]
    {'true': '0', 'predicted': '0', 'count': 1}
    """

    document = "metrics.json"
    page = "report.html"

    @property
    def checks(self) -> list[dict[str, Any]]:
        """What is odd in the data: a dict for each check that holds, with `name`, `level`, `message`, `count`, `share`, `slice` and `label`."""
        return list(self._document.get("checks", []))

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What stands out, what matters most first: a dict for each finding, with `name`, `message`, `metric`, `slice`, `label`, `values` and
        `see`. Where there are no intervals, the last, `no_intervals`, says what cannot be said and what adds it."""
        return list(self._document.get("findings", []))

    _ids: Mapping[str, pa.DataType] = {}  # of data in memory, the types of the ids of examples and of queries

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> "Report":
        """Returns the finished report in a directory, local or at a URI.

        Raises:
            Error: there is no report.
        """
        report = cls(path)
        _ = report._document  # a missing report is an error now
        return report

    def merge(self, *others: str | os.PathLike[str], **options: Any) -> "Report":
        """Returns the report of the data of this report and of others, as `beameval.merge` makes it."""
        from beameval._merge import merge  # which makes reports

        return merge(self, *others, **options)

    def __getitem__(self, key: str | tuple[str, Any]) -> float | None:
        name, label = key if isinstance(key, tuple) else (key, None)
        found = self._key(name, label)
        if found is None:
            raise KeyError(self._missing(name, label))
        return self._values[found]

    def __contains__(self, key: object) -> bool:
        name, label = key if isinstance(key, tuple) else (key, None)
        return self._key(name, label) is not None

    def _key(self, name: Any, label: Any) -> tuple[str, str | None] | None:
        """Returns the key of a value, whose name and label may be in another spelling, or None."""
        if (name, label) in self._values:
            return name, label
        main = self._main(str(name))
        of = [other for metric, other in self._values if metric == main]
        at = of.index(None) if label is None and None in of else None if label is None else _shapes.position(label, of)
        return None if main is None or at is None else (main, of[at])

    def _main(self, name: str) -> str | None:
        return _names.main(name, self._document["task"], set(self), self._document.get("config", {}).get("ranking") or {})

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(name for name, _ in self._values))

    @functools.cached_property
    def _values(self) -> dict[tuple[str, str | None], float | None]:
        rows = self._document["metrics"]
        if "all_metrics" in self._document:  # metrics.json may omit the labels of all examples, too
            table = self._table("metrics.parquet")
            table = table.filter(pa.compute.equal(table["slice"], "{}"))
            rows = [{**row, "slice": {}} for row in table.select(["name", "label", "value"]).to_pylist()]
        return {(row["name"], row["label"]): row["value"] for row in rows if not row["slice"]}

    def _missing(self, name: str, label: Any) -> str:
        name = self._main(name) or name
        labels = [of for metric, of in self._values if metric == name]
        if not labels:
            near = difflib.get_close_matches(name, list(self), 1)
            return f"the report has no metric {name!r}" + (f"; did you mean {near[0]!r}?" if near else "")
        if label is None:
            return f"{name} is a metric of each label: add one, such as r[{name!r}, {labels[0]!r}]"
        return f"{name} has no label {label!r}; it has {', '.join(map(repr, labels[:5]))}" + (", …" if len(labels) > 5 else "")

    metrics = _in_file("metrics", "All metrics: a table with a row for each metric, slice and label, as in metrics.parquet.")
    confusion = _in_file("confusion", "The confusion matrices: a table with a row for each cell that is not 0, as in confusion.parquet.")
    curves = _in_file("curves", "The curves: a table with a row for each point, as in curves.parquet.")
    label_pairs = _in_file(
        "label_pairs",
        "Which labels are missed with which others predicted in their place, if the key label_pairs asks for them: a table as in label_pairs.parquet.",
        "label_pairs",
    )
    moves = _in_file(
        "moves",
        "Who moved from which class that a baseline predicts to which: a table with a row for each pair of classes, as in moves.parquet.",
        "input.columns.baseline_score or baseline_prediction",
    )
    worst_examples = _in_file(
        "worst_examples",
        "The examples with the highest losses, if the key worst_examples asks for them: a table as in worst_examples.parquet. Ids of data in memory "
        "have their type.",
        "worst_examples",
    )
    changed_examples = _in_file(
        "changed_examples",
        "The examples that a model predicts right and its baseline does not, or the reverse, if the key changed_examples asks for them: a table as in "
        "changed_examples.parquet. Ids of data in memory have their type.",
        "changed_examples",
    )
    found_slices = _in_file(
        "found_slices",
        "The slices with the highest losses, if the key search asks for them: a table as in found_slices.parquet.",
        "search",
    )
    differences = _in_file(
        "differences",
        "How the metrics differ from those of a baseline, if there are columns of its predictions: a table as in differences.parquet, where a is the "
        "baseline and b the model.",
        "input.columns.baseline_score or baseline_prediction",
    )

    @property
    def slices(self) -> Any:
        """The slices: a table with a row for each, `slice` (JSON, as in other tables), its values, its support, and a
        column for each metric that is not one of a label. The first row is that of all examples."""
        table = self._table("metrics.parquet")
        table = table.filter(pa.compute.is_null(table["label"]))
        by = [name for name in table.column_names if name.startswith("slice_")]
        rows: dict[str, dict[str, Any]] = {}
        for row in table.select(["slice", "name", "value", "support", *by]).to_pylist():
            slice_ = rows.setdefault(row["slice"], {name: row[name] for name in ("slice", *by, "support")})
            slice_["support"] = max(slice_["support"], row["support"])
            slice_[row["name"]] = row["value"]
        return to_library(pa.Table.from_pylist(list(rows.values())), self._library)

    @property
    def ranks(self) -> Any:
        """Of task preference, with the key confidence, the ranks of the systems as intervals: a table
        with a row for each slice and system, the strongest first, as `ranks` in metrics.json."""
        return self._of_systems("ranks", "task preference and the key confidence")

    @property
    def comparisons(self) -> Any:
        """Of task preference, the outcomes of the comparisons of each two systems: a table with a row
        for each, as `comparisons` in metrics.json."""
        return self._of_systems("comparisons", "task preference")

    def _of_systems(self, key: str, needed: str) -> Any:
        if key not in self._document:
            raise Error(f"{self.path} has no {key}: they need {needed}")
        rows = [{**row, **({"slice": json.dumps(row["slice"])} if "slice" in row else {})} for row in self._document[key]]
        return to_library(pa.Table.from_pylist(rows, _of_systems[key]), self._library)

    def _examples(self, name: str) -> pa.Table:
        """Returns a table of examples, whose ids have the type of those that were evaluated, if it is known."""
        table = self._table(name + ".parquet")
        kind = self._ids.get("query" if self._document["task"] == "ranking" else "example", pa.string())
        with contextlib.suppress(pa.ArrowException):  # a time, which the report writes in its own way
            at = table.column_names.index("example")
            return table.set_column(at, "example", table["example"].cast(kind))
        return table

    def join(self, data: Any, table: str = "worst_examples", *, example: str | None = None) -> Any:
        """Returns rows of data with the columns that tell of them in a table of examples, which is
        worst_examples or changed_examples, in the order of this table. Its columns have `_of_report` behind
        their names where data have a column of the name.

        >>> import beameval
        >>> data = {"y": [1, 0, 1], "p": [0.9, 0.2, 0.4], "text": ["one", "two", "three"]}
        >>> r = beameval.evaluate(data, label="y", score="p", worst_examples=2, quiet=True)
        >>> r.join(data).select(["rank", "text", "p"]).to_pylist()
        [{'rank': 1, 'text': 'three', 'p': 0.4}, {'rank': 2, 'text': 'two', 'p': 0.2}]

        Args:
            data: a frame or table as for `evaluate`, with the examples of the report.
            table: the name of the table of examples.
            example: the column of data with the ids, which are those of queries in a ranking. Without it, it is one
                called `id` or `example_id`, else the index of a pandas frame or the numbers of rows.

        Raises:
            Error: the report has no such table, or data lack one of its examples.
        """
        if table not in ("worst_examples", "changed_examples"):
            raise Error(f"{table!r} is no table of examples: expected worst_examples or changed_examples")
        data = _data.taken_from(data)
        listed = self._table(table + ".parquet")
        at, rows = _data.matches(listed["example"], _data.ids_of(data, example))
        taken = set(data.column_names if isinstance(data, pa.Table) else data.columns)
        listed = listed.rename_columns([name + "_of_report" if name in taken else name for name in listed.column_names])
        return _data.beside(listed.take(at), data, rows, self._library)

    def plan(
        self,
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
        """What the report can show: the smallest visible drop of each metric and slice, and the rows that a given drop takes.
        See `beameval.plan`."""
        labels = {"half_width": half_width, "label_cost": label_cost, "judge_cost": judge_cost}
        return _plan.plan(self, metric, drop, power=power, level=level, baseline=baseline, slice=slice, **labels)


def _line(gate: dict[str, Any]) -> str:
    where = ", ".join(f"{column}={value}" for column, value in (gate.get("slice") or {}).items())
    named = " of ".join(str(part) for part in (gate.get("metric"), gate.get("label"), where) if part)
    bounds = ", ".join(f"{key} {gate[key]}" for key in ("min", "max", "max_drop", "max_rise") if key in gate)
    return f"gate failed: {named}: {gate.get('reason') or gate.get('value')} ({bounds})"
