"""The files of trec_eval's own tests, and what it prints for them, as cases."""

import pathlib

import pyarrow.parquet

import beameval
from cases import Case

# The judgements, the run, what trec_eval prints with these options, and the options as keys of a configuration.
TESTS = [
    ("qrels.test", "results.test", "out.test.aq", {}),
    ("qrels.test.with-comments", "results.test", "out.test", {}),
    ("qrels.comment.test", "results.comment.test", "out.comment.test", {}),
    ("qrels.test", "results.trunc", "out.test.aqc", {"missing_queries": "zero"}),
    ("qrels.rel_level", "results.test", "out.test.aql", {"relevance_threshold": 2}),
]
FAMILIES = ("ndcg_cut", "map_cut", "P", "recall", "success")
SINGLE = ("map", "recip_rank", "Rprec", "bpref", "ndcg")
COUNTS = ("num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret", "num_q", "runid")


def known(measure):
    family, _, cut = measure.rpartition("_")
    return measure in SINGLE or family in FAMILIES and cut.isdigit()


def printed(file):
    """Yields (measure, query, value) of each line."""
    for line in file.read_text().split("\n"):
        if line.strip():
            measure, query, value = line.split()
            yield measure, query, value


def cases(corpus):
    """Yields a case, or (measure, why it is unsupported), for each line that trec_eval prints."""
    folder = pathlib.Path(corpus) / "test"
    for qrels, run, out, keys in TESTS:
        lines = [line for line in printed(folder / out) if line[0] not in COUNTS]
        measures = sorted({measure for measure, _, _ in lines if known(measure)})
        try:
            values = evaluated(folder / qrels, folder / run, measures, keys)
        except beameval.Error as refused:
            if "fields, but must have" not in str(refused):
                raise
            yield from ((measure, "comments in files of judgements") for measure, _, _ in lines)
            continue
        for measure, query, value in lines:
            if not known(measure):
                yield measure, "no such metric"
                continue
            got = values.get((measure, query))
            yield Case("trec_eval", measure, float(value), {"command": out}, lambda r, got=got: got)


def evaluated(qrels, run, measures, keys):
    """Returns the values by measure and query, or "all"."""
    ranking = {"preset": "trec_eval", **keys}
    report = beameval.evaluate(
        config={"task": "ranking", "input": {"files": [str(run)], "format": "run"}, "truth": {"files": [str(qrels)], "format": "qrels", "missing": "skip"},
                "ranking": ranking, "metrics": measures, "output": {"per_query": True}}, quiet=True,
    )  # fmt: skip
    values = {(measure, "all"): report[measure] for measure in measures}
    names = {report._main(measure): measure for measure in measures}
    for row in pyarrow.parquet.read_table(pathlib.Path(report.path) / "per_query.parquet").to_pylist():
        values[names[row["name"]], row["query"]] = row["value"]
    return values


