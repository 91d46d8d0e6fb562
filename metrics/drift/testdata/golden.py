"""Writes golden.json: distances of histograms and label shift, by NumPy and SciPy."""

import json
import pathlib

import numpy as np
import scipy
from scipy import stats
from scipy.spatial.distance import jensenshannon

rng = np.random.default_rng(3)


def distances(p, q, at):
    met = (p > 0) | (q > 0)
    x, y = p[met] + 0.5, q[met] + 0.5
    n, m = x.sum(), y.sum()
    psi = np.sum((y / m - x / n) * np.log((y / m) / (x / n))) - (met.sum() - 1) * (1 / n + 1 / m)
    ks = np.abs(np.cumsum(p) / p.sum() - np.cumsum(q) / q.sum()).max()
    return {"p": p.tolist(), "q": q.tolist(), "at": at.tolist(), "psi": psi, "jensen_shannon": jensenshannon(p, q, base=2),
            "wasserstein": stats.wasserstein_distance(at, at, p, q), "ks": ks}


at = (np.arange(64) + 0.5) / 64
cases = [distances(np.histogram(rng.beta(2, b, 3000), 64, (0, 1))[0].astype(float), np.histogram(rng.beta(2, 5, 2000), 64, (0, 1))[0].astype(float), at)
         for b in (5, 4.5, 2)]
cases.append(distances(np.array([5.0, 0, 0]), np.array([0, 0, 7.0]), np.array([0.0, 1, 4])))

true = rng.choice(3, 5000, p=[0.5, 0.3, 0.2])
predicted = np.where(rng.random(5000) < 0.7, true, rng.integers(0, 3, 5000))
confusion = np.zeros((3, 3))
np.add.at(confusion, (predicted, true), 1)
now = np.array([900.0, 500, 600])
golden = {
    "_computed_with": f"scipy {scipy.__version__}, numpy {np.__version__}",
    "distances": cases,
    "confusion": confusion.tolist(), "predicted": now.tolist(),
    "weights": np.linalg.solve(confusion / confusion.sum(), now / now.sum()).tolist(),
    "smallest_singular_value": np.linalg.svd(confusion / confusion.sum())[1].min(),
}
(pathlib.Path(__file__).parent / "golden.json").write_text(json.dumps(golden) + "\n")
