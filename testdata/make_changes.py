#!/usr/bin/env python3
"""Cases of changes since a baseline for unit tests: make_changes.py

Writes golden/changes.json in the format of make_cases.py, with what a baseline predicts in addition: y_baseline as y_pred,
baseline_scores as scores. Metrics are those of scikit-learn, of each label and their means; quantiles are those of NumPy
with method="inverted_cdf". Scores and predictions are multiples of 1/8, so that their quantiles are exact.
"""
import json
from pathlib import Path

import numpy as np
import sklearn
from sklearn.metrics import accuracy_score, mean_absolute_error, root_mean_squared_error

HERE = Path(__file__).resolve().parent
RANKS = [0.5, 0.9, 0.99]


def share(rows, weights):
    return float(np.average(rows, weights=weights))


def quantiles(old, now, weights):
    moved = np.abs(now - old)
    return {f"score_change_quantile@{q}": float(np.quantile(moved, q, weights=weights, method="inverted_cdf")) for q in RANKS}


def of_label(truth, old, now, old_score, score, w):
    flips = share(old != now, w)
    return {
        "flip_rate": flips, "churn": flips,
        "positive_to_negative_flip_rate": share(old & ~now, w), "negative_to_positive_flip_rate": share(~old & now, w),
        "positive_to_positive_rate": share(old & now, w), "negative_to_negative_rate": share(~old & ~now, w),
        "regression_rate": share((old == truth) & (now != truth), w), "improvement_rate": share((old != truth) & (now == truth), w),
        "both_right_rate": share((old == truth) & (now == truth), w), "both_wrong_rate": share((old != truth) & (now != truth), w),
        "accuracy_change": accuracy_score(truth, now, sample_weight=w) - accuracy_score(truth, old, sample_weight=w),
        "mean_score_change": mean_absolute_error(old_score, score, sample_weight=w),
    }


def sets(matrix):
    return [np.flatnonzero(row).tolist() for row in matrix]


def multilabel(name, rng, n, labels, weights):
    truth = rng.random((n, labels)) < 0.4
    scores, old_scores = rng.integers(0, 9, (2, n, labels)) / 8
    now, old = scores >= 0.5, old_scores >= 0.5
    w = np.ones(n) if weights is None else weights
    each = [of_label(truth[:, k], old[:, k], now[:, k], old_scores[:, k], scores[:, k], w) for k in range(labels)]
    expected = {metric: [e[metric] for e in each] for metric in each[0]}
    expected |= {f"{metric}_macro": float(np.mean(values)) for metric, values in expected.items()}
    expected |= quantiles(old_scores.ravel(), scores.ravel(), np.repeat(w, labels))
    case = {"name": name, "task": "multilabel", "labels": [f"l{k}" for k in range(labels)], "y_true": sets(truth), "y_pred": sets(now),
            "y_baseline": sets(old), "scores": scores.tolist(), "baseline_scores": old_scores.tolist(), "score_type": "score"}
    return case, w, weights, expected


def regression(name, rng, n, weights):
    truth, now, old = rng.integers(-40, 41, (3, n)) / 8
    w = np.ones(n) if weights is None else weights
    error, old_error = np.abs(truth - now), np.abs(truth - old)
    expected = quantiles(old, now, w) | {
        "mean_score_change": mean_absolute_error(old, now, sample_weight=w),
        "larger_error_rate": share(error > old_error, w), "smaller_error_rate": share(error < old_error, w),
        "mae_change": mean_absolute_error(truth, now, sample_weight=w) - mean_absolute_error(truth, old, sample_weight=w),
        "rmse_change": root_mean_squared_error(truth, now, sample_weight=w) - root_mean_squared_error(truth, old, sample_weight=w),
    }
    case = {"name": name, "task": "regression", "labels": [], "y_true": truth.tolist(), "y_pred": now.tolist(), "y_baseline": old.tolist()}
    return case, w, weights, expected


def main():
    rng = np.random.default_rng(7)
    made = [
        multilabel("multilabel/changes since a baseline", rng, 40, 4, None),
        multilabel("multilabel/weighted changes since a baseline", rng, 40, 3, rng.integers(1, 9, 40) / 4),
        regression("regression/changes since a baseline", rng, 50, None),
        regression("regression/weighted changes since a baseline", rng, 50, rng.integers(1, 9, 50) / 4),
    ]
    cases = []
    for case, _, weights, expected in made:
        if weights is not None:
            case["weights"] = weights.tolist()
        cases.append(case | {"expected": expected})
    lines = ",\n\n".join(json.dumps(case) for case in cases)
    version = f"scikit-learn {sklearn.__version__}, numpy {np.__version__}; make_changes.py"
    (HERE / "golden" / "changes.json").write_text(f'{{"_computed_with": {json.dumps(version)},\n"cases": [\n\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
