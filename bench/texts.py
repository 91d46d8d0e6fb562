"""Writes the rows of Parquet files as texts, in the ways of common tools."""

import json
import pathlib
import shutil


def written(source, form):
    """Returns the folder beside a folder of Parquet files that has the same rows as texts, which is there after the first call."""
    folder = source.with_name(f"{source.name}-{form}")
    if not folder.exists():
        unfinished = source.with_name(f"{folder.name}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        for file in sorted(source.glob("*.parquet")):
            WRITERS[form](file, unfinished)
        unfinished.rename(folder)
    return folder


def csv(file, folder, quoting="none"):
    """Writes CSV without quotes."""
    import pyarrow.csv
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(file)
    if quoting == "needed":  # around each text: pyarrow needs that for all texts, as R does
        table = table.set_column(0, table.schema.names[0], table[0].cast("string"))
    options = pyarrow.csv.WriteOptions(quoting_style=quoting)
    pyarrow.csv.write_csv(table, folder / f"{pathlib.Path(file).stem}.csv", options)


def csv_quoted(file, folder):
    """Writes CSV whose first column is text, with the quotes of pyarrow."""
    csv(file, folder, "needed")


def jsonl(file, folder):
    """Writes JSON lines as Python does."""
    import pyarrow.parquet

    with open(folder / f"{pathlib.Path(file).stem}.jsonl", "w") as out:
        for batch in pyarrow.parquet.ParquetFile(file).iter_batches():
            out.writelines(json.dumps(row) + "\n" for row in batch.to_pylist())


WRITERS = {"csv": csv, "csv-quoted": csv_quoted, "jsonl": jsonl}
