"""Writes projection.json beside this script: intervals of calibration errors by projection.

Moments are those of SciPy's folded normal distribution, and bounds are found by brute force: the excess of the mean
size of each estimate, and the variance of that size, are computed on a grid over the range of what is estimated.
Computed with NumPy 2.4.6 and SciPy 1.17.1.
"""

import json
from pathlib import Path

import numpy as np
from scipy import stats

rng = np.random.default_rng(7)


def interval(bins, level):
    n = sum(b["negatives"] + b["positives"] for b in bins)
    some = [(i, b) for i, b in enumerate(bins) if b["negatives"] + b["positives"]]
    alpha = 1 - level
    gamma = alpha / 10
    far = stats.norm.isf(gamma / len(some) / 2)
    total = least = most = variance = 0.0
    lowest = []
    for i, b in some:
        m = b["negatives"] + b["positives"]
        y, p = b["positives"] / m, b["predictions"] / m
        share = stats.beta.mean(b["positives"] + 2, b["negatives"] + 2)
        of_labels = stats.bernoulli.var(share)
        edges = (i / len(bins), (i + 1) / len(bins))
        of_predictions = max(0, (p - edges[0]) * (edges[1] - p))
        # Law of total variance: within the bin, and between it and the other examples, which add 0.
        error = np.sqrt((m / n * (of_labels + of_predictions) + m / n * (1 - m / n) * (p - y) ** 2) / n)
        size = m / n * abs(p - y)
        lowest.append(max(0, size - far * error))
        d = np.linspace(lowest[-1], size + far * error, 2001)
        folded = stats.foldnorm(d / error, scale=error)
        excess = folded.mean() - d
        total += size
        least += excess.min()
        most += excess.max()
        variance += folded.var().max()
    variance += sum(-a * b / n for j, a in enumerate(lowest) for k, b in enumerate(lowest) if j != k)
    half = stats.norm.isf((alpha - gamma) / 2) * np.sqrt(variance) + 0.5 / n
    return max(0, total - half - most), min(1, total + half - least)


def drawn(n, bins, score, truth):
    """The bins of n examples. Scores are multiples of 1/1024, so that their sums are exact."""
    p = np.clip(np.round(score(n) * 1024), 0, 1024) / 1024
    y = rng.random(n) < truth(p)
    at = np.clip(np.ceil(p * bins).astype(int) - 1, 0, bins - 1)
    return [{"negatives": int((~y[at == b]).sum()), "positives": int(y[at == b].sum()), "predictions": float(p[at == b].sum())} for b in range(bins)]


CASES = {
    "calibrated": drawn(1000, 10, rng.random, lambda p: p),
    "overconfident": drawn(300, 15, lambda n: rng.beta(0.5, 0.5, n), lambda p: 0.25 + p / 2),
    "rare": drawn(5000, 10, lambda n: rng.beta(0.7, 20, n), lambda p: p / 2),
    "labels against scores": drawn(2000, 5, rng.random, lambda p: 1 - p),
    "always positive": drawn(40, 10, rng.random, lambda p: p > -1),
    "one example": drawn(1, 10, rng.random, lambda p: p),
    "one bin": drawn(100, 1, rng.random, lambda p: p),
}
with Path(__file__).with_name("projection.json").open("w") as f:
    cases = [
        {"name": name, "bins": bins, "intervals": [[level, *interval(bins, level)] for level in (0.5, 0.8, 0.95, 0.99)]}
        for name, bins in CASES.items()
    ]
    f.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
