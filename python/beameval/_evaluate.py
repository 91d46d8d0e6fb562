"""Evaluates predictions."""

import decimal
import json
import math
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

import pyarrow as pa
from beameval import _data, _temporary
from beameval import _shapes as shapes
from beameval._program import Error
from beameval._report import Report
from beameval._tables import NAMES

# The column of a role, which is looked for by name if it is None, and not if it is False.
Column = str | Literal[False] | None

# The roles of arrays.
ROLES = {"y_true": "label", "y_score": "score", "y_pred": "prediction", "sample_weight": "weight"}

# Above this many labels, their names are in a file: an argument of a program has 128 KB at most.
MOST_LABELS = 1000


def evaluate(
    data: Any = None,
    y_score: Any = None,
    *,
    y_true: Any = None,
    y_pred: Any = None,
    sample_weight: Any = None,
    label: Column = None,
    score: Any = None,
    prediction: Column = None,
    weight: Column = None,
    example: Column = None,
    query: Column = None,
    item: Column = None,
    a: Column = None,
    b: Column = None,
    outcome: str | None = None,
    grade: Column = None,
    grades: Any = None,
    raters: Any = None,
    rater: Column = None,
    slices: Any = None,
    output: str | os.PathLike[str] | None = None,
    config: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    overwrite: bool = False,
    quiet: bool = False,
    check: bool = False,
    **keys: Any,
) -> Report:
    """Computes the metrics of predictions, and returns the report.

    >>> r = evaluate({"y": [1, 0, 1, 0], "p": [0.9, 0.2, 0.4, 0.6]}, label="y", score="p", quiet=True)
    >>> r["accuracy"], r["roc_auc"]
    (0.5, 0.75)

    Args:
        data: what has a row for each example: a frame of pandas or polars, an Arrow table, a relation
            of DuckDB, a data set of Hugging Face, anything else with `__arrow_c_stream__`, or a dict
            of columns; or files: a path, directory, glob or URI, or a list of them. Without an id
            column (`example`, or one called `id` or `example_id`) the index of a pandas frame is the
            id of the example, else the number of the row.
        y_true, y_score, y_pred, sample_weight: in place of data, arrays with a value for each
            example: true labels, scores, predictions and weights; also `evaluate(y_true, y_score)`. Scores are a vector, or a matrix
            with a column for each label, in the order of `labels`, or named as they are. If scores are a
            matrix of two columns, `task` is not set, and it is known which class is positive, the task is
            binary: `positive_label`, else 1 or True, else the second of `labels`. If y_true is a matrix of
            0 and 1, the task is multilabel. A matrix may be a frame or table, or nested lists. If config is
            a file, it says what the task is, and shapes imply nothing.
        label, score, prediction, weight, example, query, item: the columns of data in these roles;
            score may be a list of columns, one for each label. Roles without a column are looked for
            by name, as the command does; False switches a role off.
        a, b, outcome: of task preference, the columns of the two systems that a row compares, and of
            what came out: a, b or tie. They imply the task.
        grade: of task grade, the column that says what an attempt at `example` is worth, or whether it passes. It
            implies the task.
        grades: further grades of an attempt, such as what it cost: a list of columns, or a dict of columns by name. Their metrics are
            called `<metric>_<name>`; `lower_is_better` names those whose lower values are better.
        raters: of task agreement, the columns of the ratings of several raters: a list, or a dict of columns by rater. It implies the
            task, as does `rater`: who gave the `grade` of a row to `example`. The key `raters` of a configuration is in config.
        slices: what to evaluate separately, as in a configuration, such as `["country", ["country",
            "device"]]`. With arrays, a table with the columns to slice by, in which no role is looked for
            by name.
        output: the directory of the report, local or a URI. Without it, the report is in a temporary
            directory that is removed with the object.
        config: a configuration: a YAML file or a dict. Keywords override it. If it is a file, it also
            says which column has the ids.
        overwrite: replace a finished report in output.
        quiet: print no notes and no progress.
        check: raise an Error with code 3 if a gate fails. It has the report.
        keys: other keys of a configuration, such as `confidence={}` or `metrics=["f1"]`.

    Raises:
        Error: the command's message. Rows of data are numbered from 0.
    """
    if data is not None and y_true is None and (y_score is not None or y_pred is not None) and not isinstance(data, str | os.PathLike | Mapping):
        data, y_true = None, data
    if outcome is not None:
        if label is not None:
            raise Error("outcome is the label of task preference: use one of both")
        label = outcome
    columns = {"label": label, "score": score, "prediction": prediction, "weight": weight, "example": example, "query": query, "item": item}
    roles = {**columns, "a": a, "b": b, "grade": grade, "grades": grades, "raters": raters, "rater": rater}
    tuples = getattr(getattr(data, "columns", None), "nlevels", 1) > 1  # are names of columns
    roles = {role: _name(column, tuples) for role, column in roles.items() if column is not None}
    roles |= {role: keys.pop(role) for role in NAMES if role in keys}  # class, which is no keyword of Python
    slices = [slices] if isinstance(slices, str) else _name(slices, tuples) if tuples else slices
    arrays = {"y_true": y_true, "y_score": y_score, "y_pred": y_pred, "sample_weight": sample_weight}
    arrays = {name: values for name, values in arrays.items() if values is not None}
    file, settings = (None, dict(config)) if isinstance(config, Mapping) else (config, {})
    keys = _together(settings, keys)
    if isinstance(keys.get("labels"), set | frozenset):
        raise Error("labels is a set, which has no order: pass a list")
    if hasattr(keys.get("labels"), "to_pylist"):
        keys["labels"] = keys["labels"].to_pylist()

    source = None
    if arrays:
        if data is not None or roles:
            raise Error("y_true, y_score, y_pred and sample_weight take the place of data and of its columns: use one of both")
        if hasattr(slices, "to_frame") and getattr(slices, "name", None):  # a series
            slices = slices.to_frame()
        if slices is not None and not _data.is_table(slices):
            raise Error("slices: expected a table with the columns to slice by, because y_true and the like have none")
        library, index = _data.library_of(slices, *arrays.values()), _data.index_of({**arrays, "slices": slices})
        arrays = {name: _data.settled(name, values) for name, values in arrays.items()}
        keys = _for_arrays(arrays, keys, bool(file))
        source, names, by = _data.from_arrays(arrays, slices, index, library)
        roles = _roles_of_arrays(names, by, keys, bool(file))
        slices = None if slices is None else by
    elif data is None and config is None:
        raise Error("nothing to evaluate: pass data, or y_true with y_score or y_pred")
    elif data is not None and not _is_paths(data):
        mentioned = _data.mentioned_in(roles, slices or [], keys)
        ids: Callable[[Iterable[str]], str | None] = _data.no_ids
        if not (example or file) and _rows_are_examples(roles, keys):
            ids = _data.new_ids if example is False else _data.ids_unless_found
        looked_for = [role for role in NAMES if roles.get(role) is not False]
        needed = lambda name: bool(file) or mentioned(name) or any(_data.found_by_name(role, [name]) for role in looked_for)  # noqa: E731
        source = _data.from_table(data, needed, label or None, ids)
        if source.labels and "labels" not in keys and len(source.labels) > 2:
            keys["labels"] = source.labels
    if source and source.ids is not None and (example is False or source.ids != _data.EXAMPLE):
        roles["example"] = source.ids
    if slices is not None:
        keys["slices"] = slices

    with _temporary.directory("beameval-data-") as temporary:
        file, keys = _with_labels_file(file, keys, temporary)
        arguments = ["--config=" + os.fspath(file)] if file else []
        arguments += settings_of(keys, roles)
        rows = source.write(os.path.join(temporary, "data.arrow")) if source else None
        if rows:
            arguments += _set("input.files", [rows.path])
        elif data is not None:
            arguments += _set("input.files", [os.fspath(path) for path in ([data] if isinstance(data, str | os.PathLike) else data)])
        try:
            library = source.library if source else "pyarrow"
            report = Report._made_by("evaluate", arguments, output, overwrite=overwrite, quiet=quiet, check=check, library=library)
        except Error as error:
            if rows is None or error.report is not None:
                raise
            raise Error(rows.in_words_of_caller(str(error)), error.code) from None
    if source:
        report._ids = _types_of_ids(source, {**columns_of(keys), **roles})
    return report


def _types_of_ids(source: _data.Source, columns: Mapping[str, Any]) -> dict[str, pa.DataType]:
    """Returns the types of the columns of ids, by role."""
    types = {}
    for role in ("example", "query"):
        name = columns.get(role) or next((name for name in source.schema.names if name.lower() in NAMES[role]), None)
        if name in source.schema.names:
            kind = source.schema.field(name).type
            types[role] = kind.value_type if pa.types.is_dictionary(kind) else kind
        elif role == "example" and source.ids:
            types[role] = pa.int64()
    return types


def _name(column: Any, tuples: bool) -> Any:
    """Returns the name of a column, which a tuple may be, or the names, as the program knows it: as text."""
    if tuples and isinstance(column, tuple):
        return str(column)
    column = column.tolist() if hasattr(column, "tolist") else column  # an array of names, or a number of NumPy
    if isinstance(column, list | tuple):
        return [_name(one, tuples) for one in column]
    return str(column) if isinstance(column, int | float) and not isinstance(column, bool) else column


def _together(settings: Mapping[str, Any], keys: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the keys of a configuration, which keywords override: each of input, and each column, by itself."""

    def joined(of: Mapping[str, Any], over: Mapping[str, Any], parts: tuple[str, ...]) -> dict[str, Any]:
        whole = {**of, **over}
        if parts and all(isinstance(given.get(parts[0]), Mapping) for given in (of, over)):
            whole[parts[0]] = joined(of[parts[0]], over[parts[0]], parts[1:])
        return whole

    return joined(settings, keys, ("input", "columns"))


def _for_arrays(arrays: dict[str, Any], keys: dict[str, Any], file: bool) -> dict[str, Any]:
    """Returns the keys with those that shapes of arrays imply, and takes the column of the positive
    label of a binary task. With a file, which may say other things, the program decides what arrays mean."""
    if "y_true" not in arrays:
        raise Error("y_true is missing: true labels have to come with y_score or y_pred")
    shapes.unwrap(arrays)
    implied: dict[str, Any] = {}
    task, given = keys.get("task"), keys.get("input", {})
    labels = shapes.in_order(arrays, _labels(keys))
    columns = max(len(labels or ()), shapes.width(arrays.get("y_score")))
    if task == "regression" and shapes.width(arrays["y_true"]) > 1:
        raise Error(f"y_true has {shapes.width(arrays['y_true'])} columns, and task regression has one value a row: evaluate each column by itself")
    if file:
        arrays["y_true"] = shapes.as_booleans(arrays["y_true"])
        return keys if labels is None or "labels_file" in keys else {**keys, "labels": labels}
    if task == "multiclass" and shapes.width(arrays["y_true"]) > 1:
        arrays["y_true"], one_hot = shapes.one_hot(arrays["y_true"], labels)
        if not one_hot:
            implied["input"] = {"label_encoding": "distribution", **given}
    elif shapes.are_indicators(arrays["y_true"], columns):
        implied["input"] = {"label_encoding": "indicator", **given}
        if task is None:
            implied["task"] = task = "multilabel"
    elif _are_binary(arrays, task, keys.get("labels"), keys.get("positive_label")):
        task = "binary"
        implied |= _binary(arrays, labels, keys)
        keys = {key: value for key, value in keys.items() if key != "labels"}
    if labels is not None and task != "binary" and "labels_file" not in keys:
        implied["labels"] = labels
    return keys | implied


def _labels(chosen: Mapping[str, Any]) -> list[Any] | None:
    """Returns the labels of a configuration, or None if it has none."""
    if "labels_file" in chosen:
        with open(chosen["labels_file"], encoding="utf-8-sig") as file:
            return file.read().splitlines()
    return list(chosen["labels"]) if "labels" in chosen else None


def _are_binary(arrays: Mapping[str, Any], task: Any, labels: list[Any] | None, positive: Any) -> bool:
    """Reports whether classes are those of a binary task: because it is set or, if no task is, because
    there is a score for one or two classes of which one is known to be positive."""
    if task is not None or "y_score" not in arrays:
        return task == "binary" or task is None and positive is not None
    match shapes.width(arrays["y_score"]):
        case 1:
            return positive is not None or labels is not None and len(labels) == 2 and not _are_lists(arrays["y_score"])
        case 2 if positive is None and not _are_lists(arrays["y_true"]):
            flags = shapes.are_binary(shapes.distinct(arrays["y_true"]))  # whose other names are of classes, as in files
            return flags and (labels is None or shapes.are_flags(labels)) or not flags and labels is not None
        case 2:
            return positive is not None
    return False


def _are_lists(values: Any) -> bool:
    first = next(iter(values), None)
    return _data.is_lists(values) or isinstance(first, dict) or len(getattr(first, "shape", ())) > 0


def _binary(arrays: dict[str, Any], labels: list[Any] | None, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what a binary task implies: which label is positive, if there are names in the order of
    two columns, of which the second is positive unless they are 0 and 1."""
    implied: dict[str, Any] = {"task": "binary"}
    positive = chosen.get("positive_label")
    if labels is not None and len(labels) != 2:
        raise Error(f"a binary task has two labels, not {len(labels)}")
    if "labels" in chosen and labels is not None and positive is None and not shapes.are_flags(labels):
        positive = implied["positive_label"] = str(labels[1])
    if shapes.width(arrays.get("y_score")) == 2:
        of_columns = positive
        if of_columns is None and labels is not None:
            of_columns = next((label for label in labels if shapes.position(label, [1, True]) is not None), None)
        arrays["y_score"] = shapes.binary_scores(arrays, labels, of_columns, chosen.get("input", {}).get("score_type"))
    return implied


def _roles_of_arrays(names: Mapping[str, str], by: list[str], chosen: Mapping[str, Any], file: bool) -> dict[str, Any]:
    """Returns the columns of roles of arrays, which are in the columns names, beside those to slice by:
    roles without an array are off, unless the configuration names their columns."""
    roles: dict[str, Any] = {ROLES[array]: column for array, column in names.items()}
    configured = columns_of(chosen)
    for array in names:
        if ROLES[array] in configured:
            raise Error(f"{array} takes the place of input.columns.{ROLES[array]}: use one of both")
    found = [role for role in NAMES if role not in (*roles, *configured, "example") and _data.found_by_name(role, by)]
    if file and found:
        raise Error(f"slices have a column with a usual name of the role {found[0]}, and whether the file of the configuration means it is unknown: "
                    "rename it, or pass the configuration as a dict")  # fmt: skip
    return roles | dict.fromkeys(found, False)


def columns_of(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the columns that a configuration names, by role."""
    columns: Mapping[str, Any] = chosen.get("input", {}).get("columns", {})
    return columns


def _rows_are_examples(roles: Mapping[str, Any], chosen: Mapping[str, Any]) -> bool:
    """Reports whether rows are examples, so that an index or the numbers of rows can be their ids."""
    given = chosen.get("input", {})
    if "query" in roles or {"grade", "rater"} & {*columns_of(chosen), *roles} or "truth" in chosen or chosen.get("task") in ("ranking", "grade") or given.get("layout") == "label":
        return False
    return "example" not in columns_of(chosen)


def _with_labels_file(file: Any, keys: dict[str, Any], temporary: str) -> tuple[Any, dict[str, Any]]:
    """Returns the configuration file and the keys with a file of labels in place of many labels: one with a name on each
    line or, if a name has a line break, a configuration."""
    if "labels" not in keys or len(keys["labels"]) <= MOST_LABELS:
        return file, keys
    names = [str(name) for name in keys["labels"]]
    others = {key: value for key, value in keys.items() if key != "labels"}
    if not names[0].startswith("\ufeff") and not any("\n" in name or name.endswith("\r") for name in names):
        path = os.path.join(temporary, "labels.txt")
        with open(path, "w", encoding="utf-8") as lines:
            lines.writelines(f"{name}\n" for name in names)
        return file, others | {"labels_file": path}
    if file:
        raise Error(f"labels: a name of {len(names)} has a line break: write the labels into the file {os.fspath(file)}")
    path = os.path.join(temporary, "labels.yaml")
    with open(path, "w", encoding="utf-8") as yaml:
        json.dump({"labels": names}, yaml)
    return path, others


def _is_paths(data: Any) -> bool:
    if isinstance(data, list | tuple):
        return all(isinstance(d, str | os.PathLike) for d in data)
    return isinstance(data, str | os.PathLike)


def _settings(path: str, keys: Mapping[str, Any]) -> list[str]:
    """Returns the arguments that set keys of the configuration. Further arguments add to input and its columns, so
    these are not set as a whole."""
    arguments = []
    for key, value in keys.items():
        name = path + key
        arguments += _settings(name + ".", value) if name in ("input", "input.columns") and isinstance(value, Mapping) else _set(name, value)
    return arguments


def settings_of_keywords(keywords: Mapping[str, Any]) -> list[str]:
    """Returns the arguments for keywords of `evaluate` that concern files: roles, slices and keys of a configuration."""
    roles = {role: column for role, column in keywords.items() if role in NAMES or role in ("grades", "raters")}
    return settings_of({key: value for key, value in keywords.items() if key not in roles}, roles)


def settings_of(keys: Mapping[str, Any], roles: Mapping[str, Any]) -> list[str]:
    """Returns the arguments for keys of a configuration and for columns with roles: raters may be either."""
    arguments = _settings("", {key: value for key, value in keys.items() if value is not None})
    for role, column in roles.items():
        if column is not None:
            arguments += _set("input.columns." + role, None if column is False else column)
    return arguments


def _set(key: str, value: Any) -> list[str]:
    return ["--set", key + "=" + json.dumps(_plain(value), ensure_ascii=False, default=_of_library)]


def _plain(value: Any) -> Any:
    """Returns a value without the numbers that JSON lacks: YAML writes them in its own way."""
    if isinstance(value, float) and not math.isfinite(value):
        raise Error(f"{value} is no value of a configuration")
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return value


def _of_library(value: Any) -> Any:
    """Returns a value of a library, such as a number of NumPy or a path, as one of Python."""
    if hasattr(value, "__fspath__"):
        return os.fspath(value)
    if type(value).__name__ in ("NAType", "NaTType"):  # of pandas
        return None
    if isinstance(value, decimal.Decimal):
        return float(value) if decimal.Decimal(str(float(value))) == value else str(value)
    if hasattr(value, "as_py"):
        return value.as_py()
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Iterable):
        return list(value)
    raise Error(f"{type(value).__name__} is no value of a configuration: {value!r}")
