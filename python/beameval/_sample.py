"""Draws rows for people to label."""

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet
from beameval import _data, _temporary
from beameval._program import Error, run

# The columns that a sample adds to its rows.
ADDED = ["sampling_stratum", "sampling_probability"]


def sample(
    data: Any,
    *,
    n: int,
    for_: Literal["accuracy", "mean"],
    judge: str,
    strata: str | Sequence[str] | None = None,
    example: str | Sequence[str] | None = None,
    bins: int = 5,
    seed: int = 1,
    quiet: bool = False,
) -> Any:
    """Draws rows for people to label, when a judge has graded all: more where the judge is unsure.

    >>> import beameval, pyarrow as pa
    >>> rows = pa.table({"id": range(1000), "judge": [i % 10 / 10 for i in range(1000)]})
    >>> drawn = beameval.sample(rows, n=60, for_="accuracy", judge="judge", quiet=True)
    >>> len(drawn), drawn.column_names
    (60, ['id', 'judge', 'sampling_stratum', 'sampling_probability'])
    >>> round(sum(1 / p for p in drawn["sampling_probability"].to_pylist()))
    1000

    Args:
        data: what has a row for each example, as for `evaluate`; or files: a path, directory, glob or URI, or a list of them.
        n: the number of rows to draw, at least two for each stratum.
        for_: what the labels will estimate: the accuracy, if the judge's grade is the probability that a row is right; or the mean
            of grades.
        judge: the column of the judge's grades.
        strata: further columns that divide the rows.
        example: the columns that together identify a row. Without it, as for `evaluate`: an id column, the index of a
            pandas frame, or the number of the row.
        bins: the number of bins into which the judge's grades, and other columns of numbers, are divided.
        seed: another seed draws other rows.
        quiet: print no notes.

    Returns:
        The rows that were drawn, in random order, with two more columns: `sampling_stratum` and `sampling_probability`. It is a
        frame of the library of data.

    Raises:
        Error: the command's message. Rows of data are numbered from 0.
    """
    by, ids = _list(strata), _list(example)
    arguments = [f"--n={n}", f"--for={for_}", f"--judge={judge}", f"--bins={bins}", f"--seed={seed}", *("--strata=" + _quoted(name) for name in by)]
    with _temporary.directory("beameval-data-") as folder:
        drawn = os.path.join(folder, "drawn.parquet")
        if isinstance(data, str | os.PathLike) or isinstance(data, list | tuple) and all(isinstance(name, str | os.PathLike) for name in data):
            names = [os.fspath(name) for name in ([data] if isinstance(data, str | os.PathLike) else data)]
            run("sample", [*arguments, *("--id=" + _quoted(name) for name in ids), "--output=" + drawn, "--", *names], quiet=quiet)
            return pyarrow.parquet.read_table(drawn)
        return _of_table(data, arguments, {judge, *by}, ids, folder, drawn, quiet)


def _of_table(data: Any, arguments: list[str], read: set[str], ids: list[str], folder: str, drawn: str, quiet: bool) -> Any:
    """Returns rows of a table. The program gets the columns that it reads, and says which rows it draws."""
    library = _data.library_of(*data.values()) if isinstance(data, Mapping) else _data.library_of(data)
    data = _data.taken_from(data)
    needed = lambda name: name in read or name in ids or not ids and _data.found_by_name("example", [name])  # noqa: E731
    source = _data.from_table(data, needed, None, _data.no_ids if ids else _data.ids_unless_found)
    table = pa.Table.from_batches(source.batches, source.schema)
    numbers = pa.array(range(len(table)), pa.int64())
    if source.ids is not None and source.ids not in table.column_names:
        table = table.append_column(source.ids, numbers)
    row = _data.free("row", table.column_names)
    table = table.append_column(row, numbers)
    rows = _data.Source(table.schema, table.to_batches(), library, None).write(os.path.join(folder, "data.arrow"))
    ids = ids or ([source.ids] if source.ids is not None else [])
    try:
        run("sample", [*arguments, *("--id=" + _quoted(name) for name in ids), "--output=" + drawn, "--", rows.path], quiet=quiet)
    except Error as error:
        raise Error(rows.in_words_of_caller(str(error)), error.code) from None
    chosen = pyarrow.parquet.read_table(drawn, columns=[row, *ADDED])
    at = chosen[row].to_pylist()
    if library == "pandas":
        return data.iloc[at].assign(**{name: chosen[name].to_pylist() for name in ADDED})
    if library == "polars":
        return data[at].with_columns(**{name: sys.modules["polars"].from_arrow(chosen[name]) for name in ADDED})
    taken = data.take(at)
    for name in ADDED:
        taken = taken.append_column(name, chosen[name])
    return _data.to_library(taken, library)


def _list(names: str | Sequence[str] | None) -> list[str]:
    return [names] if isinstance(names, str) else list(names or [])


def _quoted(name: str) -> str:
    """Returns a name as a field of a list that is separated by commas."""
    return '"' + name.replace('"', '""') + '"' if any(c in name for c in ',"\n') else name
