#!/usr/bin/env python3
"""Small cases for unit tests of the metric functions: make_cases.py

Writes golden/*.json, a file a subject: {"_computed_with", "cases": [case…]}, a case being
  name        task/what-is-special
  task        binary | multiclass | multilabel | regression | ranking
  labels      class names in the order of the scores; [] for regression and ranking
  y_true      binary 0/1; multiclass class index; multilabel lists of label indices; regression numbers; ranking lists of
              relevances, those of the items of a query
  y_soft      multiclass, if labels are soft: the true distribution of each row, of which y_true is the argmax
  y_pred      as y_true; none for ranking
  scores      if there are any: binary the positive's; ranking lists as y_true; otherwise a list in label order for each row
  judged      ranking, if some are not: for each item, whether it was
  missed      ranking, if there are any: the relevances of items judged and not retrieved, a list for each query
  candidates  where scores are sparse: the labels that the scores of each row are of, in increasing order
  score_type  probability | logit | score, where there are scores
  items, missed_items, categories, frequencies
              ranking, if queries show items: the ids of those retrieved and missed, numbers; the categories of those retrieved;
              and how frequent they are, if something says so
  levels      regression, if there are forecasts of quantiles: their levels
  quantiles   the forecasts of each row
  members     regression, if there are ensembles: the members of each row
  scale       regression, if there is one: the scale of the errors of each row
  weights     if there are any
  costs       if given: for each true class (binary and multilabel: absent, present), the cost of each predicted class
  error_costs binary, if given: what a false positive and what a false negative costs, of each row
  propensity  multilabel, if given: a, b, examples, and the counts of the labels in those
  average_labels   multiclass and multilabel, if given: the labels that averages are over
  config      zero_division (0, 1 or "nan"), beta, and where there are scores calibration {bins, strategy} and, of more
              than one label, k; ranking: k, persistence, and what the key ranking of a configuration has, catalog_size and
              frequency_total among the others
  expected    the metrics by name: a value, null where undefined, or a list of them, of each label
y_pred is the rule of the specification (probability >= 0.5, or the first of the highest), unless the name says otherwise.
Every case draws from a generator seeded by its name: adding one changes no other. The metrics are in reference.py and, of
ranking, in reference_queries.py and reference_items.py, which say what is scikit-learn's, what numpy's and what mpmath's.

golden/judged.json is made by make_judged.py, golden/average_labels.json by make_average_labels.py. golden/worked.json is written by hand, in the same format: examples small enough
to follow, some of papers. A case there has only the metrics that it names. It may have the confusion matrix, true classes by row, instead of y_true and y_pred
("matrix"), and say how many digits after the point its values have ("digits").
"""
import json
import zlib
from pathlib import Path

import numpy as np

import reference
import reference_items
import reference_queries

HERE = Path(__file__).resolve().parent
NAN = float("nan")
cases = []


def generator(name):
    return np.random.default_rng(zlib.crc32(name.encode()))


def weights(rng, n):
    return rng.uniform(0.1, 3, n)


def logistic(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def floats(x):
    return np.asarray(x, dtype=float).tolist()


def add(task, name, labels, y_true, y_pred, rows, *, scores=None, score_type="probability", w=None, zero_division=0,
        bins=10, betas=(0.5, 2), ks=(1, 3, 5), soft=None, propensity=None, costs=None, error_costs=None):
    config = {}
    if task != "regression":
        config = {"zero_division": "nan" if zero_division != zero_division else zero_division, "beta": list(betas)}
    case = {"name": f"{task}/{name}", "task": task, "labels": labels, "y_true": y_true, "y_pred": y_pred}
    if scores is not None:
        case |= {"scores": floats(scores), "score_type": score_type}
        if np.isnan(scores).any():
            case["scores"] = [[x for x in row if x == x] for row in case["scores"]]
            case["candidates"] = [np.flatnonzero(~np.isnan(row)).tolist() for row in scores]
        config["calibration"] = {"bins": bins, "strategy": "uniform"}
        if task != "binary":
            config["k"] = list(ks)
    if soft is not None:
        case["y_soft"] = floats(soft)
    if w is not None:
        case["weights"] = floats(w)
    if costs is not None:
        case["costs"] = costs
        rows = rows + reference.expected_costs(task, labels, y_true, y_pred, costs, w)
    if error_costs is not None:
        case["error_costs"] = [floats(c) for c in error_costs]
        rows = rows + reference.expected_cost_of_errors(y_true, y_pred, *error_costs, w)
    if propensity is not None:
        case["propensity"] = propensity
    assert case["name"] not in {c["name"] for c in cases} and len(y_true) == len(y_pred) <= 60
    cases.append(case | {"config": config, "expected": by_name(rows, labels)})


def by_name(rows, labels=()):
    """The values of rows by name: one, or a list of those of the labels, in their order."""
    expected = {}
    for name, label, value in rows:
        if label is None:
            assert name not in expected
            expected[name] = value
        else:
            assert label == labels[len(expected.setdefault(name, []))]
            expected[name].append(value)
    return expected


def complete(scores, kw):
    """Sparse scores (nan: none) and their options as the reference takes them: labels without a score have one below all
    others, and only the order of scores counts."""
    if scores is None or not np.isnan(scores).any():
        return scores, kw
    return np.where(np.isnan(scores), np.nanmin(scores) - 1, scores), kw | {"score_type": "score", "curves": False}


def thinned(rng, scores, share):
    """Leaves out some of the scores, and all of the first row's."""
    scores = np.where(rng.random(scores.shape) < share, scores, NAN)
    scores[0] = NAN
    return scores


# --- binary --------------------------------------------------------------------------------------------------------

def binary(name, y, scores=None, pred=None, costs=None, error_costs=None, **kw):
    if pred is None:
        pred = np.asarray(scores) >= (0 if kw.get("score_type") == "logit" else 0.5)
    y, pred = np.asarray(y, dtype=int), np.asarray(pred, dtype=int)
    rows = reference.binary(y, pred, scores, **kw)
    add("binary", name, ["0", "1"], y.tolist(), pred.tolist(), rows, scores=scores, costs=costs, error_costs=error_costs, **kw)


def draw_binary(name, n=40, prevalence=0.4):
    rng = generator("binary/" + name)
    y = rng.random(n) < prevalence
    return rng, y, rng.normal(np.where(y, 0.8, -0.8), 1.5)  # labels and logits


def binary_cases():
    rng, y, x = draw_binary("random", 60)
    binary("random", y, logistic(x))
    rng, y, x = draw_binary("weighted", 60)
    binary("weighted", y, logistic(x), w=weights(rng, 60))
    rng, y, x = draw_binary("decisions without scores")
    binary("decisions without scores", y, pred=x > 0, w=weights(rng, 40))
    rng, y, x = draw_binary("decisions at threshold 0.3")
    binary("decisions at threshold 0.3", y, logistic(x), pred=logistic(x) >= 0.3, betas=(0.5, 1.5, 3))
    rng, y, x = draw_binary("ties and probabilities 0 and 1")
    binary("ties and probabilities 0 and 1", y, rng.choice([0, 0.25, 0.5, 0.75, 1], 40))
    edges = np.arange(11) / 10
    p = np.concatenate([edges, np.nextafter(edges[:-1], 1), np.nextafter(edges[1:], 0)])
    binary("bin edges and their neighbours", generator("binary/edges").random(len(p)) < p, p)
    rng, y, x = draw_binary("7 bins")
    binary("7 bins", y, logistic(x), w=weights(rng, 40), bins=7)
    rng, y, x = draw_binary("float32 scores")
    binary("float32 scores", y, logistic(x).astype(np.float32))
    rng, y, x = draw_binary("imbalanced", 60)
    binary("imbalanced", np.arange(60) == 17, logistic(x - 1))
    rng, y, x = draw_binary("logits")
    binary("logits", y, x * 2, score_type="logit", w=weights(rng, 40))
    binary("extreme logits", [0, 1, 1, 0, 1, 0, 0, 1, 0, 1],
           [-800.0, 800.0, -800.0, 800.0, 40.0, -40.0, 40.0, -37.5, 0.0, -0.0], score_type="logit")
    binary("perfect", [0, 1, 1, 0, 1, 0], [0, 1, 1, 0, 1, 0])
    binary("all wrong", [0, 1, 1, 0, 1, 0], [0.9, 0.2, 0.1, 0.75, 0.4, 0.5])
    binary("single positive row", [1], [0.7])
    binary("single negative row, weighted", [0], [0.7], w=[0.3])
    p = np.round(generator("binary/one class").random(12), 3)
    for zd in (0, 1, NAN):
        suffix = f", zero_division {zd}"
        binary("no positive true" + suffix, np.zeros(12), p, zero_division=zd)
        binary("nothing predicted" + suffix, np.arange(12) < 5, p / 2.1, zero_division=zd)
        binary("neither true nor predicted" + suffix, np.zeros(12), p / 2.1, zero_division=zd)
    binary("only positives, zero_division 0", np.ones(12), p)
    binary("only positives, zero_division nan, weighted", np.ones(12), p, zero_division=NAN, w=np.arange(1, 13) / 8)
    binary("everything predicted, zero_division nan", np.arange(12) < 5, 0.5 + p / 2, zero_division=NAN)
    rng, y, x = draw_binary("raw scores, ties", 60)
    binary("raw scores, ties", y, np.round(50 * x, -1), pred=x > 0, score_type="score", w=weights(rng, 60))
    rng, y, x = draw_binary("worse than chance")
    binary("worse than chance", y, logistic(-x))
    rng, y, x = draw_binary("costs")
    binary("costs", y, logistic(x), costs=[[0, 1], [10, 0]])
    rng, y, x = draw_binary("costs of every outcome, weighted")
    binary("costs of every outcome, weighted", y, pred=x > 0.3, costs=[[0.1, 2.5], [7, 0.3]], w=weights(rng, 40))
    rng, y, x = draw_binary("costs of each example")
    binary("costs of each example", y, logistic(x), error_costs=[rng.uniform(0, 5, 40), rng.lognormal(3, 2, 40)])
    rng, y, x = draw_binary("costs of each example, weighted")
    binary("costs of each example, weighted", y, pred=x > 0.3, error_costs=[rng.integers(0, 3, 40), rng.uniform(0, 1e6, 40)], w=weights(rng, 40))


# --- multiclass ----------------------------------------------------------------------------------------------------

def multiclass(name, y, scores=None, pred=None, k=4, costs=None, **kw):
    y = np.asarray(y, dtype=int)
    pred = np.asarray(scores).argmax(axis=1) if pred is None else np.asarray(pred, dtype=int)
    labels = [f"c{j}" for j in range(k)]
    full, options = complete(scores, kw)
    rows = reference.multiclass(y, pred, labels, full, **options)
    add("multiclass", name, labels, y.tolist(), pred.tolist(), rows, scores=scores, costs=costs, **kw)


def draw_multiclass(name, n=40, k=4):
    rng = generator("multiclass/" + name)
    y = rng.integers(0, k, n)
    return rng, y, rng.normal(0, 1, (n, k)) + 1.3 * np.eye(k)[y]  # labels and logits


def multiclass_cases():
    rng, y, x = draw_multiclass("random", 60)
    multiclass("random", y, softmax(x))
    rng, y, x = draw_multiclass("weighted")
    multiclass("weighted", y, softmax(x), w=weights(rng, 40))
    rng, y, x = draw_multiclass("decisions without scores")
    multiclass("decisions without scores", y, pred=x.argmax(axis=1), w=weights(rng, 40), betas=(0.5, 1.5, 3))
    rng, y, x = draw_multiclass("decisions other than the highest score", 20)
    multiclass("decisions other than the highest score", y, softmax(x), pred=(x + [1, 0, 0, -1]).argmax(axis=1))
    rng, y, x = draw_multiclass("two classes", 20, 2)
    multiclass("two classes", y, softmax(x), k=2)
    rng = generator("multiclass/ties")
    rows = [[0.25] * 4, [0.5, 0.5, 0, 0], [0, 0, 1, 0], [0, 0.5, 0, 0.5], [1, 0, 0, 0], [0.125, 0.375, 0.375, 0.125]]
    multiclass("ties and probabilities 0 and 1", rng.integers(0, 4, 30), np.array(rows)[rng.integers(0, 6, 30)])
    rng, y, x = draw_multiclass("7 bins")
    multiclass("7 bins", y, softmax(x), bins=7)
    rng, y, x = draw_multiclass("float32 scores", 30)
    multiclass("float32 scores", y, softmax(x).astype(np.float32))
    rng, y, x = draw_multiclass("imbalanced")
    multiclass("imbalanced", np.where(np.arange(40) < 37, 2, [0] * 38 + [1, 3]), softmax(x))
    rng, y, x = draw_multiclass("logits", 30)
    multiclass("logits", y, 3 * x, score_type="logit", w=weights(rng, 30))
    multiclass("extreme logits", [0, 1, 2, 1, 2],
               [[800.0, -800.0, 0.0], [800.0, 0.0, -800.0], [40.0, 0.0, -40.0], [-745.5, -745.5, -800.0], [0.0] * 3],
               score_type="logit", k=3)
    multiclass("perfect", [0, 1, 2, 3, 3], np.eye(4)[[0, 1, 2, 3, 3]])
    multiclass("all wrong", [0, 1, 2, 3, 0], np.eye(4)[[1, 2, 3, 0, 2]] * 0.76 + 0.06)
    multiclass("single row", [2], [[0.1, 0.2, 0.6, 0.1]])
    for zd in (0, 1, NAN):  # class 1 is never true, class 3 never predicted, class 2 neither
        suffix = f", zero_division {zd}"
        name = "classes never true and never predicted" + suffix
        rng, y, x = draw_multiclass("classes never true and never predicted", 20)
        w = weights(rng, 20) if zd == 0 else None
        multiclass(name, np.array([0, 3])[y % 2], softmax(x - [0, 0, 12, 9]), zero_division=zd, w=w)
    rng, y, x = draw_multiclass("one class only", 8)
    multiclass("one class only, zero_division nan", np.ones(8), softmax(x + [0, 9, 0, 0]), zero_division=NAN)

    rng, y, x = draw_multiclass("ties, k above the number of classes")
    multiclass("ties, k above the number of classes", y, rng.integers(0, 3, x.shape) / 4, w=weights(rng, 40),
               ks=(1, 2, 4, 7))
    rng, y, x = draw_multiclass("raw scores", 30)
    multiclass("raw scores", y, np.round(50 * x, -1), score_type="score", w=weights(rng, 30), ks=(2, 3))

    def soft(name, target, scores, **kw):
        multiclass(name, target.argmax(axis=1), scores, soft=target, k=target.shape[1], **kw)

    rng, y, x = draw_multiclass("soft labels", 40)
    soft("soft labels", softmax(x), softmax(x + rng.normal(0, 1, x.shape)))
    rng, y, x = draw_multiclass("soft labels, weighted", 40)
    soft("soft labels, weighted", softmax(2 * x), softmax(x + rng.normal(0, 1, x.shape)), w=weights(rng, 40))
    rng, y, x = draw_multiclass("soft labels, logits", 30)
    soft("soft labels, logits", softmax(x), 3 * x, score_type="logit", w=weights(rng, 30))
    rng = generator("multiclass/soft labels, ties and zeros")
    soft("soft labels, ties and zeros", np.array(rows)[rng.integers(0, 6, 30)], np.array(rows)[rng.integers(0, 6, 30)])
    rng, y, x = draw_multiclass("float32 soft labels", 30)
    soft("float32 soft labels", softmax(x).astype(np.float32), softmax(x + rng.normal(0, 1, x.shape)))
    example = np.array([[0.1, 0.2, 0.6, 0.1], [0.1, 0.5, 0.3, 0.1], [0.8, 0.05, 0.05, 0.1], [0.01, 0.09, 0.1, 0.8]])
    soft("soft labels, predicted as they are", example, example)
    soft("soft labels of one class, zero_division nan", np.eye(3)[[1, 1]], np.eye(3)[[1, 1]], zero_division=NAN)

    rng, y, x = draw_multiclass("costs, weighted", 40, 3)
    multiclass("costs, weighted", y, pred=x.argmax(axis=1), k=3, costs=[[0, 1, 5.5], [2, 0.25, 1], [20, 4, 0]], w=weights(rng, 40))

    for name, w in (("sparse scores", False), ("sparse scores, weighted, with ties", True)):
        rng, y, x = draw_multiclass(name, 40, 8)
        s = thinned(rng, np.round(softmax(x), 1) if w else softmax(x), 0.4)
        pred = np.where(np.isnan(s), -1, s).argmax(axis=1)
        multiclass(name, y, s, pred=pred, k=8, w=weights(rng, 40) if w else None, ks=(1, 3, 5, 9))


# --- multilabel ----------------------------------------------------------------------------------------------------

def multilabel(name, truth, scores=None, hard=None, costs=None, **kw):
    truth = np.asarray(truth, dtype=bool)
    if hard is None:
        hard = np.asarray(scores) >= (0 if "score_type" in kw else 0.5)
    hard = np.asarray(hard, dtype=bool)
    labels = [f"l{j}" for j in range(truth.shape[1])]
    full, options = complete(scores, kw)
    rows = reference.multilabel(truth, hard, labels, full, **options)
    add("multilabel", name, labels, *([np.flatnonzero(row).tolist() for row in m] for m in (truth, hard)), rows,
        scores=scores, costs=costs, **kw)


def draw_multilabel(name, n=30, k=4):
    rng = generator("multilabel/" + name)
    truth = rng.random((n, k)) < 0.35
    return rng, truth, rng.normal(np.where(truth, 0.9, -0.9), 1.3)  # labels and logits


def multilabel_cases():
    rng, truth, x = draw_multilabel("costs")
    multilabel("costs", truth, logistic(x), costs=[[0, 1], [10, 0]])
    rng, truth, x = draw_multilabel("costs of every outcome, weighted")
    multilabel("costs of every outcome, weighted", truth, hard=x > 0.2, costs=[[0.1, 2.5], [7, 0.3]], w=weights(rng, 30))
    rng, t, x = draw_multilabel("random", 40, 5)
    multilabel("random", t, logistic(x))
    rng, t, x = draw_multilabel("weighted")
    multilabel("weighted", t, logistic(x), w=weights(rng, 30))
    rng, t, x = draw_multilabel("decisions without scores")
    multilabel("decisions without scores", t, hard=x > 0, w=weights(rng, 30), betas=(0.5, 1.5, 3))
    rng, t, x = draw_multilabel("decisions of the 2 best", 20)
    multilabel("decisions of the 2 best", t, logistic(x), hard=np.argsort(np.argsort(-x, axis=1), axis=1) < 2)
    rng, t, x = draw_multilabel("ties and probabilities 0 and 1")
    multilabel("ties and probabilities 0 and 1", t, rng.choice([0, 0.25, 0.5, 0.75, 1], t.shape))
    rng, t, x = draw_multilabel("float32 scores", 20)
    multilabel("float32 scores", t, logistic(x).astype(np.float32), bins=7)
    rng, t, x = draw_multilabel("logits", 25)
    multilabel("logits", t, 2 * x, score_type="logit", w=weights(rng, 25))
    multilabel("extreme logits", [[1, 0, 1], [0, 0, 1], [1, 1, 0], [0, 0, 0], [1, 1, 1]],
               [[800.0, -800.0, -800.0], [40.0, -40.0, 37.5], [0.0, -0.0, -1.0], [-745.5, 100.0, -3.0], [0.0] * 3],
               score_type="logit")
    perfect = np.array([[1, 0, 0], [0, 1, 1], [1, 1, 1], [0, 0, 1]])
    multilabel("perfect", perfect, perfect)
    multilabel("all wrong", perfect, 0.9 - 0.75 * perfect)
    multilabel("single row", [[1, 0, 1]], [[0.8, 0.6, 0.3]])
    for zd in (0, 1, NAN):
        suffix = f", zero_division {zd}"
        # l1 is never true, l3 never predicted, l2 neither; some rows have no true label, some no predicted, some neither
        rng, t, x = draw_multilabel("labels and rows without", 20)
        t[:, 1:3] = False
        t[:4] = False
        x[:, 2:] -= 9
        x[2:8] -= 9
        multilabel("labels and rows without" + suffix, t, logistic(x), zero_division=zd,
                   w=weights(rng, 20) if zd != 0 else None)
        multilabel("empty label sets only" + suffix, np.zeros((5, 3)), np.round(rng.random((5, 3)) / 2.1, 3),
                   zero_division=zd)
    multilabel("every label everywhere, zero_division nan", np.ones((5, 3)), 0.5 + np.round(rng.random((5, 3)) / 2, 3),
               zero_division=NAN)

    for zd in (0, NAN):  # rows of every number of true labels, from none to all; the last rows are one tie
        name = f"ties, k above the number of labels, zero_division {zd}"
        rng = generator("multilabel/" + name)
        t = np.array([rng.permutation(5) < i % 6 for i in range(48)])
        scores = rng.integers(0, 4, t.shape) / 4
        scores[42:] = 0.25
        multilabel(name, t, scores, zero_division=zd, w=weights(rng, 48) if zd == 0 else None, ks=(1, 2, 4, 5, 9))
    rng, t, x = draw_multilabel("raw scores", 25, 6)
    multilabel("raw scores", t, np.round(50 * x, -1), score_type="score", w=weights(rng, 25), zero_division=1, ks=(2, 3))
    multilabel("full and empty label sets only", np.arange(6)[:, np.newaxis] < [3] * 4, rng.integers(0, 3, (6, 4)) / 2,
               w=weights(rng, 6))

    for zd in (0, NAN):
        name = f"sparse scores, zero_division {zd}"
        rng, t, x = draw_multilabel(name, 40, 9)
        t[:3] = False
        multilabel(name, t, thinned(rng, logistic(x), 0.4), zero_division=zd)
    rng, t, x = draw_multilabel("sparse scores, weighted, with ties", 40, 9)
    multilabel("sparse scores, weighted, with ties", t, thinned(rng, rng.integers(0, 4, t.shape) / 4, 0.4),
               w=weights(rng, 40), ks=(1, 4, 9, 12))
    rng, t, x = draw_multilabel("sparse raw scores", 30, 6)
    multilabel("sparse raw scores", t, thinned(rng, 5 * x, 0.5), score_type="score")

    def frequencies(rng, t, examples, a=0.55, b=1.5):  # those of a larger data set, in which one label is never true
        counts = (t.mean(axis=0) * examples).astype(int)
        counts[rng.integers(0, len(counts))] = 0
        return {"a": a, "b": b, "examples": examples, "counts": counts.tolist()}

    rng, t, x = draw_multilabel("propensities", 40, 9)
    t[:3] = False
    multilabel("propensities", t, logistic(x), propensity=frequencies(rng, t, 10000))
    rng, t, x = draw_multilabel("propensities of Amazon, sparse scores, weighted", 40, 9)
    multilabel("propensities of Amazon, sparse scores, weighted", t, thinned(rng, logistic(x), 0.4),
               w=weights(rng, 40), propensity=frequencies(rng, t, 490449, 0.6, 2.6), ks=(1, 3, 5, 12))
    rng, t, x = draw_multilabel("propensities, ties", 30, 6)
    multilabel("propensities, ties", t, rng.integers(0, 3, t.shape) / 4, propensity=frequencies(rng, t, 500, 0.5, 0.4))
    multilabel("propensities of empty label sets", np.zeros((4, 3)), rng.random((4, 3)),
               propensity={"a": 0.55, "b": 1.5, "examples": 100, "counts": [1, 0, 30]})


# --- regression ----------------------------------------------------------------------------------------------------

def regression(name, y, pred, w=None):
    add("regression", name, [], floats(y), floats(pred), reference.regression(y, pred, w=w), w=w)


def forecasts(name, y, pred, w=None, levels=None, quantiles=None, members=None, scale=None):
    rows = reference.regression(y, pred, w=w) + reference.forecasts(
        y, pred, w=w, levels=levels, quantiles=quantiles, members=members, scale=scale)
    add("regression", f"forecasts, {name}", [], floats(y), floats(pred), rows, w=w)
    for key, value in (("levels", levels), ("quantiles", quantiles), ("scale", scale)):
        if value is not None:
            cases[-1][key] = floats(value)
    if members is not None:
        cases[-1]["members"] = [floats(list_of) for list_of in members]


def forecast_cases():
    levels = [0.025, 0.25, 0.5, 0.75, 0.975]
    rng, y, p = draw_regression("forecasts, all", 50)
    spread = rng.uniform(2, 8, 50)
    quantiles = p[:, None] + spread[:, None] * np.array([-2, -0.7, 0, 0.7, 2])
    members = [mean + s * rng.standard_normal(n) for mean, s, n in zip(p, spread, rng.integers(1, 12, 50))]
    forecasts("all", y, p, levels=levels, quantiles=quantiles, members=members, scale=spread)
    forecasts("all, weighted", y, p, w=weights(rng, 50), levels=levels, quantiles=quantiles, members=members, scale=spread)
    forecasts("ties", np.round(y), np.round(p), levels=levels, quantiles=np.round(quantiles), members=[np.round(m) for m in members], scale=np.ceil(spread))
    forecasts("ties, weighted", np.round(y / 5), np.round(p / 5), w=weights(rng, 50), levels=[0.5], quantiles=np.round(quantiles[:, [2]]))
    forecasts("all equal", [3, 3], [3, 3], levels=[0.1, 0.5, 0.9], quantiles=[[3, 3, 3]] * 2, members=[[3], [3, 3]], scale=[1, 2])
    forecasts("far from 0", y + 1e6, p + 1e6, levels=levels, quantiles=quantiles + 1e6, members=[m + 1e6 for m in members], scale=spread)
    forecasts("negative", y - 20, p - 20, levels=[0.1, 0.5, 0.9], quantiles=quantiles[:, [0, 2, 4]] - 20, scale=spread)


def draw_regression(name, n=40):
    rng = generator("regression/" + name)
    y = rng.gamma(2, 10, n)
    return rng, y, y * rng.uniform(0.6, 1.5, n)


def regression_cases():
    rng, y, p = draw_regression("random", 60)
    regression("random", y, p)
    rng, y, p = draw_regression("weighted")
    regression("weighted", y, p, w=weights(rng, 40))
    rng, y, p = draw_regression("float32 values", 30)
    regression("float32 values", y.astype(np.float32), p.astype(np.float32))
    rng, y, p = draw_regression("large offset, small variance", 30)
    regression("large offset, small variance", y / 100 - 1e6, p / 100 - 1e6)
    rng, y, p = draw_regression("negative values", 30)
    regression("negative values", y - 20, p - 20, w=weights(rng, 30))
    regression("values between -1 and 0", [-0.5, 0.25, -0.75, 3.0], [-0.25, 0.5, -0.9, 2.0])
    regression("zeros", [0, 0, 1, 2.5, 0], [0, 1.5, 0, 2.5, 0])
    regression("zeros among counts", [0, 3, 1, 0, 2, 5], [0.5, 2, 1, 0.1, 2.5, 4])
    regression("perfect", [1, 2.5, 4, 8], [1, 2.5, 4, 8])
    regression("constant truth", [2, 2, 2, 2], [1, 2, 3.5, 2])
    regression("constant truth, perfect", [2, 2, 2, 2], [2, 2, 2, 2])
    regression("constant truth, constant error", [2, 2, 2, 2], [2.5, 2.5, 2.5, 2.5])
    regression("constant prediction", [1, 2, 4, 8], [3, 3, 3, 3])
    regression("opposite", [1, 2, 3], [3, 2, 1])
    regression("single row", [3], [2.5])
    regression("single row, perfect", [3], [3])


# --- ranking -------------------------------------------------------------------------------------------------------

def ranking(name, queries, *, w=None, ks=(1, 3, 5), ps=(0.8, 0.95), gain="exponential", ties="expected",
            relevance_threshold=1, max_relevance=4, empty_queries="skip", **more):
    options = {"gain": gain, "ties": ties, "relevance_threshold": relevance_threshold, "max_relevance": max_relevance,
               "empty_queries": empty_queries} | more
    rows = reference_queries.ranking(queries, options, w=w, ks=ks, ps=ps)
    case = {"name": f"ranking/{name}", "task": "ranking", "labels": [], "y_true": [q["relevance"] for q in queries],
            "scores": [q["scores"] for q in queries]}
    if not all(all(q["judged"]) for q in queries):
        case["judged"] = [q["judged"] for q in queries]
    if any(q["missed"] for q in queries):
        case["missed"] = [q["missed"] for q in queries]
    if w is not None:
        case["weights"] = floats(w)
    cases.append(case | {"config": {"k": list(ks), "persistence": list(ps), "ranking": options},
                         "expected": by_name(rows)})


def draw_queries(name, n, items, levels, grades=(0, 0, 0, 1, 2, 3, 4), judged=0.8, missed=3):
    """n queries of up to so many items. Scores are of so many levels, in eighths, which float32 has."""
    rng = generator("ranking/" + name)
    queries = []
    for _ in range(n):
        size = int(rng.integers(0, items + 1))
        known = (rng.random(size) < judged).tolist()
        queries.append({
            "scores": (rng.integers(0, levels, size) / 8).tolist(),
            "relevance": [float(g) if k else 0.0 for g, k in zip(rng.choice(grades, size), known)],
            "judged": known,
            "missed": [float(g) for g in rng.choice(grades, rng.integers(0, missed + 1))],
        })
    return rng, queries


def query(scores, relevance, judged=None, missed=()):
    return {"scores": floats(scores), "relevance": floats(relevance), "judged": judged or [True] * len(scores),
            "missed": floats(missed)}


def shown(name, queries, *, catalog_size=None, frequency_total=None, w=None, ks=(1, 3, 5), ties="expected", relevance_threshold=1):
    ranking(f"items shown, {name}", queries, w=w, ks=ks, ties=ties, relevance_threshold=relevance_threshold)
    case = cases[-1]
    case |= {"items": [q["items"] for q in queries], "missed_items": [q["missed_items"] for q in queries],
             "categories": [q["categories"] for q in queries]}
    case.setdefault("missed", [[] for _ in queries])
    if frequency_total is not None:
        case |= {"frequencies": [q["frequencies"] for q in queries], "frequency_total": frequency_total}
    if catalog_size is not None:
        case["catalog_size"] = catalog_size
    case["expected"] |= by_name(reference_items.items(queries, case["config"]["ranking"], w=w, ks=ks, catalog_size=catalog_size,
                                                      frequency_total=frequency_total))


def draw_shown(name, n, items, levels, catalog, **how):
    """draw_queries, whose items are from a catalogue in which the first are retrieved most."""
    rng, queries = draw_queries("items shown, " + name, n, items, levels, **how)
    chance = 1 / np.arange(1, catalog + 1)
    frequency = rng.integers(0, 50, catalog)
    for q in queries:
        size = len(q["scores"])
        ids = rng.choice(catalog, size + len(q["missed"]), replace=False, p=chance / chance.sum()).tolist()
        q |= {"items": ids[:size], "missed_items": ids[size:], "categories": [i % 3 for i in ids[:size]],
              "frequencies": [float(frequency[i]) for i in ids[:size]]}
    return rng, queries


def item_cases():
    rng, q = draw_shown("ties expected", 25, 7, 3, 30)
    shown("ties expected", q)
    rng, q = draw_shown("weighted, frequencies given, larger catalogue", 25, 7, 1000, 20)
    shown("weighted, frequencies given, larger catalogue", q, w=weights(rng, 25), catalog_size=50, frequency_total=60, ks=(2, 4))
    rng, q = draw_shown("ties by item, threshold 2", 25, 12, 4, 40)
    shown("ties by item, threshold 2", q, ties="item", relevance_threshold=2, ks=(3, 10))
    alike = {"missed_items": [], "categories": [1, 1, 2]}
    shown("every query the same", [query([3, 2, 1], [1, 0, 0]) | alike | {"items": [7, 8, 9]}] * 4)
    shown("every query another", [query([3, 2, 1], [1, 0, 0]) | alike | {"items": [i, i + 1, i + 2]} for i in (0, 10, 20)])
    shown("one query, nothing relevant", [query([3, 2, 1], [0, 0, 0]) | alike | {"items": [1, 2, 3]}])


def ranking_cases():
    rng, q = draw_queries("ties expected", 30, 7, 3)
    ranking("ties expected", q)
    rng, q = draw_queries("ties expected, linear gain, weighted, empty queries one", 30, 7, 3, grades=(0, 0, 0, 1, 2))
    ranking("ties expected, linear gain, weighted, empty queries one", q, w=weights(rng, 30), gain="linear",
            relevance_threshold=2, empty_queries="one", max_relevance=2)
    rng, q = draw_queries("ties expected, all judged and retrieved", 20, 6, 2, judged=1, missed=0)
    ranking("ties expected, all judged and retrieved", q, gain="linear", ks=(1, 2, 10), ps=(0, 0.5))
    rng, q = draw_queries("all tied", 20, 6, 1, grades=(0, 0.5, 1, 2.5), missed=1)
    ranking("all tied", q, relevance_threshold=0.5, empty_queries="zero")
    rng, q = draw_queries("ties by item, as trec_eval", 40, 15, 6)
    ranking("ties by item, as trec_eval", q, gain="linear", ties="item")
    rng, q = draw_queries("ties by item, weighted, threshold 2, empty queries zero", 40, 15, 6)
    ranking("ties by item, weighted, threshold 2, empty queries zero", q, w=weights(rng, 40), ties="item",
            relevance_threshold=2, empty_queries="zero")
    rng, q = draw_queries("few judged, one grade", 40, 20, 1000, grades=(0, 1), judged=0.3, missed=6)
    ranking("few judged, one grade", q, gain="linear", ties="item", max_relevance=1)
    rng, q = draw_queries("grades that are not whole", 30, 20, 1000000, grades=(0, 0.25, 1, 1.5, 3.75))
    ranking("grades that are not whole", q, relevance_threshold=1.5)
    rng, q = draw_queries("map by attainable items", 30, 8, 3, missed=4)
    ranking("map by attainable items", q, w=weights(rng, 30), attainable_map=True)
    ranking("map by attainable items, ties by item", q, ties="item", gain="linear", empty_queries="zero", attainable_map=True)
    ranking("perfect and reversed", [query([4, 3, 2, 1], [3, 2, 1, 0]), query([4, 3, 2, 1], [0, 1, 2, 3])])
    ranking("nothing relevant", [query([1, 2], [0, 0]), query([], []), query([1], [0.5])])
    ranking("nothing retrieved", [query([], [], missed=[1, 2])], empty_queries="one")
    item_cases()
    ranking("a relevance above the highest", [query([1, 2], [5, 0]), query([1, 2], [1, 0])])


# --- files ---------------------------------------------------------------------------------------------------------

def subject(case):
    """The file of a case: what is special about it, or its task."""
    for words, name in (("propensit", "propensities"), ("sparse", "sparse_scores"), ("soft label", "soft_labels"), ("forecasts", "forecasts"),
                        ("items shown", "items_shown"),
                        ("zero_division", "zero_division")):
        if words in case["name"]:
            return name
    return case["task"]


def wrapped(text, width=118):
    """JSON broken into lines after commas."""
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(lines)


def written(case):
    fields = (f"{json.dumps(key)}: {json.dumps(value, allow_nan=False)}" for key, value in case.items())
    return "{" + ",\n".join(wrapped(field) for field in fields) + "}"


if __name__ == "__main__":
    reference.quiet()
    binary_cases()
    multiclass_cases()
    multilabel_cases()
    regression_cases()
    forecast_cases()
    ranking_cases()
    folder = HERE / "golden"
    computed_with = f"{reference_queries.COMPUTED_WITH}, {reference.COMPUTED_WITH}"
    for name in sorted({subject(case) for case in cases}):
        list_of = [written(case) for case in cases if subject(case) == name]
        path = folder / f"{name}.json"
        path.write_text(f'{{"_computed_with": {json.dumps(computed_with)},\n"cases": [\n\n' + ",\n\n".join(list_of) + "\n\n]}\n")
        print(f"{path.relative_to(HERE)}: {len(list_of)} cases, {path.stat().st_size} bytes")
