"""Hands data in memory to the program, as an Arrow file."""

import array as machine
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
from beameval import _tensors
from beameval._program import Error
from beameval._tables import NAMES, WIDE

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


# Where the words of a name begin that is written without _, as in QueryId.
WORD = re.compile("(?<=[^_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


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
    """Reports whether data have columns: a frame, a table, a stream of one, a relation, a data set or a dict."""
    if isinstance(data, Mapping) or _is(data, "polars", "LazyFrame"):
        return True
    is_array = hasattr(data, "dtype") or hasattr(data, "type")
    return any(hasattr(data, name) for name in ("columns", "column_names", "features")) or hasattr(data, "__arrow_c_stream__") and not is_array


def is_lists(values: Any) -> bool:
    """Reports whether an array is one of Arrow whose rows are lists."""
    if not isinstance(values, pa.Array | pa.ChunkedArray):
        return False
    return any(is_list(values.type) for is_list in (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list))


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
    if _is(data, "polars", "LazyFrame"):
        data = data.collect()
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


def settled(name: str, values: Any) -> Any:
    """Returns an array in one of few forms: a matrix or vector of NumPy or pandas, a table of Arrow, rows that are
    lists as an array of Arrow, or any other vector as it is."""
    if hasattr(values, "toarray"):  # a sparse matrix
        return values.toarray()
    values = _tensors.plain(name, values)
    if _is(values, "pandas", "DataFrame") or len(getattr(values, "shape", ())) == 2 and not is_table(values):
        return values
    if is_table(values):
        return as_table(values)
    if isinstance(values, pa.Array | pa.ChunkedArray) or not isinstance(values, Iterable):
        return values
    first = next((row for row in values if row is not None), None)
    return array(name, values) if isinstance(first, list | tuple) or len(getattr(first, "shape", ())) == 1 else values


def as_table(data: Any) -> pa.Table:
    """Returns all columns of a table, without an index that has no name."""
    source = from_table(data, _all, None, no_ids)
    return pa.Table.from_batches(source.batches, source.schema)


def index_of(arrays: Mapping[str, Any]) -> Any:
    """Returns the ids of the rows of arrays, or None: the first index of pandas that is one, and is no mere
    numbering. Arrays of which one is another in another order are an Error: their rows are read by position."""
    indexes = {name: values.index for name, values in arrays.items() if _is(values, "pandas", "Series") or _is(values, "pandas", "DataFrame")}
    first = next(iter(indexes), "")
    for name, index in indexes.items():
        of = indexes[first]
        comparable = len(index) == len(of) and index.nlevels == of.nlevels and index.is_unique
        if comparable and not index.equals(of) and bool(index.isin(of).all()):
            raise Error(f"{first} and {name} have the same index in another order: "
                        f"pass {name}.reindex({first}.index), or {name}.to_numpy() if their rows are in one order")  # fmt: skip
    return next((index for name, index in indexes.items() if name != "slices" and _are_ids(index) and not _numbers_rows(index)), None)


def _are_ids(index: Any) -> bool:
    return index.nlevels == 1 and index.is_unique and not index.hasnans


def _numbers_rows(index: Any) -> bool:
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


@reading()
def from_arrays(arrays: Mapping[str, Any], slices: Any, index: Any, library: str) -> tuple[Source, dict[str, str], list[str]]:
    """Returns a table of arrays of equal length, with the columns of the table slices; the columns of
    the arrays, which have their names unless slices have columns of these; and those of slices. The ids of rows
    are an index or, without one, their numbers."""
    by: dict[str, Any] = {}
    if slices is not None:
        table = as_table(slices)
        by = {name: table[name] for name in table.column_names}
    names = {name: free(name, by) for name in arrays}
    columns = {names[name]: values for name, values in arrays.items()} | by
    ids = free(EXAMPLE, columns)
    if index is not None:
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
    return None if any(_names_ids(name) for name in names) else EXAMPLE


def _names_ids(name: str) -> bool:
    """Reports whether a name is a usual one of ids of examples, in any spelling."""
    return WORD.sub("_", name.replace("-", "_")).lower() in EXAMPLE_NAMES


def new_ids(names: Iterable[str]) -> str:
    """Is for tables in which no column has the ids of rows."""
    return free(EXAMPLE, names)


def ids_of(data: Any, column: str | None) -> Any:
    """Returns the ids of the rows of a frame of pandas or polars, or a table of Arrow: a column, or what evaluate takes."""
    known: Callable[[str], bool] = (lambda name: name == column) if column is not None else _names_ids
    source = from_table(data, known, None, no_ids if column is not None else ids_unless_found)
    table = pa.Table.from_batches(source.batches, source.schema)
    usual = lambda name: EXAMPLE_NAMES.index(name.lower()) if name.lower() in EXAMPLE_NAMES else len(EXAMPLE_NAMES)  # noqa: E731
    found = sorted((name for name in table.column_names if known(name) or name == source.ids), key=usual)
    if column is not None and not found:
        raise Error(f'no column "{column}"; the data have {", ".join(table.column_names)}')
    return table[found[0]] if found else pa.array(range(len(data)), pa.int64())


def matches(listed: Any, ids: Any) -> tuple[list[int], list[int]]:
    """Returns the pairs of places in two columns that have the same ids, in order. An id of the first column, which
    has them as text, that the second lacks is an Error."""
    kind = ids.type.value_type if pa.types.is_dictionary(ids.type) else ids.type
    if pa.types.is_string_view(kind) or pa.types.is_large_string(kind):
        kind = pa.string()  # join takes no views
    try:
        texts = listed.cast(kind)
    except pa.ArrowException as reason:
        raise Error(f"the ids of the data are {kind}, which those of the report are not: {reason}") from reason
    places = pa.table({"id": texts, "at": pa.array(range(len(listed)))})
    rows = pa.table({"id": ids.cast(kind), "row": pa.array(range(len(ids)))})
    pairs = places.join(rows, "id", join_type="left outer").sort_by([("at", "ascending"), ("row", "ascending")])
    found, of = pairs["at"].to_pylist(), pairs["row"].to_pylist()
    if None in of:
        raise Error(f"the data have no example {listed[found[of.index(None)]].as_py()!r}, which the report lists: pass the data that were evaluated, "
                    "or name their column of ids, as in example=\"user\"")  # fmt: skip
    return found, of


def taken_from(data: Any) -> Any:
    """Returns a frame of pandas or polars as it is, and any other table as one of Arrow: what rows can be taken from."""
    data = data.collect() if _is(data, "polars", "LazyFrame") else data
    return data if _is(data, "pandas", "DataFrame") or _is(data, "polars", "DataFrame") else as_table(data)


def beside(left: pa.Table, data: Any, rows: list[int], library: str) -> Any:
    """Returns a table with rows of a frame of pandas or polars, or of a table of Arrow, which a library gets, on its right."""
    if _is(data, "pandas", "DataFrame"):
        right = data.iloc[rows]
        return sys.modules["pandas"].concat([left.to_pandas().set_index(right.index), right], axis=1)
    if _is(data, "polars", "DataFrame"):
        return sys.modules["polars"].concat([sys.modules["polars"].from_arrow(left), data[rows]], how="horizontal")
    right = data.take(rows)
    for name in reversed(left.column_names):
        right = right.add_column(0, name, left[name])
    return to_library(right, library)


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
        if str(name) in columns and needed(str(name)):
            raise Error(f'two columns are called "{name}"')
        columns[str(name)] = data.iloc[:, at]
    index = data.index
    for level, name in enumerate(index.names):
        if name is not None:
            columns.setdefault(str(name), index.get_level_values(level))
    column = ids(columns)
    if column is not None and _are_ids(index):
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
    values = _tensors.plain(name, values)
    try:
        if _is(values, "pandas", "Series") or _is(values, "pandas", "Index"):
            return pa.Array.from_pandas(_plain(values))
        if isinstance(values, pa.Table):
            return _matrix(values)
        if hasattr(values, "to_numpy") and len(getattr(values, "shape", ())) == 2:
            values = values.to_numpy()
        if len(getattr(values, "shape", ())) == 2:
            if values.shape[1] == 1:
                return _vector(values[:, 0])
            return pa.FixedSizeListArray.from_arrays(_vector(values.reshape(-1)), values.shape[1])
        return pa.chunked_array(values) if hasattr(values, "__arrow_c_stream__") else _vector(values)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise Error(f'column "{name}": {error}') from error


def _vector(values: Any) -> pa.Array:
    """Returns an array of numbers, or of other values among which NaN is a missing one."""
    if str(getattr(values, "dtype", "")) == "object":
        return pa.array(values, from_pandas=True)
    try:
        return pa.array(values)
    except (pa.ArrowException, TypeError):
        return pa.array(values, from_pandas=True)


def _matrix(table: pa.Table) -> Any:
    """Returns the rows of a table as lists."""
    width, rows = table.num_columns, table.num_rows
    if width == 1:
        return table.column(0)
    kinds = {column.type for column in table.columns}
    kind = kinds.pop() if len(kinds) == 1 else pa.int64() if all(pa.types.is_integer(k) or pa.types.is_boolean(k) for k in kinds) else pa.float64()
    one_after_another = pa.chunked_array([chunk.cast(kind) for column in table.columns for chunk in column.chunks], kind).combine_chunks()
    order = machine.array("q", bytes(8 * rows * width))
    for at in range(width):
        order[at::width] = machine.array("q", range(at * rows, (at + 1) * rows))
    by_row = pa.Array.from_buffers(pa.int64(), len(order), [None, pa.py_buffer(order)])
    return pa.FixedSizeListArray.from_arrays(one_after_another.take(by_row), width)


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
