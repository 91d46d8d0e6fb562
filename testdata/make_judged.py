#!/usr/bin/env python3
"""Cases of judgements of a model with few labels of people: make_judged.py

Writes golden/judged.json in the format of make_cases.py, with more fields:
  unlabelled          the judgements of rows without a label
  unlabelled_weights  their weights, if rows have weights
  y_judged            multiclass: the judgements of the rows in y_true, if these are not the predictions
  unlabelled_pred     multiclass: the predictions of rows without a label, if y_judged has judgements
Without y_judged, y_pred, or scores, are the judgements of the rows in y_true. Estimates and standard errors are those of ppi_python
(ppi_mean_pointestimate, ppi_mean_ci) or, with weights, of weighted least squares on a constant with the robust covariance
HC0 of statsmodels. λ minimizes the standard error, which scipy.optimize checks.
"""
import json
import pathlib
import sys

import numpy as np
import ppi_py
import scipy
import statsmodels
import statsmodels.api as sm
from importlib.metadata import version
from scipy.optimize import minimize_scalar
from scipy.stats import norm
from sklearn.metrics import accuracy_score, cohen_kappa_score


def weighted(x, w):
    """The mean of x and its standard error."""
    fit = sm.WLS(x, np.ones(len(x)), weights=w).fit(cov_type="HC0")
    return fit.params[0], fit.bse[0]


def estimate(lam, y, f, g, w, u):
    if w is not None:
        with_label, without = weighted(y - lam * f, w), weighted(lam * g, u)
        return with_label[0] + without[0], np.hypot(with_label[1], without[1])
    low, high = (float(np.squeeze(x)) for x in ppi_py.ppi_mean_ci(y, f, g, lam=lam, alpha=0.1))
    return float(np.squeeze(ppi_py.ppi_mean_pointestimate(y, f, g, lam=lam))), (high - low) / 2 / norm.ppf(0.95)


def best(y, f, g, w, u):
    """λ of the least standard error."""
    w, u = np.ones(len(y)) if w is None else w, np.ones(len(g)) if u is None else u
    cov = lambda a, b, w: np.sum(w**2 * (a - np.average(a, weights=w)) * (b - np.average(b, weights=w))) / np.sum(w) ** 2
    whole = cov(f, f, w) + cov(g, g, u)
    return float(np.clip(cov(y, f, w) / whole, 0, 1)) if whole > 0 else 0.0


def correlation(y, f, w):
    """The correlation of labels and judgements, or None if labels or judgements are all equal."""
    if np.ptp(y) == 0 or np.ptp(f) == 0:
        return None
    w = np.ones(len(y)) if w is None else w
    a, b = (w * (x - np.average(x, weights=w)) for x in (y, f))
    found = float(a @ b / np.sqrt((a @ a) * (b @ b)))
    assert np.ptp(w) > 0 or abs(found - np.corrcoef(y, f)[0, 1]) < 1e-12
    return found


def powered(name, y, f, g, w, u):
    """The estimate with its standard error and λ, the same of the labels alone, the mean judgement, and the correlation."""
    lam = best(y, f, g, w, u)
    mean, error = estimate(lam, y, f, g, w, u)
    found = minimize_scalar(lambda x: estimate(x, y, f, g, w, u)[1], bounds=(0, 1), method="bounded", options={"xatol": 1e-9})
    assert error <= found.fun * (1 + 1e-9) and (abs(found.x - lam) < 1e-4 or np.ptp(f) == np.ptp(g) == 0), (name, lam, found.x)
    label = estimate(0, y, f, g, w, u)
    every = np.concatenate([f, g])
    return mean, error, lam, *label, float(np.average(every, weights=None if w is None else np.concatenate([w, u]))), correlation(y, f, w)


def case(name, task, y, f, g, w=None, u=None, scores=None):
    y, f, g = (np.asarray(x, float) for x in (y, f, g))
    out = {"name": f"{task}/{name}", "task": task, "labels": ["0", "1"] if task == "binary" else [], "y_true": [int(x) for x in y] if task == "binary" else list(y)}
    if scores is None:
        out["y_pred"] = [int(x) for x in f] if task == "binary" else list(f)
    else:
        out.update(y_pred=[int(x >= 0.5) for x in f], scores=list(f), score_type=scores)
    out["unlabelled"] = list(g)
    if w is not None:
        out.update(weights=list(w), unlabelled_weights=list(u))
    out["expected"] = dict(zip(MEAN, powered(name, y, f, g, w, u)), judged_rows=len(f) + len(g))
    return out


MEAN = ["prediction_powered_mean", "prediction_powered_mean_std_error", "prediction_powered_lambda", "label_mean", "label_mean_std_error", "judged_mean", "prediction_powered_correlation"]


def classes(name, labels, y, f, g, pred=None, unlabelled_pred=None, w=None, u=None):
    """A multiclass case. y, f and g are classes; pred are those that a model predicts, which f and g judge."""
    one = lambda a, b: (np.asarray(a) == np.asarray(b)).astype(float)
    of_class = [powered(name, one(y, c), one(f, c), one(g, c), w, u) for c in range(len(labels))]
    expected = {key: list(values) for key, values in zip(MEAN, zip(*of_class))}
    expected["judged_rows"] = len(f) + len(g)
    out = {"name": f"multiclass/{name}", "task": "multiclass", "labels": labels, "y_true": y.tolist(), "y_pred": f.tolist(), "unlabelled": g.tolist()}
    if pred is not None:
        out.update(y_pred=pred.tolist(), unlabelled_pred=unlabelled_pred.tolist(), y_judged=f.tolist())
        mean, error, lam, _, _, judged, related = powered(name, one(pred, y), one(pred, f), one(unlabelled_pred, g), w, u)
        expected.update(prediction_powered_accuracy=mean, prediction_powered_accuracy_std_error=error, prediction_powered_accuracy_lambda=lam, judged_accuracy=judged, prediction_powered_accuracy_correlation=related,
                        judge_agreement=float(accuracy_score(y, f, sample_weight=w)), judge_cohen_kappa=float(cohen_kappa_score(y, f, sample_weight=w)))
    if w is not None:
        out.update(weights=list(w), unlabelled_weights=list(u))
    return dict(out, expected=expected)


def main():
    r = np.random.default_rng(38)
    cases = []
    y = r.normal(3, 2, 160).round(4)
    f = (0.8 * y + r.normal(0, 1, 160)).round(4)
    cases.append(case("a judge with noise", "regression", y[:40], f[:40], f[40:]))
    cases.append(case("weights", "regression", y[:40], f[:40], f[40:], r.exponential(1, 40).round(3), r.exponential(1, 120).round(3)))
    cases.append(case("a judge that exaggerates, and few rows without a label", "regression", y[:60], 2 * f[:60], 2 * f[60:70]))
    cases.append(case("a judge that is opposed", "regression", y[:50], -f[:50], -f[50:]))
    z = (r.random(160) < 0.7).astype(int)
    p = np.clip(0.2 + 0.6 * z + r.normal(0, 0.15, 160), 0, 1).round(4)
    right = np.where(r.random(160) < 0.85, z, 1 - z)
    cases.append(case("verdicts", "binary", z[:60], right[:60], right[60:]))
    cases.append(case("probabilities", "binary", z[:60], p[:60], p[60:], scores="probability"))
    cases.append(case("probabilities, weights", "binary", z[:60], p[:60], p[60:], r.integers(1, 5, 60).astype(float), r.integers(1, 5, 100).astype(float), scores="probability"))
    y = r.choice(4, 200, p=[0.4, 0.3, 0.25, 0.05])
    other = lambda right: np.where(r.random(200) < right, y, r.choice(4, 200))
    judged, pred = other(0.8), other(0.7)
    weights = r.exponential(1, 200).round(3)
    names = ["a", "b", "c", "d", "never"]
    cases.append(classes("judgements alone", names, y[:60], judged[:60], judged[60:]))
    cases.append(classes("judged predictions", names, y[:60], judged[:60], judged[60:], pred[:60], pred[60:]))
    cases.append(classes("judged predictions, weights", names, y[:60], judged[:60], judged[60:], pred[:60], pred[60:], weights[:60], weights[60:]))
    cases.append(classes("a judge that guesses", names, y[:80], r.choice(4, 80), r.choice(4, 120), pred[:80], pred[80:]))
    cases.append(classes("a judge that repeats the predictions", names, y[:80], pred[:80], pred[80:], pred[:80], pred[80:]))
    with_ = ", ".join([f"Python {sys.version.split()[0]}", f"ppi-python {version('ppi-python')}", f"statsmodels {statsmodels.__version__}", f"numpy {np.__version__}", f"scipy {scipy.__version__}", f"scikit-learn {version('scikit-learn')}"])
    lines = ",\n\n".join(json.dumps(c, ensure_ascii=False) for c in cases)
    path = pathlib.Path(__file__).parent / "golden" / "judged.json"
    path.write_text(f'{{"_computed_with": {json.dumps(with_)},\n"cases": [\n\n{lines}\n\n]}}\n')


main()
