"""Reference values of the metrics of task ranking, for make_cases.py and make_goldens.py.

A query is a dict: scores, relevance and judged (a list of bool) of the items that were retrieved, and missed, the
relevances of items that were judged and not retrieved. Values are those of one query, averaged by weight:

- Of a ranked list without ties every metric is a few lines of Python, as its paper defines it (PYTHON). Of ties: expected, it
  is the mean of that over all orders of tied items, one by one; of ties: item, items stay in the order in which they come.
- Where trec_eval has the metric (pytrec_eval; ties: item, whole grades, relevant from relevance_threshold on), its value is
  taken: map map@k mrr precision@k recall@k r_precision bpref hit_rate@k, and with linear gain ndcg ndcg@k. It orders ties by
  item id, downwards, and has scores in float32.
- Where scikit-learn has it, its value is taken: with ties: expected dcg@k and ndcg, of which the ideal is its dcg_score too, and
  auc. kendall_tau is SciPy's.
Each of these is checked against PYTHON.

A query without relevant items (ndcg, dcg and err: without gains) is left out, or counts as 0 or 1 (dcg: 0). auc, gauc, kendall_tau
and min_label_position leave out queries in which they are undefined. err is undefined if any relevance exceeds max_relevance.
"""
import itertools
import math

import numpy as np
import pytrec_eval
import scipy.stats
from importlib.metadata import version
from sklearn import metrics as sk

from reference import finite, mean

COMPUTED_WITH = f"pytrec_eval-terrier {version('pytrec_eval-terrier')}"
CLOSE = 1e-12


def orders(query, ties):
    """The ranked lists that the scores allow: of item numbers."""
    items = sorted(range(len(query["scores"])), key=lambda i: -query["scores"][i])  # stable
    if ties == "item":
        return [items]
    groups = [list(g) for _, g in itertools.groupby(items, key=lambda i: query["scores"][i])]
    return [sum(map(list, parts), []) for parts in itertools.product(*map(itertools.permutations, groups))]


def gain(rel, options):
    return 2.0 ** rel - 1 if options["gain"] == "exponential" else rel


def dcg(gains, k):
    return sum(g / math.log2(place + 1) for place, g in enumerate(gains[:k], 1))


def measures(query, order, options, ks, ps):
    """PYTHON: the measures of one ranked list."""
    threshold, top = options["relevance_threshold"], options["max_relevance"]
    rels = [query["relevance"][i] for i in order]
    judged = [query["judged"][i] for i in order]
    hits = [r >= threshold for r in rels]
    everything = sorted(rels + query["missed"], reverse=True)
    R = sum(r >= threshold for r in everything)
    N = sum(j and not h for j, h in zip(judged, hits)) + sum(r < threshold for r in query["missed"])
    gains, ideal = ([gain(r, options) for r in x] for x in (rels, everything))
    first = hits.index(True) + 1 if True in hits else None
    m = {}
    for k in ks:
        m[f"judged@{k}"] = sum(judged[:k]) / max(len(judged[:k]), 1)
    for suffix, k in [("", None)] + [(f"@{k}", k) for k in ks]:
        if sum(ideal) > 0:
            m["ndcg" + suffix] = dcg(gains, k) / dcg(ideal, k)
            m["dcg" + suffix] = dcg(gains, k)
            left, m["err" + suffix] = 1, 0
            for place, r in enumerate(rels[:k], 1):
                stop = (2 ** r - 1) / 2 ** top
                m["err" + suffix] += left * stop / place
                left *= 1 - stop
        if R > 0:
            m["map" + suffix] = sum(sum(hits[:i]) / i for i, h in enumerate(hits[:k], 1) if h) / (
                min(k or R, R) if options.get("attainable_map") else R)
            m["mrr" + suffix] = 1 / first if first and first <= (k or first) else 0
            if k:
                found = sum(hits[:k])
                m |= {f"precision@{k}": found / k, f"recall@{k}": found / R, f"f1@{k}": 2 * found / (k + R),
                      f"hit_rate@{k}": float(found > 0)}
    m.pop("dcg", None)
    if R > 0:
        m["r_precision"] = sum(hits[:R]) / R
        for p in ps:
            m[f"rbp@{p:g}"] = (1 - p) * sum(p ** i for i, h in enumerate(hits) if h)
        m["bpref"], before = 0, 0
        for j, h in zip(judged, hits):
            before += j and not h
            if h:
                m["bpref"] += (1 - min(before, R) / min(N, R) if before else 1) / R
    if first:
        m["min_label_position"] = first
    return m


def trec_eval(query, options, ks):
    """Of ties: item."""
    grades = query["relevance"] + query["missed"]
    threshold = options["relevance_threshold"]
    if not query["scores"] or not all(g == int(g) for g in grades) or threshold != int(threshold):
        return {}
    qrel = {f"{9999 - i}": int(r) for i, (r, j) in enumerate(zip(query["relevance"], query["judged"])) if j}
    qrel |= {f"m{i}": int(r) for i, r in enumerate(query["missed"])}
    if not any(g >= threshold for g in qrel.values()):
        return {}
    run = {f"{9999 - i}": float(s) for i, s in enumerate(query["scores"])}
    cut = ",".join(map(str, ks))
    wanted = {"map", "recip_rank", "Rprec", "bpref", "ndcg"} | {f"{m}.{cut}" for m in
                                                               ("map_cut", "P", "recall", "success", "ndcg_cut")}
    got = pytrec_eval.RelevanceEvaluator({"q": qrel}, wanted, relevance_level=int(threshold)).evaluate({"q": run})["q"]
    names = {"map": "map", "recip_rank": "mrr", "Rprec": "r_precision", "bpref": "bpref"}
    for k in ks:
        names |= {f"map_cut_{k}": f"map@{k}", f"P_{k}": f"precision@{k}", f"recall_{k}": f"recall@{k}",
                  f"success_{k}": f"hit_rate@{k}"}
    if options["gain"] == "linear":
        names |= {"ndcg": "ndcg"} | {f"ndcg_cut_{k}": f"ndcg@{k}" for k in ks}
    if options.get("attainable_map"):  # not trec_eval's
        names = {theirs: ours for theirs, ours in names.items() if not ours.startswith("map@")}
    return {ours: got[theirs] for theirs, ours in names.items()}


def scikit(query, options, ks):
    """dcg and ndcg of ties: expected."""
    rels = query["relevance"]
    everything = sorted(rels + query["missed"], reverse=True)
    if len(rels) < 2 or not any(everything):
        return {}
    gains, ideal = (np.array([[gain(r, options) for r in x]]) for x in (rels, everything))
    m = {}
    for suffix, k in [("", None)] + [(f"@{k}", k) for k in ks]:
        m["dcg" + suffix] = sk.dcg_score(gains, [query["scores"]], k=k)
        m["ndcg" + suffix] = m["dcg" + suffix] / sk.dcg_score(ideal, [list(range(len(everything), 0, -1))], k=k)
        if not query["missed"]:
            m["ndcg" + suffix] = sk.ndcg_score(gains, [query["scores"]], k=k)
    m.pop("dcg")
    return m


def of_query(query, options, ks, ps):
    lists = [measures(query, order, options, ks, ps) for order in orders(query, options["ties"])]
    m = {name: math.fsum(x[name] for x in lists) / len(lists) for name in lists[0]}
    better = trec_eval(query, options, ks) if options["ties"] == "item" else scikit(query, options, ks)
    for name, value in better.items():
        assert abs(value - m[name]) < CLOSE * max(1, abs(value)), (name, value, m[name])
    m |= better
    hits = [r >= options["relevance_threshold"] for r in query["relevance"]]
    if len(set(hits)) == 2:
        m["auc"] = sk.roc_auc_score(hits, query["scores"])
    if len(set(query["scores"])) > 1 and len(set(query["relevance"])) > 1:
        m["kendall_tau"] = scipy.stats.kendalltau(query["scores"], query["relevance"]).statistic
    return m


def ranking(queries, options, *, w=None, ks=(1, 3, 5), ps=(0.8, 0.95)):
    w = np.ones(len(queries)) if w is None else np.asarray(w)
    values = [of_query(q, options, ks, ps) for q in queries]
    everything = [q["relevance"] + q["missed"] for q in queries]
    empty = np.array([not any(r >= options["relevance_threshold"] for r in rels) for rels in everything])
    gainless = np.array([not any(rels) for rels in everything])
    policy = {"skip": None, "zero": 0, "one": 1}[options["empty_queries"]]
    rows = []

    def average(name, weights=w, label=None):
        of = [v.get(name) for v in values]
        if policy is not None and name.split("@")[0] not in ("auc", "kendall_tau", "min_label_position", "judged"):
            out = gainless if name.split("@")[0] in ("ndcg", "dcg", "err") else empty
            of = [(0 if name.startswith("dcg") else policy) if o else v for v, o in zip(of, out)]
        at = [i for i, v in enumerate(of) if v is not None]
        value = mean([of[i] for i in at], weights[at]) if at else None
        if name.startswith("err") and any(r > options["max_relevance"] for rels in everything for r in rels):
            value = None
        rows.append((label or name, None, finite(value)))

    for name in ("ndcg", "map", "mrr", "r_precision", "err", "bpref", "auc", "kendall_tau", "min_label_position"):
        average(name)
    for name in ("ndcg", "dcg", "map", "mrr", "precision", "recall", "f1", "hit_rate", "err", "judged"):
        for k in ks:
            average(f"{name}@{k}")
    for p in ps:
        average(f"rbp@{p:g}")
    average("auc", w * [len(q["scores"]) for q in queries], "gauc")
    return rows + [("queries", None, float(len(queries))), ("queries_without_relevant", None, float(empty.sum()))]


def of_ties(query, options, ks):
    """Metrics of ties: expected that need no list of all orders: scikit-learn's and SciPy's and, as the expectation of a
    sum is the sum of expectations, those that count hits (NUMPY)."""
    m = scikit(query, options, ks)
    scores, hits = np.array(query["scores"]), np.array(query["relevance"]) >= options["relevance_threshold"]
    total = sum(hits) + sum(r >= options["relevance_threshold"] for r in query["missed"])
    expected = np.array([hits[scores == s].mean() for s in sorted(scores, reverse=True)])  # at each place
    for k in ks:
        found = expected[:k].sum()
        m |= {f"precision@{k}": found / k, f"recall@{k}": found / total, f"f1@{k}": 2 * found / (k + total)}
    m["r_precision"] = expected[:total].sum() / total
    for p in (0.8, 0.95):
        m[f"rbp@{p:g}"] = (1 - p) * (expected * p ** np.arange(len(expected))).sum()
    if len(set(hits)) == 2:
        m["auc"] = sk.roc_auc_score(hits, scores)
    if len(set(scores)) > 1 and len(set(query["relevance"])) > 1:
        m["kendall_tau"] = scipy.stats.kendalltau(scores, query["relevance"]).statistic
    return m


def ranking_of_ties(queries, options, *, ks):
    """Of unweighted queries, each with a relevant item."""
    values = [of_ties(q, options, ks) for q in queries]
    rows = []
    for name in sorted(set().union(*values)):
        rows.append((name, None, finite(mean([v[name] for v in values if name in v]))))
    items = np.array([len(q["scores"]) for q, v in zip(queries, values) if "auc" in v])
    gauc = mean([v["auc"] for v in values if "auc" in v], items) if len(items) else None
    return rows + [("gauc", None, finite(gauc)), ("queries", None, float(len(queries)))]
