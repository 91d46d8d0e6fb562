"""Says what other libraries read in files.

Each line of the standard input is a question, {"file": …, "format": …}, and each line of the standard output the answers of
all libraries that know the format: {"by": …, "refused": …} or {"by": …, "columns": [{"path": …, "values": […]}]}.

Integers and other numbers are JSON numbers as the file spells them or, if it does not, with all their digits. Texts and
bytes are strings in which each byte is a rune. Dates and times are texts in ISO 8601 without trailing zeros.
"""

import csv
import decimal
import gzip
import json
import os
import pathlib
import sys

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.feather
import pyarrow.parquet

csv.field_size_limit(1 << 30)


class Number(str):
    """A number as it is spelled."""


# Arrow


def leaves(path, array):
    """Yields (path, number of lists around, values by row) of each leaf below an array, in the order of the schema."""
    if isinstance(array.type, pa.BaseExtensionType) and not is_uuid(array.type):
        array = array.storage
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_run_end_encoded(array.type):
        array = pc.run_end_decode(array)
    kind = array.type
    if pa.types.is_struct(kind):
        for field, child in zip(kind, array.flatten(), strict=True):
            yield from leaves([*path, field.name], child)
    elif any(of(kind) for of in LISTS):
        entries = pa.StructArray.from_arrays([array.keys, array.items], ["key", "value"]) if pa.types.is_map(kind) else array.values
        rows = rows_of(array)
        for below, depth, values in leaves(path, entries):
            yield below, depth + 1, [None if row is None else values[row] for row in rows]
    else:
        yield path, 0, values_of(array)


LISTS = [pa.types.is_map, pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list, pa.types.is_list_view, pa.types.is_large_list_view]


def rows_of(lists):
    """Returns for each list which of all elements it has, or None."""
    if pa.types.is_fixed_size_list(lists.type):
        ends = [(lists.offset + i) * lists.type.list_size for i in range(len(lists) + 1)]
    else:
        ends = lists.offsets.to_pylist()
    begins, ends = ends, ends[1:]
    if pa.types.is_list_view(lists.type) or pa.types.is_large_list_view(lists.type):
        ends = [begin + size for begin, size in zip(begins, lists.sizes.to_pylist())]
    return [slice(*row) if valid else None for valid, *row in zip(lists.is_valid().to_pylist(), begins, ends)]


def values_of(array):
    """Returns the values of an array of single values."""
    kind = array.type
    if is_uuid(kind):
        return [each and str(each) for each in array.to_pylist()]
    if pa.types.is_temporal(kind) and not pa.types.is_interval(kind):
        whole = array.view(pa.int32() if kind.bit_width == 32 else pa.int64()).to_pylist()
        return [None if each is None else moment(each, kind) for each in whole]
    return [plain(each) for each in array.to_pylist()]


def plain(value):
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass").decode("latin-1")
    if isinstance(value, decimal.Decimal):
        return Number(format(value, "f"))
    return value


def is_uuid(kind):
    return isinstance(kind, pa.BaseExtensionType) and kind.extension_name == "arrow.uuid"


UNITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}  # digits of a second


def moment(value, kind):
    """Returns the text of a date, a time or a timestamp, or the number of a duration."""
    if pa.types.is_duration(kind):
        return value
    if pa.types.is_date32(kind):
        return day(value)
    if pa.types.is_date64(kind):
        return day(value // 86_400_000)
    digits = UNITS[kind.unit]
    if pa.types.is_time(kind):
        return ("-" if value < 0 else "") + clock(abs(value), digits)
    days, rest = divmod(value, 86_400 * 10**digits)
    return f"{day(days)}T{clock(rest, digits)}{'Z' if kind.tz else ''}"


def clock(units, digits):
    seconds, fraction = divmod(units, 10**digits)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return text + (f".{fraction:0{digits}}".rstrip("0") if fraction else "")


def day(days):
    """Returns the date so many days after 1970-01-01, of any year (Hinnant, civil_from_days)."""
    days += 719_468
    era, of_era = divmod(days, 146_097)
    years = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * years + years // 4 - years // 100)
    shifted = (5 * of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    year = years + 400 * era + (month <= 2)
    return f"{'-' if year < 0 else ''}{abs(year):04}-{month:02}-{of_year - (153 * shifted + 2) // 5 + 1:02}"


def of_table(table):
    table.validate(full=True)
    columns = []
    for name, chunked in zip(table.column_names, table.columns, strict=True):
        array = chunked.chunk(0) if chunked.num_chunks == 1 else pa.concat_arrays(chunked.chunks) if chunked.num_chunks else pa.array([], chunked.type)
        for path, depth, values in leaves([name], array):
            columns.append({"path": ".".join(plain(part) for part in path), "values": values if depth < 2 else []})
    return columns


def arrow(file):
    data = pa.memory_map(file)
    try:
        table = pa.ipc.open_file(data).read_all()
    except pa.ArrowInvalid:
        data.seek(0)
        try:
            table = pa.ipc.open_stream(data).read_all()
        except pa.ArrowInvalid:
            table = pyarrow.feather.read_table(file)
    return of_table(table)


def parquet(file):
    return of_table(pyarrow.parquet.ParquetFile(file, page_checksum_verification=True).read())


def duck(file):
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        rows = connection.sql("SELECT * FROM read_parquet($1, hive_partitioning = false)", params=[file])
        return of_table(rows.to_arrow_table())


# Texts


def text_of(file):
    data = pathlib.Path(file).read_bytes()
    if data.startswith(b"\x1f\x8b"):
        data = gzip.decompress(data)
    return data.removeprefix(b"\xef\xbb\xbf").decode()


def separated(comma):
    def read(file):
        rows = [row for row in csv.reader(lines_of(text_of(file)), delimiter=comma, strict=True) if row]
        return of_rows(rows)

    return read


def lines_of(text):
    """Returns the lines, which end in LF alone: it is the parser that knows CR."""
    return [line + "\n" for line in text.removesuffix("\n").split("\n")]


def of_rows(rows):
    if not rows:
        raise ValueError("no header")
    for row in rows:
        if len(row) != len(rows[0]):
            raise ValueError(f"{len(row)} values below {len(rows[0])} names")
    return [{"path": plain(name), "values": [plain(row[i]) or None for row in rows[1:]]} for i, name in enumerate(rows[0])]


def expected(file):
    """Reads the JSON that csv-spectrum has beside a CSV file."""
    beside = pathlib.Path(file).parent.parent / "json" / (pathlib.Path(file).stem + ".json")
    rows = json.loads(beside.read_text())
    return of_rows([list(rows[0]), *(list(row.values()) for row in rows)])


def json_lines(file):
    table = {}
    count = 0
    for line in text_of(file).split("\n"):
        if not line.removesuffix("\r"):
            continue
        row = json.loads(line, parse_int=Number, parse_float=Number, parse_constant=not_json, object_pairs_hook=distinct)
        if not isinstance(row, dict):
            raise ValueError("not an object")
        for path, value in members((), row):
            table.setdefault(path, [None] * count).append(value)
        count += 1
        for values in table.values():
            values.extend([None] * (count - len(values)))
    for path in list(table):
        below = [other for other in table if len(other) > len(path) and other[: len(path)] == path]
        if below and all(value in (None, []) for value in table[path]):
            for row, value in enumerate(table.pop(path)):
                if value == []:
                    for other in below:
                        table[other][row] = []
    return [{"path": ".".join(plain(name) for name in path), "values": values} for path, values in table.items()]


def not_json(name):
    raise ValueError(f"{name} is not JSON")


def distinct(pairs):
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a key twice")
    return dict(pairs)


def members(path, value):
    """Yields (path, value) of each leaf of a row. Of an array of objects, each key is a leaf of lists."""
    if isinstance(value, dict):
        for name, child in value.items():
            yield from members((*path, name), child)
    elif isinstance(value, list) and any(isinstance(element, dict) for element in value):
        rows = [dict(members((), element)) if isinstance(element, dict) else {} for element in value]
        for below in dict.fromkeys(key for row in rows for key in row):
            yield (*path, *below), [row.get(below) for row in rows]
    elif isinstance(value, list):
        yield path, [plain_json(element) for element in value]
    else:
        yield path, plain_json(value)


def plain_json(value):
    return value if isinstance(value, Number) else plain(value)


def trec(*names):
    def read(file):
        return of_rows([list(names), *(row for row in map(str.split, text_of(file).split("\n")) if row)])

    return read


# Answers


def encoded(value):
    """Returns JSON, in which a Number is as it is."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, list):
        return "[" + ",".join(map(encoded, value)) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{encoded(each)}" for key, each in value.items()) + "}"
    if isinstance(value, float) and value - value != 0:
        return json.dumps(str(value))
    if isinstance(value, (int, float, str, bool)) or value is None:
        return json.dumps(value)
    return json.dumps(str(value))


python = f"Python {sys.version_info.major}.{sys.version_info.minor}"
ORACLES = {
    "parquet": [(f"pyarrow {pa.__version__}", parquet), (f"DuckDB {duckdb.__version__}", duck)],
    "arrow": [(f"pyarrow {pa.__version__}", arrow)],
    "csv": [(f"csv of {python}", separated(","))],
    "tsv": [(f"csv of {python}", separated("\t"))],
    "jsonl": [(f"json of {python}", json_lines)],
    "trec_run": [(f"split of {python}", trec("query_id", "q0", "doc_id", "rank", "score", "tag"))],
    "trec_qrels": [(f"split of {python}", trec("query_id", "iteration", "doc_id", "relevance"))],
    "csv with JSON beside": [("the JSON beside it", expected)],
}


def answer(question):
    for by, read in ORACLES[question["format"]]:
        try:
            yield {"by": by, "columns": read(question["file"])}
        except Exception as reason:  # a library says in many ways that it does not read a file
            yield {"by": by, "refused": str(reason)[:200] or type(reason).__name__}


def main():
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # libraries print, too, such as DuckDB its progress
    for line in sys.stdin:
        out.write(encoded(list(answer(json.loads(line)))) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
