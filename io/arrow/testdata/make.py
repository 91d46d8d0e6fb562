#!/usr/bin/env python3
"""Arrow files and streams of pyarrow, and the same tables as Parquet: make.py (pyarrow 26.0.1)

The rows are the same, of types that both formats have; other.arrow has those that Parquet has not.
delta.arrows has dictionaries that grow from batch to batch, replaced.arrows other dictionaries in
each, and empty.arrows no rows.
"""
from datetime import date, datetime, time, timezone
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

HERE = Path(__file__).resolve().parent
N = 40


def some(values, every=7):
    """N values, some of them null."""
    return [None if i % every == 3 else values[i % len(values)] for i in range(N)]


element = pa.struct([("label", pa.string()), ("score", pa.float32())])
COLUMNS = {
    "bool": pa.array(some([True, False])),
    "nulls": pa.nulls(N),
    "half": pa.array(some([0.5, -2.0, 65504.0]), pa.float16()),
    "float": pa.array(some([0.1, -3.5, float("nan")]), pa.float32()),
    "double": pa.array([0.1 * i for i in range(N)]),
    "decimal": pa.array(some([Decimal("1.25"), Decimal("-99999.99")]), pa.decimal128(7, 2)),
    "whole": pa.array(some([Decimal(12), Decimal(-7)]), pa.decimal128(18, 0)),
    "large_decimal": pa.array(some([Decimal("0.1")]), pa.decimal128(38, 10)),
    "string": pa.array(some(["a", "", "zwölf", "a"])),
    "binary": pa.array(some([b"\x00\xff", b"x"]), pa.binary()),
    "fixed": pa.array(some([b"ab", b"cd"]), pa.binary(2)),
    "day": pa.array(some([date(1969, 12, 31), date(2026, 11, 22)]), pa.date32()),
    "clock_ms": pa.array(some([time(0, 0), time(23, 59, 59, 999000)]), pa.time32("ms")),
    "clock_us": pa.array(some([time(1, 2, 3, 456)]), pa.time64("us")),
    "instant": pa.array(some([datetime(2026, 11, 22, 7, 8, 9, 120000, timezone.utc)]), pa.timestamp("us", "UTC")),
    "local": pa.array(some([datetime(1960, 1, 1, 7, 8, 9)]), pa.timestamp("ms")),
    "category": pa.array(some(["red", "green"])).dictionary_encode(),
    "list": pa.array(some([[0.5, None], [], [1.0, 2.0, 3.0]]), pa.list_(pa.float64())),
    "names": pa.array(some([["x", "y"], ["y", None], []]), pa.list_(pa.string())),
    "struct": pa.array(some([{"a": 1, "b": {"c": "deep"}}, {"a": None, "b": None}]),
                       pa.struct([("a", pa.int32()), ("b", pa.struct([("c", pa.string())]))])),
    "sparse": pa.array(some([[{"label": "p", "score": 0.5}, None], [], [{"label": None, "score": 1.5}]]), pa.list_(element)),
    "map": pa.array(some([[("k", 1.0), ("l", None)], []]), pa.map_(pa.string(), pa.float64())),
    "deep": pa.array(some([[[1], [2, 3]]]), pa.list_(pa.list_(pa.int64()))),
} | {f"int{b}": pa.array(some([0, 2 ** (b - 1) - 1, -2 ** (b - 1)]), f"int{b}") for b in (8, 16, 32, 64)} | {
    f"uint{b}": pa.array(some([0, 2 ** min(b, 63) - 1]), f"uint{b}") for b in (8, 16, 32, 64)}
TABLE = pa.table(COLUMNS).replace_schema_metadata({"labels": '["a", "b"]'})
OTHER = pa.table({
    "large_string": pa.array(some(["a", "b"]), pa.large_string()),
    "string_view": pa.array(some(["a", "longer than twelve bytes"]), pa.string_view()),
    "large_list": pa.array(some([[1, 2], []]), pa.large_list(pa.int64())),
    "fixed_list": pa.array(some([[0.25, 0.75], [1.0, 0.0]]), pa.list_(pa.float32(), 2)),
    "coded_numbers": pa.array(some([5, 7])).dictionary_encode(),
    "coded_list": pa.array(some([["u", "v"], ["v"]]), pa.list_(pa.dictionary(pa.int8(), pa.string()))),
    "date64": pa.array(some([date(2026, 11, 22)]), pa.date64()),
    "seconds": pa.array(some([datetime(2026, 11, 22)]), pa.timestamp("s")),
    "duration": pa.array(some([5]), pa.duration("s")),
})


def ipc(name, table, compression=None, rows=16):
    with pa.ipc.new_file(HERE / name, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as w:
        w.write_table(table, max_chunksize=rows)


def stream(name, table, rows=16, **options):
    with pa.ipc.new_stream(HERE / name, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as w:
        w.write_table(table, max_chunksize=rows)


pq.write_table(TABLE, HERE / "table.parquet", row_group_size=16, compression="zstd")
ipc("plain.arrow", TABLE)
ipc("zstd.arrow", TABLE, "zstd")
feather.write_feather(TABLE, HERE / "lz4.feather", compression="lz4", chunksize=16)
ipc("sliced.arrow", pa.concat_tables([TABLE.slice(0, 5), TABLE]).slice(5), rows=16)
ipc("other.arrow", OTHER, rows=100)
stream("stream.arrows", TABLE)
stream("zstd.arrows", TABLE, compression="zstd")
stream("empty.arrows", TABLE.slice(0, 0))
GROWING = pa.chunked_array([pa.DictionaryArray.from_arrays([0, 1, None], ["a", "b"]),
                            pa.DictionaryArray.from_arrays([2, 0, 1], ["a", "b", "c"])])
stream("delta.arrows", pa.table({"category": GROWING}), emit_dictionary_deltas=True)
stream("replaced.arrows", pa.table({"category": GROWING}))
