"""Writes the Parquet files in this directory, TABLE.VARIANT.parquet, and for each
table TABLE.json with the values that a reader must find in all of them:
{path: [value of each row]}.

    pip install pyarrow==26.0.1 polars==2.1.0 duckdb==2.0.0 fastparquet==2026.9.0 pandas==3.1.1
    python3 generate.py

Lists are JSON arrays; NaN and the infinities are strings; text is what the
package documents for the type. Paths that cannot be read are null.
"""

import datetime as dt
import decimal
import json
import math
import os
import uuid

import duckdb
import fastparquet
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe

UTC = dt.timezone.utc


# --- What is expected -------------------------------------------------------


def text_of_time(hour, minute, second, nanos):
    fraction = f".{nanos:09d}".rstrip("0") if nanos else ""
    return f"{hour:02d}:{minute:02d}:{second:02d}{fraction}"


def scalar(v, t):
    """The JSON form of one value of Arrow type t."""
    if v is None:
        return None
    if pa.types.is_timestamp(t):
        per = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[t.unit]
        seconds, rest = divmod(v, per)
        day = dt.datetime(1970, 1, 1) + dt.timedelta(seconds=seconds)
        text = day.strftime("%Y-%m-%dT") + text_of_time(day.hour, day.minute, day.second, rest * (10**9 // per))
        return text + ("Z" if t.tz else "")
    if pa.types.is_time(t):
        per = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[t.unit]
        seconds, rest = divmod(v, per)
        return text_of_time(seconds // 3600, seconds // 60 % 60, seconds % 60, rest * (10**9 // per))
    if pa.types.is_date(t):
        return v.isoformat()
    if pa.types.is_decimal(t):
        return float(v) if t.scale else int(v)
    if pa.types.is_floating(t):
        v = float(v)
        if math.isnan(v):
            return "NaN"
        if math.isinf(v):
            return "Infinity" if v > 0 else "-Infinity"
        return v
    if isinstance(t, pa.UuidType):
        return str(v)
    if isinstance(v, bytes):
        return v.decode("latin-1")
    return v


def python_values(column):
    """Like to_pylist, but times are integers: Python's lose nanoseconds."""
    t = column.type

    def integers(t):
        if pa.types.is_timestamp(t) or pa.types.is_time64(t):
            return pa.int64()
        if pa.types.is_time32(t):
            return pa.int32()
        return t

    if integers(t) != t:
        return column.cast(integers(t)).to_pylist()
    return column.to_pylist()


def expected(table):
    out = {}

    def visit(path, t, values, lists):
        """values: per row None, a value or (lists == 1) a list."""

        def each(f):
            if not lists:
                return [f(v) for v in values]
            return [None if v is None else [f(x) for x in v] for v in values]

        if pa.types.is_struct(t):
            for field in t:
                visit(f"{path}.{field.name}", field.type, each(lambda v, n=field.name: None if v is None else v[n]), lists)
        elif pa.types.is_map(t):
            if lists:
                return nested(path + ".key", t.key_type), nested(path + ".value", t.item_type)
            keys = [None if v is None else [k for k, _ in v] for v in values]
            items = [None if v is None else [x for _, x in v] for v in values]
            visit(path + ".key", t.key_type, keys, 1)
            visit(path + ".value", t.item_type, items, 1)
        elif pa.types.is_list(t) or pa.types.is_large_list(t) or pa.types.is_fixed_size_list(t):
            if lists:
                return nested(path, t.value_type)
            visit(path, t.value_type, values, 1)
        elif pa.types.is_decimal(t) and (t.precision > 18 or t.scale and t.precision > 15):
            out[path] = None
        else:
            out[path] = each(lambda v: scalar(v, t))

    def nested(path, t):
        if pa.types.is_struct(t):
            for field in t:
                nested(f"{path}.{field.name}", field.type)
        elif pa.types.is_list(t):
            nested(path, t.value_type)
        else:
            out[path] = None

    for name, column in zip(table.column_names, table.columns):
        visit(name, column.type, python_values(column), 0)
    return out


def save(name, values):
    with open(name + ".json", "w") as f:
        # One line a column.
        f.write("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in values.items()) + "\n}\n")


def write(name, table, values=None, **options):
    pq.write_table(table, name + ".parquet", **options)
    save(name.split(".")[0], values or expected(table))


# --- The files --------------------------------------------------------------


def types():
    """Every type, with nulls and the special values of each."""
    D = decimal.Decimal
    inf, nan = math.inf, math.nan
    c = {
        "bool": pa.array([True, False, None, True, True, False, True], pa.bool_()),
        "int8": pa.array([-128, 127, 0, None, 1, -1, 5], pa.int8()),
        "int16": pa.array([-(2**15), 2**15 - 1, 0, None, 1, -1, 5], pa.int16()),
        "int32": pa.array([-(2**31), 2**31 - 1, 0, None, 1, -1, 5], pa.int32()),
        "int64": pa.array([-(2**63), 2**63 - 1, 0, None, 1, -1, 5], pa.int64()),
        "uint8": pa.array([255, 128, 0, None, 1, 2, 5], pa.uint8()),
        "uint16": pa.array([2**16 - 1, 2**15, 0, None, 1, 2, 5], pa.uint16()),
        "uint32": pa.array([2**32 - 1, 2**31, 0, None, 1, 2, 5], pa.uint32()),
        "uint64": pa.array([2**63 - 1, 2**31, 0, None, 1, 2, 5], pa.uint64()),
        "float16": pa.array([1.5, -0.0, inf, None, 2**-24, 65504.0, nan], pa.float16()),
        "float": pa.array([0.1, -0.0, -inf, None, 1e-45, 3.4028234663852886e38, nan], pa.float32()),
        "double": pa.array([0.1, -0.0, inf, None, 5e-324, 1.7976931348623157e308, nan], pa.float64()),
        "string": pa.array(["", "a", "ä€😀", None, "a", "x" * 40, "b"], pa.string()),
        "large_string": pa.array(["", "a", "b", None, "a", "c", "b"], pa.large_string()),
        "binary": pa.array([b"", b"\x00\xff", b"b", None, b"b", b"c", b"b"], pa.binary()),
        "fixed": pa.array([b"abc", b"\x00\xff\x01", b"bbb", None, b"abc", b"ccc", b"ddd"], pa.binary(3)),
        "category": pa.array(["a", "b", "a", None, "c", "c", "a"]).dictionary_encode(),
        "date": pa.array([dt.date(1970, 1, 1), dt.date(1969, 12, 31), dt.date(2024, 2, 29), None, dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.date(2024, 4, 7)], pa.date32()),
        "time_ms": pa.array([0, 1, 86399999, None, 43200000, 500, 1000], pa.time32("ms")),
        "time_us": pa.array([0, 1, 86399999999, None, 43200000000, 500000, 1000000], pa.time64("us")),
        "time_ns": pa.array([0, 1, 86399999999999, None, 43200000000000, 500000000, 1000000000], pa.time64("ns")),
        "timestamp_ms": pa.array([0, -1, 1712491200123, None, 1712491200000, 500, 1000], pa.timestamp("ms")),
        "timestamp_us": pa.array([0, -1, 1712491200123456, None, 1712491200000000, 500000, 1000000], pa.timestamp("us")),
        "timestamp_ns": pa.array([0, -1, 1712491200123456789, None, 1712491200000000000, 500000000, 1000000000], pa.timestamp("ns")),
        "timestamp_utc": pa.array([0, -1, 1712491200123456, None, 1712491200000000, 500000, 1000000], pa.timestamp("us", "UTC")),
        "timestamp_zone": pa.array([0, -1, 1712491200123456, None, 1712491200000000, 500000, 1000000], pa.timestamp("us", "Europe/Berlin")),
        "uuid": pa.array([uuid.UUID(int=i * 0x0123456789ABCDEF0123456789ABCDE).bytes if i != 3 else None for i in range(7)], pa.uuid()),
        "decimal4": pa.array([D("0.1"), D("-123456.78"), D("0"), None, D("1"), D("9999999.99"), D("-0.01")], pa.decimal128(9, 2)),
        "decimal15": pa.array([D("0.1"), D("-0.999999999999999"), D("0.123456789012345"), None, D("0.000000000000001"), D("0.3"), D("-0.7")], pa.decimal128(15, 15)),
        "decimal_int": pa.array([D("0"), D("-1"), D("999999999999999999"), None, D("-999999999999999999"), D("7"), D("8")], pa.decimal128(18, 0)),
        "decimal_long": pa.array([D("0.1"), None, D("0"), D("1"), D("2"), D("3"), D("4")], pa.decimal128(38, 10)),
        "null": pa.nulls(7),
    }
    return pa.table(c)


def nested(n=40):
    """Nulls at every level, by a formula."""

    def some(i, k, v):
        return None if (i * 7 + k) % 5 == 0 else v

    rows = []
    for i in range(n):
        size = i % 4
        rows.append({
            "score": some(i, 0, i / 8),
            "m": some(i, 1, {"score": some(i, 2, i / 4), "in": some(i, 3, {"name": some(i, 4, f"n{i % 6}")}), "tags": some(i, 5, [some(i + j, 6, f"t{j}") for j in range(size)])}),
            "scores": some(i, 7, [some(i + j, 8, (i + j) / 16) for j in range(size)]),
            "classes": some(i, 9, [some(i + j, 10, {"label": some(i + j, 11, f"l{j}"), "score": some(i + j, 12, j / 2)}) for j in range(size)]),
            "sparse": some(i, 13, [(f"k{j}", some(i + j, 14, j / 2)) for j in range(size)]),
            "structs": some(i, 15, [(f"k{j}", some(i + j, 16, {"x": some(i + j, 17, i + j)})) for j in range(size)]),
            "deep": some(i, 18, [some(i + j, 19, [j]) for j in range(size)]),
            "lists": some(i, 20, [(f"k{j}", [1.0]) for j in range(size)]),
            "dense": [i, i + 1, i + 2],
        })
    t = pa.schema([
        ("score", pa.float64()),
        ("m", pa.struct([("score", pa.float32()), ("in", pa.struct([("name", pa.string())])), ("tags", pa.list_(pa.string()))])),
        ("scores", pa.list_(pa.float32())),
        ("classes", pa.list_(pa.struct([("label", pa.string()), ("score", pa.float64())]))),
        ("sparse", pa.map_(pa.string(), pa.float64())),
        ("structs", pa.map_(pa.string(), pa.struct([("x", pa.int64())]))),
        ("deep", pa.list_(pa.list_(pa.int32()))),
        ("lists", pa.map_(pa.string(), pa.list_(pa.float64()))),
        pa.field("dense", pa.list_(pa.field("element", pa.int64(), nullable=False)), nullable=False),
    ])
    return pa.Table.from_pylist(rows, schema=t)


def many(n=130):
    """Enough rows for many pages."""
    return pa.table({
        "double": pa.array([None if i % 11 == 3 else (i * 37 % 1009) / 8 for i in range(n)], pa.float64()),
        "required": pa.array([(i * 37 % 1009) / 8 for i in range(n)], pa.float64()),
        "string": pa.array([None if i % 13 == 5 else f"s{i * 31 % 401}" for i in range(n)]),
        "list": pa.array([None if i % 17 == 6 else [j for j in range(i * 7 % 23)] for i in range(n)], pa.list_(pa.int32())),
        "names": pa.array([[None if j % 5 == 4 else f"n{(i + j) * 29 % 211}" for j in range(i % 5)] for i in range(n)], pa.list_(pa.string())),
        "bool": pa.array([None if i % 19 == 7 else i % 40 < 20 or i % 3 == 0 for i in range(n)]),
    }, schema=pa.schema([
        ("double", pa.float64()), pa.field("required", pa.float64(), nullable=False), ("string", pa.string()),
        ("list", pa.list_(pa.int32())), ("names", pa.list_(pa.string())), ("bool", pa.bool_())]))


def encodings(n=110):
    return {
        "DELTA_BINARY_PACKED": pa.table({
            "int32": pa.array([(-1) ** i * (i * 7919 % 2**31) for i in range(n)], pa.int32()),
            "int64": pa.array([(-1) ** i * (2**62 - i**5) for i in range(n)], pa.int64()),
            "extreme": pa.array([[-(2**63), 2**63 - 1][i % 2] for i in range(n)], pa.int64()),
            "same": pa.array([None if i % 3 == 0 else 5 for i in range(n)], pa.int64()),
            "date": pa.array([19000 + i for i in range(n)], pa.int32()).cast(pa.date32()),
            "list": pa.array([[i + j for j in range(i % 3)] for i in range(n)], pa.list_(pa.int64())),
            "nulls": pa.nulls(n, pa.int64()),
        }),
        "DELTA_LENGTH_BYTE_ARRAY": pa.table({
            "s": pa.array([None if i % 7 == 0 else "x" * (i % 19) + str(i % 50) for i in range(n)]),
            "nulls": pa.nulls(n, pa.string()),
        }),
        "DELTA_BYTE_ARRAY": pa.table({
            "s": pa.array([None if i % 7 == 0 else f"prefix {i // 10} {i}" for i in range(n)]),
            "fixed": pa.array([f"p{i:05d}".encode() for i in range(n)], pa.binary(6)),
        }),
        "BYTE_STREAM_SPLIT": pa.table({
            "float": pa.array([i / 7 for i in range(n)], pa.float32()),
            "double": pa.array([None if i % 5 == 0 else i / 7 for i in range(n)], pa.float64()),
            "int32": pa.array([-i for i in range(n)], pa.int32()),
            "int64": pa.array([i**4 for i in range(n)], pa.int64()),
            "float16": pa.array([i / 4 for i in range(n)], pa.float16()),
            "fixed": pa.array([f"p{i:05d}".encode() for i in range(n)], pa.binary(6)),
            "list": pa.array([[i / 3] * (i % 3) for i in range(n)], pa.list_(pa.float64())),
        }),
    }


def encrypted():
    class Kms(pe.KmsClient):
        def __init__(self, config):
            super().__init__()

        def wrap_key(self, key, name):
            return key.hex()

        def unwrap_key(self, key, name):
            return bytes.fromhex(key)

    crypto = pe.CryptoFactory(Kms)
    for name, plain in ("encrypted.footer", False), ("encrypted.columns", True):
        config = pe.EncryptionConfiguration(footer_key="k", column_keys={"c": ["a"]}, plaintext_footer=plain)
        properties = crypto.file_encryption_properties(pe.KmsConnectionConfig(), config)
        with pq.ParquetWriter(name + ".parquet", pa.schema([("a", pa.int64()), ("b", pa.int64())]), encryption_properties=properties) as w:
            w.write_table(pa.table({"a": [1], "b": [2]}))


def of_fastparquet():
    """Files of fastparquet, which ends the values of pages of version 1 in eight zeros. What
    they hold is what pyarrow reads."""
    n = 25
    plain = pd.DataFrame({
        **{t: pd.Series(range(n), dtype=t) for t in ("int64", "int32", "int8", "uint8", "uint16", "uint32", "uint64")},
        "float": pd.Series([i / 7 for i in range(n)], dtype="float32"),
        "double": [i / 7 for i in range(n)],
        "zeros": [0] * n,
        "bool": [i % 3 == 0 for i in range(n)],
        "string": [("beach", "größe", "")[i % 3] for i in range(n)],
        "empty": [""] * n,
        "bytes": [bytes([i, 0]) for i in range(n)],
        "category": pd.Categorical([("de", "fr", "it")[i % 3] for i in range(n)]),
        "time": pd.date_range("2026-01-01", periods=n, freq="h"),
    })
    nulls = pd.DataFrame({
        "string": pd.Series([("beach", None, "x")[i % 3] for i in range(n)], dtype=object),
        "category": pd.Categorical([("de", "fr", None)[i % 3] for i in range(n)]),
        "double": [float("nan") if i % 4 == 0 else i / 7 for i in range(n)],
        "int": pd.array([None if i % 5 == 0 else i for i in range(n)], dtype="Int64"),
        "bool": pd.array([None if i % 5 == 0 else i % 2 == 0 for i in range(n)], dtype="boolean"),
    })
    encoding = {"object_encoding": {"bytes": "bytes", "string": "utf8", "empty": "utf8"}}
    for frame, table, options in (plain, "fastparquet", {"has_nulls": False, **encoding}), (nulls, "fastparquet_nulls", {"has_nulls": True}):
        for version in 1, 2:
            for codec in (None, "SNAPPY", "GZIP") if version == 1 else ("ZSTD",):
                name = f"{table}.v{version}_{(codec or 'none').lower()}.parquet"
                groups = [0, 8, 16] if codec == "GZIP" else [0]
                fastparquet.writer.DATAPAGE_VERSION = version
                fastparquet.write(name, frame, compression=codec, row_group_offsets=groups, **options)
        save(table, expected(pq.read_table(name)))


def main():
    write("types.v1", types(), compression="snappy", store_schema=False)
    write("types.v2", types(), compression="zstd", store_schema=False, data_page_version="2.0", use_dictionary=False)
    write("decimals.integers", types().select(["decimal4", "decimal15", "decimal_int"]), store_decimal_as_integer=True, store_schema=False)
    stamps = types().select(["timestamp_us", "timestamp_ns"])
    write("int96.v1", stamps, {k: [v and v + "Z" for v in values] for k, values in expected(stamps).items()},
          use_deprecated_int96_timestamps=True, store_schema=False)

    write("nested.v1", nested(), store_schema=False, row_group_size=27)
    write("nested.v2", nested(), store_schema=False, data_page_version="2.0", compression="none", use_dictionary=False)
    write("nested.old_names", nested(), store_schema=False, use_compliant_nested_type=False)
    for codec in "none", "snappy", "gzip", "brotli", "zstd", "lz4":
        for version in "1", "2":
            write(f"small.{codec}_v{version}", nested().select(["score", "scores"]), compression=codec,
                  data_page_version=version + ".0", store_schema=False, write_statistics=False)

    pages = dict(store_schema=False, write_statistics=False, write_batch_size=16, compression="none")
    write("many.pages_v1", many(), data_page_size=128, use_dictionary=False, **pages)
    write("many.pages_v2", many(), data_page_size=64, data_page_version="2.0", **pages)
    write("many.fallback", many(), data_page_size=512, dictionary_pagesize_limit=256, row_group_size=110, **pages)
    write("many.checksums", many(), write_page_checksum=True, compression="snappy", data_page_size=1024, store_schema=False,
          write_batch_size=32, row_group_size=70)

    for encoding, table in encodings().items():
        for version in "1", "2":
            write(f"{encoding.lower()}.v{version}", table, use_dictionary=False, store_schema=False, write_statistics=False,
                  data_page_version=version + ".0", data_page_size=600, write_batch_size=64, compression="none",
                  column_encoding={name: encoding for name in leaves(table)})

    empty = many(0)
    write("empty.rows", empty, store_schema=False)
    with pq.ParquetWriter("empty_groups.v1.parquet", many(3).schema, store_schema=False) as w:
        for part in empty, many(3), empty, many(3).slice(0, 1), empty:
            w.write_table(part)
    save("empty_groups", {k: v + v[:1] for k, v in expected(many(3)).items()})
    w = pq.ParquetWriter("empty.groups.parquet", many(0).schema, store_schema=False)
    w.close()
    write("no_columns.v1", pa.table({}))

    metadata = pa.table({"score": [0.5]}).replace_schema_metadata({"labels": '["beach", "sunset"]'})
    write("metadata.v1", metadata)

    # Other writers. Polars and DuckDB write their own structure and encodings.
    plain = [c for c in types().column_names if c not in ("time_ms", "decimal_long", "uuid", "fixed", "float16", "timestamp_zone", "category", "decimal15", "null")]
    frame = pl.from_arrow(types().select(plain))
    frame.write_parquet("polars.v1.parquet", compression="zstd", statistics=False)
    save("polars", expected(frame.to_arrow()))
    frame = pl.from_arrow(nested().select(["score", "m", "scores", "classes", "deep"]))
    frame.write_parquet("polars_nested.v1.parquet", compression="lz4", data_page_size=64, statistics=False)
    save("polars_nested", expected(frame.to_arrow()))

    arrow = types().select([c for c in plain if c not in ("time_ns", "timestamp_ms")])
    lists = nested().drop_columns(["dense"])
    for version in "v1", "v2":
        duckdb.sql(f"COPY (FROM arrow) TO 'duckdb.{version}.parquet' (FORMAT parquet, PARQUET_VERSION {version})")
        duckdb.sql(f"COPY (FROM lists) TO 'duckdb_nested.{version}.parquet' (FORMAT parquet, PARQUET_VERSION {version})")
    save("duckdb", expected(arrow))
    save("duckdb_nested", expected(lists))

    of_fastparquet()
    encrypted()


def leaves(table):
    """Column names as column_encoding wants them."""
    names = []
    for field in table.schema:
        names.append(field.name + ".list.element" if pa.types.is_list(field.type) else field.name)
    return names


if __name__ == "__main__":
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    main()
