"""Which rows a report is of: ids of examples, and how they find back to the data."""

import beameval
import datasets
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

TRUE, SCORE = [1, 0, 1, 0], [0.9, 0.2, 0.4, 0.55]


def evaluate(*args, **keys):
    return beameval.evaluate(*args, quiet=True, worst_examples=4, **keys)


def ids(report):
    """Returns the ids of the examples from the best, which is row 0, to the worst."""
    return report._examples("worst_examples")["example"].to_pylist()[::-1]


def frame(index=None, **columns):
    return pd.DataFrame({"y": TRUE, "p": SCORE, **columns}, index=index)


ORDER = [0, 1, 3, 2]  # from the smallest loss to the largest


@pytest.mark.parametrize(
    "index, want",
    [
        (None, [0, 1, 2, 3]),
        (pd.RangeIndex(10, 50, 10), [10, 20, 30, 40]),
        ([7, 3, 5, 1], [7, 3, 5, 1]),
        (list("dbca"), list("dbca")),
        ([0.5, 1.5, 2.5, 3.5], [0.5, 1.5, 2.5, 3.5]),
        (pd.CategoricalIndex(list("dbca")), list("dbca")),
        (pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1), ("b", 2)]), [0, 1, 2, 3]),
        ([1, 1, 2, 2], [0, 1, 2, 3]),  # as pd.concat makes it
        (["a", "b", "c", None], [0, 1, 2, 3]),
    ],
    ids=str,
)
def test_index(index, want):
    want = [want[i] for i in ORDER]
    r = evaluate(frame(index), label="y", score="p")
    assert ids(r) == want
    assert r.worst_examples["example"].tolist()[::-1] == want
    df = frame(index)
    for arrays in ({"y_true": df.y, "y_score": df.p}, {"y_true": TRUE, "y_score": df.p}, {"y_true": df[["y"]], "y_score": df[["p"]]}):
        assert ids(evaluate(**arrays)) == want
    mixed = evaluate(y_true=pd.Series(TRUE), y_score=df.p)  # of which one merely numbers the rows
    assert ids(mixed) == want
    assert r.join(df)[["y", "p"]].equals(df[["y", "p"]].iloc[ORDER[::-1]])


def test_index_of_all_shapes():
    """An index is not lost where shapes are read."""
    index = list("dbca")
    one_hot, both = pd.DataFrame(np.eye(2, dtype=int)[TRUE], index=index), pd.DataFrame(np.c_[1 - np.array(SCORE), SCORE], index=index)
    for keys in (
        {"y_true": one_hot, "y_score": both.to_numpy(), "task": "multiclass"},
        {"y_true": TRUE, "y_score": both},
        {"y_true": TRUE, "y_score": np.log(both), "input": {"score_type": "logit"}},
        {"y_true": pd.Series(TRUE, index), "y_score": both.to_numpy().tolist()},
    ):
        assert ids(evaluate(**keys)) == [index[i] for i in ORDER]


def test_orders_of_indexes():
    y, p = pd.Series(TRUE, list("abcd")), pd.Series(SCORE, list("dcba"))
    with pytest.raises(beameval.Error, match="y_true and y_score have the same index in another order: pass y_score.reindex"):
        evaluate(y_true=y, y_score=p)
    assert evaluate(y_true=y, y_score=p.to_numpy())["roc_auc"] == 0.75
    with pytest.raises(beameval.Error, match="y_true and slices have the same index in another order"):
        evaluate(y_true=y, y_score=SCORE, slices=pd.DataFrame({"country": list("aabb")}, list("bacd")))
    assert evaluate(y_true=y, y_score=pd.Series(SCORE, list("wxyz")))["roc_auc"] == 0.75


@pytest.mark.parametrize("name", ["id", "ID", "example_id", "Example-Id", "ExampleId"])
@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_of_ids(name, library):
    """A column with a usual name, in any spelling, has the ids, as in files."""
    data = library({"y": TRUE, "p": SCORE, name: list("dbca")})
    r = evaluate(data, label="y", score="p")
    assert ids(r) == ["d", "b", "a", "c"]
    found = r.join(data)[name]
    assert (found.to_pylist() if library is pa.table else list(found)) == ["c", "a", "b", "d"]


@pytest.mark.parametrize("of", [lambda t: t, pl.from_arrow, pa.Table.to_pandas, datasets.Dataset, duckdb.from_arrow, pa.Table.to_pydict])
@pytest.mark.parametrize("key", [[7, 3, 5, 1], list("dbca"), None])
def test_join(of, key):
    columns = {"y": TRUE, "p": SCORE, "score": [1, 2, 3, 4], **({"user": key} if key else {})}
    data = of(pa.table(columns))
    r = evaluate(data, label="y", score="p", example="user" if key else None)
    found = r.join(data, example="user" if key else None)
    rows = list(found) if isinstance(found, datasets.Dataset) else pa.table(found).to_pylist()
    assert [(row["rank"], row["p"], row["score"]) for row in rows] == [(1, 0.4, 3), (2, 0.55, 4), (3, 0.2, 2), (4, 0.9, 1)]
    assert all(row["score_of_report"] == row["p"] for row in rows)


def test_join_of_other_data():
    r = evaluate(frame(list("dbca")), label="y", score="p")
    with pytest.raises(beameval.Error, match="the data have no example 'c', which the report lists"):
        r.join(frame(list("dbxa")))
    with pytest.raises(beameval.Error, match="the ids of the data are int64, which those of the report are not"):
        r.join(frame())
    with pytest.raises(beameval.Error, match='no column "users"; the data have y, p'):
        r.join(frame(), example="users")
    with pytest.raises(beameval.Error, match="is no table of examples: expected worst_examples or"):
        r.join(frame(), "confusion")
    with pytest.raises(beameval.Error, match="has no changed_examples.parquet: set changed_examples"):
        r.join(frame(list("dbca")), "changed_examples")


def test_join_of_changes():
    data = frame(old=[0.4, 0.1, 0.8, 0.1], index=list("dbca"))
    r = beameval.evaluate(data, label="y", score="p", changed_examples=5, input={"columns": {"baseline_score": "old"}}, quiet=True)
    assert [(row.name, row.old) for _, row in r.join(data, "changed_examples").drop(columns="name").iterrows()] == [("a", 0.1), ("c", 0.8), ("d", 0.4)]


def test_join_of_queries():
    """A query has several rows."""
    data = pd.DataFrame({"q": [7, 7, 8, 8], "doc": list("abab"), "relevance": [0, 1, 1, 0], "score": [0.9, 0.1, 0.8, 0.2]})
    r = beameval.evaluate(data, task="ranking", query="q", label="relevance", score="score", worst_examples=1, quiet=True)
    assert r.worst_examples["example"].tolist() == [7]
    assert r.join(data, example="q")["doc"].tolist() == ["a", "b"]
