"""Arrays and tables mean the same in every form: of NumPy, as nested lists, and in every library."""

import beameval
import datasets
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn import metrics as sklearn

TRUE, SCORE = [1, 0, 1, 0], [0.9, 0.2, 0.4, 0.6]
Y = np.array([[1, 0, 0], [0, 1, 1], [1, 1, 0], [0, 0, 0]])
P = np.array([[0.9, 0.2, 0.1], [0.3, 0.8, 0.4], [0.6, 0.7, 0.2], [0.1, 0.6, 0.2]])
NAMES = ["a", "b", "c"]


def evaluate(*args, **keys):
    return beameval.evaluate(*args, quiet=True, **keys)


def frame(matrix, names=NAMES):
    return pd.DataFrame(matrix, columns=names[: matrix.shape[1]])


def table(matrix, names=NAMES):
    return pa.Table.from_pandas(frame(matrix, names), preserve_index=False)


class Stream:
    """Anything with a stream of Arrow, which can be read once."""

    def __init__(self, of):
        self.of = of

    def __arrow_c_stream__(self, requested_schema=None):
        return self.of.__arrow_c_stream__(requested_schema)


# What has the columns of a matrix, with names.
TABLES = {
    "pandas": frame,
    "polars": lambda *m: pl.from_arrow(table(*m)),
    "lazy": lambda *m: pl.from_arrow(table(*m)).lazy(),
    "arrow": table,
    "chunks": lambda *m: pa.concat_tables([table(*m).slice(0, 1), table(*m).slice(1)]),
    "batch": lambda *m: table(*m).combine_chunks().to_batches()[0],
    "reader": lambda *m: table(*m).to_reader(2),
    "stream": lambda *m: Stream(table(*m)),
    "duckdb": lambda *m: duckdb.from_arrow(table(*m)),
    "datasets": lambda *m: datasets.Dataset(table(*m)),
    "dict": lambda *m: table(*m).to_pydict(),
}
# What has no names.
ARRAYS = {
    "numpy": np.asarray,
    "float32": lambda m: m.astype("float32"),
    "objects": lambda m: m.astype(object),
    "lists": lambda m: m.tolist(),
    "tuples": lambda m: tuple(map(tuple, m.tolist())),
    "list of arrays": list,
    "series of lists": lambda m: pd.Series(m.tolist()),
    "series of arrays": lambda m: pl.Series(m.tolist(), dtype=pl.Array(pl.Float64, m.shape[1])),
    "polars lists": lambda m: pl.Series(m.tolist()),
    "arrow lists": lambda m: pa.array(m.tolist()),
    "objects of lists": lambda m: pd.Series(m.tolist()).to_numpy(),
    "range": lambda m: pd.DataFrame(m),
    "column_0": lambda m: pl.DataFrame(m),
}
FORMS = {**TABLES, **ARRAYS}


@pytest.mark.parametrize("truth", [name for name in FORMS if name not in ("float32", "series of arrays")])
def test_multilabel_truth(truth):
    want = sklearn.hamming_loss(Y, P >= 0.5)
    r = evaluate(y_true=FORMS[truth](Y), y_score=P)
    assert r["hamming_loss"] == want
    assert evaluate(y_true=FORMS[truth](Y), y_pred=(P >= 0.5).astype(int), task="multilabel")["hamming_loss"] == want
    assert evaluate(y_true=FORMS[truth](Y), y_pred=FORMS[truth]((P >= 0.5).astype(int)))["hamming_loss"] == want


@pytest.mark.parametrize("score", FORMS)
def test_scores(score):
    classes = [0, 1, 0, 2]
    of = FORMS[score]
    assert evaluate(y_true=Y, y_score=of(P))["lrap"] == pytest.approx(sklearn.label_ranking_average_precision_score(Y, P))
    assert evaluate(y_true=np.array(NAMES)[classes], y_score=of(P), labels=NAMES)["accuracy"] == sklearn.accuracy_score(classes, P.argmax(1))
    both = np.c_[1 - np.array(SCORE), SCORE]
    assert evaluate(y_true=TRUE, y_score=of(both) if score in ARRAYS else of(both, ["0", "1"]))["roc_auc"] == 0.75
    assert evaluate(y_true=TRUE, y_score=of(np.array(SCORE)[:, None]))["roc_auc"] == 0.75


@pytest.mark.parametrize("name", TABLES)
def test_names_of_columns(name):
    """Names count, not places, in scores and in truth."""
    of, order = TABLES[name], [2, 0, 1]
    moved = [NAMES[i] for i in order]
    want = sklearn.hamming_loss(Y, P >= 0.5)
    assert evaluate(y_true=of(Y), y_score=of(P[:, order], moved))["hamming_loss"] == want
    assert evaluate(y_true=Y, y_score=of(P[:, order], moved), labels=NAMES)["hamming_loss"] == want
    assert evaluate(y_true=["a", "b", "a", "c"], y_score=of(P[:, order], moved))["accuracy"] == sklearn.accuracy_score([0, 1, 0, 2], P.argmax(1))
    one_hot = np.eye(3, dtype=int)[[0, 1, 0, 2]]
    assert evaluate(y_true=of(one_hot), y_score=of(P[:, order], moved), task="multiclass")["accuracy"] == sklearn.accuracy_score([0, 1, 0, 2], P.argmax(1))


@pytest.mark.parametrize("name", TABLES)
def test_data_and_slices(name):
    columns = table(np.c_[TRUE, SCORE], ["y", "p"]).append_column("country", [["de", "de", "fr", None]])
    of = {
        "pandas": pa.Table.to_pandas, "polars": pl.from_arrow, "lazy": lambda t: pl.from_arrow(t).lazy(), "batch": lambda t: t.combine_chunks().to_batches()[0],
        "reader": pa.Table.to_reader, "stream": Stream, "duckdb": duckdb.from_arrow, "datasets": datasets.Dataset, "dict": pa.Table.to_pydict,
    }.get(name, lambda t: t)  # fmt: skip
    rows = []
    for r in evaluate(of(columns), label="y", score="p", slices="country"), evaluate(y_true=TRUE, y_score=SCORE, slices=of(columns.select(["country"]))):
        kept = r._table("metrics.parquet")
        rows.append([row for row in kept.select(["slice", "name", "value"]).to_pylist() if row["name"] in ("accuracy", "roc_auc")])
    assert rows[0] == rows[1] and len(rows[0]) == 8
    assert rows[0][0]["value"] == 0.5


@pytest.mark.parametrize("of", [np.asarray, lambda m: m.tolist(), sparse.csr_matrix, frame, table])
def test_one_hot_truth(of):
    one_hot = np.eye(3, dtype=int)[[0, 1, 0, 2]]
    assert evaluate(y_true=of(one_hot), y_score=P, task="multiclass")["accuracy"] == sklearn.accuracy_score([0, 1, 0, 2], P.argmax(1))
    assert evaluate(y_true=of(one_hot.astype(bool)), y_score=P, task="multiclass")["accuracy"] == 0.5


def test_lists_that_are_labels():
    """Lists of different lengths, or with other numbers than 0 and 1, are labels; of two 0 and 1, nobody knows."""
    assert evaluate(y_true=[[0], [1, 2], [0, 1], []], y_score=P)["hamming_loss"] == sklearn.hamming_loss(Y, P >= 0.5)
    assert evaluate(y_true=[[0, 2], [1, 2]], y_score=P[:2])["hamming_loss"] == sklearn.hamming_loss([[1, 0, 1], [0, 1, 1]], P[:2] >= 0.5)
    assert evaluate(y_true=[["a", "c"], ["b", "c"]], y_score=P[:2], labels=NAMES)["hamming_loss"] == sklearn.hamming_loss([[1, 0, 1], [0, 1, 1]], P[:2] >= 0.5)
    two = [[0, 1], [1, 0]]
    assert evaluate(y_true=two, y_score=[[0.1, 0.9], [0.2, 0.8]])["hamming_loss"] == 0.5
    assert evaluate(y_true=two, y_score=P[:2], input={"label_encoding": "indices"})["label_cardinality"] == 2
    with pytest.raises(beameval.Error, match="set labels or num_labels"):
        evaluate(y_true=two, y_pred=two)
    with pytest.raises(beameval.Error, match="all lists have only 0 and 1: set it to indicator .* or to indices"):
        evaluate(y_true=two, y_pred=two, config={"num_labels": 2})


def test_nulls_of_tables():
    for score in (pa.table({"a": [0.9, None], "b": [0.1, 0.5]}), pl.DataFrame({"a": [0.9, None], "b": [0.1, 0.5]})):
        with pytest.raises(beameval.Error, match="row 1: .*null"):
            evaluate(y_true=["a", "b"], y_score=score)


def test_types_of_tables():
    """Columns of one table may be of different types."""
    mixed = pa.table({"a": pa.array([1, 0, 0, 0], pa.int8()), "b": pa.array([0, 0.7, 0, 0], pa.float32()), "c": pa.array([False, False, True, True])})
    assert evaluate(y_true=["a", "b", "c", "c"], y_score=mixed)["accuracy"] == 1
