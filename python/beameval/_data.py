"""Hands data in memory to the program, as an Arrow file."""

import contextlib
import fnmatch
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.ipc
from beameval._program import Error
from beameval._roles import NAMES, WIDE

# Rows of a record batch. A worker of the program reads a record batch as a whole.
BATCH = 65536

EXAMPLE = "example_id"
EXAMPLE_NAMES = NAMES["example"]  # of which the program takes the first as the ids of examples

# By these names, in any case and with - or nothing for _, the program finds columns that the configuration does not name: as
# they are, or as the beginning of one column for each label, such as proba_cat.
FOUND = {
    role: re.compile("|".join(name.replace("_", "[-_]?") + ("([_.].*)?" if role in WIDE else "") for name in names), re.IGNORECASE)
    for role, names in NAMES.items()
}


def found_by_name(role: str, names: Iterable[str]) -> bool:
    """Reports whether the program may find one of some columns by its name."""
    return any(FOUND[role].fullmatch(name) for name in names)


@contextlib.contextmanager
def reading() -> Iterator[None]:
    """Raises an Error for whatever data raise while they are read: a stream may do so at any batch."""
    try:
        yield
    except Error:
        raise
    except Exception as reason:
        raise Error(f"the data cannot be read: {type(reason).__name__}: {reason}") from reason


@dataclass
class Source:
    """Data that are written once: columns of one table, batch by batch."""

    schema: pa.Schema
    batches: Iterable[pa.RecordBatch]
    library: str  # in which tables are given back
    ids: str | None  # the column of ids of examples, which are the numbers of rows if it has none yet
    labels: list[str] | None = None  # names of the classes of `label`, if its type has them

    @reading()
    def write(self, path: str) -> "Rows":
        """Writes the file, and returns where its record batches begin."""
        number_rows = self.ids is not None and self.ids not in self.schema.names
        schema = self.schema.append(pa.field(self.ids, pa.int64())) if number_rows else self.schema
        rows = Rows(path)
        with pa.ipc.new_file(path, schema) as file:
            for batch in self.batches:
                for at in range(0, batch.num_rows, BATCH):
                    part = batch.slice(at, BATCH)
                    columns = list(part.columns)
                    if number_rows:
                        columns.append(pa.array(range(rows.count, rows.count + part.num_rows), pa.int64()))
                    file.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
                    rows.add(part.num_rows)
        return rows


@dataclass
class Rows:
    """Where the record batches of a file begin."""

    path: str
    begins: list[int] = field(default_factory=list)
    count: int = 0

    def add(self, rows: int) -> None:
        self.begins.append(self.count)
        self.count += rows

    def in_words_of_caller(self, message: str) -> str:
        """Returns a message about the file as one about rows of the data, from 0."""

        def row(match: re.Match[str]) -> str:
            return f"row {self.begins[int(match[1])] + int(match[2])}"

        place = re.escape(self.path) + ": "
        message = re.sub(place + r"row group (\d+), row (\d+)", row, message)
        message = re.sub(place, "", message).replace(f" (files: 1, such as {self.path})", "")
        return message.replace(self.path, "the data").replace("he file has ", "he data has ")


def is_table(data: Any) -> bool:
    """Reports whether data have columns: a frame, a table, a relation, a data set or a dict."""
    return isinstance(data, Mapping) or hasattr(data, "columns") or hasattr(data, "column_names") or hasattr(data, "features")


@reading()
def from_table(data: Any, needed: Callable[[str], bool], label: str | None, ids: Callable[[Iterable[str]], str | None]) -> Source:
    """Returns a table. Columns that are not needed have names, which messages list, but no values. Of
    these names, ids makes that of a column for the index, or for the numbers of rows, if it is needed."""
    if _is(data, "pandas", "DataFrame"):
        return _from_pandas(data, needed, ids)
    if _is(data, "datasets", "Dataset"):
        return _from_datasets(data, needed, ids, label)
    if isinstance(data, Mapping):
        columns = {str(name): values for name, values in data.items()}
        return _from_columns(columns, library_of(*columns.values()), needed, ids(columns))
    if hasattr(data, "toArrow"):  # a frame of Spark
        data = data.toArrow()
    if not hasattr(data, "__arrow_c_stream__"):
        raise Error(f"{type(data).__name__} is no table: expected paths of files, a frame of pandas or polars, an Arrow table, "
                    "a relation of DuckDB, a data set of Hugging Face, or a dict of columns")  # fmt: skip
    stream: Any = pa.RecordBatchReader.from_stream(data)
    kept = [needed(name) for name in stream.schema.names]
    schema = pa.schema([f if keep else pa.field(f.name, pa.null()) for f, keep in zip(stream.schema, kept, strict=True)], stream.schema.metadata)

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in stream:
            columns = [c if keep else pa.nulls(batch.num_rows) for c, keep in zip(batch.columns, kept, strict=True)]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)

    return Source(schema, batches(), library_of(data), ids(schema.names))


@reading()
def from_arrays(arrays: Mapping[str, Any], slices: Any) -> tuple[Source, dict[str, str], list[str]]:
    """Returns a table of arrays of equal length, with the columns of the table slices; the columns of
    the arrays, which have their names unless slices have columns of these; and those of slices."""
    library = library_of(slices, *arrays.values())
    by: dict[str, Any] = {}
    if slices is not None:
        source = from_table(slices, _all, None, no_ids)
        table = pa.Table.from_batches(source.batches, source.schema)
        by = {name: table[name] for name in table.column_names}
    names = {name: free(name, by) for name in arrays}
    columns = {names[name]: values for name, values in arrays.items()} | by
    ids = free(EXAMPLE, columns)
    index = next((v.index for v in arrays.values() if _is(v, "pandas", "Series") or _is(v, "pandas", "DataFrame")), None)
    if index is not None and index.nlevels == 1:
        columns[ids] = index
    return _from_columns(columns, library, _all, ids), names, list(by)


def free(name: str, taken: Iterable[str]) -> str:
    """Returns a name that is not taken, in any case: this one, or it with underscores."""
    lower = {str(other).lower() for other in taken}
    while name in lower:
        name += "_"
    return name


def no_ids(_: Iterable[str]) -> None:
    """Is for tables in which nothing needs the ids of rows."""


def ids_unless_found(names: Iterable[str]) -> str | None:
    """Is for tables in which the program may find a column of ids."""
    return None if any(name.lower() in EXAMPLE_NAMES for name in names) else EXAMPLE


def new_ids(names: Iterable[str]) -> str:
    """Is for tables in which no column has the ids of rows."""
    return free(EXAMPLE, names)


def library_of(*data: Any) -> str:
    """Returns the library of the first of data that is in one which has tables."""
    for d in data:
        name = type(d).__module__.partition(".")[0].lstrip("_")
        if name in ("pandas", "polars", "duckdb", "datasets", "pyarrow"):
            return name
    return "pyarrow"


def to_library(table: pa.Table, library: str) -> Any:
    """Returns a table in a library, which is imported by then."""
    match library:
        case "pandas":
            return table.to_pandas()
        case "polars":
            return sys.modules["polars"].from_arrow(table)
        case "duckdb":
            return sys.modules["duckdb"].from_arrow(table)
        case "datasets":
            return sys.modules["datasets"].Dataset(table)
    return table


def _from_pandas(data: Any, needed: Callable[[str], bool], ids: Callable[[Iterable[str]], str | None]) -> Source:
    columns = {}
    for at, name in enumerate(data.columns):
        if str(name) in columns:
            raise Error(f'two columns are called "{name}"')
        columns[str(name)] = data.iloc[:, at]
    index = data.index
    for level, name in enumerate(index.names):
        if name is not None:
            columns.setdefault(str(name), index.get_level_values(level))
    column = ids(columns)
    if column is not None and index.nlevels == 1:
        columns[column] = index
    source = _from_columns(columns, "pandas", needed, column)
    labels = data.attrs.get("labels")
    if labels is not None:  # as in files that pandas writes
        source.schema = source.schema.with_metadata({"labels": json.dumps(getattr(labels, "tolist", lambda: list(labels))(), default=lambda label: label.item())})
    return source


def _from_datasets(data: Any, needed: Callable[[str], bool], ids: Callable[[Iterable[str]], str | None], label: str | None) -> Source:
    """Returns a data set whose columns of ClassLabel have names instead of numbers, but the label:
    its numbers are also the positions of the scores."""
    names = [name for name in data.column_names if needed(name)]
    classes = {}
    labels = None
    for name in names:
        feature = data.features[name]
        class_names = getattr(feature, "names", None)
        if name == label:
            labels = class_names or getattr(getattr(feature, "feature", None), "names", None)
        elif class_names:
            classes[name] = pa.array(class_names)
    types = data.features.arrow_schema
    schema = pa.schema([(n, pa.string() if n in classes else types.field(n).type if n in names else pa.null()) for n in data.column_names])

    def batches() -> Iterator[pa.RecordBatch]:
        for table in data.select_columns(names).with_format("arrow").iter(BATCH):
            columns = []
            for field_ in schema:
                values = table[field_.name].combine_chunks() if field_.name in names else pa.nulls(len(table))
                columns.append(classes[field_.name].take(values) if field_.name in classes else values.cast(field_.type))
            yield pa.RecordBatch.from_arrays(columns, schema=schema)

    return Source(schema, batches(), "datasets", ids(schema.names), labels)


def _all(_: str) -> bool:
    return True


def _from_columns(columns: Mapping[str, Any], library: str, needed: Callable[[str], bool], ids: str | None) -> Source:
    arrays = {name: array(name, values) for name, values in columns.items() if needed(name) or name == ids}
    first = next(iter(arrays), "")
    for name, values in arrays.items():
        if len(values) != len(arrays[first]):
            raise Error(f"{name} has {len(values)} rows, and {first} has {len(arrays[first])}")
    rows = len(arrays[first]) if arrays else 0
    table = pa.table({name: arrays[name] if name in arrays else pa.nulls(rows) for name in columns})
    return Source(table.schema, table.to_batches(BATCH), library, ids)


def array(name: str, values: Any) -> Any:
    """Returns a column. A matrix is one of lists, which have a value for each column of it."""
    try:
        if _is(values, "pandas", "Series") or _is(values, "pandas", "Index"):
            return pa.Array.from_pandas(_plain(values))
        if hasattr(values, "to_numpy") and len(getattr(values, "shape", ())) == 2:
            values = values.to_numpy()
        if len(getattr(values, "shape", ())) == 2:
            if values.shape[1] == 1:
                return pa.array(values[:, 0])
            return pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1)), values.shape[1])
        if hasattr(values, "__arrow_c_stream__"):
            return pa.chunked_array(values)
        return pa.array(values, from_pandas=str(getattr(values, "dtype", "")) == "object")  # whose NaN is a missing value
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise Error(f'column "{name}": {error}') from error


def _plain(values: Any) -> Any:
    """Returns a series or index of pandas whose periods and intervals are texts, as they are shown."""
    written = ("PeriodDtype", "IntervalDtype")
    if type(values.dtype).__name__ in written:
        return values.astype(str).where(values.notna(), None)
    categories = getattr(values.dtype, "categories", None)
    if categories is not None and type(categories.dtype).__name__ in written:
        return getattr(values, "cat", values).rename_categories(categories.astype(str))
    return values


def _is(data: Any, library: str, name: str) -> bool:
    """Reports whether data are of a class of a library, without importing it."""
    module = sys.modules.get(library)
    return module is not None and isinstance(data, getattr(module, name))


def mentioned_in(*values: Any) -> Callable[[str], bool]:
    """Reports which columns a configuration mentions: by name, by a pattern such as proba_*, or as
    the struct of a field."""
    names: set[str] = set()

    def collect(value: Any) -> None:
        if isinstance(value, str):
            names.update((value, value.replace("`", "")))
            names.update(part.replace("``", "`") for part in re.findall("`((?:[^`]|``)*)`", value))
        elif isinstance(value, Mapping):
            for key, inner in value.items():
                collect(key)
                collect(inner)
        elif isinstance(value, Iterable):
            for inner in value:
                collect(inner)

    for value in values:
        collect(value)
    names |= {name.split(".")[0] for name in names}
    patterns = [name for name in names if "*" in name]
    return lambda name: name in names or any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
