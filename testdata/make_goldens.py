#!/usr/bin/env python3
"""Reference values for the four real data sets, overall and by slice: make_goldens.py

Reads {set}/predictions.parquet, writes {set}/expected.json: {"_computed_with", "rows": [{"name", "slice", "label",
"value"}…], "confusion": […]}, zero_division 0, threshold 0.5, 10 uniform calibration bins. The metrics are in
reference.py; k is 1, 3, 5 and 10, up to the number of labels. Rows are in the order slice (overall, then as in SLICES,
values sorted), label-less before by label.
"""
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

import reference

HERE = Path(__file__).resolve().parent
SLICES = {
    "digits": [["ink"], ["lean"], ["ink", "lean"]],
    "digits_attributes": [["ink"], ["lean"], ["ink", "lean"]],
    "breast_cancer": [["size"], ["texture"], ["size", "texture"]],
    "diabetes": [["age"], ["sex"], ["age", "sex"]],
}


def evaluator(name, table):
    """rows -> (metric rows, confusion or None), for an array of row numbers."""
    column = {c: table[c].to_pylist() for c in table.column_names}
    labels = json.loads((table.schema.metadata or {}).get(b"labels", b"[]"))
    ks = [k for k in (1, 3, 5, 10) if k <= len(labels)]
    if name == "digits":
        y, pred, scores = (np.array(column[c]) for c in ("label", "prediction", "scores"))

        def confusion(i):  # NUMPY; rows are the true classes, columns the predicted
            matrix = np.zeros((len(labels), len(labels)), dtype=int)
            np.add.at(matrix, (y[i], pred[i]), 1)
            return {"matrix": matrix.tolist()}

        return lambda i: (reference.multiclass(y[i], pred[i], labels, scores[i], ks=ks), confusion(i))
    if name == "digits_attributes":
        truth = np.array([[n in row for n in labels] for row in column["labels"]])
        scores = np.array(column["scores"])
        hard = scores >= 0.5

        def confusion(i):  # NUMPY; of each label
            cells = zip(*reference.counts(truth[i], hard[i], np.ones(len(i))))
            return {"labels": [{"label": n, **dict(zip(("tp", "fp", "tn", "fn"), map(int, c)))}
                               for n, c in zip(labels, cells)]}

        return lambda i: (reference.multilabel(truth[i], hard[i], labels, scores[i], ks=ks), confusion(i))
    if name == "breast_cancer":
        y, score = np.array(column["label"]) == "malignant", np.array(column["score"])
        return lambda i: (reference.binary(y[i], score[i] >= 0.5, score[i]), None)
    y, pred = np.array(column["label"]), np.array(column["prediction"])
    return lambda i: (reference.regression(y[i], pred[i]), None)


def slices(name, table):
    """(slice, row numbers): overall, then every value of every specification that occurs."""
    yield {}, np.arange(table.num_rows)
    for columns in SLICES[name]:
        keys = list(zip(*(table[c].to_pylist() for c in columns)))
        for key in sorted(set(keys)):
            yield dict(zip(columns, key)), np.array([i for i, k in enumerate(keys) if k == key])


def golden(name):
    table = pq.read_table(HERE / name / "predictions.parquet")
    evaluate = evaluator(name, table)
    rows, confusions = [], []
    for key, index in slices(name, table):
        metrics, confusion = evaluate(index)
        metrics.sort(key=lambda row: row[1] is not None)  # stable: aggregates first
        rows += [{"name": n, "slice": key, "label": label, "value": v} for n, label, v in metrics]
        if confusion:
            confusions.append({"slice": key, **confusion})
    lines = [f' "_computed_with": {json.dumps(reference.COMPUTED_WITH)}', ' "rows": ' + block(rows)]
    if confusions:
        lines.append(' "confusion": ' + block(confusions))
    path = HERE / name / "expected.json"
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{path.relative_to(HERE)}: {len(rows)} rows, {path.stat().st_size} bytes")


def block(items):
    return "[\n" + ",\n".join("  " + json.dumps(item, allow_nan=False) for item in items) + "\n ]"


if __name__ == "__main__":
    reference.quiet()
    for name in SLICES:
        golden(name)
