#!/usr/bin/env python3
"""Cases of prediction sets: make_sets.py

Writes golden/prediction_sets.json in the format of make_cases.py, with one more field:
  y_sets  the classes in the prediction set of each row
Values are MAPIE's, where it has the metric (it has no weights): classification_coverage_score, classification_ssc_score,
classification_mean_width_score, and classification_coverage_score of the rows with one class, or with sets of one size. With
weights, they are numpy's weighted means.
"""
import json
import pathlib
import sys
from importlib.metadata import version

import numpy as np
from mapie.metrics.classification import classification_coverage_score, classification_mean_width_score, classification_ssc_score


def case(name, classes, y, sets, w=None):
    member = np.zeros((len(y), classes), bool)
    for row, found in enumerate(sets):
        member[row, found] = True
    sizes, covered = member.sum(axis=1), member[np.arange(len(y)), y]
    ones = np.ones(len(y)) if w is None else w

    def coverage(rows):
        if not ones[rows].any():
            return None
        if w is None:
            value = float(classification_coverage_score(y[rows], member[rows][:, :, np.newaxis])[0])
            assert abs(value - covered[rows].mean()) < 1e-12
            return value
        return float(np.average(covered[rows], weights=w[rows]))

    by_size = {size: coverage(sizes == size) for size in np.unique(sizes)}
    least = min(x for x in by_size.values() if x is not None)
    width = float(np.average(sizes, weights=ones))
    if w is None:
        assert abs(width - float(np.squeeze(classification_mean_width_score(member[:, :, np.newaxis])))) < 1e-12
        assert abs(least - float(np.squeeze(classification_ssc_score(y, member[:, :, np.newaxis])))) < 1e-12, name
    expected = {
        "set_coverage": coverage(sizes >= 0), "size_stratified_coverage": least, "mean_set_size": width,
        "singleton_rate": float(np.average(sizes == 1, weights=ones)), "empty_set_rate": float(np.average(sizes == 0, weights=ones)),
        "class_conditional_coverage": [coverage(y == c) if (y == c).any() else None for c in range(classes)],
    }
    expected.update({f"set_coverage@{k}": by_size.get(k) for k in (1, 2, 3)})
    out = {"name": f"multiclass/{name}", "task": "multiclass", "labels": [str(c) for c in range(classes)], "config": {"k": [1, 2, 3]},
           "y_true": [int(x) for x in y], "y_pred": [int(x) for x in y], "y_sets": [[int(c) for c in s] for s in sets]}
    if w is not None:
        out["weights"] = [float(x) for x in w]
    return dict(out, expected=expected)


def main():
    r = np.random.default_rng(64)
    cases = []
    for name, n, classes, size in [("sets of all sizes", 60, 5, None), ("one class in each set", 40, 3, 1), ("all classes in each set", 20, 4, 4), ("empty sets only", 10, 3, 0)]:
        y = r.integers(0, classes - 1, n)  # the last class never occurs
        sets = [np.sort(r.permutation(classes)[: r.integers(0, classes + 1) if size is None else size]) for _ in range(n)]
        cases.append(case(name, classes, y, sets))
        if size is None:
            w = r.exponential(1, n).round(3)
            w[::7] = 0
            cases.append(case(name + ", weights", classes, y, sets, w))
    with_ = ", ".join([f"Python {sys.version.split()[0]}", f"mapie {version('mapie')}", f"numpy {np.__version__}", f"scikit-learn {version('scikit-learn')}"])
    lines = ",\n\n".join(json.dumps(c, ensure_ascii=False) for c in cases)
    path = pathlib.Path(__file__).parent / "golden" / "prediction_sets.json"
    path.write_text(f'{{"_computed_with": {json.dumps(with_)},\n"cases": [\n\n{lines}\n\n]}}\n')


main()
