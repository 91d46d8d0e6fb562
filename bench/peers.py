"""What users would run instead of beameval, on the same files.

peers.py FUNCTION DIR calls a function with a directory of Parquet files, and prints the metrics that it returns as JSON,
under the names that beameval gives them. scikit-learn and Evidently compute what their users usually report; polars and
DuckDB what queries express well.
"""

import json
import pathlib
import sys
from collections.abc import Callable
from typing import NamedTuple


class Peer(NamedTuple):
    function: Callable  # from a directory to metrics; it imports the package itself
    package: str


PEERS = {}  # by workload, by name


def peer(workload, name, package):
    """Adds a function to PEERS."""

    def add(function):
        PEERS.setdefault(workload, {})[name] = Peer(function, package)
        return function

    return add


def read(directory):
    """Reads all columns with pyarrow, and computes nothing: what every evaluation is compared with."""
    import pyarrow.parquet

    tables = [pyarrow.parquet.read_table(source) for source in (directory, *pathlib.Path(directory).glob("_truth-*.parquet"))]
    return {"rows": tables[0].num_rows}


def columns(directory, *names):
    """Reads some columns, without those that the files do not have."""
    import pyarrow.dataset

    files = pyarrow.dataset.dataset(directory, format="parquet")
    table = files.to_table([name for name in names if name in files.schema.names])
    return [table[name].combine_chunks() if name in table.column_names else None for name in names]


def matrix(lists):
    """Returns lists of equal length as the rows of a matrix."""
    return lists.flatten().to_numpy().reshape(len(lists), -1)


def averaged(labels, predictions, averages):
    """Returns precision, recall and F1, averaged in each way."""
    from sklearn.metrics import precision_recall_fscore_support

    values = {}
    for average in averages:
        scores = precision_recall_fscore_support(labels, predictions, average=average, zero_division=0)
        values |= {f"{name}_{average}": score for name, score in zip(("precision", "recall", "f1"), scores)}
    return values


@peer("binary", "scikit-learn", "sklearn")
def sklearn_binary(directory):
    from sklearn import metrics as m

    label, score, weight = columns(directory, "label", "score", "weight")
    y, s = label.to_numpy(), score.to_numpy()
    w = None if weight is None else weight.to_numpy()
    p = s >= 0.5
    precision, recall, f1, _ = m.precision_recall_fscore_support(y, p, average="binary", sample_weight=w)
    m.roc_curve(y, s, sample_weight=w)
    m.precision_recall_curve(y, s, sample_weight=w)
    return {
        "accuracy": m.accuracy_score(y, p, sample_weight=w),
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "mcc": m.matthews_corrcoef(y, p, sample_weight=w),
        "cohen_kappa": m.cohen_kappa_score(y, p, sample_weight=w),
        "roc_auc": m.roc_auc_score(y, s, sample_weight=w),
        "average_precision": m.average_precision_score(y, s, sample_weight=w),
        "log_loss": m.log_loss(y, s, sample_weight=w),
        "brier": m.brier_score_loss(y, s, sample_weight=w),
    }


@peer("unweighted", "Evidently", "evidently")
def evidently_binary(directory):
    """Computes the metrics of Evidently's report that beameval has, too, without its drawings. They take no weights."""
    import pandas as pd
    from evidently import BinaryClassification, DataDefinition, Dataset, Report
    from evidently import metrics as m

    label, score = columns(directory, "label", "score")
    frame = pd.DataFrame({"label": label.to_numpy(), "score": score.to_numpy()})
    task = BinaryClassification(target="label", prediction_probas="score", pos_label=1)
    data = Dataset.from_pandas(frame, data_definition=DataDefinition(classification=[task]))
    metrics = {
        "accuracy": m.Accuracy(), "precision": m.Precision(), "recall": m.Recall(), "f1": m.F1Score(), "specificity": m.TNR(),
        "fpr": m.FPR(), "fnr": m.FNR(), "roc_auc": m.RocAuc(), "log_loss": m.LogLoss(),
    }
    values = Report(list(metrics.values())).run(data).dict()["metrics"]
    return {name: value["value"] for name, value in zip(metrics, values, strict=True)}


@peer("multilabel", "scikit-learn", "sklearn")
def sklearn_multilabel(directory):
    import numpy as np
    from sklearn import metrics as m

    labels, scores = columns(directory, "labels", "scores")
    s = matrix(scores)
    y = np.zeros(s.shape, dtype=np.int8)
    y[np.repeat(np.arange(len(s)), np.diff(labels.offsets.to_numpy())), labels.flatten().to_numpy()] = 1
    p = (s >= 0.5).astype(np.int8)
    return averaged(y, p, ("micro", "macro", "weighted", "samples")) | {
        "subset_accuracy": m.accuracy_score(y, p),
        "hamming_loss": m.hamming_loss(y, p),
        "jaccard_samples": m.jaccard_score(y, p, average="samples", zero_division=0),
        "roc_auc_micro": m.roc_auc_score(y, s, average="micro"),
        "roc_auc_macro": m.roc_auc_score(y, s, average="macro"),
        "average_precision_macro": m.average_precision_score(y, s, average="macro"),
        "lrap": m.label_ranking_average_precision_score(y, s),
        "coverage_error": m.coverage_error(y, s),
        "ranking_loss": m.label_ranking_loss(y, s),
        "ndcg": m.ndcg_score(y, s),
    }


@peer("multiclass", "scikit-learn", "sklearn")
def sklearn_multiclass(directory):
    import numpy as np
    from sklearn import metrics as m

    label, scores, prediction = columns(directory, "label", "scores", "prediction")
    y, s = label.to_numpy(), matrix(scores).astype(np.float64)
    p = s.argmax(1) if prediction is None else prediction.to_numpy()
    s /= s.sum(1, keepdims=True)
    return averaged(y, p, ("micro", "macro", "weighted")) | {
        "accuracy": m.accuracy_score(y, p),
        "balanced_accuracy": m.balanced_accuracy_score(y, p),
        "mcc": m.matthews_corrcoef(y, p),
        "cohen_kappa": m.cohen_kappa_score(y, p),
        "top_k_accuracy@3": m.top_k_accuracy_score(y, s, k=3),
        "log_loss": m.log_loss(y, s),
        "roc_auc_ovr_macro": m.roc_auc_score(y, s, multi_class="ovr"),
    }


@peer("binary", "polars", "polars")
def polars_binary(directory):
    import polars as pl

    rows = pl.scan_parquet(f"{directory}/*.parquet")
    if "weight" not in rows.collect_schema():
        rows = rows.with_columns(weight=pl.lit(1.0))
    y, s, w = pl.col("label") == 1, pl.col("score"), pl.col("weight")
    tp = w.filter(y & (s >= 0.5)).sum()
    sums = rows.select(
        precision=tp / w.filter(s >= 0.5).sum(),
        recall=tp / w.filter(y).sum(),
        log_loss=-(w * pl.when(y).then(s).otherwise(1 - s).log()).sum() / w.sum(),
        brier=(w * (s - pl.col("label")) ** 2).sum() / w.sum(),
    )
    scores = rows.group_by("score").agg(p=w.filter(y).sum(), n=w.filter(~y).sum()).sort("score")
    p, n = pl.col("p"), pl.col("n")
    area = scores.select(roc_auc=(p * (n.cum_sum() - n / 2)).sum() / (p.sum() * n.sum()))
    return sums.collect().row(0, named=True) | area.collect().row(0, named=True)


@peer("ranking-text", "polars", "polars")
@peer("ranking", "polars", "polars")
def polars_ranking(directory):
    import polars as pl

    gain = 2 ** pl.col("relevance") - 1

    def dcg(order):
        rank = pl.col(order).rank("ordinal", descending=True)
        return (gain / (rank + 1).log(2)).filter(rank <= 10).sum()

    queries = pl.scan_parquet(f"{directory}/*.parquet").group_by("query_id").agg(dcg=dcg("score"), ideal=dcg("relevance"))
    mean = queries.filter(pl.col("ideal") > 0).select((pl.col("dcg") / pl.col("ideal")).mean())
    return {"ndcg@10": mean.collect().item()}


@peer("join-text", "polars", "polars")
@peer("join", "polars", "polars")
def polars_join(directory):
    import polars as pl

    truth = pl.scan_parquet(f"{directory}/_truth-*.parquet")
    rows = pl.scan_parquet(f"{directory}/part-*.parquet").join(truth, on="example_id")
    y, s = pl.col("label"), pl.col("score")
    means = rows.select(brier=((s - y) ** 2).mean(), log_loss=-pl.when(y == 1).then(s).otherwise(1 - s).log().mean())
    return means.collect(engine="streaming").row(0, named=True)


def query(text, directory):
    """Runs a query of DuckDB over the files, and returns its only row."""
    import duckdb

    result = duckdb.execute(text.format(files=f"'{directory}/*.parquet'", directory=directory))
    return dict(zip([column[0] for column in result.description], result.fetchone()))


@peer("binary", "DuckDB", "duckdb")
def duckdb_binary(directory):
    w = "weight" if columns(directory, "weight")[0] is not None else "1.0"
    sums = f"""
        select sum({w}) filter (label = 1 and score >= 0.5) / sum({w}) filter (score >= 0.5) as precision,
            sum({w}) filter (label = 1 and score >= 0.5) / sum({w}) filter (label = 1) as recall,
            sum({w} * -ln(case when label = 1 then score else 1 - score end)) / sum({w}) as log_loss,
            sum({w} * (score - label) ** 2) / sum({w}) as brier
        from {{files}}"""
    area = f"""
        with scores as (select score, sum({w} * label) as p, sum({w} * (1 - label)) as n from {{files}} group by score),
            below as (select p, n, sum(n) over (order by score) - n / 2 as lower from scores)
        select sum(p * lower) / (sum(p) * sum(n)) as roc_auc from below"""
    return query(sums, directory) | query(area, directory)


@peer("ranking-text", "DuckDB", "duckdb")
@peer("ranking", "DuckDB", "duckdb")
def duckdb_ranking(directory):
    text = """
        with ranked as (select query_id, 2 ** relevance - 1 as gain,
                row_number() over (partition by query_id order by score desc) as rank,
                row_number() over (partition by query_id order by relevance desc) as ideal from {files}),
            queries as (select sum(gain / log2(rank + 1)) filter (rank <= 10) as dcg,
                sum(gain / log2(ideal + 1)) filter (ideal <= 10) as best from ranked group by query_id)
        select avg(dcg / best) as "ndcg@10" from queries where best > 0"""
    return query(text, directory)


@peer("join-text", "DuckDB", "duckdb")
@peer("join", "DuckDB", "duckdb")
def duckdb_join(directory):
    text = """
        select avg((score - label) ** 2) as brier, avg(-ln(case when label = 1 then score else 1 - score end)) as log_loss
        from '{directory}/part-*.parquet' join '{directory}/_truth-*.parquet' using (example_id)"""
    return query(text, directory)


@peer("long", "DuckDB", "duckdb")
def duckdb_long(directory):
    text = """
        with counts as (select sum(label) as p, count(*) filter (score >= 0.5) as predicted,
            count(*) filter (score >= 0.5 and label = 1) as tp from {files} group by label_name)
        select sum(tp) / sum(predicted) as precision_micro, sum(tp) / sum(p) as recall_micro,
            avg(tp / predicted) as precision_macro, avg(tp / p) as recall_macro from counts"""
    return query(text, directory)


if __name__ == "__main__":
    metrics = globals()[sys.argv[1]](sys.argv[2])
    print(json.dumps({name: float(value) for name, value in metrics.items()}))
