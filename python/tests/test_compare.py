"""Comparisons of predictions, which are evaluated first."""

import beameval
import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def frame():
    """Scores of two models, of which gb is better, for 2,000 examples."""
    random = np.random.default_rng(7)
    y = random.integers(0, 2, 2000)
    return pd.DataFrame(
        {
            "y": y,
            "p_lr": np.clip(0.2 * y + random.normal(0.4, 0.2, 2000), 0, 1),
            "p_gb": np.clip(0.5 * y + random.normal(0.3, 0.2, 2000), 0, 1),
            "country": np.where(np.arange(2000) % 3 == 0, "de", "fr"),
        }
    )


def test_scores_of_one_table(frame):
    c = beameval.compare(frame, label="y", score={"lr": "p_lr", "gb": "p_gb"}, slices=["country"], quiet=True)
    reports = [beameval.evaluate(frame, label="y", score=score, slices=["country"], confidence={}, quiet=True) for score in ("p_lr", "p_gb")]
    pd.testing.assert_frame_equal(c.table, beameval.compare(*reports).table)
    assert "roc_auc" in set(c.better["name"])
    assert "roc_auc" not in set(c.worse["name"])
    assert "binary: gb compared with lr" in repr(c)
    assert isinstance(c.table, pd.DataFrame)


def test_tables_and_reports(frame):
    lr, gb = (frame.rename(columns={name: "score"}) for name in ("p_lr", "p_gb"))
    report = beameval.evaluate(lr, label="y", score="score", confidence={}, report={"model": "of yesterday"}, quiet=True)
    c = beameval.compare(report, gb, label="y", score="score", quiet=True)
    assert "binary: system 2 compared with of yesterday" in repr(c)
    c = beameval.compare(lr, gb, report, label="y", score="score", confidence={"groups": 20}, quiet=True)
    assert c.leaderboard["system"].tolist()[0] == "system 2"


def test_files(frame, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("lr", "gb"):
        frame.assign(id=range(2000), p=frame["p_" + name])[["id", "y", "p", "country"]].to_parquet(name + ".parquet")
    c = beameval.compare("lr.parquet", tmp_path / "gb.parquet", label="y", score="p", slices=["country"], quiet=True)
    assert "accuracy" in c.better["name"].to_pylist()
    assert set(c.table["pairing"].to_pylist()) == {"paired", "none"}
    gates = [{"metric": "accuracy", "max_drop": 0.01}]
    for given in ({"gates": gates, "label": "y"}, {"config": {"gates": gates, "input": {"columns": {"label": "y"}}}}):
        with pytest.raises(beameval.Error, match="gate failed: accuracy"):
            beameval.compare("gb.parquet", "lr.parquet", score="p", check=True, quiet=True, **given)


def test_gates_of_tables(frame):
    gates = [{"metric": "accuracy", "max_drop": 0.01}]
    systems = {"gb": "p_gb", "lr": "p_lr"}
    with pytest.raises(beameval.Error, match="gate failed: accuracy"):
        beameval.compare(frame, label="y", score=systems, config={"gates": gates, "baseline": "nights/*"}, check=True, quiet=True)
    assert not beameval.compare(frame, label="y", score=systems, gates=gates, quiet=True).gates.passed


def test_refused(frame, tmp_path):
    with pytest.raises(beameval.Error, match="whose keys are the systems of one table, and there are 2"):
        beameval.compare(frame, frame, label="y", score={"lr": "p_lr", "gb": "p_gb"})
    with pytest.raises(beameval.Error, match="config is a file"):
        beameval.compare(frame, frame, label="y", score="p_lr", config=tmp_path / "c.yaml")
    with pytest.raises(beameval.Error, match="p_xgb"):
        beameval.compare(frame, label="y", score={"lr": "p_lr", "xgb": "p_xgb"}, quiet=True)
    with pytest.raises(beameval.Error, match="expected at least two"):
        beameval.compare(frame, label="y", score={"lr": "p_lr"}, quiet=True)


def test_why(frame):
    """Half of de is missing in b: the difference is divided into mix and performance."""
    some = frame[(frame["country"] == "fr") | (frame.index % 2 == 0)]
    why = beameval.compare(frame, some, label="y", score="p_lr", slices=["country"], metrics=["accuracy", "precision", "roc_auc"], quiet=True).why
    accuracy = why[why["metric"] == "accuracy"]
    whole, parts = accuracy[accuracy["slice"].isna()].iloc[0], accuracy[accuracy["slice"].notna()]
    assert list(whole["by"]) == ["country"]
    assert whole["mix"] + whole["performance"] == pytest.approx(whole["difference"], abs=1e-15)
    assert whole["mix_ci_low"] <= whole["mix"] <= whole["mix_ci_high"]
    assert parts["slice"].tolist() == ['{"country": "de"}', '{"country": "fr"}']
    np.testing.assert_allclose(parts[["share_a", "share_b"]].sum(), 1)
    np.testing.assert_allclose(parts[["mix", "performance"]].sum(), [whole["mix"], whole["performance"]], atol=1e-15)
    auc = why[why["metric"] == "roc_auc"]
    assert auc["reason"].isna().all()
    assert auc["mix"].iloc[0] + auc["performance"].iloc[0] == pytest.approx(auc["difference"].iloc[0], abs=1e-15)
    assert auc["mix"].iloc[1:].isna().all()
    same = beameval.compare(frame, label="y", score={"lr": "p_lr", "gb": "p_gb"}, slices=["country"], quiet=True).why
    assert set(same.loc[same["slice"].isna(), "mix"].dropna()) == {0}
