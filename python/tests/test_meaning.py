"""Columns mean what the caller says: arrays, roles that are switched off, and classes."""

import beameval
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn import metrics as sklearn

TRUE, SCORE = [1, 0, 1, 0], [0.9, 0.2, 0.4, 0.6]
USUAL = "y_true Y_True y_score y_pred label labels score probability prediction weight sample_weight id example_id query_id model_a proba_0".split()


def evaluate(*args, **keys):
    return beameval.evaluate(*args, quiet=True, **keys)


def said(capfd, *args, **keys):
    """Returns the report, and what is said."""
    return beameval.evaluate(*args, **keys), capfd.readouterr().err


@pytest.mark.parametrize("library, name", [(library, "score") for library in (pl.DataFrame, pa.table, dict)] + [(pd.DataFrame, name) for name in USUAL])
def test_slices_are_no_roles(name, library):
    slices = library({name: [0.1, 0.9, 0.1, 0.9]})
    r = evaluate(y_true=TRUE, y_score=SCORE, slices=slices, confidence={})
    assert r["roc_auc"] == 0.75
    assert r["accuracy"] == 0.5
    assert evaluate(y_true=TRUE, y_pred=[1, 0, 1, 1], task="binary", slices=slices)["accuracy"] == 0.75
    assert f"slice_{name}" in r._table("metrics.parquet").column_names


def test_slices_that_are_configured_are_roles():
    slices = pd.DataFrame({"weight": [1, 1, 1, 7], "country": ["de", "de", "fr", "fr"]})
    r = evaluate(y_true=TRUE, y_score=SCORE, slices=slices, input={"columns": {"weight": "weight"}})
    assert r["accuracy"] == 0.2
    with pytest.raises(beameval.Error, match="y_score takes the place of input.columns.score: use one of both"):
        evaluate(y_true=TRUE, y_score=SCORE, slices=slices, config={"input": {"columns": {"score": "weight"}}})


def test_slices_beside_a_file(tmp_path):
    file = tmp_path / "config.yaml"
    file.write_text("metrics: [accuracy]\n")
    assert evaluate(y_true=TRUE, y_score=SCORE, slices={"country": list("aabb")}, config=file)["accuracy"] == 0.5
    with pytest.raises(beameval.Error, match="slices have a column with a usual name of the role weight"):
        evaluate(y_true=TRUE, y_score=SCORE, slices={"weight": [1, 2, 3, 4]}, config=file)


@pytest.mark.parametrize("data", [pd.DataFrame, pa.table])
def test_off(data):
    columns = {"label": TRUE, "score": SCORE, "pred": [1, 0, 1, 0], "weight": [1, 1, 1, 7], "id": [1, 1, 1, 1]}
    assert evaluate(data(columns))["accuracy"] == 1
    assert evaluate(data(columns), prediction=False)["accuracy"] == 0.2
    assert evaluate(data(columns), prediction=None, weight=None)["accuracy"] == 1
    assert evaluate(data(columns), prediction=False, weight=False)["accuracy"] == 0.5
    r = evaluate(data(columns), prediction=False, weight=False, example=False, worst_examples=4)
    assert sorted(int(i) for i in r._table("worst_examples.parquet")["example"].to_pylist()) == [0, 1, 2, 3]


def test_found_beside_named():
    columns = {"y": TRUE, "p": SCORE, "pred": [1, 0, 1, 0]}
    r = evaluate(columns, label="y", score="p")
    assert r["accuracy"] == 0.5
    assert r.warnings == ['column "pred" is not used: input.columns.score names column "p", and whether both are of one model is unknown: '
                          "set input.columns.prediction to use it, or to null if it is not"]  # fmt: skip
    assert evaluate(columns, label="y", score="p", prediction=False).warnings == []
    r = evaluate({"y": TRUE, "yhat": [1, 0, 1, 0], "score": SCORE}, task="binary", label="y", prediction="yhat")
    assert r["accuracy"] == 1 and "roc_auc" not in r
    assert 'column "score" is not used' in r.warnings[0]


Y = np.array([1, 0, 1, 0, 1, 1])
P = np.array([0.9, 0.2, 0.4, 0.6, 0.7, 0.5])
MATRIX = np.c_[1 - P, P]
WANT = sklearn.roc_auc_score(Y, P)
FRAMES = [pd.DataFrame, lambda rows, columns: pl.DataFrame(rows, schema=[str(c) for c in columns])]


def lists(matrix):
    return matrix.tolist()


@pytest.mark.parametrize("of", [np.asarray, lists, pd.DataFrame, pl.DataFrame, list, lambda m: m.astype("float32")])
def test_two_logits(of):
    logits = np.array([[5.0, 6], [1, 0], [3, 2.5], [0, 0.5], [-3, -1], [7, 7.2]])
    r = evaluate(y_true=Y, y_score=of(logits), input={"score_type": "logit"})
    margin = logits[:, 1] - logits[:, 0]
    assert r["roc_auc"] == sklearn.roc_auc_score(Y, margin)
    assert r["log_loss"] == pytest.approx(sklearn.log_loss(Y, 1 / (1 + np.exp(-margin))), rel=1e-6)
    assert evaluate(y_true=Y, y_score=of(logits), positive_label=0, input={"score_type": "logit"})["roc_auc"] == pytest.approx(r["roc_auc"])
    with pytest.raises(beameval.Error, match="y_score has two columns, and of scores that are not probabilities .* as a vector"):
        evaluate(y_true=Y, y_score=of(logits), input={"score_type": "score"})


@pytest.mark.parametrize("of", [np.asarray, lists, pd.DataFrame, pl.DataFrame, list])
@pytest.mark.parametrize("classes", [[0, 1], [1, 2], [False, True], ["no", "yes"], [0.0, 1.0]])
def test_positive_label_of_two_columns(classes, of):
    y = np.array(classes)[Y]
    for positive in classes:
        want = sklearn.roc_auc_score(Y == classes.index(positive), MATRIX[:, classes.index(positive)])
        for order in ([0, 1], [1, 0]):
            r = evaluate(y_true=y, y_score=of(MATRIX[:, order]), labels=[classes[i] for i in order], positive_label=positive)
            assert r["roc_auc"] == want, (positive, order)
    if classes == ["no", "yes"]:
        with pytest.raises(beameval.Error, match="positive_label is 'yes', and nothing says which of the two columns of y_score is its: set labels"):
            evaluate(y_true=y, y_score=of(MATRIX), positive_label="yes")
        with pytest.raises(beameval.Error, match="positive_label is 'maybe', and the columns of y_score are of 'no', 'yes'"):
            evaluate(y_true=y, y_score=of(MATRIX), positive_label="maybe", labels=classes)
    else:
        assert evaluate(y_true=y, y_score=of(MATRIX), positive_label=classes[0])["roc_auc"] == sklearn.roc_auc_score(Y == 0, 1 - P)


@pytest.mark.parametrize("keys", [{"task": "binary"}, {}])
@pytest.mark.parametrize("config", [True, False])
def test_labels_of_a_binary_task(keys, config):
    def run(y, p, labels, **more):
        named = {"config": {"labels": labels}} if config else {"labels": labels}
        return evaluate(y_true=y, y_score=p, **named, **keys, **more)["roc_auc"]

    y = np.array(["no", "yes"])[Y]
    assert run(Y, P, [0, 1]) == run(y, P, ["no", "yes"]) == run(Y, MATRIX, [0, 1]) == run(y, MATRIX, ["no", "yes"]) == WANT
    assert run(Y, MATRIX[:, ::-1], [1, 0]) == run(Y == 1, MATRIX[:, ::-1], [True, False]) == WANT
    assert run(y, MATRIX[:, ::-1], ["yes", "no"], positive_label="yes") == WANT
    with pytest.raises(beameval.Error, match="a binary task has two labels, not 3"):
        evaluate(y_true=y, y_score=P, task="binary", labels=["no", "yes", "maybe"])


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("classes", [["a", "b", "c"], [1, 2, 3], [10, 20, 30]])
def test_columns_of_frames_name_classes(classes, frame):
    y = np.array(classes)[[0, 1, 2, 1]]
    p = np.eye(3)[[0, 1, 2, 0]]
    want = sklearn.accuracy_score(y, np.array(classes)[p.argmax(1)])
    for order in ([0, 1, 2], [2, 0, 1], [1, 0, 2]):
        scores = frame(p[:, order], columns=[classes[i] for i in order])
        assert evaluate(y_true=y, y_score=scores)["accuracy"] == want
        r = evaluate(y_true=y, y_score=scores, labels=classes)
        assert r["accuracy"] == want and r["recall", str(classes[1])] == 0.5
    with pytest.raises(beameval.Error, match="the columns of y_score are called 'x', 'y', 'z', and the labels are .*: rename the columns"):
        evaluate(y_true=y, y_score=frame(p, columns=["x", "y", "z"]), labels=classes)


def test_range_names_nothing():
    for scores in (pd.DataFrame(np.eye(3)), pl.DataFrame(np.eye(3))):
        assert evaluate(y_true=["b", "a", "c"], y_score=scores, labels=["b", "a", "c"])["accuracy"] == 1


@pytest.mark.parametrize("frame", FRAMES)
def test_columns_of_frames_name_two_classes(frame):
    y = np.array(["no", "yes"])[Y]
    scores = frame(MATRIX[:, ::-1], columns=["yes", "no"])
    assert evaluate(y_true=y, y_score=scores, positive_label="yes")["roc_auc"] == WANT
    assert evaluate(y_true=y, y_score=scores, labels=["no", "yes"])["roc_auc"] == WANT
    assert evaluate(y_true=Y, y_score=frame(MATRIX[:, ::-1], columns=[1, 0]))["roc_auc"] == WANT


@pytest.mark.parametrize("frame", FRAMES)
def test_columns_of_frames_name_labels(frame):
    y, p = np.array([[1, 0, 0], [0, 1, 1], [1, 1, 0]]), np.array([[0.9, 0.2, 0.1], [0.3, 0.8, 0.4], [0.6, 0.7, 0.2]])
    names, order = ["a", "b", "c"], [2, 0, 1]
    want = sklearn.hamming_loss(y, p >= 0.5)
    truth, scores = frame(y, columns=names), frame(p[:, order], columns=[names[i] for i in order])
    assert evaluate(y_true=truth, y_score=scores)["hamming_loss"] == want
    assert evaluate(y_true=truth, y_score=p)["recall", "c"] == 0
    assert evaluate(y_true=y, y_score=scores, labels=names)["hamming_loss"] == want
    with pytest.raises(beameval.Error, match="the columns of y_score are called"):
        evaluate(y_true=truth, y_score=frame(p, columns=["a", "b", "d"]))


def test_lists_are_what_arrays_are():
    assert evaluate(y_true=Y.tolist(), y_score=MATRIX.tolist())["roc_auc"] == WANT
    assert evaluate(y_true=["a", "b", "c"], y_score=np.eye(3).tolist(), labels=["a", "b", "c"])["accuracy"] == 1


@pytest.mark.parametrize("classes", [[0, 1], [False, True], [0.0, 1.0], ["no", "yes"]])
@pytest.mark.parametrize("keys", [{}, {"task": "multiclass"}, {"positive_label": 1}, {"labels": [1, 0]}, {"labels": ["ham", "spam"]}])
@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, dict])
def test_two_columns_in_tables_and_arrays(classes, keys, library):
    """Scores of two classes mean the same as arrays, as lists and as columns."""
    if classes[0] == "no":
        keys = {"positive_label": "yes", "labels": ["no", "yes"]} if "positive_label" in keys else {}
    elif keys.get("positive_label") and classes[0] is False:
        keys = {"positive_label": True}
    y = np.array(classes)[Y]
    as_lists, as_columns = library({"label": y, "score": list(MATRIX)}), library({"label": y, "a": MATRIX[:, 0], "b": MATRIX[:, 1]})
    if classes[0] == "no" and not keys:
        keys = {"labels": ["no", "yes"], "task": "multiclass"}
    want = evaluate(y_true=y, y_score=MATRIX, **keys)
    for r in evaluate(as_lists, **keys), evaluate(as_columns, score=["a", "b"], **keys):
        assert r["accuracy"] == want["accuracy"]
        assert ("roc_auc" in r) == ("roc_auc" in want) == (keys.get("task") != "multiclass" and keys.get("labels", [0])[0] != "ham")
        assert r["log_loss"] == want["log_loss"]


def test_two_columns_and_texts():
    """Of texts, nothing says which is positive, so that they are classes, as in files."""
    y = np.array(["no", "yes"])[Y]
    assert evaluate(y_true=y, y_score=pd.DataFrame(MATRIX, columns=["no", "yes"]))["accuracy"] == sklearn.accuracy_score(Y, P > 0.5)
    with pytest.raises(beameval.Error, match="set positive_label"):
        evaluate(y_true=y, y_score=pd.DataFrame(MATRIX, columns=["no", "yes"]), task="binary")


@pytest.mark.parametrize("labels", [[1, 2, 3], [1.0, 2.0, 3.0], np.array([1.0, 2.0, 3.0]), ["1.0", "2", "3e0"]])
@pytest.mark.parametrize("kind", ["float64", "int64"])
def test_classes_that_are_numbers(labels, kind):
    y, p = np.array([1, 2, 3, 1, 3]), np.eye(3)[[1, 1, 2, 0, 2]]
    want = sklearn.accuracy_score(y, p.argmax(1) + 1)
    assert evaluate(y_true=y.astype(kind), y_score=p, labels=labels)["accuracy"] == want
    assert evaluate({"label": y.astype(kind), "score": p.tolist()}, labels=labels)["accuracy"] == want


@pytest.mark.parametrize("labels", [[True, False], ["true", "False"], np.array([True, False])])
def test_classes_that_are_booleans(labels):
    y, p = np.array([True, True, False, True]), np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.6, 0.4]])
    assert evaluate(y_true=y, y_score=p, labels=labels, task="multiclass")["accuracy"] == 0.75
    assert evaluate({"label": y, "score": p.tolist()}, labels=labels)["accuracy"] == 0.75


def test_periods_and_intervals_are_texts():
    frame = pd.DataFrame({"y": TRUE, "p": SCORE, "age": [20, 30, 40, 50]})
    frame["month"] = pd.PeriodIndex(["2026-01", "2026-02", "2026-01", None], freq="M")
    frame["group"] = pd.cut(frame.age, [18, 35, 65])
    frame["interval"] = pd.arrays.IntervalArray(frame.group.astype(object))
    r = evaluate(frame, label="y", score="p", slices=["month", "group", "interval"]).slices
    assert set(r.slice_month.dropna()) == {"2026-01", "2026-02", "null"}
    assert set(r.slice_group.dropna()) == set(r.slice_interval.dropna()) == {"(18, 35]", "(35, 65]"}
    r = evaluate(frame.set_index("month"), label="y", score="p", slices="month").slices
    assert set(r.slice_month.dropna()) == {"2026-01", "2026-02", "null"}


@pytest.mark.parametrize("classes", [["b", "a", "c"], [1, 2, 3], [3.0, 1.0, 2.0]])
@pytest.mark.parametrize("of", [list, np.array])
def test_attrs(classes, of):
    frame = pd.DataFrame({"label": np.array(classes)[[0, 1, 2]], "score": list(np.eye(3))})
    frame.attrs["labels"] = of(classes)
    assert evaluate(frame)["accuracy"] == 1


def test_truth_of_any_shape():
    y, p = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]]), np.array([[0.9, 0.0, 0.1], [0.3, 0.2, 0.5], [0.1, 0.2, 0.7]])
    assert evaluate(y_true=sparse.csr_matrix(y), y_score=p)["hamming_loss"] == sklearn.hamming_loss(y, p >= 0.5)
    for truth in (y, y.astype(bool), sparse.csr_array(y), pd.DataFrame(y), pl.DataFrame(y)):
        assert evaluate(y_true=truth, y_score=p, task="multiclass")["accuracy"] == 2 / 3
        r = evaluate(y_true=truth, y_score=p, task="multiclass", labels=[30, 10, 20])
        assert r["accuracy"] == 2 / 3 and r["recall", "10"] == 0
    soft = np.array([[0.9, 0.1, 0.0], [0.2, 0.7, 0.1], [0.0, 0.0, 1.0]])
    assert evaluate(y_true=soft, y_score=p, task="multiclass")["accuracy"] == 2 / 3


def test_missing_values_in_objects():
    slices = {"country": np.array(["de", np.nan, "fr", "de"], dtype=object)}
    assert sorted(evaluate(y_true=TRUE, y_score=SCORE, slices=slices).slices.column("slice_country").to_pylist()[1:]) == ["de", "fr", "null"]


def test_columns_called_by_numbers():
    frame = pd.DataFrame({0: TRUE, 1: SCORE, 2: ["de", "de", "fr", "fr"]})
    assert evaluate(frame, label=0, score=1, slices="2")["roc_auc"] == 0.75
    assert evaluate({0: TRUE, 1: SCORE}, label=0, score=1)["roc_auc"] == 0.75


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("classes", [["cat", "dog", "eel"], [0, 1, 2], [1, 2, 3]])
def test_columns_that_are_called_as_classes(classes, library):
    """As in score=list(model.classes_)."""
    y, p = np.array(classes)[[0, 1, 2, 1]], np.eye(3)[[0, 1, 2, 0]]
    data = library({"y": y} | {str(name): p[:, at] for at, name in enumerate(classes)})
    data = data.rename(columns=dict(zip(map(str, classes), classes, strict=True))) if library is pd.DataFrame else data
    for order in ([0, 1, 2], [2, 0, 1], [1, 0, 2]):
        assert evaluate(data, label="y", score=[classes[at] for at in order])["accuracy"] == 0.75
        assert evaluate(data, label="y", score=[np.array(classes)[at] for at in order], labels=[classes[at] for at in order])["accuracy"] == 0.75


def test_predictions_with_positive_label():
    y = np.array(["no", "yes"])[TRUE]
    assert evaluate(y_true=y, y_pred=["yes", "no", "no", "no"], positive_label="yes")["recall"] == 0.5


@pytest.mark.parametrize("of", [list, np.array, pd.Series, pl.Series, pa.array])
def test_positional(of):
    assert evaluate(of(TRUE), of(SCORE))["roc_auc"] == 0.75
    assert evaluate(of(["a", "b"]), y_pred=of(["a", "a"]))["accuracy"] == 0.5
    with pytest.raises(beameval.Error, match="use one of both"):
        evaluate({"y": TRUE}, SCORE)
