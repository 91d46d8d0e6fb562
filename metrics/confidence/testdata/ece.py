"""Shows why compare judges no difference of ece: how often tests at 5 % call one of two equal models better.

Both models have the same expected calibration error (10 bins). Three tests of the difference of ece, by the jackknife
with 50 groups: of the values; of the values minus the jackknife's estimate of their bias; and the latter with that
bias added to the standard error, as for max_f1. Computed with NumPy and SciPy.
"""

import numpy as np
from scipy import stats

GROUPS, BINS, RUNS = 50, 10, 1000
rng = np.random.default_rng(1)
nodes, node_weights = np.polynomial.hermite_e.hermegauss(40)
node_weights /= node_weights.sum()


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def expected(x):
    """The probability of a positive, given one of two normal features."""
    return (sigmoid(x[:, None] + nodes) * node_weights).sum(1)


def two_features(n, of_a, of_b):
    x, z = rng.normal(size=n), rng.normal(size=n)
    p = sigmoid(x + z)
    return p, of_a(x, z), of_b(x, z)


def shifted(n, of_a, of_b):
    p = rng.uniform(0.1, 0.9, n)
    return p, of_a(p), of_b(p)


POPULATIONS = {
    "both calibrated, by different features": lambda n: two_features(n, lambda x, z: expected(x), lambda x, z: expected(z)),
    "both calibrated, one predicts the prevalence": lambda n: two_features(n, lambda x, z: sigmoid(x + z), lambda x, z: np.full(n, 0.5)),
    "0.05: one too high, one too low": lambda n: shifted(n, lambda p: p + 0.05, lambda p: p - 0.05),
    "0.02: one in one bin, one everywhere": lambda n: shifted(n, lambda p: p + np.where((p >= 0.5) & (p < 0.6), 0.16, 0), lambda p: p + 0.02),
    "0.05: one in one bin, one everywhere": lambda n: shifted(n, lambda p: p + np.where((p >= 0.2) & (p < 0.3), 0.4, 0), lambda p: p + 0.05),
}


def ece(score, label, group):
    """The value, and the replicates."""
    sums, counts = np.zeros((GROUPS, BINS)), np.bincount(group, minlength=GROUPS)
    np.add.at(sums, (group, np.minimum((score * BINS).astype(int), BINS - 1)), label - score)
    total, n = sums.sum(0), counts.sum()
    return np.abs(total).sum() / n, np.abs(total - sums).sum(1) / (n - counts)


def p_values(a, b):
    difference, replicates = b[0] - a[0], b[1] - a[1]
    deviations = replicates - replicates.mean()
    variance = (GROUPS - 1) / GROUPS * (deviations**2).sum()
    kurtosis = GROUPS * (deviations**4).sum() / (deviations**2).sum() ** 2
    dof = np.clip(2 * GROUPS / (kurtosis - (GROUPS - 3) / (GROUPS - 1)), 1, GROUPS - 1)
    bias = (GROUPS - 1) * (replicates.mean() - difference)
    tests = ((difference, variance), (difference - bias, variance), (difference - bias, variance + bias**2))
    return [2 * stats.t.sf(abs(d) / np.sqrt(v), dof) for d, v in tests]


for name, population in POPULATIONS.items():
    for n in (1000, 10000):
        found = []
        for _ in range(RUNS):
            p, a, b = population(n)
            label, group = rng.uniform(size=n) < p, rng.integers(0, GROUPS, n)
            found.append(p_values(ece(a, label, group), ece(b, label, group)))
        print(name, n, (np.array(found) < 0.05).mean(0), flush=True)
