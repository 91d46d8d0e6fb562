"""A report has its metrics by all names that `metrics` takes, and what a configuration says is kept."""

import beameval
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn import metrics as sklearn

TRUE, SCORE = [1, 0, 1, 0], [0.9, 0.2, 0.4, 0.6]
P = np.array([[0.9, 0.1, 0], [0.3, 0.2, 0.5], [0.1, 0.2, 0.7]])


def evaluate(*args, **keys):
    return beameval.evaluate(*args, quiet=True, **keys)


@pytest.mark.parametrize(
    "asked, main",
    [
        ("auc", "roc_auc"), ("AUC", "roc_auc"), ("ROC-AUC", "roc_auc"), ("roc_auc_score", "roc_auc"), ("tpr", "recall"), ("sensitivity", "recall"), ("F1", "f1"),
        ("f1_score", "f1"), ("F1-Score", "f1"), ("f1.0", "f1"), ("F0.50", "f0.5"), ("precision_score", "precision"), ("average_precision_score", "average_precision"),
        ("cohen_kappa_score", "cohen_kappa"), ("recall_at_fpr@.1", "recall_at_fpr@0.1"), ("matthews_corrcoef", "mcc"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("all_metrics", [True, False])
def test_names_of_binary_metrics(asked, main, all_metrics):
    r = evaluate(y_true=TRUE, y_score=SCORE, **({} if all_metrics else {"metrics": [asked]}))
    assert asked in r and r[asked] == r[main]
    assert all_metrics or list(r) == [main]
    assert "ndcg" not in r and "auc_macro" not in r


def test_names_of_metrics_of_classes():
    r = evaluate(y_true=["a", "b", "c"], y_score=P, labels=["a", "b", "c"], metrics=["F1_Score", "tpr_weighted", "precision_score_macro"])
    assert r["f1_score", "a"] == r["F1", "a"] == r["f1", "a"] == sklearn.f1_score([0, 1, 2], P.argmax(1), average=None)[0]
    assert r["tpr_weighted"] == r["recall_score_weighted"] == r["recall_weighted"]
    assert r["precision_score_macro"] == r["Precision-Macro"] == r["precision_macro"]
    with pytest.raises(KeyError, match="f1 is a metric of each label"):
        r["f1_score"]
    with pytest.raises(KeyError, match="did you mean 'precision_macro'"):
        r["precision_makro"]


def test_labels_that_are_numbers():
    r = evaluate(y_true=[1, 2, 3], y_pred=[1, 2, 1], labels=[1, 2, 3], task="multiclass")
    for label in (2, 2.0, "2", "2.0", np.int64(2)):
        assert ("recall", label) in r and r["recall", label] == 1
    assert ("recall", 7) not in r and ("accuracy", 1) not in r
    r = evaluate(y_true=[True, False], y_pred=[True, True], labels=[True, False], task="multiclass")
    assert r["recall", True] == r["recall", np.True_] == r["tpr", "TRUE"] == 1 and r["recall", False] == 0


def test_names_of_rankings():
    """A name of another tool stands for a metric only with the options that the name implies there."""
    run = pd.DataFrame({"q": [1, 1, 1], "relevance": [0, 1, 2], "score": [0.1, 0.5, 0.4]})
    keys = {"task": "ranking", "query": "q", "label": "relevance", "score": "score"}
    r = evaluate(run, **keys)
    assert "nDCG@10" not in r and "ndcg@10" in r and "ndcg_cut_10" not in r and "NDCG" not in r and r["AP"] == r["map"]
    assert r["auc"] == evaluate(run, **keys, metrics=["auc"])["auc"]
    r = evaluate(run, **keys, metrics=["nDCG@10", "AP", "P@3"], ranking={"gain": "linear"})
    assert r["nDCG@10"] == r["ndcg_cut_10"] == r["ndcg@10"] and r["AP"] == r["map"] and r["P@3"] == r["precision@3"]
    assert "AP" not in evaluate(run, **keys, ranking={"relevance_threshold": 2}) and "AP@3" not in evaluate(run, **keys, ranking={"map_divisor": "attainable"})


@pytest.mark.parametrize("more", [{"max_row_values": 500}, {"columns": {}}, {"complete_scores": False}])
@pytest.mark.parametrize("config", [{}, {"input": {"decimals": "float64"}}])
def test_input_keeps_what_shapes_imply(more, config):
    y = np.eye(3, dtype=int)
    more = {} if "complete_scores" in more else more
    assert evaluate(y_true=y, y_score=P, input=more, config=config)["hamming_loss"] == sklearn.hamming_loss(y, P >= 0.5)
    assert evaluate(y_true=y / 2 + 1 / 6, y_score=P, input=more, config=config, task="multiclass")["accuracy"] == 2 / 3
    assert evaluate(y_true=["a", "b", "c"], y_score=pd.DataFrame(P, columns=list("abc")), input=more, config=config)["accuracy"] == 2 / 3
    assert evaluate(y_true=[0, 1], y_score=[[0.9, 0.1], [0.2, 0.8]], input=more, config=config)["roc_auc"] == 1


def test_input_of_both():
    """Each key of input, and each column, is that of the keyword or else of the configuration."""
    logits = np.array([[5.0, 6], [1, 0], [3, 2.5], [0, 0.5]])
    config = {"input": {"score_type": "logit"}}
    want = sklearn.roc_auc_score(TRUE, logits[:, 1] - logits[:, 0])
    assert evaluate(y_true=TRUE, y_score=logits, config=config, input={"max_row_values": 100})["roc_auc"] == want
    data = {"truth": TRUE, "p": SCORE, "label": TRUE[::-1], "w": [1, 1, 1, 7]}
    columns = {"input": {"columns": {"label": "truth", "weight": "w"}}}
    r = evaluate(data, config=columns, input={"columns": {"score": "p"}})
    assert r["roc_auc"] == sklearn.roc_auc_score(TRUE, SCORE, sample_weight=[1, 1, 1, 7])
    assert evaluate(data, config=columns, input={"columns": {"score": "p", "weight": None}})["roc_auc"] == 0.75


def test_arrays_beside_a_file(tmp_path):
    """What a file says of arrays holds: nothing is implied that it may contradict."""
    file = tmp_path / "config.yaml"

    def run(text, **keys):
        file.write_text(text)
        return evaluate(config=file, **keys)

    logits = np.array([[5.0, 6], [1, 0], [3, 2.5], [0, 0.5]])
    assert run("input: {score_type: logit}", y_true=TRUE, y_score=logits)["roc_auc"] == sklearn.roc_auc_score(TRUE, logits[:, 1] - logits[:, 0])
    both = np.c_[1 - np.array(SCORE), SCORE]
    assert run("positive_label: 0", y_true=TRUE, y_score=both)["roc_auc"] == 0.75
    assert run("positive_label: 0", y_true=TRUE, y_score=both)["recall"] == 0.5
    assert run("labels: ['yes', 'no']\npositive_label: 'yes'", y_true=np.array(["no", "yes"])[TRUE], y_score=both[:, ::-1])["roc_auc"] == 0.75
    assert "roc_auc" not in run("task: multiclass", y_true=TRUE, y_score=both)
    y = np.eye(3, dtype=int)
    for of in (np.asarray, pd.DataFrame, lambda m: m.astype(bool)):
        assert run("metrics: [hamming_loss]", y_true=of(y), y_score=P)["hamming_loss"] == sklearn.hamming_loss(y, P >= 0.5)
    soft = y / 2 + 1 / 6
    assert run("task: multiclass\ninput: {label_encoding: distribution}", y_true=soft, y_score=P)["accuracy"] == 2 / 3
    assert run("labels: [c, a, b]", y_true=list("abc"), y_score=P[:, [2, 0, 1]])["accuracy"] == 2 / 3


def test_missing_values_among_texts():
    for country in (["de", float("nan"), "fr", "de"], ["de", np.nan, "fr", "de"], ["de", pd.NA, "fr", "de"], ["de", None, "fr", "de"]):
        for of in (list, lambda c: np.array(c, dtype=object), lambda c: pd.Series(c, dtype=object)):
            slices = evaluate(y_true=TRUE, y_score=SCORE, slices={"country": of(country)}).slices
            assert sorted(pa.table(slices)["slice_country"].to_pylist()[1:]) == ["de", "fr", "null"]
    with pytest.raises(beameval.Error, match='row 1: column "y_true": null: the label is missing'):
        evaluate(y_true=["a", np.nan, "b", "a"], y_pred=["a", "b", "b", "a"])
    with pytest.raises(beameval.Error, match='row 1: column "y_score": null'):
        evaluate(y_true=TRUE, y_score=np.array([0.1, np.nan, 0.2, 0.3], dtype=object))


def test_slices_that_are_a_series():
    sex = pd.Series(list("fmfm"), name="sex")
    assert evaluate(y_true=TRUE, y_score=SCORE, slices=sex).slices["slice_sex"].tolist()[1:] == ["f", "m"]
    with pytest.raises(beameval.Error, match="slices: expected a table"):
        evaluate(y_true=TRUE, y_score=SCORE, slices=sex.rename(None))


def test_positional_frames():
    one_hot = pd.DataFrame(np.eye(3, dtype=int), columns=list("abc"))
    assert evaluate(one_hot, pd.DataFrame(P, columns=list("abc")))["hamming_loss"] == sklearn.hamming_loss(np.eye(3), P >= 0.5)
    assert evaluate(pd.DataFrame({"y": TRUE}), pd.DataFrame({"p": SCORE}))["roc_auc"] == 0.75
    with pytest.raises(beameval.Error, match="use one of both"):
        evaluate(one_hot, P, label="a")


def vector(rows):
    """A column of vectors of Spark ML, of which those of 0 are sparse."""
    kind = pa.struct([("type", pa.int8()), ("size", pa.int32()), ("indices", pa.list_(pa.int32())), ("values", pa.list_(pa.float64()))])
    return pa.array([{"type": 1, "size": None, "indices": None, "values": r} if 0 not in r else {"type": 0, "size": 2, "indices": [1], "values": [r[1]]} for r in rows], kind)


class SparkFrame:
    """What pyspark.sql.DataFrame offers."""

    def __init__(self, table):
        self.table = table

    def toArrow(self):
        return self.table


@pytest.mark.parametrize("of", [lambda t: t, SparkFrame])
@pytest.mark.parametrize("score", ["probability", "probability.values", None])
def test_vectors_of_spark(of, score):
    cure = r'vector.* of Spark.*: write it as a list, with .withColumn\("probability", pyspark.ml.functions.vector_to_array\("probability"\)\)'
    with pytest.raises(beameval.Error, match=cure):
        evaluate(of(pa.table({"label": [1.0, 0.0], "probability": vector([[0.1, 0.9], [0, 1]])})), score=score)
    if score == "probability.values":
        assert evaluate(of(pa.table({"label": [1.0, 0.0], "probability": vector([[0.1, 0.9], [0.8, 0.2]])})), score=score)["accuracy"] == 1
