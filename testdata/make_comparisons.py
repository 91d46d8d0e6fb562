#!/usr/bin/env python3
"""Tests of the differences between two models on the real data sets: make_comparisons.py

Reads the Parquet files and writes {digits,digits_retrieval}/compared.json: {"_computed_with", "rows": [{"name", "slice", "a",
"b", "test", "statistic", "p"}…]}. a is the first model (predictions, run), b the second (other); the statistic has the sign of b - a.

- Accuracy of digits, overall and by slice: McNemar's test (statsmodels): statistic is the signed root of the asymptotic chi-squared
  without correction, p that of the exact test.
- Rankings of digits_retrieval: the paired t-test over queries (scipy.stats.ttest_rel). The measures of each query are those of trec_eval
  (pytrec_eval), which breaks ties by item, descending.
"""
import json
import math
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytrec_eval
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

HERE = Path(__file__).resolve().parent
MEASURES = {"ndcg": "ndcg", "ndcg@10": "ndcg_cut_10", "map": "map", "mrr": "recip_rank", "precision@5": "P_5", "precision@10": "P_10",
            "r_precision": "Rprec", "bpref": "bpref"}


def write(name, libraries, rows):
    computed_with = ", ".join(f"{library} {version(library)}" for library in libraries)
    lines = ",\n".join("  " + json.dumps(row) for row in rows)
    text = f'{{"_computed_with": {json.dumps(computed_with)}, "rows": [\n{lines}\n]}}\n'
    (HERE / name / "compared.json").write_text(text)
    print(f"{name}/compared.json: {len(rows)} rows")


def digits():
    a, b = (pq.read_table(HERE / "digits" / f"{file}.parquet").to_pydict() for file in ("predictions", "other"))
    assert a["example_id"] == b["example_id"] and a["label"] == b["label"]
    right = [np.equal(m["prediction"], m["label"]) for m in (a, b)]
    slices = [({}, np.full(len(right[0]), True))]
    for column in ("ink", "lean"):
        slices += [({column: value}, np.equal(a[column], value)) for value in sorted(set(a[column]))]
    rows = []
    for key, where in slices:
        x, y = (r[where] for r in right)
        table = [[int(sum(x & y)), int(sum(x & ~y))], [int(sum(~x & y)), int(sum(~x & ~y))]]
        root = math.sqrt(mcnemar(table, exact=False, correction=False).statistic)
        rows.append({"name": "accuracy", "slice": key, "a": float(x.mean()), "b": float(y.mean()), "test": "mcnemar",
                     "statistic": math.copysign(root, y.mean() - x.mean()), "p": float(mcnemar(table, exact=True).pvalue)})
    write("digits", ["statsmodels", "numpy"], rows)


def digits_retrieval():
    judged = {}
    for row in pq.read_table(HERE / "digits_retrieval" / "qrels.parquet").to_pylist():
        judged.setdefault(row["query_id"], {})[row["image_id"]] = row["relevance"]
    values = []
    for file in ("run", "other"):
        run = {}
        for row in pq.read_table(HERE / "digits_retrieval" / f"{file}.parquet").to_pylist():
            run.setdefault(row["query_id"], {})[row["image_id"]] = row["score"]
        found = pytrec_eval.RelevanceEvaluator(judged, {"ndcg", "ndcg_cut", "map", "recip_rank", "P", "Rprec", "bpref"}).evaluate(run)
        values.append({name: np.array([found[query][measure] for query in sorted(found)]) for name, measure in MEASURES.items()})
    rows = []
    for name in MEASURES:
        a, b = (v[name] for v in values)
        test = stats.ttest_rel(b, a)
        rows.append({"name": name, "slice": {}, "a": float(a.mean()), "b": float(b.mean()), "test": "ttest_rel",
                     "statistic": float(test.statistic), "p": float(test.pvalue)})
    write("digits_retrieval", ["scipy", "pytrec_eval-terrier"], rows)


if __name__ == "__main__":
    digits()
    digits_retrieval()
