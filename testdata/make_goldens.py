#!/usr/bin/env python3
"""Reference values for the real data sets, overall and by slice: make_goldens.py

Reads {set}/predictions.parquet, writes {set}/expected.json: {"_computed_with", "rows": [{"name", "slice", "label",
"value"}…], "confusion": […]}, zero_division 0, threshold 0.5, 10 uniform calibration bins. The metrics are in
reference.py; k is 1, 3, 5 and 10, up to the number of labels. Rows are in the order slice (overall, then as in SLICES,
values sorted), label-less before by label.

Of digits_retrieval, from run.parquet and qrels.parquet, expected.json has the metrics of ties: expected that
reference_queries.py has without going through all orders of tied items, and trec_eval.json those of ties: item, all of them.
"""
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

import reference
import reference_queries

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
        metrics = [row for row in metrics if not reference.on_request(row[0], name)]
        metrics.sort(key=lambda row: row[1] is not None)  # stable: aggregates first
        rows += [{"name": n, "slice": key, "label": label, "value": v} for n, label, v in metrics]
        if confusion:
            confusions.append({"slice": key, **confusion})
    save(HERE / name / "expected.json", reference.COMPUTED_WITH, rows, confusions)


def retrieval():
    run, qrels = (pq.read_table(HERE / "digits_retrieval" / f"{f}.parquet").to_pylist() for f in ("run", "qrels"))
    found, judged = {}, {}
    for row in run:
        found.setdefault((row["digit"], row["query_id"]), []).append((row["image_id"], row["score"]))
    for row in qrels:
        judged.setdefault(row["query_id"], {})[row["image_id"]] = row["relevance"]
    queries = []
    for (digit, query), items in sorted(found.items()):
        relevance = judged[query]
        items.sort(reverse=True)  # by id, downwards: the order of ties: item
        queries.append((digit, {
            "scores": [score for _, score in items],
            "relevance": [relevance.get(image, 0) for image, _ in items],
            "judged": [image in relevance for image, _ in items],
            "missed": [r for image, r in relevance.items() if image not in dict(items)],
        }))
    options = {"relevance_threshold": 1, "max_relevance": 2, "empty_queries": "skip"}
    for file, metrics, more in (("expected", reference_queries.ranking_of_ties, {"ties": "expected", "gain": "exponential"}),
                                ("trec_eval", reference_queries.ranking, {"ties": "item", "gain": "linear"})):
        rows = []
        for digit in [None] + sorted({d for d, _ in queries}):
            values = metrics([q for d, q in queries if digit in (None, d)], {**options, **more}, ks=(1, 3, 5, 10))
            rows += [{"name": n, "slice": {"digit": digit} if digit else {}, "label": label, "value": v}
                     for n, label, v in values]
        save(HERE / "digits_retrieval" / f"{file}.json",
             f"{reference.COMPUTED_WITH} and {reference_queries.COMPUTED_WITH}", rows)


def save(path, computed_with, rows, confusions=()):
    lines = [f' "_computed_with": {json.dumps(computed_with)}', ' "rows": ' + block(rows)]
    if confusions:
        lines.append(' "confusion": ' + block(confusions))
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{path.relative_to(HERE)}: {len(rows)} rows, {path.stat().st_size} bytes")


def block(items):
    return "[\n" + ",\n".join("  " + json.dumps(item, allow_nan=False) for item in items) + "\n ]"


if __name__ == "__main__":
    reference.quiet()
    for name in SLICES:
        golden(name)
    retrieval()
