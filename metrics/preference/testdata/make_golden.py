"""Writes golden.json: strengths of systems by statsmodels, for the tests of package preference.

A tie as half a win of each is a binomial regression on the differences of indicators. Davidson's model is a
log-linear model: the counts of the outcomes of a pair are Poisson, with an effect of the pair.
Run with numpy and statsmodels: python make_golden.py
"""

import itertools
import json
import pathlib

import numpy as np
import statsmodels
import statsmodels.api as sm

# Stigler 1994, as in the data set citations of the R package BradleyTerry2: row is cited by column.
JOURNALS = ["Biometrika", "Communications in Statistics", "JASA", "JRSS-B"]
CITED = [[714, 730, 498, 221], [33, 425, 68, 17], [320, 813, 1072, 142], [284, 276, 325, 188]]


def citations():
    return 4, [
        (i, j, CITED[i][j], CITED[j][i], 0) for i, j in itertools.combinations(range(4), 2)
    ]


def drawn(seed, systems, weights):
    """Comparisons by Davidson's model, each pair with a chance of being there."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(size=systems)
    pairs = []
    for i, j in itertools.combinations(range(systems), 2):
        if j != i + 1 and rng.random() < 0.4:
            continue
        p = np.exp([strength[i], strength[j], -0.3 + (strength[i] + strength[j]) / 2])
        counts = rng.multinomial(rng.integers(20, 60), p / p.sum()).astype(float)
        if weights:
            counts = np.round(counts * rng.uniform(0.5, 2), 3)
        pairs.append((i, j, *counts))
    return systems, pairs


def contrast(systems, covariance, beta):
    """Strengths and standard errors with mean 0, given those relative to system 0."""
    center = np.eye(systems) - 1 / systems
    full = np.zeros((systems, systems))
    full[1:, 1:] = covariance
    return (center @ np.r_[0, beta]).tolist(), np.sqrt(np.diag(center @ full @ center.T)).tolist()


def half(systems, pairs):
    x = np.zeros((len(pairs), systems))
    for r, (i, j, *_) in enumerate(pairs):
        x[r, i], x[r, j] = 1, -1
    wins = np.array([a + t / 2 for _, _, a, _, t in pairs])
    losses = np.array([b + t / 2 for _, _, _, b, t in pairs])
    fit = sm.GLM(np.c_[wins, losses], x[:, 1:], family=sm.families.Binomial()).fit(tol=1e-15, tol_criterion="params")
    return fit.params, fit.cov_params(), 0.0


def davidson(systems, pairs):
    rows, counts = [], []
    for r, (i, j, a, b, t) in enumerate(pairs):
        for count, own in ((a, (1, 0)), (b, (0, 1)), (t, (0.5, 0.5))):
            x = np.zeros(systems + 1 + len(pairs))
            x[i], x[j] = own
            x[systems], x[systems + 1 + r] = own == (0.5, 0.5), 1
            rows.append(x[1:])
            counts.append(count)
    fit = sm.GLM(counts, np.array(rows), family=sm.families.Poisson()).fit(tol=1e-15, tol_criterion="params", maxiter=200)
    n = systems - 1
    return fit.params[:n], fit.cov_params()[:n, :n], float(np.exp(fit.params[n]))


def main():
    cases = []
    sets = {"citations": citations(), "five systems": drawn(1, 5, False), "twelve systems by weight": drawn(2, 12, True)}
    for name, (systems, pairs) in sets.items():
        for model in (half, davidson)[: 1 if name == "citations" else 2]:
            beta, covariance, ties = model(systems, pairs)
            strength, errors = contrast(systems, covariance, beta)
            cases.append({
                "name": f"{name}, {model.__name__}", "davidson": model is davidson, "systems": systems,
                "pairs": [[float(x) for x in p] for p in pairs], "strength": strength, "std_error": errors, "ties": ties,
                "strength_to_first": [0.0, *beta.tolist()], "std_error_to_first": [0.0, *np.sqrt(np.diag(covariance)).tolist()],
            })
    made = {"computed_with": f"statsmodels {statsmodels.__version__}, numpy {np.__version__}", "cases": cases}
    pathlib.Path(__file__).with_name("golden.json").write_text(json.dumps(made, indent=1) + "\n")


main()
