"""Writes golden.json: p-values and evidence of nights, and confidence sequences of means.

Independent of the Go code, with NumPy and SciPy, whose versions are in the file: python golden.py > golden.json
"""
import json

import numpy as np
import scipy
from scipy.stats import norm

MASK = (1 << 64) - 1


def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def text(h, s):
    for b in s.encode():
        h = mix((h << 8 & MASK) ^ (h >> 56) ^ (b + 1))
    return mix(h ^ len(s.encode()))


def uniform(series, night):
    return ((text(text(0, series), night) >> 32) + 0.5) / 2**32


def residuals(values, season):
    """The recursive residuals of the least squares fit of a mean for each place in the season."""
    found = np.full(len(values), np.nan)
    for t, v in enumerate(values):
        before = [values[i] for i in range(t) if i % season == t % season]
        if before:
            found[t] = (v - np.mean(before)) / np.sqrt(1 + 1 / len(before))
    return found


def watch(values, season, two_sided):
    ranked = residuals(values, season) if season else np.asarray(values)
    sizes = [0.5, 1, -0.5, -1] if two_sided else [0.5, 1]
    logs = np.zeros(len(sizes))
    p, evidence = [], []
    for t in range(len(ranked)):
        earlier = ranked[:t][~np.isnan(ranked[:t])]
        if np.isnan(ranked[t]) or len(earlier) < 14:
            p.append(None)
            evidence.append(None)
            continue
        u = uniform("series", f"night {t}")
        p.append((np.sum(earlier < ranked[t]) + u * (1 + np.sum(earlier == ranked[t]))) / (len(earlier) + 1))
        z = norm.isf(p[-1])
        logs = np.maximum(0, logs) + [norm.logpdf(z, size) - norm.logpdf(z) for size in sizes]
        evidence.append(float(np.mean(np.exp(logs))))
    return {"values": list(map(float, values)), "season": season, "two_sided": two_sided, "p": p, "evidence": evidence}


def mean(values, errors, alpha):
    low, high = [], []
    for n in range(2, len(values) + 1):
        x, s2 = values[:n], errors[:n] ** 2
        w = 1 / s2
        fixed = np.average(x, weights=w)
        q = np.sum(w * (x - fixed) ** 2)
        tau2 = max(0, (q - (n - 1)) / (w.sum() - (w**2).sum() / w.sum()))
        v = np.sum(s2 + tau2)
        rho = v / n * 30 / (2 * np.log(1 / alpha) + np.log(1 + 2 * np.log(1 / alpha)))
        radius = np.sqrt((v + rho) * (np.log(1 + v / rho) + 2 * np.log(1 / alpha)))
        low.append(np.mean(x) - radius / n)
        high.append(np.mean(x) + radius / n)
    return {"values": list(values), "errors": list(errors), "alpha": alpha, "low": low, "high": high}


rng = np.random.default_rng(1)
normal = rng.normal(size=60)
ties = rng.integers(0, 5, size=60)
errors = rng.uniform(0.2, 2, size=30)
print(json.dumps({
    "numpy": np.__version__,
    "scipy": scipy.__version__,
    "watch": [watch(normal, 0, False), watch(normal, 0, True), watch(ties, 0, False), watch(normal, 7, False)],
    "mean": [mean(0.9 + rng.normal(size=30) * errors, errors, 0.05), mean(rng.normal(size=30) * 3, errors, 0.01)],
}))
