#!/usr/bin/env python3
"""Reference values from scikit-learn: make_goldens.py

Writes goldens.json beside this file: {"_computed_with", "binary": [case…], "multiclass": [case…]}.

binary       name, scores, positive, weights (if any), and expected {name: value}, null where undefined. Names with @ have
             the bound of the criterion after it, and names with _threshold are the highest score that has the value.
multiclass   name, scores (one list for each row), class, and expected.
Every case draws from a generator seeded by its name: adding one changes no other.
"""
import json
import warnings
import zlib
from pathlib import Path

import numpy as np
import sklearn
from sklearn import metrics

warnings.simplefilter("ignore")  # of absent classes
CLOSE = 1e-12  # values that differ by less are equal, but for rounding


def best(values, thresholds, ok=True):
    """The highest value where ok, and the highest threshold that has it."""
    values = np.where(ok, values, -np.inf)
    return values.max(), thresholds[values >= values.max() - CLOSE].max()


def binary(scores, positive, weights):
    present = positive if weights is None else positive[weights > 0]
    args = {"y_true": positive, "y_score": scores, "sample_weight": weights}
    both = present.any() and not present.all()
    out = dict.fromkeys(["roc_auc", "gini", "ks", "ks_threshold", "youden", "youden_threshold"])
    if both:
        fpr, tpr, thresholds = metrics.roc_curve(**args, drop_intermediate=False)
        fpr, tpr, thresholds = fpr[1:], tpr[1:], thresholds[1:]  # all are scores
        out["roc_auc"] = metrics.roc_auc_score(**args)
        out["gini"] = 2 * out["roc_auc"] - 1
        out["ks"], out["ks_threshold"] = best(np.abs(tpr - fpr), thresholds)
        out["youden"], out["youden_threshold"] = best(tpr - fpr, thresholds)
        for x in (0.1, 0.8):
            # Without a threshold: FPR and TPR 0.
            out[f"recall_at_fpr@{x}"] = max(0, best(tpr, thresholds, fpr <= x + CLOSE)[0])
            out[f"sensitivity_at_specificity@{x}"] = max(0, best(tpr, thresholds, 1 - fpr >= x - CLOSE)[0])
            out[f"specificity_at_sensitivity@{x}"] = best(1 - fpr, thresholds, tpr >= x - CLOSE)[0]
    if not present.any():
        return out | dict.fromkeys(["average_precision", "pr_auc", "ndcg"])
    precision, recall, thresholds = metrics.precision_recall_curve(**args)
    out["average_precision"] = metrics.average_precision_score(**args)
    out["pr_auc"] = metrics.auc(recall, precision)
    if weights is None and len(scores) > 1:
        out["ndcg"] = metrics.ndcg_score([positive], [scores])
    for beta in (0.5, 1, 2):
        f = [metrics.fbeta_score(positive, scores >= t, beta=beta, sample_weight=weights, zero_division=0) for t in thresholds]
        out[f"fbeta@{beta}"], out[f"fbeta_threshold@{beta}"] = best(np.array(f), thresholds)
    for x in (0.5, 0.9):
        out[f"recall_at_precision@{x}"] = recall[precision >= x - CLOSE].max()
        out[f"precision_at_recall@{x}"] = precision[recall >= x - CLOSE].max()
        out[f"threshold_at_recall@{x}"] = thresholds[recall[:-1] >= x - CLOSE].max()
    return out


def numbers(values):
    return {name: None if v is None or np.isnan(v) else float(v) for name, v in values.items()}


def main():
    binaries, multis = [], []
    for name, n, draw, weighted in [
        ("continuous", 50, lambda r, n: r.random(n), False),
        ("continuous, weighted", 50, lambda r, n: r.random(n), True),
        ("ties", 60, lambda r, n: r.integers(0, 6, n) / 5, False),
        ("ties, weighted", 60, lambda r, n: r.integers(0, 6, n) / 5, True),
        ("all tied", 20, lambda r, n: np.full(n, 0.5), False),
        ("logits", 400, lambda r, n: r.normal(0, 300, n), False),
        ("worse than chance", 60, lambda r, n: r.integers(0, 20, n) / 20, False),
        ("one row", 1, lambda r, n: r.random(n), False),
        ("no positives", 10, lambda r, n: r.random(n), False),
        ("no negatives", 10, lambda r, n: r.random(n), False),
        ("positives of weight 0", 12, lambda r, n: r.random(n), True),
    ]:
        r = np.random.default_rng(zlib.crc32(name.encode()))
        scores = draw(r, n)
        positive = r.random(n) < (scores - scores.min() + 0.2) / (np.ptp(scores) + 0.6)
        if name == "worse than chance":
            scores = 1 - scores
        weights = r.exponential(size=n) if weighted else None
        if name in ("no positives", "no negatives", "one row"):
            positive[:] = name != "no positives"
        if name == "positives of weight 0":
            weights[positive] = 0
        case = {"name": name, "scores": scores.tolist(), "positive": positive.tolist()}
        if weighted:
            case["weights"] = weights.tolist()
        binaries.append(case | {"expected": numbers(binary(scores, positive, weights))})
    for name, n, classes, ties, absent in [
        ("three classes", 60, 3, False, False), ("ties", 60, 4, True, False), ("a class without rows", 40, 4, False, True),
    ]:
        r = np.random.default_rng(zlib.crc32(name.encode()))
        scores = r.random((n, classes))
        labels = np.array([r.choice(classes - absent, p=s[: classes - absent] / s[: classes - absent].sum()) for s in scores])
        scores /= scores.sum(axis=1, keepdims=True)  # roc_auc_score wants probabilities
        if ties:
            scores = np.round(scores * 8) / 8
            scores[:, 0] = 1 - scores[:, 1:].sum(axis=1)
        expected = {f"roc_auc_ovo_{average}": metrics.roc_auc_score(
            labels, scores, multi_class="ovo", average=average, labels=range(classes)) for average in ("macro", "weighted")}
        multis.append({"name": name, "scores": scores.tolist(), "class": labels.tolist(), "expected": numbers(expected)})
    file = {"_computed_with": f"scikit-learn {sklearn.__version__}, numpy {np.__version__}", "binary": binaries, "multiclass": multis}
    path = Path(__file__).resolve().parent / "goldens.json"
    path.write_text(json.dumps(file, indent=1) + "\n")


if __name__ == "__main__":
    main()
