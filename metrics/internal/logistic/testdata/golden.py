#!/usr/bin/env python3
"""Writes golden.json beside this script: logistic regressions of labels on one number by statsmodels' GLM."""
import json
from pathlib import Path

import numpy as np
import statsmodels
import statsmodels.api as sm

cases = []


def case(name, x, y, w=None):
    x, y = np.round(x, 6), np.asarray(y, dtype=int)
    w = np.ones(len(x)) if w is None else w
    fit = sm.GLM(y, sm.add_constant(x), family=sm.families.Binomial(), freq_weights=w).fit(
        tol=1e-14, tol_criterion="params", maxiter=200)
    cases.append({"name": name, "x": x.tolist(), "y": y.tolist(), "w": w.tolist(), "intercept": fit.params[0], "slope": fit.params[1]})


def draw(seed, intercept, slope, x):
    rng = np.random.default_rng(seed)
    return x, rng.random(len(x)) < 1 / (1 + np.exp(-(intercept + slope * x)))


def normal(seed, mean, deviation, n=400):
    return np.random.default_rng(100 + seed).normal(mean, deviation, n)


case("calibrated", *draw(1, 0, 1, normal(1, 0, 1.5)))
case("too extreme", *draw(2, 0.3, 0.4, normal(2, 0, 3)))
case("too timid", *draw(3, -0.2, 6, normal(3, 0, 0.2)))
case("rare", *draw(4, 0.5, 1.1, normal(4, -4, 1.2, 900)))
case("worse than chance", *draw(5, 0.5, -0.7, normal(5, 0, 1.5)))
case("weighted", *draw(6, 0, 1, normal(6, 0.5, 1)), np.round(np.random.default_rng(6).uniform(0.1, 3, 400), 3))
case("wide", *draw(7, 0, 0.2, normal(7, 0, 30)))
case("coarse", *draw(8, 0, 1, np.round(normal(8, 0, 2))))
Path(__file__).with_name("golden.json").write_text(json.dumps({"_computed_with": f"statsmodels {statsmodels.__version__}", "cases": cases}) + "\n")
