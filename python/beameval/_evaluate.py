"""Evaluates predictions."""

import json
import math
import os
from collections.abc import Iterable, Mapping
from typing import Any

from beameval import _data, _temporary
from beameval._program import Error
from beameval._report import Report

# Above this many labels, their names are in a file: an argument of a program has 128 KB at most.
MOST_LABELS = 1000


def evaluate(
    data: Any = None,
    *,
    y_true: Any = None,
    y_score: Any = None,
    y_pred: Any = None,
    sample_weight: Any = None,
    label: str | None = None,
    score: Any = None,
    prediction: str | None = None,
    weight: str | None = None,
    example: str | None = None,
    query: str | None = None,
    item: str | None = None,
    a: str | None = None,
    b: str | None = None,
    outcome: str | None = None,
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
            example: true labels, scores, predictions and weights. Scores are a vector, or a matrix
            with a column for each label. If scores are a matrix of two columns and `task` is not
            set, the task is binary, the second column is that of the positive label. If y_true is a
            matrix of 0 and 1, the task is multilabel.
        label, score, prediction, weight, example, query, item: the columns of data in these roles;
            score may be a list of columns, one for each label. Roles without a column are looked for
            by name, as the command does.
        a, b, outcome: of task preference, the columns of the two systems that a row compares, and of
            what came out: a, b or tie. They imply the task.
        slices: what to evaluate separately, as in a configuration, such as `["country", ["country",
            "device"]]`. With arrays, a table with the columns to slice by.
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
    if outcome is not None:
        if label is not None:
            raise Error("outcome is the label of task preference: use one of both")
        label = outcome
    roles = {"label": label, "score": score, "prediction": prediction, "weight": weight, "example": example, "query": query, "item": item, "a": a, "b": b}
    roles = {role: column for role, column in roles.items() if column is not None}
    arrays = {"y_true": y_true, "y_score": y_score, "y_pred": y_pred, "sample_weight": sample_weight}
    file, settings = (None, config) if isinstance(config, Mapping) else (config, {})

    source = None
    if any(values is not None for values in arrays.values()):
        if data is not None or roles:
            raise Error("y_true, y_score, y_pred and sample_weight take the place of data and of its columns: use one of both")
        if slices is not None and not _data.is_table(slices):
            raise Error("slices: expected a table with the columns to slice by, because y_true and the like have none")
        keys = _for_arrays(arrays, keys, settings)
        with _data.reading():
            source = _data.from_arrays(arrays, slices)
        if slices is not None:
            slices = [name for name in source.schema.names if name not in (*arrays, _data.EXAMPLE)]
    elif data is None and config is None:
        raise Error("nothing to evaluate: pass data, or y_true with y_score or y_pred")
    elif data is not None and not _is_paths(data):
        mentioned = _data.mentioned_in(roles, slices or [], settings, keys)
        ids = not (example or file) and _rows_are_examples(roles, {**settings, **keys})
        with _data.reading():
            source = _data.from_table(data, lambda name: bool(file or _data.FOUND.fullmatch(name)) or mentioned(name), label, ids)
        if source.labels and "labels" not in keys and len(source.labels) > 2:
            keys["labels"] = source.labels
    if slices is not None:
        keys["slices"] = slices

    with _temporary.directory("beameval-data-") as temporary:
        file, keys = _with_labels_file(file, keys, temporary)
        arguments = ["--config=" + os.fspath(file)] if file else []
        arguments += _settings(settings) + _settings(keys)
        for role, column in roles.items():
            arguments += _set("input.columns." + role, column)
        with _data.reading():
            rows = source.write(os.path.join(temporary, "data.arrow")) if source else None
        if rows:
            arguments += _set("input.files", [rows.path])
        elif data is not None:
            arguments += _set("input.files", [os.fspath(path) for path in ([data] if isinstance(data, str | os.PathLike) else data)])
        try:
            library = source.library if source else "pyarrow"
            return Report._made_by("evaluate", arguments, output, overwrite=overwrite, quiet=quiet, check=check, library=library)
        except Error as error:
            if rows is None or error.report is not None:
                raise
            raise Error(rows.in_words_of_caller(str(error)), error.code) from None


def _for_arrays(arrays: dict[str, Any], keys: dict[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the keys with those that shapes of arrays imply, and takes the column of the positive
    label of a binary task."""
    if arrays["y_true"] is None:
        raise Error("y_true is missing: true labels have to come with y_score or y_pred")

    def columns(name: str) -> int:
        shape: Any = getattr(arrays[name], "shape", ())
        return int(shape[1]) if len(shape) == 2 else 1

    implied: dict[str, Any] = {}
    task = keys.get("task", settings.get("task"))
    if columns("y_true") > 1:
        implied["input"] = {"label_encoding": "indicator"} | settings.get("input", {})
        if task is None:
            implied["task"] = "multilabel"
    elif columns("y_score") == 2 and task in (None, "binary"):
        scores = arrays["y_score"]
        arrays["y_score"] = scores.iloc[:, 1] if hasattr(scores, "iloc") else scores[:, 1]
        implied["task"] = "binary"
        labels = keys.get("labels")
        if labels is not None and "positive_label" not in {**settings, **keys}:
            keys = {key: value for key, value in keys.items() if key != "labels"}
            implied["positive_label"] = str(labels[1])
    return implied | keys


def _rows_are_examples(roles: Mapping[str, Any], chosen: Mapping[str, Any]) -> bool:
    """Reports whether rows are examples, so that an index or the numbers of rows can be their ids."""
    given = chosen.get("input", {})
    if "query" in roles or "truth" in chosen or chosen.get("task") == "ranking" or given.get("layout") == "label":
        return False
    return "example" not in given.get("columns", {})


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


def _settings(keys: Mapping[str, Any]) -> list[str]:
    """Returns the arguments that set keys of the configuration. Further arguments add to input, so it
    is not set as a whole."""
    arguments = []
    for key, value in keys.items():
        parts = {f"{key}.{inner}": v for inner, v in value.items()} if key == "input" and isinstance(value, Mapping) else {key: value}
        for name, part in parts.items():
            arguments += _set(name, part)
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
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Iterable):
        return list(value)
    raise Error(f"{type(value).__name__} is no value of a configuration: {value!r}")
