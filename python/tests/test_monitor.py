"""The reports of many nights."""

import datetime
import re
import shutil

import beameval
import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="module")
def nights(tmp_path_factory):
    """30 reports of two countries. From the 21st on, the labels of one are noise."""
    root = tmp_path_factory.mktemp("reports")
    random = np.random.default_rng(3)
    for night in range(30):
        y = random.integers(0, 2, 400)
        p = np.clip(0.4 * y + 0.3 + random.normal(0, 0.2, 400), 0, 1)
        country = np.where(np.arange(400) < 200, "de", "fr")
        if night >= 20:
            y = np.where(country == "de", random.permutation(y), y)
        frame = pd.DataFrame({"y": y, "p": p, "country": country})
        beameval.evaluate(frame, label="y", score="p", slices=["country"], metrics=["roc_auc", "accuracy"], output=root / f"dt=2026-11-{night + 1:02}", quiet=True)
    return root


def test_monitor(nights, tmp_path):
    m = beameval.monitor(nights, output=tmp_path / "out")
    assert m.path == str(tmp_path / "out")
    series, alarms = m.series.to_pandas(), m.alarms.to_pandas()
    assert len(series) == 6
    assert set(series.metric) == {"roc_auc", "accuracy"}
    assert not series.two_sided.any()
    assert set(series["slice"]) == {"{}", '{"country":"de"}', '{"country":"fr"}'}
    assert set(alarms["slice"]) == {"{}", '{"country":"de"}'}
    assert ("2026-11-14" < alarms.since).all()
    assert (alarms.since <= "2026-11-21").all()
    assert (alarms.change < -0.1).all()
    assert m.nights.column("date").to_pylist()[-1] == "2026-11-30"
    assert len(m.trend) == 6 * 30
    assert set(m.drift.column("score").to_pylist()) == {"score", "target", "prediction"}
    assert len(m.drift) == 3 * 3
    assert list(m.label_shift) == ["0", "1"]
    assert "psi" in m.drift.column_names
    why = m.why.to_pandas()
    accuracy = why[why.metric == "accuracy"]
    assert list(accuracy["slice"].fillna("")) == ["", '{"country": "de"}', '{"country": "fr"}']
    assert accuracy.difference.iloc[0] < -0.1
    assert abs(accuracy.mix.iloc[0]) < 1e-9  # as many examples of both countries each night
    assert accuracy.performance.iloc[1] < 0.8 * accuracy.performance.iloc[0]  # above all in de
    assert accuracy.reason.iloc[0].startswith("no replicates: 2026-11-")
    assert why[why.metric == "roc_auc"].reason.iloc[0].startswith("no statistics.bin: 2026-11-")
    assert m.skipped == []
    assert m.warnings == []
    assert "30 nights, 2026-11-01 to 2026-11-30" in repr(m)
    assert "<iframe sandbox=" in m._repr_html_()


def test_since(nights):
    m = beameval.monitor(nights, since=datetime.date(2026, 11, 30))
    assert len(m.alarms) == len(m.why) == 0
    assert m.alarms.column_names == ["metric", "slice", "label", "since", "change", "min", "max"]


def test_check(nights, tmp_path):
    config = tmp_path / "m.yaml"
    config.write_text("monitor: {metrics: [accuracy], slices: none, bounds: [{metric: accuracy, slice: {country: fr}, min: 0.99}]}")
    with pytest.raises(beameval.Error, match=re.escape("alarm: accuracy of country=fr: beyond its bound since 2026-11-")) as raised:
        beameval.monitor(nights, config=config, check=True)
    assert raised.value.code == 3
    assert raised.value.report.alarms.column("min").to_pylist()[-1] == 0.99


def test_errors(nights, tmp_path):
    with pytest.raises(beameval.Error, match="no reports"):
        beameval.monitor()
    (tmp_path / "dt=2026-11-01").mkdir()
    (tmp_path / "dt=2026-11-01" / "metrics.json").write_text("{")
    m = beameval.monitor(nights, tmp_path)
    assert [skipped["report"] for skipped in m.skipped] == [str(tmp_path / "dt=2026-11-01")]
    with pytest.raises(beameval.Error, match="metrics.json"):
        beameval.monitor(nights, tmp_path, strict=True)


def test_each(nights, tmp_path):
    reports = tmp_path / "reports"
    for night in sorted(nights.iterdir()):
        for model in ["a", "b c"][: 1 if night.name > "dt=2026-11-10" else 2]:
            shutil.copytree(night, reports / f"model={model}" / night.name)
    (reports / "model=damaged/dt=2026-11-01").mkdir(parents=True)
    (reports / "model=damaged/dt=2026-11-01/metrics.json").write_text("{")
    shutil.copytree(nights / "dt=2026-11-01", reports / "dt=2026-11-01")
    m = beameval.monitor(reports, each="model", output=tmp_path / "out")
    assert list(m) == ["a", "b c"] and len(m) == 2 and "damaged" not in m
    assert m["a"].alarms.equals(beameval.monitor(reports / "model=a").alarms)
    assert set(m.alarms.column("value").to_pylist()) == {"a"}
    assert len(m.alarms) == len(m["a"].alarms)
    index = m.index.to_pandas().set_index("value")
    assert index.alarms.to_dict() == {"a": len(m.alarms), "b c": 0, "damaged": 0}
    assert index.reason["b c"] == "burn-in: 10 of 14 nights"
    assert "damaged" in index.reason["damaged"]
    assert [skipped["report"] for skipped in m.skipped] == [str(reports / "dt=2026-11-01")]
    assert m.warnings == []
    assert "model: " in repr(m)
    assert "<iframe sandbox=" in m._repr_html_()
    with pytest.raises(KeyError):
        m["damaged"]
    one = beameval.monitor(reports, each="model")["a"]  # of a temporary directory, which is not removed before it
    assert len(one.nights) == 30
    with pytest.raises(beameval.Error, match="model=a: alarm: ") as raised:
        beameval.monitor(reports, each="model", check=True)
    assert raised.value.code == 3
    assert len(raised.value.report.alarms) == len(m.alarms)
    with pytest.raises(beameval.Error, match="no report has a value of country in its path"):
        beameval.monitor(reports, each="country")
