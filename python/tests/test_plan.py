"""What reports can show."""

import json
import subprocess

import beameval
import numpy as np
import pandas as pd
import pytest
from beameval import _program


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Reports of two columns of similar scores of the same rows."""
    root = tmp_path_factory.mktemp("reports")
    random = np.random.default_rng(3)
    y = random.integers(0, 2, 400)
    frame = pd.DataFrame({"y": y, "country": random.choice(["de", "fr"], 400)})
    signal = 0.4 * y + 0.3 + random.normal(0, 0.2, 400)
    for name, noise in [("old", 0.02), ("new", 0.05)]:
        p = np.clip(signal + random.normal(0, noise, 400), 0, 1)
        beameval.evaluate(frame.assign(p=p), label="y", score="p", slices=["country"], metrics=["roc_auc", "log_loss"], confidence={}, output=root / name, quiet=True)
    return root


def test_plan(reports):
    table = beameval.plan(reports / "new", drop=0.02).to_pandas()
    assert table.metric.tolist() == ["roc_auc", "log_loss"] * 3
    assert table["slice"].tolist() == ["{}"] * 2 + ['{"country":"de"}'] * 2 + ['{"country":"fr"}'] * 2
    assert table.direction.tolist() == ["drop", "rise"] * 3
    assert table.rows.iloc[0] == 400
    np.testing.assert_allclose(table.rows_needed / table.rows, (table.visible_drop / 0.02) ** 2)
    assert (table.level.iloc[:2] == 0.95).all() and (table.level.iloc[2:] == 0.975).all()
    assert table.nights.isna().all() and table.reason.isna().all()


def test_baseline(reports):
    alone = beameval.plan(reports / "new", "roc_auc", 0.02, slice="country").to_pandas()
    paired = beameval.plan(reports / "new", "roc_auc", 0.02, slice="country", baseline=reports / "old").to_pandas()
    assert (paired.visible_drop < alone.visible_drop).all()
    assert (paired.power > alone.power).all()


def test_report(reports):
    r = beameval.Report.open(reports / "new")
    table = r.plan(["auc", "log_loss"], power=0.9, level=0.9)
    assert table.column("metric").to_pylist()[:2] == ["roc_auc", "log_loss"]
    assert table.column("rows_needed").null_count == len(table)
    command = [_program.find(), "plan", str(reports / "new"), "--metric", "roc_auc,log_loss", "--power", "0.9", "--level", "0.9", "--json"]
    printed = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    assert table.column("visible_drop").to_pylist() == [row["visible_drop"] for row in printed["metrics"]]


def test_library():
    y = np.arange(200) % 2
    r = beameval.evaluate(pd.DataFrame({"y": y, "p": np.linspace(0, 1, 200)}), label="y", score="p", confidence={}, quiet=True)
    assert isinstance(r.plan(), pd.DataFrame)


def test_labels():
    random = np.random.default_rng(1)
    judge = random.random(3000)
    human = np.where(np.arange(3000) % 10, np.nan, random.random(3000) < judge)
    data = pd.DataFrame({"human": human, "judge": judge})
    r = beameval.evaluate(data, task="binary", input={"columns": {"label": "human", "judged": "judge"}}, confidence={}, quiet=True)
    found = r.plan("prediction_powered_mean", half_width=0.03, label_cost=2, judge_cost=0.01).iloc[0]
    assert found.rows == 300 and found.judged_rows == 3000
    assert found.half_width < found.half_width_of_labels_alone
    assert [other["labels"] for other in found.half_widths] == [150, 600, 1200]
    assert found.half_width < found.half_widths[0]["half_width"]
    assert 300 < found.labels_needed < 3000
    squared = found.correlation**2
    assert found.label_share == pytest.approx(np.sqrt((1 - squared) / squared * 0.01 / 2))
    with pytest.raises(beameval.Error, match="--label_cost: the cheapest share of labels follows from two costs"):
        r.plan(label_cost=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"drop": 0}, "--drop: 0: expected a size above 0"),
        ({"metric": "roc_uac"}, 'did you mean "roc_auc"'),
        ({"power": 1}, "--power: 1: expected a number between 0 and 1"),
        ({"slice": "device"}, 'no slices by "device"'),
        ({"baseline": "nowhere"}, "there is no finished report"),
    ],
)
def test_errors(reports, arguments, message):
    with pytest.raises(beameval.Error, match=message) as error:
        beameval.plan(reports / "new", **arguments)
    assert error.value.code == 2
