"""Writes golden.json: tests of several systems, by SciPy. Run with its version named in the file."""

import json
import pathlib

import numpy as np
import scipy
from scipy import stats

rng = np.random.default_rng(7)


def friedman(values, higher):
    values = np.array(values, float)
    ranks = stats.rankdata(-values if higher else values, axis=1)
    chi2, p = stats.friedmanchisquare(*ranks.T)
    return {"values": values.tolist(), "higher": higher, "ranks": ranks.mean(0).tolist(), "chi2": chi2, "p": p}


# Demšar (2006), table 6: AUC of C4.5 with no parameter tuned, m, cf, and both, on 14 data sets.
demsar = [
    [0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967],
    [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
    [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
    [1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.9751, 0.975], [0.957, 0.978, 0.946, 0.970],
]
differences = [
    rng.normal(0.3, 1, 9).round(2).tolist(), rng.normal(0, 1, 12).round(3).tolist(), [0.5, 0, 0, -0.25, 0.5, 0.25], [1.0] * 8,
    rng.normal(0.2, 1, 100).tolist(),
]


def exact(d):
    d = np.array([x for x in d if x != 0])
    if len(d) > 16:
        return None
    signs = ((np.arange(2 ** len(d))[:, None] >> np.arange(len(d))) & 1) * 2 - 1
    return float(np.mean(np.abs(signs @ d) >= abs(d.sum()) - 1e-9))


def t_test(d):
    r = stats.ttest_1samp(d, 0)
    return [r.statistic, r.pvalue] if np.ptp(d) > 0 else None


replicates = rng.normal(size=(4, 20))
golden = {
    "_computed_with": f"scipy {scipy.__version__}, numpy {np.__version__}",
    "friedman": [friedman(demsar, True), friedman(rng.normal(size=(9, 5)), False), friedman(rng.integers(0, 3, (12, 6)), True),
                 friedman(rng.normal(size=(5, 3)), True), friedman(rng.normal(size=(6, 12)), True)],
    "range": [{"q": q, "k": k, "dof": dof, "p": float(stats.studentized_range.cdf(q, k, np.inf if dof == 0 else dof))}
              for q in (0.5, 2, 3.5, 6) for k in (2, 3, 10, 50) for dof in (0, 1, 2, 5, 30, 145)],
    "queries": [{"differences": d, "t": t_test(d), "randomization": exact(d)} for d in differences],
    "replicates": replicates.tolist(),
    "covariance": (np.cov(replicates, bias=True) * 19).tolist(),
}
path = pathlib.Path(__file__).parent / "golden.json"
path.write_text(json.dumps(golden, indent=1) + "\n")
