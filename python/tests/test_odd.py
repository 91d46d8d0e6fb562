"""Forms of data that were misread in silence, or refused although their meaning is plain."""

import datetime as dt
import decimal

import beameval
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

TRUE, SCORE = [1, 0, 1, 0], [0.9, 0.2, 0.4, 0.6]
P = np.array([[0.7, 0.2, 0.1], [0.2, 0.7, 0.1], [0.1, 0.2, 0.7], [0.7, 0.2, 0.1]])


def evaluate(*args, **keys):
    return beameval.evaluate(*args, quiet=True, **keys)


@pytest.mark.parametrize("of", [iter, list, lambda v: (x for x in v), lambda v: map(float, v), lambda v: dict(enumerate(v)).values(), lambda v: filter(lambda _: True, v)])
def test_iterators_keep_their_first_row(of):
    assert evaluate(y_true=of(TRUE), y_score=of(SCORE))["roc_auc"] == 0.75
    assert evaluate({"y": of(TRUE), "p": of(SCORE)}, label="y", score="p")["roc_auc"] == 0.75
    assert evaluate(y_true=of(TRUE), y_score=of(SCORE), slices={"c": of([1, 1, 2, 2])}).slices.column("accuracy").to_pylist() == [0.5, 1, 0]


def test_iterators_of_rows():
    assert evaluate(y_true=iter([0, 1, 0, 1]), y_score=zip([0.9, 0.2, 0.4, 0.6], [0.1, 0.8, 0.6, 0.4], strict=True))["accuracy"] == 0.5


def test_texts_and_sets_are_no_arrays():
    """Names of columns, of which each letter would be a row; and sets, which have no order."""
    for values in "label", b"label":
        with pytest.raises(beameval.Error, match="y_true is one text: pass an array, or name a column of data, as in label="):
            evaluate(y_true=values, y_pred="guess")
    for values in {0, 1}, frozenset([0, 1]):
        with pytest.raises(beameval.Error, match="y_true is a set, which has no order: pass a list"):
            evaluate(y_true=values, y_score=[0.1, 0.9])
        with pytest.raises(beameval.Error, match="labels is a set, which has no order: pass a list"):
            evaluate(y_true=["a", "b"], y_score=[[0.9, 0.1], [0.2, 0.8]], labels=values)
    with pytest.raises(beameval.Error, match="y_true is one value"):
        evaluate(y_true=1, y_score=[0.5])
    with pytest.raises(beameval.Error, match="a is one value"):
        evaluate(y_true={"a": 1}, y_score=[0.5])


def test_missing_values_that_became_texts():
    r = evaluate(y_true=np.array(["a", np.nan, "b"]), y_pred=np.array(["a", "b", "b"]))
    assert any('label "nan" reads as a missing value' in warning for warning in r.warnings)
    assert evaluate(y_true=["a", "nan", "b"], y_pred=["a", "b", "b"], labels=["a", "b", "nan"]).warnings == []


@pytest.mark.parametrize("labels", [pa.array(["c", "a", "b"]), pa.chunked_array([["c"], ["a", "b"]]), pd.Categorical(["c", "a", "b"]), ("c", "a", "b")])
def test_labels_of_libraries(labels):
    assert evaluate(y_true=["c", "a", "b", "a"], y_score=P, labels=labels)["accuracy"] == 0.75


def test_labels_of_numbers_of_arrow():
    assert evaluate(y_true=[3, 1, 2, 1], y_score=P, labels=pa.array([3, 1, 2]))["accuracy"] == 0.75


@pytest.mark.parametrize(("column", "value", "shown"), [
    (pa.array([decimal.Decimal("1.50"), decimal.Decimal("1.50"), None, None]), decimal.Decimal("1.5"), "1.5"),
    (pa.array([1, 1, None, None]), pd.NA, "null"), (pa.array(["a", "a", None, None]), pd.NaT, "null"),
    (pa.array([1, 1, 2, 2]), pa.scalar(2), "2"), (pa.array([dt.date(2026, 1, 1)] * 2 + [None] * 2), dt.date(2026, 1, 1), "2026-01-01"),
])  # fmt: skip
def test_values_of_libraries(column, value, shown):
    data = pa.table({"y": TRUE, "p": SCORE, "x": column})
    r = evaluate(data, label="y", score="p", slices=[{"x": [value]}], gates=[{"metric": "accuracy", "slice": {"x": value}, "min": 0}])
    assert r.slices.column("slice_x").to_pylist() == [None, shown]
    assert r.slices.column("support").to_pylist() == [4, 2]
    assert r.gates[0]["verdict"] == "pass"


def test_positive_label_that_is_decimal():
    one, two = decimal.Decimal("1.50"), decimal.Decimal("2")
    assert evaluate(y_true=[one, two, one, two], y_score=SCORE, positive_label=decimal.Decimal("1.5"))["roc_auc"] == 0.75


def test_columns_of_several_levels():
    data = pd.DataFrame(np.c_[TRUE, SCORE, [1, 1, 2, 2]], columns=pd.MultiIndex.from_tuples([("a", "y"), ("a", "p"), ("b", "x")]))
    r = evaluate(data, label=("a", "y"), score=("a", "p"), slices=[("b", "x")])
    assert r["roc_auc"] == 0.75
    assert r.slices["accuracy"].tolist() == [0.5, 1, 0]
    scores = pd.DataFrame(P, columns=pd.MultiIndex.from_product([["p"], ["c", "a", "b"]]))
    assert evaluate(y_true=["c", "a", "b", "a"], y_score=scores)["accuracy"] == 0.75


def test_columns_of_one_name():
    """Those that nothing needs may have one name."""
    data = pd.DataFrame(np.c_[TRUE, SCORE, SCORE, SCORE], columns=["y", "p", "x", "x"])
    assert evaluate(data, label="y", score="p")["roc_auc"] == 0.75
    with pytest.raises(beameval.Error, match='two columns are called "x"'):
        evaluate(data, label="y", score="p", slices="x")
    with pytest.raises(beameval.Error, match="two columns of y_score are called 'a'"):
        evaluate(y_true=["a", "b"], y_score=pd.DataFrame(P[:2], columns=["b", "a", "a"]))


def test_several_outputs():
    two = np.array([[1.0, 2], [3, 4]])
    with pytest.raises(beameval.Error, match="y_true has 2 columns, and task regression has one value a row: evaluate each column by itself"):
        evaluate(y_true=two, y_pred=two, task="regression")
    with pytest.raises(beameval.Error, match=r"y_score is a list of matrices.*column_stack\(\[p\[:, 1\] for p in y_score\]\)"):
        evaluate(y_true=np.array([[0, 1], [1, 0]]), y_score=[P[:2, :2], P[:2, :2]])
