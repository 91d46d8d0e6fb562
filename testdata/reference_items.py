"""Reference values of the metrics of which items queries show, for make_cases.py.

Queries are those of reference_queries.py. In addition, a query has items and missed_items, the ids of the items that were
retrieved and of those that were judged and missed; categories of the items; and perhaps frequencies of the items. All is NUMPY
and SciPy, from the definitions: the first k of a query are an average over all orders of tied items, item by item; Gini is
half the relative mean difference of all pairs of items; similarities are taken of all pairs of queries.
Without ties, novelty and personalization are also those of recmetrics 0.1.5.

Run as a script, it prints the values of digits_retrieval that pipeline/distinct_test.go has.
"""
import itertools
import math

from pathlib import Path

import numpy as np
import scipy.stats

from reference import finite
from reference_queries import orders

NAN = float("nan")


def shares(query, k, ties):
    """How likely each item is to be among the first k, by id."""
    if ties == "places":  # as many of the places of its score as are among the first k; there are too many orders
        scores = np.array(query["scores"])
        return {i: min(max((k - (scores > s).sum()) / (scores == s).sum(), 0), 1) for i, s in zip(query["items"], scores)}
    lists = orders(query, ties)
    share = dict.fromkeys(query["items"], 0.0)
    for order in lists:
        for i in order[:k]:
            share[query["items"][i]] += 1 / len(lists)
    return share


def diversity(query, k, ties):
    """The mean share of pairs of different categories over all orders."""
    if min(k, len(query["items"])) < 2:
        return NAN
    lists = [[query["categories"][i] for i in order[:k]] for order in orders(query, ties)]
    return np.mean([np.mean([a != b for a, b in itertools.combinations(x, 2)]) for x in lists])


def items(queries, options, *, w=None, ks=(1, 3, 5), catalog_size=None, frequency_total=None):
    w = np.ones(len(queries)) if w is None else np.asarray(w)
    popular = {}
    for q, weight in zip(queries, w):
        for item, rel in zip(q["items"] + q["missed_items"], q["relevance"] + q["missed"]):
            popular.setdefault(item, 0.0)
            popular[item] += weight * (rel >= options["relevance_threshold"])
    frequency, whole = popular, w.sum()
    if frequency_total is not None:
        frequency, whole = dict.fromkeys(popular, 0.0), frequency_total
        for q in queries:
            frequency |= dict(zip(q["items"], q["frequencies"]))
    n = len(popular) if catalog_size is None else catalog_size
    ids = sorted(popular)
    frequency = np.array([frequency[i] for i in ids])
    out = {}
    for k in ks:
        of = np.array([[s.get(i, 0) for i in ids] for s in (shares(q, k, options["ties"]) for q in queries)]).reshape(len(queries), len(ids))
        shown = w @ of
        some = shown.sum() > 0
        every = np.concatenate([shown, np.zeros(n - len(ids))])
        head = np.array([frequency[frequency > f].sum() < 0.8 * frequency.sum() for f in frequency])
        known = frequency > 0
        between = np.abs(every[:, None] - every[None, :]).sum()
        out[f"item_coverage@{k}"] = (shown > 0).sum() / n if some else NAN
        out[f"gini@{k}"] = between / (2 * n * every.sum()) if some else NAN
        out[f"entropy@{k}"] = scipy.stats.entropy(shown, base=2) if some else NAN
        out[f"average_popularity@{k}"] = shown @ frequency / shown.sum() if some else NAN
        out[f"tail_share@{k}"] = shown[~head].sum() / shown.sum() if some and known.any() else NAN
        if some and shown[known].sum() > 0:
            out[f"novelty@{k}"] = shown[known] @ -np.log2(frequency[known] / whole) / shown[known].sum()
        else:
            out[f"novelty@{k}"] = NAN
        unit = [row / math.sqrt(min(k, len(q["items"]))) for row, q in zip(of, queries) if q["items"]]
        pairs = [(a @ b, x * y) for (a, x), (b, y) in itertools.combinations(list(zip(unit, w[[bool(q["items"]) for q in queries]])), 2)]
        total = sum(p for _, p in pairs)
        out[f"personalization@{k}"] = 1 - sum(s * p for s, p in pairs) / total if total > 0 else NAN
        if "categories" not in queries[0]:
            continue
        different = np.array([diversity(q, k, options["ties"]) for q in queries])
        at = ~np.isnan(different)
        out[f"diversity@{k}"] = np.average(different[at], weights=w[at]) if at.any() else NAN
    return [(name, None, finite(v)) for name, v in out.items()]


def retrieved_digits():
    """The queries of digits_retrieval."""
    import pyarrow.parquet as pq

    run, qrels = (pq.read_table(Path(__file__).resolve().parent / "digits_retrieval" / f"{f}.parquet").to_pylist() for f in ("run", "qrels"))
    queries = {}
    for row in run:
        q = queries.setdefault(row["query_id"], {"scores": [], "items": [], "relevance": [], "missed": [], "missed_items": []})
        q["scores"].append(row["score"])
        q["items"].append(row["image_id"])
        q["relevance"].append(0)
    for row in qrels:
        q, item, rel = queries[row["query_id"]], row["image_id"], row["relevance"]
        if item in q["items"]:
            q["relevance"][q["items"].index(item)] = rel
        else:
            q["missed"].append(rel)
            q["missed_items"].append(item)
    return list(queries.values())


if __name__ == "__main__":
    for name, _, value in items(retrieved_digits(), {"ties": "places", "relevance_threshold": 1}, ks=(10,), catalog_size=1797):
        print(name, value)
