#!/usr/bin/env python3
"""Cases of the agreement of raters: make_raters.py

Writes golden/raters.json in the format of make_cases.py, with more fields:
  ratings  of each rater, a list with a number or null for each example
  linear   whether ratings that differ agree by 1 - d / range for gwet_ac2, and not by 1 - (d / range)²
  names    whether ratings are numbers in place of names
Krippendorff's α is that of the package krippendorff; Fleiss' κ of statsmodels, where all examples have equally many ratings; Gwet's AC₁ and AC₂ of irrCAC; Cohen's κ of
scikit-learn, from which kappa_with_others follows by its definition. Differences between raters are NumPy's.

The first case is the data of Krippendorff (2011), who gives their α: nominal .743, ordinal .815, interval .849, ratio .797.
"""
import itertools
import json
import pathlib
import sys
import warnings
from importlib.metadata import version

import krippendorff
import numpy as np
import pandas as pd
from irrCAC.raw import CAC
from sklearn.metrics import cohen_kappa_score, confusion_matrix
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

HERE = pathlib.Path(__file__).parent
X = None
CANONICAL = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, X, X, X],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, X, 3],
    [X, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, X],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, X],
]


def pairs_of(data):
    """The agreement and the agreement by chance of each two raters, their κ, and the number of examples that both rate."""
    found = {}
    for i, j in itertools.combinations(range(len(data)), 2):
        both = ~np.isnan(data[i]) & ~np.isnan(data[j])
        if both.any():
            a, b = data[i][both].astype(str), data[j][both].astype(str)
            m = confusion_matrix(a, b, normalize="all")
            found[i, j] = (np.trace(m), m.sum(axis=0) @ m.sum(axis=1), cohen_kappa_score(a, b), both.sum())
    return found


def with_others(rater, pairs):
    some = [p for of, p in pairs.items() if rater in of]
    if not some:
        return None
    agreed, chance = (np.average([p[k] for p in some], weights=[p[3] for p in some]) for k in (0, 1))
    return float((agreed - chance) / (1 - chance))


def case(name, ratings, linear=False, names=False):
    data = np.array(ratings, dtype=float)
    per = (~np.isnan(data)).sum(axis=0)
    several = per >= 2
    alpha = lambda level: float(krippendorff.alpha(reliability_data=data, level_of_measurement=level))
    frame = pd.DataFrame(data.T)
    rated = frame.dropna(how="all").reset_index(drop=True)
    quiet = dict(digits=15)
    gwet = lambda weights: float(CAC(rated, weights=weights, **quiet).gwet()["est"]["coefficient_value"])
    sizes = set(per[per > 0])
    fleiss = None
    if len(sizes) == 1:
        listed = np.array([x[~np.isnan(x)] for x in data.T if not np.isnan(x).all()])
        fleiss = float(fleiss_kappa(aggregate_raters(listed)[0]))
    equal, difference = [], []
    for rater, x in enumerate(data):
        others = np.delete(data, rater, axis=0)
        shared = ~np.isnan(x) & several
        equal.append(float(np.mean([np.mean(o[~np.isnan(o)] == v) for v, o in zip(x[shared], others[:, shared].T)])) if shared.any() else None)
        difference.append(float(np.mean(x[shared] - np.nanmean(others[:, shared], axis=0))) if shared.any() else None)
    pairs = pairs_of(data)
    columns = [x[~np.isnan(x)] for x in data[:, several].T]
    expected = {
        "alpha_nominal": alpha("nominal"),
        "fleiss_kappa": fleiss,
        "gwet_ac1": gwet("identity"),
        "light_kappa": float(np.mean([p[2] for p in pairs.values()])),
        "pairwise_agreement": float(np.mean([np.mean([a == b for a, b in itertools.combinations(c, 2)]) for c in columns])),
        "full_agreement": float(np.mean([len(set(c)) == 1 for c in columns])),
        "ratings": int(per.sum()),
        "kappa_with_others": [with_others(r, pairs) for r in range(len(data))],
        "agreement_with_others": equal,
    }
    if not names:
        expected |= {"alpha_" + level: alpha(level) for level in ("ordinal", "interval")}
        expected["alpha_ratio"] = alpha("ratio") if np.nanmin(data) >= 0 else None
        expected |= {"gwet_ac2": gwet("linear" if linear else "quadratic"), "difference_to_others": difference}
    of = {"name": "raters/" + name, "task": "agreement", "labels": [f"r{i}" for i in range(len(data))], "ratings": ratings}
    return of | ({"linear": True} if linear else {}) | ({"names": True} if names else {}) | {"expected": expected}


def drawn(seed, raters, examples, values, missing, spread=1.0):
    """Ratings of an example that differ by chance."""
    r = np.random.default_rng(seed)
    truth = r.integers(0, len(values), examples)
    ratings = [[values[int(np.clip(round(t + spread * r.normal()), 0, len(values) - 1))] for t in truth] for _ in range(raters)]
    return [[X if r.random() < missing else v for v in row] for row in ratings]


def main():
    warnings.simplefilter("ignore")
    cases = [
        case("Krippendorff 2011", CANONICAL),
        case("linear weights", CANONICAL, linear=True),
        case("names", CANONICAL, names=True),
        case("two raters", drawn(1, 2, 40, [0, 1], 0)),
        case("five raters, all ratings", drawn(2, 5, 60, [1, 2, 3, 4, 5], 0)),
        case("five raters, half of the ratings", drawn(3, 5, 80, [1, 2, 3, 4, 5], 0.5)),
        case("far apart", drawn(4, 4, 50, [-3.5, 0, 0.25, 100], 0.2), linear=True),
        case("nearly all equal", drawn(5, 3, 90, [0] * 9 + [1], 0, spread=0.5)),
    ]
    assert np.allclose([cases[0]["expected"]["alpha_" + k] for k in ("nominal", "ordinal", "interval", "ratio")], [0.743421, 0.815388, 0.849107, 0.797403], atol=5e-7)
    with_ = ", ".join(f"{p} {version(p)}" for p in ("krippendorff", "irrCAC", "statsmodels", "scikit-learn", "numpy"))
    lines = ",\n".join(json.dumps(c) for c in cases)
    (HERE / "golden" / "raters.json").write_text(f'{{"_computed_with": "Python {sys.version.split()[0]}, {with_}",\n"cases": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
