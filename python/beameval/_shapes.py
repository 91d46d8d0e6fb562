"""What arrays mean by their shapes: which column of scores is of which class."""

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
    if not isinstance(values, list | tuple) or not values:
        return 1
    lengths = {len(row) if isinstance(row, list | tuple) or len(getattr(row, "shape", ())) == 1 else 0 for row in values}
    return lengths.pop() if len(lengths) == 1 and lengths != {0} else 1


def names(values: Any) -> list[Any] | None:
    """Returns the names of the columns of a frame or table, or None if it has none but numbers or
    made-up names."""
    if width(values) < 2 or not hasattr(values, "columns") and not hasattr(values, "column_names"):
        return None
    if hasattr(values, "iloc"):
        made_up = type(values.columns).__name__ == "RangeIndex"
        return None if made_up else values.columns.tolist()
    found = list(values.column_names if hasattr(values, "column_names") else values.columns)
    return None if found == [f"column_{i}" for i in range(len(found))] else found


def column(values: Any, at: int) -> Any:
    """Returns a column of a matrix."""
    if hasattr(values, "iloc"):
        return values.iloc[:, at]
    if hasattr(values, "column_names"):
        return values.column(at)
    return values[:, at] if hasattr(values, "shape") else [row[at] for row in values]


def reordered(values: Any, order: list[int]) -> Any:
    """Returns a matrix with its columns in another order."""
    if hasattr(values, "iloc"):
        return values.iloc[:, order]
    return values.select(order) if hasattr(values, "column_names") else values[:, order]


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


def one_hot(truth: Any, labels: list[Any] | None) -> tuple[Any, bool]:
    """Returns the classes of rows that have a 1 for one class and 0 for all others, and True; else what
    they are."""
    matrix = truth.to_numpy() if hasattr(truth, "to_numpy") else truth
    if not hasattr(matrix, "argmax") or not (((matrix == 0) | (matrix == 1)).all() and (matrix.sum(axis=1) == 1).all()):
        return truth, False
    classes = matrix.argmax(axis=1)
    return classes if labels is None else [labels[at] for at in classes], True


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
    one, other = column(scores, at), column(scores, 1 - at)
    if hasattr(scores, "iloc"):  # whose index may be the ids
        return one.astype("float64") - other.astype("float64")
    return pc.subtract(*(pc.cast(_data.array("y_score", scores), pa.float64()) for scores in (one, other)))
