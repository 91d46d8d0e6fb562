"""What arrays mean by their shapes: which column of scores is of which class."""

import functools
import math
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from beameval import _data
from beameval._program import Error


def width(values: Any) -> int:
    """Returns the number of columns of a matrix, or of rows that are lists of equal length; else 1."""
    shape: Any = getattr(values, "shape", ())
    if len(shape) == 2:
        return int(shape[1])
    if not _data.is_lists(values) or len(values) == 0 or values.null_count > 0:
        return 1
    lengths = pc.min_max(pc.list_value_length(values)).as_py()
    return int(lengths["max"]) if lengths["min"] == lengths["max"] else 1


def unwrap(arrays: dict[str, Any]) -> None:
    """Takes lists of one score for scores, and then lists of one label for labels, as a matrix of one column is a
    vector."""
    for array in ("y_score", "y_true"):
        values: Any = arrays.get(array)
        scores = arrays.get("y_score")
        wrapped = _data.is_lists(values) and values.null_count == 0 and pc.all(pc.equal(pc.list_value_length(values), 1)).as_py()
        if wrapped and (array == "y_score" or scores is not None and width(scores) == 1 and not _data.is_lists(scores)):
            arrays[array] = column(values, 0)


def names(values: Any) -> list[Any] | None:
    """Returns the names of the columns of a frame or table, or None if it has none but numbers or
    made-up names."""
    if hasattr(values, "iloc"):
        made_up = width(values) < 2 or type(values.columns).__name__ == "RangeIndex"
        return None if made_up else values.columns.get_level_values(-1).tolist()
    if not isinstance(values, pa.Table) or values.num_columns < 2:
        return None
    found = list(values.column_names)
    return None if found == [f"column_{i}" for i in range(len(found))] else found


def column(values: Any, at: int) -> Any:
    """Returns a column of a matrix."""
    if hasattr(values, "iloc"):
        return values.iloc[:, at]
    if isinstance(values, pa.Table):
        return values.column(at)
    return pc.list_element(values, at) if _data.is_lists(values) else values[:, at]


def reordered(values: Any, order: list[int]) -> Any:
    """Returns a frame or table with its columns in another order."""
    return values.iloc[:, order] if hasattr(values, "iloc") else values.select(order)


def same(a: Any, b: Any) -> bool:
    """Reports whether two classes are the same: numbers by value, and other values in a spelling."""
    return _key(a) == _key(b)


def _key(value: Any) -> tuple[str, Any]:
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, bool) or str(value).lower() in ("true", "false"):
        return "", str(value).lower()
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    return ("", str(value)) if math.isnan(number) else ("number", number)


def position(name: Any, of: Iterable[Any]) -> int | None:
    """Returns where a class is in a list, or None."""
    return next((at for at, other in enumerate(of) if same(name, other)), None)


def in_order(arrays: dict[str, Any], labels: list[Any] | None) -> list[Any] | None:
    """Puts the columns of frames into the order of the labels, or of the first frame that names its
    columns, and returns this order."""
    for array, values in arrays.items():
        found = names(values)
        if found is None:
            continue
        twice = next((name for at, name in enumerate(found) if name in found[:at]), None)
        if twice is not None:
            raise Error(f"two columns of {array} are called {twice!r}: rename one")
        if labels is None:
            labels = found
        order = [at for label in labels if (at := position(label, found)) is not None]
        if not len(labels) == len(order) == len(found):
            raise Error(f"the columns of {array} are called {_list(found)}, and the labels are {_list(labels)}: "
                        f"rename the columns, or pass {array}.to_numpy() if they are in this order")  # fmt: skip
        if order != sorted(order):
            arrays[array] = reordered(values, order)
    return labels


def _list(labels: list[Any]) -> str:
    some = ", ".join(repr(str(label)) for label in labels[:10])
    return some if len(labels) <= 10 else some + ", …"


def distinct(values: Any) -> list[Any]:
    """Returns the distinct classes of a vector, in order, of which there may be many."""
    found = _data.array("y_true", values).drop_null().unique().to_pylist()
    return sorted(value for value in found if value == value)


def _flags(values: Any) -> Any:
    """Returns a column as integers, or None if it has other values than 0 and 1."""
    values = _data.array("y_true", values)
    if pa.types.is_boolean(values.type):
        values = values.cast(pa.int8())
    numbers = pa.types.is_integer(values.type) or pa.types.is_floating(values.type)
    if not numbers or values.null_count > 0 or not pc.all(pc.or_(pc.equal(values, 0), pc.equal(values, 1)), min_count=0).as_py():
        return None
    return values.cast(pa.int64())


def are_indicators(truth: Any, labels: int) -> bool:
    """Reports whether rows have a 0 or 1 for each label, of which there are this many: a matrix does, but
    lists of 0 and 1 may also be those of two labels, as long as none has a number twice."""
    columns = width(truth)
    if columns < 2 or not _data.is_lists(truth):
        return columns > 1
    if _flags(pc.list_flatten(truth)) is None:
        return False
    return columns > 2 or columns == labels or bool(pc.any(pc.equal(column(truth, 0), column(truth, 1))).as_py())


def one_hot(truth: Any, labels: list[Any] | None) -> tuple[Any, bool]:
    """Returns the classes of rows that have a 1 for one class and 0 for all others, and True; else what
    they are."""
    columns = [_flags(column(truth, at)) for at in range(width(truth))]
    if any(flags is None for flags in columns) or not pc.all(pc.equal(functools.reduce(pc.add, columns), 1), min_count=0).as_py():
        return truth, False
    classes = functools.reduce(pc.add, [pc.multiply(flags, at) for at, flags in enumerate(columns)])
    return classes if labels is None else [labels[at] for at in classes.to_pylist()], True


def as_booleans(truth: Any) -> Any:
    """Returns a matrix of the whole numbers 0 and 1 as one of booleans, which cannot be the numbers of labels."""
    if width(truth) < 2 or _data.is_lists(truth):
        return truth
    rows = _data.array("y_true", truth)
    flags = None if pa.types.is_floating(rows.type.value_type) else _flags(rows.flatten())
    return truth if flags is None else pa.FixedSizeListArray.from_arrays(flags.cast(pa.bool_()), width(truth))


def are_flags(labels: Iterable[Any]) -> bool:
    """Reports whether labels are 0 and 1, or booleans, in some spelling."""
    return all(position(label, [0, 1, False, True]) is not None for label in labels)


def are_binary(classes: list[Any]) -> bool:
    """Reports whether classes are 0 and 1, or booleans, so that it is plain which is positive."""
    return all(isinstance(c, bool | int | float) and c in (0, 1) for c in classes)


def binary_scores(arrays: Mapping[str, Any], labels: list[Any] | None, positive: Any, score_type: str | None) -> Any:
    """Returns the scores of the positive class, which are in one of two columns of y_score, or are the
    difference of two columns of logits."""
    scores = arrays["y_score"]
    if score_type == "score":
        raise Error("y_score has two columns, and of scores that are not probabilities nothing says what both together mean: "
                    "pass the scores of the positive label, or their differences, as a vector")  # fmt: skip
    at = 1
    if positive is not None:
        classes = distinct(arrays["y_true"]) if labels is None else labels
        if labels is None and (any(isinstance(c, str) for c in classes) or len(classes) != 2):
            raise Error(f"positive_label is {str(positive)!r}, and nothing says which of the two columns of y_score is its: set labels, in the order of the columns")
        found = position(positive, classes)
        if found is None:
            raise Error(f"positive_label is {str(positive)!r}, and the columns of y_score are of {_list(classes)}")
        at = found
    if score_type != "logit":
        return column(scores, at)
    one, other = (pc.cast(_data.array("y_score", column(scores, c)), pa.float64()) for c in (at, 1 - at))
    return pc.subtract(one, other)
