#!/usr/bin/env python3
"""Reference values of trec_eval for trec_eval/: make_trec_eval.py [TREC_EVAL_REPOSITORY]

With a checkout of trec_eval, writes trec_eval/run.parquet and qrels.parquet: its test/results.trunc, which has no results
for query 302, and test/qrels.rel_level, with grades from -1 to 4. Always writes trec_eval/expected.json (averages over the
queries with results) and expected_complete.json (over all queries of the judgements: option -c). trec_eval -c prints the
same digits; without -c, version 10 refuses a query without results, and version 9 skips it.
"""
import json
import sys
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytrec_eval

HERE = Path(__file__).resolve().parent / "trec_eval"
KS = (1, 3, 5, 10, 100)


def convert(repository):
    run = [line.split() for line in open(repository / "test/results.trunc", encoding="latin-1")]
    qrels = [line.split() for line in open(repository / "test/qrels.rel_level", encoding="latin-1")]
    pq.write_table(pa.table({"query_id": [r[0] for r in run], "doc_id": [r[2] for r in run],
                             "score": [float(r[4]) for r in run]}), HERE / "run.parquet", compression="zstd")
    pq.write_table(pa.table({"query_id": [r[0] for r in qrels], "doc_id": [r[2] for r in qrels],
                             "relevance": pa.array([int(r[3]) for r in qrels], pa.int8())}), HERE / "qrels.parquet",
                   compression="zstd")


def nested(file, value):
    out = {}
    for row in pq.read_table(HERE / file).to_pylist():
        out.setdefault(row["query_id"], {})[row["doc_id"]] = row[value]
    return out


def main():
    if len(sys.argv) > 1:
        convert(Path(sys.argv[1]))
    run, qrels = nested("run.parquet", "score"), nested("qrels.parquet", "relevance")
    cut = ",".join(map(str, KS))
    wanted = {"map", "recip_rank", "Rprec", "bpref", "ndcg"} | {f"{m}.{cut}" for m in
                                                               ("map_cut", "P", "recall", "success", "ndcg_cut")}
    queries = pytrec_eval.RelevanceEvaluator(qrels, wanted).evaluate(run)
    names = {"map": "map", "recip_rank": "mrr", "Rprec": "r_precision", "bpref": "bpref", "ndcg": "ndcg"}
    for k in KS:
        names |= {f"map_cut_{k}": f"map@{k}", f"P_{k}": f"precision@{k}", f"recall_{k}": f"recall@{k}",
                  f"success_{k}": f"hit_rate@{k}", f"ndcg_cut_{k}": f"ndcg@{k}"}
    for file, over in (("expected.json", len(queries)), ("expected_complete.json", len(qrels))):
        rows = [{"name": ours, "slice": {}, "label": None, "value": sum(q[theirs] for q in queries.values()) / over}
                for theirs, ours in names.items()]
        rows.append({"name": "queries", "slice": {}, "label": None, "value": over})
        lines = ",\n".join(json.dumps(row) for row in rows)
        used = ", ".join(f"{p} {version(p)}" for p in ("pytrec_eval-terrier", "pyarrow"))
        (HERE / file).write_text(f'{{"_computed_with": "{used}", "rows": [\n{lines}]}}\n')


main()
