"""Reports of data in memory: the numbers of scikit-learn, and the bytes of the command."""

import filecmp
import os
import pathlib
import re
import subprocess
import sys

import beameval
import datasets
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from beameval import _data
from sklearn import metrics

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS = 200_000  # several record batches


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, ROWS)
    return pd.DataFrame(
        {
            "y": y,
            "p": np.clip(random.normal(0.4 + 0.2 * y, 0.2), 0, 1),
            "country": pd.Categorical(random.choice(["de", "fr"], ROWS)),
            "junk": [object()] * ROWS,  # no type of Arrow
        }
    )


def evaluate(*args, **keys):
    return beameval.evaluate(*args, quiet=True, **keys)


def test_binary(frame):
    r = evaluate(frame, label="y", score="p", slices=["country"], confidence={})
    hard = frame.p >= 0.5
    assert r["accuracy"] == pytest.approx(metrics.accuracy_score(frame.y, hard), rel=1e-12)
    assert r["f1"] == pytest.approx(metrics.f1_score(frame.y, hard), rel=1e-12)
    assert r["roc_auc"] == pytest.approx(metrics.roc_auc_score(frame.y, frame.p), rel=1e-12)
    assert r["log_loss"] == pytest.approx(metrics.log_loss(frame.y, frame.p), rel=1e-9)
    slices = r.slices.set_index("slice_country")
    de = frame[frame.country == "de"]
    assert slices.loc["de", "average_precision"] == pytest.approx(metrics.average_precision_score(de.y, de.p), rel=1e-12)
    assert slices.loc["de", "support"] == len(de)
    assert isinstance(r.metrics, pd.DataFrame)
    assert r.metrics.query("name == 'roc_auc'").ci_low.notna().all()
    assert r.confusion["count"].sum() == 2 * ROWS
    assert set(r.curves["curve"]) >= {"roc", "pr"}
    assert r.gates.passed
    assert "roc_auc" in r and "mae" not in r


def test_rows_in_parquet():
    y, p = np.array([0, 1, 2, 1]), np.eye(3)[[0, 1, 2, 0]]
    whole = evaluate(y_true=y, y_score=p)
    part = evaluate(y_true=y, y_score=p, config={"output": {"json_rows": 1}})
    assert any("metrics.json has only" in warning for warning in part.warnings)
    assert list(part) == list(whole)
    assert part["recall", "1"] == whole["recall", "1"] == 0.5
    assert part["accuracy"] == whole["accuracy"] == 0.75


# tables has the same rows in all libraries, and what they give back.
def tables(frame):
    plain = frame.drop(columns="junk")
    table = pa.Table.from_pandas(plain)
    return [
        (pl.from_pandas(plain), pl.DataFrame),
        (table, pa.Table),
        (table.to_reader(1000), pa.Table),
        (duckdb.from_arrow(table), duckdb.DuckDBPyRelation),
        (datasets.Dataset(table), datasets.Dataset),
        ({name: plain[name] for name in plain}, pd.DataFrame),
        ({name: plain[name].tolist() for name in plain}, pa.Table),
    ]


def test_findings():
    y, p, country = [], [], []
    for i in range(600):
        wrong = i % 3 == 0 if i % 4 == 0 else i % 20 == 1
        y.append(i % 2)
        p.append([0.2, 0.8][i % 2 ^ wrong])
        country.append("br" if i % 4 == 0 else "de")
    r = evaluate({"y": y, "p": p, "country": country}, label="y", score="p", slices=["country"], confidence={})
    worst = r.findings[0]
    assert (worst["name"], worst["slice"], worst["metric"], worst["see"]) == ("worst_slice", {"country": "br"}, "accuracy", "slices")
    assert worst["message"].startswith("country=br: accuracy 0.6")
    assert worst["values"]["ci_high"] < 0
    without = evaluate({"y": y, "p": p, "country": country}, label="y", score="p", slices=["country"])
    assert [finding["name"] for finding in without.findings] == ["no_intervals"]
    assert "confidence: {}" in without.findings[0]["message"]


def test_checks():
    y = [0, 1] * 60
    p = [(0.9 if true == 0 else 0.1) + i / 2000 for i, true in enumerate(y)]
    r = evaluate({"y": y, "p": p}, label="y", score="p", checks={"fail": ["inverted_scores"], "off": ["no_better_than_chance"]})
    assert [(check["name"], check["level"], check["count"]) for check in r.checks] == [("inverted_scores", "error", 1)]
    assert r.warnings == [r.checks[0]["message"]]
    assert not r.gates.passed and r.gates.failed[0]["metric"] == "inverted_scores"
    right = evaluate({"y": y, "p": [1 - score for score in p]}, label="y", score="p", checks={"fail": ["inverted_scores"]})
    assert right.checks == [] and right.gates.passed


def test_judged_classes():
    human = ["a", "b", "a", "c"] * 10 + [None] * 60
    frame = pd.DataFrame({"human": human, "judge": ["a", "b", "c", "c"] * 25, "read": ["a", "b", "a", "a"] * 25})
    r = beameval.evaluate(frame, task="multiclass", input={"columns": {"label": "human", "judged": "judge", "prediction": "read"}}, quiet=True)
    assert r["judged_rows"] == 100 and r["accuracy"] == 0.75 and r["judge_agreement"] == 0.75 and r["judged_accuracy"] == 0.5
    assert r["prediction_powered_accuracy_std_error"] <= (0.75 * 0.25 / 40) ** 0.5
    shares = r.metrics[r.metrics.name == "prediction_powered_mean"]
    assert list(shares.label) == ["a", "b", "c"] and shares.value.sum() == pytest.approx(1)


def test_found_slices(frame):
    few = frame.head(5000).assign(id=range(5000), place=lambda f: np.where(np.arange(len(f)) % 5, "here", "there"))
    few.loc[few.place == "there", "p"] = 1 - few.p
    r = evaluate(few, label="y", score="p", example="id", confidence={}, search={"columns": ["place"]})
    found = r.found_slices
    assert list(found["slice_place"]) == ["there"]
    assert list(found["confirmed"]) == [1]
    assert (found.ci_low > 0).all()
    with pytest.raises(beameval.Error, match="has no found_slices.parquet: set search"):
        evaluate(few, label="y", score="p").found_slices  # noqa: B018


def test_differences(frame):
    few = frame.head(2000).assign(id=range(2000), old=lambda f: np.round(f.p, 1))
    r = evaluate(few, label="y", score="p", example="id", confidence={}, input={"columns": {"baseline_score": "old"}})
    found = r.differences.set_index("name")
    assert found.loc["roc_auc", "b"] == r["roc_auc"]
    assert found.loc["roc_auc", "a"] == evaluate(few, label="y", score="old", example="id")["roc_auc"]
    assert found.loc["roc_auc", "pairing"] == "paired"
    with pytest.raises(beameval.Error, match="has no differences.parquet: set input.columns.baseline_score"):
        evaluate(few, label="y", score="p").differences  # noqa: B018


def test_changed_examples(frame):
    few = frame.head(2000).assign(id=range(2000), old=lambda f: np.round(f.p, 1))
    r = evaluate(few, label="y", score="p", example="id", changed_examples=3, input={"columns": {"baseline_score": "old"}})
    changed = r.changed_examples
    right = ((few.p >= 0.5) == few.y, (few.old >= 0.5) == few.y)
    for name, rows in [("regression", few[~right[0] & right[1]]), ("improvement", few[right[0] & ~right[1]])]:
        found = changed[changed["name"] == name]
        assert list(found["change"]) == pytest.approx(sorted(abs(rows.p - rows.old), reverse=True)[:3], rel=1e-12)
        assert {int(i) for i in found["example"]} <= set(rows.id)
    with pytest.raises(beameval.Error, match="has no changed_examples.parquet: set changed_examples"):
        evaluate(few, label="y", score="p").changed_examples  # noqa: B018


def test_worst_examples(frame):
    few = frame.head(1000).drop(columns="junk").rename_axis("id").reset_index()
    r = evaluate(few, label="y", score="p", example="id", worst_examples=3)
    loss = -np.log(np.clip(np.where(few.y == 1, few.p, 1 - few.p), np.finfo(float).eps, 1))
    worst = r.worst_examples
    assert list(worst["loss"]) == pytest.approx(sorted(loss, reverse=True)[:3], rel=1e-12)
    assert {int(i) for i in worst["example"]} <= set(few.id)
    with pytest.raises(beameval.Error, match="has no worst_examples.parquet: set worst_examples"):
        evaluate(few, label="y", score="p").worst_examples  # noqa: B018


def test_label_pairs():
    few = pd.DataFrame({"y": ["a", "a", "b"], "prediction": ["b", "b", "a"]})
    pairs = evaluate(few, task="multiclass", label="y", prediction="prediction", label_pairs=True).label_pairs
    assert pairs[["label", "predicted", "count"]].values.tolist() == [["a", "b", 2], ["b", "a", 1]]
    assert list(pairs["gain"]) == pytest.approx([2 / 3, 1 / 3])
    with pytest.raises(beameval.Error, match="has no label_pairs.parquet: set label_pairs"):
        evaluate(few, task="multiclass", label="y", prediction="prediction").label_pairs  # noqa: B018


def test_moves():
    few = pd.DataFrame({"y": ["a", "a", "b"], "prediction": ["b", "b", "b"], "was": ["a", "b", "a"]})
    moves = evaluate(few, task="multiclass", label="y", prediction="prediction", input={"columns": {"baseline_prediction": "was"}}).moves
    assert moves[["baseline", "predicted", "count", "became_right", "became_wrong"]].values.tolist() == [["a", "b", 2, 1, 1], ["b", "b", 1, 0, 0]]
    with pytest.raises(beameval.Error, match="has no moves.parquet: set input.columns.baseline_score"):
        evaluate(few, task="multiclass", label="y", prediction="prediction").moves  # noqa: B018


def test_same_report_of_all_libraries(frame, tmp_path):
    evaluate(frame, label="y", score="p", slices=["country"], confidence={}, output=tmp_path / "pandas")
    for at, (table, gives) in enumerate(tables(frame)):
        r = evaluate(table, label="y", score="p", slices=["country"], confidence={}, output=tmp_path / str(at))
        assert isinstance(r.metrics, gives), gives
        assert_same_reports(tmp_path / "pandas", r.path)


def assert_same_reports(a, b):
    names = set(os.listdir(a))
    assert names == set(os.listdir(b))
    equal, different, errors = filecmp.cmpfiles(a, b, names - {"run.json"}, shallow=False)
    assert (different, errors) == ([], []) and equal


def test_same_report_as_command(frame, tmp_path):
    """A frame gives the report of its Parquet file, whose rows have their number as id."""
    plain = frame.drop(columns="junk").assign(example_id=range(ROWS))
    pq.write_table(pa.Table.from_pandas(plain, preserve_index=False), tmp_path / "data.parquet")
    command = [sys.executable, "-m", "beameval", "evaluate", "--quiet", "--input", tmp_path / "data.parquet", "--label", "y", "--score", "p"]
    subprocess.run([*command, "--slice", "country", "--set", "confidence={}", "--output", tmp_path / "command"], check=True, stdout=subprocess.DEVNULL)
    evaluate(frame, label="y", score="p", slices=["country"], confidence={}, output=tmp_path / "frame")
    evaluate(str(tmp_path / "*.parquet"), label="y", score="p", slices=["country"], confidence={}, output=tmp_path / "files")
    assert_same_reports(tmp_path / "command", tmp_path / "frame")
    assert_same_reports(tmp_path / "command", tmp_path / "files")


def test_arrays_of_classes(frame):
    random = np.random.default_rng(1)
    y = random.integers(0, 3, 1000)
    p = random.dirichlet([1, 1, 1], 1000)
    names = np.array(["a", "b", "c"])
    r = evaluate(y_true=names[y], y_score=p, labels=names, slices=frame[["country"]].head(1000))
    assert r["accuracy"] == pytest.approx(metrics.accuracy_score(y, p.argmax(1)), rel=1e-12)
    assert r["recall", "b"] == pytest.approx(metrics.recall_score(y, p.argmax(1), average=None)[1], rel=1e-12)
    assert len(r.slices) == 3
    assert set(r.slices["slice"]) <= set(r.metrics["slice"])
    assert evaluate(y_true=y, y_score=p, labels=[0, 1, 2])["accuracy"] == r["accuracy"]


@pytest.mark.parametrize("names", [["no", "yes"], [0, 1], [1, 2]])
def test_arrays_of_two_classes(names):
    """Scores of predict_proba, of which the second column is that of the positive label."""
    random = np.random.default_rng(2)
    y = random.integers(0, 2, 1000)
    p = random.random(1000)
    r = evaluate(y_true=np.array(names)[y], y_score=np.c_[1 - p, p], labels=names)
    assert r["roc_auc"] == pytest.approx(metrics.roc_auc_score(y, p), rel=1e-12)


def test_arrays_of_labels():
    random = np.random.default_rng(3)
    y = (random.random((1000, 4)) < 0.3).astype(int)
    p = random.random((1000, 4)).astype("float32")
    r = evaluate(y_true=y, y_score=p)
    assert r["roc_auc_macro"] == pytest.approx(metrics.roc_auc_score(y, p), rel=1e-12)
    assert r["lrap"] == pytest.approx(metrics.label_ranking_average_precision_score(y, p), rel=1e-12)


def test_arrays_with_weights():
    random = np.random.default_rng(4)
    y, p, w = random.random(1000), random.random(1000), random.random(1000)
    assert evaluate(y_true=y, y_pred=p, sample_weight=w)["mae"] == pytest.approx(metrics.mean_absolute_error(y, p, sample_weight=w), rel=1e-12)
    assert evaluate(y_true=pl.Series(y), y_pred=pl.Series(p))["rmse"] == pytest.approx(metrics.root_mean_squared_error(y, p), rel=1e-12)


def test_ranking():
    frame = pd.DataFrame({"q": [1, 1, 1, 2, 2], "relevance": [0, 1, 2, 1, 0], "score": [0.1, 0.5, 0.4, 0.9, 0.2]})
    r = evaluate(frame, task="ranking", query="q", label="relevance", score="score", confidence={"groups": 10}, ranking={"gain": "linear"})
    want = (metrics.ndcg_score([[0, 1, 2]], [[0.1, 0.5, 0.4]]) + 1) / 2
    assert r["ndcg"] == pytest.approx(want, rel=1e-12)


def test_index_is_id():
    """Differences are tested example by example, whatever the order of the frames."""
    random = np.random.default_rng(5)
    y = random.integers(0, 2, 5000)
    a = pd.DataFrame({"y": y, "p": random.random(5000)}, index=[f"user {i}" for i in range(5000)])
    b = a.assign(p=0.8 * a.p + 0.2 * a.y).sample(frac=1, random_state=0)
    c = beameval.compare(evaluate(a, label="y", score="p", confidence={}), evaluate(b, label="y", score="p", confidence={}))
    assert set(c.table.pairing) == {"paired", "none"}
    assert "roc_auc" in set(c.better["name"])
    assert len(c.worse) == 0
    assert "paired: both are of the same examples" in repr(c)
    assert "<iframe sandbox=" in c._repr_html_()


def test_systems():
    """More than two reports are those of systems, which are ranked."""
    random = np.random.default_rng(5)
    y = random.integers(0, 2, 2000)
    frame = pd.DataFrame({"y": y, "p": random.random(2000)}, index=[f"user {i}" for i in range(2000)])
    models = [frame.assign(p=(1 - share) * frame.p + share * frame.y) for share in (0, 0.1, 0.4)]
    reports = [evaluate(model, label="y", score="p", confidence={}, report={"model": name}) for model, name in zip(models, ["chance", "poor", "good"], strict=True)]
    c = beameval.compare(*reports, reference="poor", adjust="maxt", all_pairs=True, adjust_over="systems,metrics")
    assert c.leaderboard["system"].tolist() == ["good", "poor", "chance"]
    assert c.leaderboard["roc_auc"].tolist() == [reports[i]["roc_auc"] for i in (2, 1, 0)]
    ranks = c.ranks[c.ranks.metric == "roc_auc"]
    assert ranks[["system", "rank_low", "rank_high"]].values.tolist() == [["good", 1, 1], ["poor", 2, 2], ["chance", 3, 3]]
    assert ranks.tied_for_first.tolist() == [True, False, False]
    assert set(c.table.a) == {"poor", "chance"}
    assert set(c.better["b"]) == {"good"}
    assert set(beameval.compare(*reports, reference=reports[2]).table.a) == {"good"}
    assert "3 systems compared with poor" in repr(c)
    assert "<iframe sandbox=" in c._repr_html_()
    with pytest.raises(beameval.Error, match="did you mean"):
        beameval.compare(*reports, reference="god")
    with pytest.raises(beameval.Error, match="compare three or more"):
        _ = beameval.compare(*reports[:2]).ranks
    with pytest.raises(beameval.Error, match="expected two or more reports, found none"):
        beameval.compare()
    with pytest.raises(beameval.Error, match="all reports are of data set"):
        beameval.compare(*reports, by_dataset=True)


# How often journals of statistics cited each other (Stigler 1994).
CITATIONS = [
    ("Biometrika", "Comm Statist", "a", 730),
    ("Biometrika", "Comm Statist", "b", 33),
    ("Biometrika", "JASA", "a", 498),
    ("Biometrika", "JASA", "b", 320),
    ("Biometrika", "JRSS-B", "a", 221),
    ("Biometrika", "JRSS-B", "b", 284),
    ("Comm Statist", "JASA", "a", 68),
    ("Comm Statist", "JASA", "b", 813),
    ("Comm Statist", "JRSS-B", "a", 17),
    ("Comm Statist", "JRSS-B", "b", 276),
    ("JASA", "JRSS-B", "a", 142),
    ("JASA", "JRSS-B", "b", 325),
]


def test_preferences():
    """The columns a, b and outcome imply the task, whatever their names are."""
    cited = pd.DataFrame(CITATIONS, columns=["one", "two", "result", "n"])
    r = evaluate(cited, a="one", b="two", outcome="result", weight="n", preference={"reference": "Biometrika"})
    for journal, strength, error in [("Comm Statist", -2.9491, 0.1025), ("JASA", -0.4796, 0.0606), ("JRSS-B", 0.2690, 0.0708)]:
        assert r["bradley_terry", journal] == pytest.approx(strength, abs=5e-5)
        assert r["bradley_terry_std_error", journal] == pytest.approx(error, abs=5e-5)
    assert r.comparisons.values.tolist()[0] == ["Biometrika", "Comm Statist", 730, 33, 0, 2]
    assert r.comparisons.a_wins.dtype == float
    with pytest.raises(beameval.Error, match="no ranks: they need task preference and the key confidence"):
        _ = r.ranks
    with pytest.raises(beameval.Error, match="outcome is the label"):
        evaluate(cited, a="one", b="two", outcome="result", label="result")

    each = cited.loc[cited.index.repeat(cited.n)].reset_index(drop=True)  # a row for each citation
    r = evaluate(each.assign(half=each.index % 2), a="one", b="two", outcome="result", confidence={}, slices=["half"])
    ranks = r.ranks
    assert ranks.slice.tolist() == ["{}"] * 4 + ['{"half": 0}'] * 4 + ['{"half": 1}'] * 4
    assert ranks[["system", "rank_low", "rank_high"]].values.tolist()[:4] == [["JRSS-B", 1, 1], ["Biometrika", 2, 2], ["JASA", 3, 3], ["Comm Statist", 4, 4]]
    assert ranks.value[0] == r["elo", "JRSS-B"]
    assert ranks.tied_for_first.tolist()[:4] == [True, False, False, False]
    with pytest.raises(beameval.Error, match="no comparisons: they need task preference"):
        _ = evaluate({"y": [1, 0], "p": [0.9, 0.2]}, label="y", score="p").comparisons
    with pytest.raises(beameval.Error, match="row 1.*two"):
        evaluate({"one": ["x", "y"], "two": ["y", "y"], "result": ["a", "b"]}, a="one", b="two", outcome="result")


def test_grades():
    """The column grade implies the task; its means agree with pandas, and no index makes examples of attempts."""
    frame = pd.DataFrame({"task_id": [1, 1, 1, 2, 2, 3], "passed": [True, False, True, False, False, True], "seconds": [3.0, 1.5, 2.0, 8.0, 9.0, 0.5]})
    r = evaluate(frame, grade="passed", example="task_id", k=[1, 2])
    by_example = frame.groupby("task_id").passed.mean()
    assert r["pass_rate"] == r["pass@1"] == pytest.approx(by_example.mean(), abs=1e-15)
    assert r["pass@2"] == pytest.approx((1 + 0) / 2)
    assert r["all_pass@2"] == pytest.approx((1 / 3 + 0) / 2)
    assert r["attempts"] == 6
    r = evaluate(frame, task="grade", grade="seconds", example="task_id", metrics=["mean", "std", "median"])
    means = frame.groupby("task_id").seconds.mean()
    assert (r["mean"], r["std"], r["median"]) == (pytest.approx(means.mean()), pytest.approx(means.std()), pytest.approx(means.median()))
    r = evaluate(frame, task="grade", grade="passed", confidence={"groups": 10}, metrics=["pass_rate", "attempts"])
    assert (r["pass_rate"], r["attempts"]) == (0.5, 6), "each row is an example"
    with pytest.raises(beameval.Error, match="pass_threshold"):
        evaluate(frame, grade="seconds", example="task_id", metrics=["pass@2"])
    with pytest.raises(beameval.Error, match="row 1.*the grade is missing"):
        evaluate({"e": [1, 1], "g": [1.0, None]}, grade="g", example="e")


def test_rows_that_are_no_examples():
    """Neither an index nor numbers of rows become ids of examples that have several rows."""
    frame = pd.DataFrame({"id_": [1, 1, 2, 2], "label_name": ["a", "b"] * 2, "label": [1, 0, 0, 1], "score": [0.9, 0.2, 0.3, 0.6]})
    layout = {"layout": "label", "columns": {"class": "label_name"}}
    with pytest.raises(beameval.Error, match="example"):
        evaluate(frame, task="multilabel", input=layout)
    assert evaluate(frame, task="multilabel", input=layout, example="id_")["subset_accuracy"] == 1
    assert evaluate(pl.from_pandas(frame), task="multilabel", input=layout, example="id_")["subset_accuracy"] == 1


def test_named_index_is_column():
    frame = pd.DataFrame({"y": [0, 1, 1], "p": [0.1, 0.4, 0.8]}, index=pd.Index(["de", "de", "fr"], name="country"))
    assert evaluate(frame, label="y", score="p", slices=["country"]).slices["slice_country"].tolist()[1:] == ["de", "fr"]


def test_class_labels():
    """Names of classes come from the types of a data set, also of one that is filtered and shuffled."""
    features = datasets.Features(
        {
            "label": datasets.ClassLabel(names=["neg", "neu", "pos"]),
            "scores": datasets.Sequence(datasets.Value("float32")),
            "language": datasets.ClassLabel(names=["en", "de"]),
        }
    )
    random = np.random.default_rng(6)
    rows = {"label": random.integers(0, 3, 500), "scores": random.dirichlet([1, 1, 1], 500).astype("f4"), "language": random.integers(0, 2, 500)}
    data = datasets.Dataset.from_dict(rows, features=features).shuffle(seed=1).select(range(400))
    r = evaluate(data, label="label", score="scores", slices=["language"])
    y, p = np.array(data["label"]), np.array(data["scores"])
    assert r["recall", "pos"] == pytest.approx(metrics.recall_score(y, p.argmax(1), average=None)[2], rel=1e-12)
    assert sorted(r.slices["slice_language"][1:]) == ["de", "en"]


def test_many_labels():
    names = [f"label {i}" for i in range(20_000)]
    r = evaluate({"labels": [["label 3"], ["label 7", "label 9"]], "scores": [[{"label": "label 3", "score": 0.9}]] * 2}, task="multilabel", labels=names,
                 metrics=["precision@k"], k=[1], per_label="none")  # fmt: skip
    assert r["precision@1"] == 0.5


def test_configuration(tmp_path):
    (tmp_path / "eval.yaml").write_text("positive_label: spam\ninput: {columns: {label: truth, score: p}}\nmetrics: [f1, roc_auc]\n")
    data = {"truth": ["spam", "ham"], "p": [0.9, 0.2]}
    r = evaluate(data, config=tmp_path / "eval.yaml", metrics=["accuracy"])
    assert list(r) == ["accuracy"]
    r = evaluate(data, config={"positive_label": "spam", "input": {"columns": {"label": "truth"}}}, score="p", beta=[0.25])
    assert r["f0.25"] == 1


def test_unfinished_numbers_are_an_error():
    with pytest.raises(beameval.Error, match="nan is no value of a configuration"):
        evaluate({"y": [1], "p": [0.5]}, label="y", score="p", curves={"points": float("nan")})


def test_found_names_are_those_of_the_command():
    """Columns that the command finds by name have values, as docs/inputs.md lists them."""
    page = (ROOT / "docs/inputs.md").read_text()
    table = page[page.index("| role | names |") :].partition("<!-- end -->")[0]
    names = [name for cell in re.findall(r"`([^`]+)`", table) for name in cell.split()]
    assert len(names) > 20
    for name in names:
        assert any(_data.found_by_name(role, [name]) and _data.found_by_name(role, [name.upper()]) for role in _data.FOUND), name


def test_program_is_found(monkeypatch, tmp_path):
    monkeypatch.delenv("BEAMEVAL", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sysconfig.get_path", lambda *_: str(tmp_path / "scripts"))
    with pytest.raises(beameval.Error, match="install a wheel of beameval"):
        evaluate({"y": [1], "p": [0.5]}, label="y", score="p")
    program = tmp_path / "beameval"
    program.write_text("#!/bin/sh\necho 'evaluate: from PATH' >&2; exit 2\n")
    program.chmod(0o755)
    with pytest.raises(beameval.Error, match="^from PATH$"):
        evaluate({"y": [1], "p": [0.5]}, label="y", score="p")


def test_costs_of_rows():
    data = {"y": [1, 1, 0, 0], "p": [0.9, 0.4, 0.6, 0.1], "review": [1.0, 1.0, 3.0, 1.0], "amount": [5.0, 7.0, 0.0, 0.0]}
    columns = {"cost_fp": "review", "cost_fn": "amount"}
    r = beameval.evaluate(data, label="y", score="p", input={"columns": columns}, quiet=True)
    assert r["expected_cost"] == (7 + 3) / 4
    with pytest.raises(beameval.Error, match='row 3: column "amount": -1: expected a cost within 0 and 1e100'):
        beameval.evaluate({**data, "amount": [5.0, 7.0, 0.0, -1.0]}, label="y", score="p", input={"columns": columns}, quiet=True)
    with pytest.raises(beameval.Error, match="an error may also be a false negative: set input.columns.cost_fn"):
        beameval.evaluate(data, task="binary", label="y", score="p", input={"columns": {"cost_fp": "review"}}, quiet=True)


def test_forecasts():
    data = {"y": [1.0, 2.0, 4.0], "lo": [0.0, 1.0, 1.0], "mid": [1.0, 1.5, 2.0], "hi": [2.0, 3.0, 3.0], "members": [[1.0], [1.0, 3.0], [4.0]], "scale": [1.0, 2.0, 4.0]}
    columns = {"label": "y", "quantiles": {0.1: "lo", 0.5: "mid", 0.9: "hi"}, "ensemble": "members", "scale": "scale"}
    r = beameval.evaluate(data, input={"columns": columns}, quiet=True)
    assert r["interval_coverage@0.8"] == 2 / 3
    assert r["interval_width@0.8"] == 2
    assert r["crps"] == pytest.approx(0.5 / 3)
    assert r["mase"] == 0.25
    with pytest.raises(beameval.Error, match='row 1: column "hi": 0.5 below 1.5'):
        beameval.evaluate({**data, "hi": [2.0, 0.5, 3.0]}, input={"columns": columns}, quiet=True)


def test_raters_are_columns_and_options() -> None:
    """The keyword raters has the columns, and the key raters of a configuration says how their ratings are compared."""
    ratings = {"ann": [1, 2, 3, 3, 2, 1], "bob": [1, 2, 3, 3, 2, 2], "eve": [None, 3, 3, 3, 2, 3]}
    report = beameval.evaluate(ratings, task="agreement", raters=["ann", "bob", "eve"], quiet=True)
    linear = beameval.evaluate(ratings, config={"raters": {"weights": "linear"}}, task="agreement", raters=["ann", "bob", "eve"], quiet=True)
    assert report["ratings"] == linear["ratings"] == 17
    assert report["alpha_interval"] == linear["alpha_interval"]
    assert report["gwet_ac2"] != linear["gwet_ac2"]


def test_further_grades() -> None:
    """Columns of further grades are a keyword, by name or not, and lower_is_better names some of them."""
    attempts = {"task": [1, 1, 2], "passed": [True, False, True], "cost": [1.0, 3.0, 5.0], "late": [False, True, False]}
    how = {"task": "grade", "example": "task", "grade": "passed", "lower_is_better": ["cost"], "k": [1, 2], "quiet": True}
    report = beameval.evaluate(attempts, grades=["cost", "late"], **how)
    assert report["mean"] == 0.75
    assert report["mean_cost"] == 3.5
    assert report["best@2_cost"] == 1
    assert report["pass_rate_late"] == 0.25
    named = beameval.evaluate(attempts, grades={"cost": "cost", "delayed": "late"}, **how)
    assert named["pass_rate_delayed"] == 0.25
    with pytest.raises(beameval.Error, match='there is no grade "cots"; did you mean "cost"'):
        beameval.evaluate(attempts, grades=["cost"], **{**how, "lower_is_better": ["cots"]})
    with pytest.raises(beameval.Error, match='column "passed" is the grade already'):
        beameval.evaluate(attempts, grades=["passed"], **{**how, "lower_is_better": []})
