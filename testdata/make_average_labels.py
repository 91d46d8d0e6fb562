#!/usr/bin/env python3
"""Averages over some of the labels: make_average_labels.py writes golden/average_labels.json.

The format is at the head of make_cases.py; average_labels are the indices of the labels that averages are over. Values are
scikit-learn's with labels= these or, where it has no such argument, of the columns of these labels alone; log_loss and brier are
means over these labels (MEAN). The cases have only these metrics.
"""
import json
import zlib

import numpy as np
from sklearn import metrics as sk

import reference
from make_cases import HERE, floats, softmax, written

cases = []


def averages(y, pred, labels, w, betas=(1, 0.5, 2)):
    """What scikit-learn averages over labels=."""
    rows = {}
    for average in ("micro", "macro", "weighted"):
        kw = {"labels": labels, "average": average, "sample_weight": w, "zero_division": 0}
        rows |= {f"precision_{average}": sk.precision_score(y, pred, **kw), f"recall_{average}": sk.recall_score(y, pred, **kw),
                 f"jaccard_{average}": sk.jaccard_score(y, pred, **kw)}
        rows |= {f"f{b:g}_{average}": sk.fbeta_score(y, pred, beta=b, **kw) for b in betas}
    return rows


def of_columns(y, p, some, w):
    """Scores of the columns of some labels; y is an indicator matrix."""
    y, p = y[:, some], p[:, some]
    rows = {}
    for average in ("macro", "weighted"):
        rows |= {f"average_precision_{average}": sk.average_precision_score(y, p, average=average, sample_weight=w),
                 f"roc_auc_{average}": sk.roc_auc_score(y, p, average=average, sample_weight=w)}
    losses = [reference.binary_losses(y[:, j], p[:, j], "probability", w) for j in range(len(some))]  # MEAN
    support = w @ y
    for i, name in enumerate(("log_loss", "brier")):
        of = [loss[i] for loss in losses]
        rows |= {f"{name}_micro": np.mean(of), f"{name}_macro": np.mean(of), f"{name}_weighted": np.average(of, weights=support)}
    return rows


def add(task, name, k, some, y_true, y_pred, scores, w, rows):
    cases.append({
        "name": f"{task}/{name}", "task": task, "labels": [f"l{j}" for j in range(k)], "average_labels": some, "y_true": y_true, "y_pred": y_pred,
        "scores": floats(scores), "score_type": "probability", "weights": floats(w), "config": {"zero_division": 0, "beta": [0.5, 2]},
        "expected": {n: float(v) for n, v in rows.items()}})


def multiclass(name, n, k, some):
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    y = rng.integers(0, k - 1, n)  # the last class does not occur
    p = softmax(rng.normal(np.eye(k)[y] * 1.5, 1))
    w = rng.uniform(0.1, 3, n)
    pred = p.argmax(axis=1)
    rows = averages(y, pred, some, w)
    curves = of_columns(np.eye(k, dtype=int)[y], p, [j for j in some if j < k - 1], w) if max(some) < k - 1 else {}
    rows |= {n.replace("roc_auc", "roc_auc_ovr"): v for n, v in curves.items() if n.startswith(("roc_auc", "average_precision"))}
    add("multiclass", name, k, some, y.tolist(), pred.tolist(), p, w, rows)


def multilabel(name, n, k, some):
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    y = (rng.random((n, k)) < rng.uniform(0.2, 0.7, k)).astype(int)
    y[:, k - 1] = 0
    p = 1 / (1 + np.exp(-rng.normal(2 * y - 1, 1.5)))
    w = rng.uniform(0.1, 3, n)
    pred = (p >= 0.5).astype(int)
    rows = averages(y, pred, some, w)
    if max(some) < k - 1:
        rows |= of_columns(y, p, some, w)
    rows["accuracy_micro"] = sk.accuracy_score(y[:, some].ravel(), pred[:, some].ravel(), sample_weight=np.repeat(w, len(some)))
    sets = [[np.flatnonzero(row).tolist() for row in m] for m in (y, pred)]
    add("multilabel", name, k, some, *sets, p, w, rows)


reference.quiet()
multiclass("without a background class", 60, 5, [1, 2, 3])
multiclass("one class, and one that does not occur", 50, 6, [0, 5])
multilabel("some labels", 60, 6, [0, 2, 3])
multilabel("labels that do not occur, too", 50, 6, [1, 4, 5])
(HERE / "golden/average_labels.json").write_text(
    f'{{"_computed_with": {json.dumps(reference.COMPUTED_WITH)},\n"cases": [\n\n' + ",\n\n".join(map(written, cases)) + "\n\n]}\n")
