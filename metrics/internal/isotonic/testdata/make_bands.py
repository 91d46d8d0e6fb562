"""Consistency bands for band_test.go, as the R package reliabilitydiag resamples them (region.method = "resampling",
region.position = "diagonal"): labels of each example from its own probability, scikit-learn's IsotonicRegression, and
pointwise quantiles. Each example counts; there are no ranges. Run: python make_bands.py > bands.json

Probabilities are functions of places (i + 1/2) / n, so that no generator is needed to have the same ones in Go.
"""
import json

import numpy as np
import sklearn
from sklearn.isotonic import IsotonicRegression

RESAMPLES = 4000
FORECASTS = {
    "uniform": lambda u: u,
    "rare": lambda u: u**3 / 2,
    "coarse": lambda u: np.ceil(u * 9) / 10,
    "extremes": lambda u: np.where(u < 0.5, 2 * u * u, 1 - 2 * (1 - u) ** 2) * 0.98 + 0.01,
}


def band(p, rng):
    fits = np.empty((RESAMPLES, len(p)))
    for i in range(RESAMPLES):
        fits[i] = IsotonicRegression().fit_transform(p, rng.random(len(p)) < p)
    return np.quantile(fits, [0.025, 0.975], axis=0)


cases = []
for name, of in FORECASTS.items():
    for n in (300, 4000):
        p = of((np.arange(n) + 0.5) / n)
        low, high = band(p, np.random.default_rng(1))
        at = [int(i) for i in np.linspace(0.02, 0.98, 25) * (n - 1)]
        cases.append({"forecast": name, "examples": n, "points": [[i, round(low[i], 5), round(high[i], 5)] for i in at]})
print(json.dumps({"numpy": np.__version__, "scikit-learn": sklearn.__version__, "cases": cases}))
