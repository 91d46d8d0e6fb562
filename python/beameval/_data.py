"""Hands data in memory to the program, as an Arrow file."""

import contextlib
import fnmatch
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
FOUND = re.compile(
    "|".join(name.replace("_", "[-_]?") + ("([_.].*)?" if role in WIDE else "") for role, names in NAMES.items() for name in names),
    re.IGNORECASE,
)


@dataclass
class Source:
    """Data that are written once: columns of one table, batch by batch."""

    schema: pa.Schema
    batches: Iterable[pa.RecordBatch]
    library: str  # in which tables are given back
    ids: bool  # rows are examples: without a column of ids, their numbers are the ids
    labels: list[str] | None = None  # names of the classes of `label`, if its type has them

    def write(self, path: str) -> "Rows":
        """Writes the file, and returns where its record batches begin."""
        number_rows = self.ids and not _has_ids(self.schema.names)
        schema = self.schema.append(pa.field(EXAMPLE, pa.int64())) if number_rows else self.schema
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


@contextlib.contextmanager
def reading() -> Iterator[None]:
    """Raises an Error for whatever data raise while they are read: a stream may do so at any batch."""
    try:
        yield
    except Error:
        raise
    except Exception as reason:
        raise Error(f"the data cannot be read: {type(reason).__name__}: {reason}") from reason


def is_table(data: Any) -> bool:
    """Reports whether data have columns: a frame, a table, a relation, a data set or a dict."""
    return isinstance(data, Mapping) or hasattr(data, "columns") or hasattr(data, "column_names") or hasattr(data, "features")


def from_table(data: Any, needed: Callable[[str], bool], label: str | None, ids: bool) -> Source:
    """Returns a table. Columns that are not needed have names, which messages list, but no values.
    With ids, rows are examples, whose ids are in a column, or the index, or the numbers of rows."""
    if _is(data, "pandas", "DataFrame"):
        return _from_pandas(data, needed, ids)
    if _is(data, "datasets", "Dataset"):
        return _from_datasets(data, needed, ids, label)
    if isinstance(data, Mapping):
        return _from_columns(data, library_of(*data.values()), needed, ids)
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

    return Source(schema, batches(), library_of(data), ids)


def from_arrays(arrays: Mapping[str, Any], slices: Any) -> Source:
    """Returns a table of arrays of equal length, with the columns of the table slices."""
    columns = {name: values for name, values in arrays.items() if values is not None}
    library = library_of(slices, *columns.values())
    if slices is not None:
        by = from_table(slices, _all, None, ids=False)
        table = pa.Table.from_batches(by.batches, by.schema)
        columns |= {name: table[name] for name in table.column_names}
    index = next((v.index for v in columns.values() if _is(v, "pandas", "Series") or _is(v, "pandas", "DataFrame")), None)
    if index is not None and index.nlevels == 1:
        columns[EXAMPLE] = index
    return _from_columns(columns, library, _all, ids=True)


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


def _from_pandas(data: Any, needed: Callable[[str], bool], ids: bool) -> Source:
    columns = {}
    for at, name in enumerate(data.columns):
        if str(name) in columns:
            raise Error(f'two columns are called "{name}"')
        columns[str(name)] = data.iloc[:, at]
    index = data.index
    for level, name in enumerate(index.names):
        if name is not None:
            columns.setdefault(str(name), index.get_level_values(level))
    if ids and index.nlevels == 1 and not _has_ids(columns):
        columns[EXAMPLE] = index
    return _from_columns(columns, "pandas", needed, ids)


def _from_datasets(data: Any, needed: Callable[[str], bool], ids: bool, label: str | None) -> Source:
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

    return Source(schema, batches(), "datasets", ids, labels)


def _all(_: str) -> bool:
    return True


def _has_ids(names: Iterable[str]) -> bool:
    return any(name.lower() in EXAMPLE_NAMES for name in names)


def _from_columns(columns: Mapping[str, Any], library: str, needed: Callable[[str], bool], ids: bool) -> Source:
    arrays = {name: _array(name, values) for name, values in columns.items() if needed(name)}
    first = next(iter(arrays), "")
    for name, array in arrays.items():
        if len(array) != len(arrays[first]):
            raise Error(f"{name} has {len(array)} rows, and {first} has {len(arrays[first])}")
    rows = len(arrays[first]) if arrays else 0
    table = pa.table({name: arrays[name] if name in arrays else pa.nulls(rows) for name in columns})
    return Source(table.schema, table.to_batches(BATCH), library, ids)


def _array(name: str, values: Any) -> Any:
    """Returns a column. A matrix is one of lists, which have a value for each column of it."""
    try:
        if _is(values, "pandas", "Series") or _is(values, "pandas", "Index"):
            return pa.Array.from_pandas(values)
        if hasattr(values, "to_numpy") and len(getattr(values, "shape", ())) == 2:
            values = values.to_numpy()
        if len(getattr(values, "shape", ())) == 2:
            if values.shape[1] == 1:
                return pa.array(values[:, 0])
            return pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1)), values.shape[1])
        if hasattr(values, "__arrow_c_stream__"):
            return pa.chunked_array(values)
        return pa.array(values)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise Error(f'column "{name}": {error}') from error


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
