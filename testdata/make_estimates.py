"""Estimates metrics without any label: breast_cancer/estimated.json and digits/estimated.json, from
the scores in predictions.parquet. With scikit-learn, on each row once for every class, which has the
probability of the class as its weight (confidence-based performance estimation).

A row is {name, slice, label, value} as in expected.json.
"""

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import sklearn
from sklearn import metrics

HERE = Path(__file__).parent


def copies(scores, rows):
    """Returns true classes, weights and scores of the copies of rows."""
    classes = np.tile(np.arange(scores.shape[1]), rows.sum())
    return classes, scores[rows].ravel(), np.repeat(scores[rows], scores.shape[1], axis=0)


def binary(scores, rows):
    y, w, p = copies(np.stack([1 - scores, scores], axis=1), rows)
    p = p[:, 1]
    hat = p >= 0.5
    yield "roc_auc", None, metrics.roc_auc_score(y, p, sample_weight=w)
    yield "average_precision", None, metrics.average_precision_score(y, p, sample_weight=w)
    yield "log_loss", None, metrics.log_loss(y, p, sample_weight=w)
    yield "brier", None, metrics.brier_score_loss(y, p, sample_weight=w)
    for name in "accuracy", "precision", "recall", "f1":
        kw = {} if name == "accuracy" else {"zero_division": 0}
        yield name, None, getattr(metrics, name + "_score")(y, hat, sample_weight=w, **kw)
    yield "mcc", None, metrics.matthews_corrcoef(y, hat, sample_weight=w)


def multiclass(scores, rows):
    y, w, p = copies(scores, rows)
    hat = p.argmax(axis=1)
    yield "accuracy", None, metrics.accuracy_score(y, hat, sample_weight=w)
    yield "log_loss", None, metrics.log_loss(y, p, sample_weight=w, labels=range(scores.shape[1]))
    yield "cohen_kappa", None, metrics.cohen_kappa_score(y, hat, sample_weight=w)
    recalls = metrics.recall_score(y, hat, sample_weight=w, average=None)
    yield "recall_macro", None, recalls.mean()
    for label, recall in enumerate(recalls):
        yield "recall", str(label), recall
        yield "roc_auc_ovr", str(label), metrics.roc_auc_score(y == label, p[:, label], sample_weight=w)


def write(folder, table, scores, of, column):
    rows = []
    values = np.array(table[column])
    for key in [{}, *({column: value} for value in np.unique(values))]:
        chosen = values == key[column] if key else np.full(len(values), True)
        for name, label, value in of(scores, chosen):
            rows.append({"name": name, "slice": key | {"estimated": True}, "label": label, "value": float(value)})
    lines = ",\n".join(json.dumps(row) for row in rows)
    text = f'{{"_computed_with": "scikit-learn {sklearn.__version__}", "rows": [\n{lines}\n]}}\n'
    (HERE / folder / "estimated.json").write_text(text)


def main():
    for folder, column, scores, of in ("breast_cancer", "size", "score", binary), ("digits", "ink", "scores", multiclass):
        table = pq.read_table(HERE / folder / "predictions.parquet").to_pydict()
        write(folder, table, np.array(table[scores], dtype=float), of, column)


if __name__ == "__main__":
    main()
