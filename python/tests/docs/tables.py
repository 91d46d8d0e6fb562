"""Runs the commands of "Tables and exports" of a page of the documentation, on tables that it makes.

tables.py PAGE BEAMEVAL runs each ```python block, and each ```sh block that begins with beameval, in
a directory that has a Delta and an Iceberg table with former versions, a data set with named
classes, and a folder as Spark leaves it. What the reports say is compared with what libraries read.
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import pyarrow as pa
import pyarrow.parquet as pq
import snippets

BLOCKS = re.compile(r"^```(python|sh)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)


def rows(n, seed):
    labels = [(i * 7 + seed) % 3 == 0 for i in range(n)]
    return pa.table({
        "label": pa.array([int(x) for x in labels], pa.int64()),
        "score": pa.array([(x + i % 10 / 10) / 2 for i, x in enumerate(labels)], pa.float64()),
        "country": pa.array(["de" if i % 4 else "fr" for i in range(n)], pa.string()),
    })


def make_delta():
    """Returns how many rows a table has that had others."""
    from deltalake import DeltaTable, write_deltalake

    write_deltalake("predictions_delta", rows(100, 0), partition_by=["country"])
    write_deltalake("predictions_delta", rows(80, 1), mode="overwrite")
    write_deltalake("predictions_delta", rows(30, 2), mode="append")
    table = DeltaTable("predictions_delta")
    table.delete("score < 0.1")
    return len(pa.table(table.to_pyarrow_table()))


def make_iceberg():
    os.environ["PYICEBERG_CATALOG__LOCAL__URI"] = f"sqlite:///{os.getcwd()}/catalog.db"
    os.environ["PYICEBERG_CATALOG__LOCAL__WAREHOUSE"] = f"file://{os.getcwd()}/warehouse"
    from pyiceberg.catalog import load_catalog  # reads the environment

    catalog = load_catalog("local")
    catalog.create_namespace("ml")
    table = catalog.create_table("ml.predictions", rows(0, 0).schema)
    table.append(rows(100, 0))
    table.overwrite(rows(80, 1))
    table.append(rows(30, 2))
    table.delete("score < 0.1")
    return len(table.scan().to_arrow())


def make_data_set():
    os.environ["HF_DATASETS_DISABLE_PROGRESS_BARS"] = "1"
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["HF_HOME"] = f"{os.getcwd()}/cache"
    from datasets import ClassLabel, Dataset  # reads the environment

    data = Dataset(rows(50, 3)).cast_column("label", ClassLabel(names=["ham", "spam"]))
    data.to_parquet("tagged.parquet")
    return 50


def make_spark():
    """Makes a folder of 40 rows as Spark leaves it: with checksums, a marker, and a file that no task committed."""
    out = pathlib.Path("spark_output")
    for country in ["de", "fr"]:
        folder = out / f"country={country}"
        folder.mkdir(parents=True)
        name = "part-00000-3609c602-c000.snappy.parquet"
        pq.write_table(rows(20, 4).drop(["country"]), folder / name, compression="snappy")
        (folder / f".{name}.crc").write_bytes(b"crc\0")
    (out / "_SUCCESS").touch()
    (out / "._SUCCESS.crc").write_bytes(b"crc\0")
    left = out / "_temporary/0/task/part-00001.snappy.parquet"
    left.parent.mkdir(parents=True)
    pq.write_table(rows(1, 4), left)
    return 40


def evaluate(beameval, arguments):
    return subprocess.run([beameval, "evaluate", "--quiet", *arguments], capture_output=True, text=True)


def main():
    page, beameval = (pathlib.Path(arg).resolve() for arg in sys.argv[1:])
    section = page.read_text().split("\n## Tables and exports\n")[1].split("\n## ")[0]
    with tempfile.TemporaryDirectory() as here:
        os.chdir(here)
        names = {"__name__": "__main__"}
        want = {
            "report_delta": make_delta(), "report_iceberg": make_iceberg(),
            "report_hf": make_data_set(), "report_spark": make_spark(),
        }
        want["report_saved"] = want["report_hf"]
        for language, code, output in BLOCKS.findall(section):
            if language == "python":
                got = snippets.run(code, names)
                assert not output or got == output, f"{code}\nprints\n{got}\nnot\n{output}"
            elif code.startswith("beameval evaluate "):
                done = evaluate(beameval, shlex.split(code)[2:])
                assert done.returncode == 0, f"{code}\n{done.stderr}"
        for report, n in want.items():
            read = json.load(open(f"{report}/metrics.json"))["rows"]["read"]
            assert read == n, f"{report}: {read} rows, but the table has {n}"
        for report, data in {"report_delta": "predictions_delta", "report_iceberg": "warehouse/ml/predictions"}.items():
            stored = sum(pq.read_metadata(f).num_rows for f in pathlib.Path(data).rglob("*.parquet"))
            assert stored > want[report], f"{data} has no files of former versions"
            for naive in [data, f"{data}/**/*.parquet"]:
                done = evaluate(beameval, ["--input", naive, "--output", "naive"])
                assert done.returncode == 2 and "table no longer has" in done.stderr, done.stderr
    print(f"{page.name}: tables and exports passed, rows {want}")


if __name__ == "__main__":
    main()
