"""Translates calls of scoringrules into cases: the mean of its scores over all observations."""

import numpy as np
from cases import Case, Unsupported


def cases(name, given, result):
    for translate in (ensemble, interval, quantile, weighted, brier):
        found = translate(name, given)
        if found is not None:
            keywords, metric = found
            want = float(np.mean(np.asarray(result, dtype=float)))
            return [Case("scoringrules", name, want, {**keywords, "metrics": [metric]}, lambda r: r[metric])]
    raise Unsupported("no such metric")


def column(value):
    value = np.atleast_1d(np.asarray(value, dtype=float))
    if value.ndim != 1:
        raise Unsupported("observations in several dimensions")
    if not np.isfinite(value).all():
        raise Unsupported("observations that are no numbers")
    return value


def ensemble(name, given):
    if name != "crps_ensemble":
        return None
    if given.get("estimator", "qd") in ("fair", "pwm", "akr", "akr_circperm"):
        raise Unsupported("estimators of crps that correct for the size of the ensemble")
    if given.get("m_axis", -1) != -1 or given.get("ens_w") is not None:
        raise Unsupported("weights of members, or members in another dimension")
    truth, members = column(given["obs"]), np.atleast_2d(np.asarray(given["fct"], dtype=float))
    if members.ndim != 2 or not np.isfinite(members).all():
        raise Unsupported("observations in several dimensions, or members that are no numbers")
    data = {"y": truth.tolist(), "members": members.tolist()}
    return {"data": data, "input": {"columns": {"label": "y", "ensemble": "members"}}, "task": "regression"}, "crps"


def interval(name, given):
    if name != "interval_score":
        return None
    truth, lower, upper = column(given["obs"]), column(given["lower"]), column(given["upper"])
    if np.ndim(given["alpha"]) != 0:
        raise Unsupported("several levels at once")
    alpha = float(given["alpha"])
    return quantiles(truth, {alpha / 2: lower, 1 - alpha / 2: upper}), f"interval_score@{1 - alpha:g}"


def quantile(name, given):
    if name != "quantile_score":
        return None
    if np.ndim(given["alpha"]) != 0:
        raise Unsupported("several levels at once")
    alpha = float(given["alpha"])
    return quantiles(column(given["obs"]), {alpha: column(given["fct"])}), f"quantile_loss@{alpha:g}"


def weighted(name, given):
    if name != "weighted_interval_score":
        return None
    if given.get("w_median") is not None or given.get("w_alpha") is not None:
        raise Unsupported("weights of intervals")
    lower, upper, alphas = np.asarray(given["lower"]), np.asarray(given["upper"]), np.atleast_1d(given["alpha"])
    levels = {0.5: column(given["median"])}
    for i, alpha in enumerate(alphas):
        levels[round(float(alpha) / 2, 12)], levels[round(1 - float(alpha) / 2, 12)] = lower[:, i], upper[:, i]
    return quantiles(column(given["obs"]), levels), "wis"


def quantiles(truth, levels):
    data = {"y": truth.tolist()}
    names = {}
    for level in sorted(levels):
        names[level] = f"q{level:g}"
        data[names[level]] = levels[level].tolist()
    return {"data": data, "input": {"columns": {"label": "y", "quantiles": names}}, "task": "regression"}


def brier(name, given):
    if name != "brier_score":
        return None
    truth, scored = column(given["obs"]), column(given["fct"])
    if len(np.unique(truth)) < 2:
        raise Unsupported("a single class")
    return {"y_true": truth.astype(int), "y_score": scored, "task": "binary", "positive_label": 1}, "brier"
