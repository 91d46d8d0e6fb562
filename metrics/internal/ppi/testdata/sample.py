"""Makes sample.json: prediction-powered means of rows that were drawn from strata, by formulas for single rows.

    python sample.py >sample.json

Everything is computed row by row in NumPy, from what each row contributes: no sum is shared with the Go code. λ is the vertex of
the parabola through the variances at three κ. Made with Python 3.11.7 and NumPy 2.4.6.
"""

import json
import platform

import numpy as np

random = np.random.default_rng(59)


def draw(sizes, drawn, judge, uneven=False, classes=False):
    """Rows: stratum, probability (0 without a label), label, judgement, whether inside a slice."""
    rows = []
    for h, (size, n) in enumerate(zip(sizes, drawn)):
        x = random.normal(h, 1, size)
        y = (x > 0.8).astype(float) if classes else x + random.normal(0, 0.5, size)
        f = judge(x, y)
        inside = random.random(size) < 0.3 + 0.2 * h
        weight = random.uniform(1, 3, n) if uneven else np.ones(n)
        pi = np.clip(n / size * weight / weight.mean(), 1e-6, 1)
        for i in range(size):
            rows.append((h, float(pi[i]) if i < n else 0, round(float(y[i]), 3), round(float(f[i]), 3), int(inside[i])))
    return rows


def estimate(rows, domain):
    stratum = np.array([r[0] for r in rows])
    pi, y, f = (np.array([r[k] for r in rows]) for k in (1, 2, 3))
    inside = np.array([r[4] for r in rows], bool) | (not domain)
    has = pi > 0
    w = np.where(has, 1 / np.where(has, pi, 1), 0)
    total = w[inside].sum()
    judged, labelled, others = inside.sum(), inside & has, inside & ~has
    mean_y, mean_f = (w * y)[labelled].sum() / total, (w * f)[labelled].sum() / total
    ey, ef = (np.where(labelled, w * (x - m) / total, 0) for x, m in ((y, mean_y), (f, mean_f)))
    strata = []
    for h in np.unique(stratum):
        at = (stratum == h) & has
        n, size = at.sum(), w[at].sum()

        def scatter(a, b=None, at=at, n=n):
            b = a if b is None else b
            return n / (n - 1) * ((a[at] * b[at]).sum() - a[at].sum() * b[at].sum() / n)

        d = labelled & at
        within, centre = 0.0, 0.0
        if d.any():
            centre = np.average(f[d], weights=w[d])
            within = np.average((f[d] - centre) ** 2, weights=w[d] ** 2)
        strata.append(dict(pi=min(n / size, 1), size=size, q=scatter, moved=ey[at].sum(), rest=w[d].sum() / total * (1 - min(n / size, 1)), centre=centre, within=within))
    rest = np.array([s["rest"] for s in strata])
    centres, within = np.array([s["centre"] for s in strata]), np.array([s["within"] for s in strata])
    ratio = 0.0
    if others.any() and rest.sum() > 0:
        share = rest / rest.sum()
        expected = (share * (within + (centres - (share * centres).sum()) ** 2)).sum()
        ratio = f[others].var() / expected if expected > 0 else 0.0

    def variance(kappa, finite):
        v = 0.0
        for s in strata:
            p = s["pi"]
            if finite:
                v += (1 - p) * s["q"](ey - kappa * ef)
            else:
                v += s["q"](ey - kappa * (1 - p) * ef) + p * (1 - p) * ratio * kappa**2 * s["q"](ef) + s["moved"] ** 2 / s["size"]
        return v

    kappa = 0.0
    if others.any():
        a, b, c = (variance(k, False) for k in (0, 1, 2))
        curved = (c - 2 * b + a) / 2
        if curved > 1e-12 * a:
            kappa = min(max((b - a - curved) / (-2 * curved), 0), judged / others.sum())
    theta = mean_y + kappa * (f[inside].mean() - mean_f)
    lam = kappa * others.sum() / judged
    out = dict(Mean=theta, LabelMean=mean_y, Lambda=lam)
    for finite, name in ((False, "Process"), (True, "Finite")):
        out[name], out[name + "Label"] = variance(kappa, finite) ** 0.5, variance(0, finite) ** 0.5
    return {k: float(v) for k, v in out.items()}


noisy = lambda x, y: x + random.normal(0, 0.7, len(x))
cases = {
    "proportional": draw([200, 120, 80], [20, 12, 8], noisy),
    "Neyman": draw([300, 100, 100], [20, 25, 15], lambda x, y: 3 + 2 * x),
    "much of all": draw([30, 40, 20], [20, 10, 15], noisy),
    "0 or 1": draw([150, 150, 100], [15, 15, 20], lambda x, y: np.where(random.random(len(x)) < 0.85, y, 1 - y), classes=True),
    "a judge that guesses": draw([150, 150], [15, 15], lambda x, y: random.normal(0, 1, len(x))),
    "a judge that is sure and wrong": draw([150, 150], [15, 15], lambda x, y: -x),
    "the same in a stratum": draw([150, 150], [15, 15], lambda x, y: np.full(len(x), round(x.mean()))),
    "far from 0": draw([150, 150], [15, 15], lambda x, y: 1e7 + x + random.normal(0, 0.5, len(x))),
    "uneven probabilities": draw([200, 150], [20, 20], noisy, uneven=True),
    "one stratum": draw([300], [40], noisy),
    "all have a label": draw([20, 20], [20, 20], noisy),
}
made = [dict(Name=name, Rows=rows, All=estimate(rows, False), Slice=estimate(rows, True)) for name, rows in cases.items()]
print(json.dumps(dict(Python=platform.python_version(), NumPy=np.__version__, Cases=made), separators=(",", ":")))
