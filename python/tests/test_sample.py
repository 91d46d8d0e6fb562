"""Rows that people label."""

import beameval
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "key": [f"k{i}" for i in range(2000)],
            "country": random.choice(["de", "fr"], 2000),
            "judge": random.beta(4, 1, 2000),
            "when": pd.date_range("2026-01-01", periods=2000, freq="h"),
        },
        index=range(5000, 7000),
    )


HOW = {"n": 120, "for_": "accuracy", "judge": "judge", "strata": ["country"], "quiet": True}


def test_frames_are_sampled_alike(frame, tmp_path):
    drawn = beameval.sample(frame, example="key", **HOW)
    assert drawn.columns.tolist() == [*frame.columns, "sampling_stratum", "sampling_probability"]
    pd.testing.assert_frame_equal(drawn[frame.columns], frame.loc[drawn.index])
    assert drawn.dtypes[frame.columns.tolist()].equals(frame.dtypes)
    sums = (1 / drawn.sampling_probability).groupby(drawn.sampling_stratum).sum()
    assert len(sums) == 10
    assert np.isclose(sums.sum(), 2000)
    assert np.allclose(sums, sums.round())

    ids = drawn.key.tolist()
    polars = beameval.sample(pl.from_pandas(frame), example="key", **HOW)
    assert isinstance(polars, pl.DataFrame)
    assert polars["key"].to_list() == ids
    table = beameval.sample(pa.Table.from_pandas(frame.sample(frac=1, random_state=1), preserve_index=False), example=["key"], **HOW)
    assert isinstance(table, pa.Table)
    assert table["key"].to_pylist() == ids
    assert table["sampling_probability"].to_pylist() == drawn.sampling_probability.tolist()
    frame.to_parquet(tmp_path / "rows.parquet")
    files = beameval.sample(tmp_path / "rows.parquet", example="key", **HOW)
    assert files["key"].to_pylist() == ids
    assert beameval.sample(frame, example="key", seed=2, **HOW).key.tolist() != ids


def test_ids(frame):
    by_index = beameval.sample(frame, **HOW)
    again = beameval.sample(frame.sample(frac=1, random_state=2), **HOW)
    pd.testing.assert_frame_equal(by_index, again)
    named = beameval.sample(frame.assign(id=range(5000, 7000)), **HOW)
    assert named.index.tolist() == by_index.index.tolist()
    columns = {"judge": [0.1, 0.9, 0.5, 0.4] * 10}
    drawn = beameval.sample(columns, n=20, for_="mean", judge="judge", quiet=True)
    assert len(drawn) == 20
    assert drawn.column_names == ["judge", "sampling_stratum", "sampling_probability"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"judge": "jugde"}, 'no column "jugde"; did you mean "judge"'),
        ({"for_": "f1"}, '--for: "f1": expected accuracy'),
        ({"n": 10}, "--n: 10 is below 20"),
        ({"strata": "land"}, 'no column "land"'),
    ],
)
def test_errors(frame, changes, message):
    with pytest.raises(beameval.Error, match=message) as error:
        beameval.sample(frame, **HOW | changes)
    assert error.value.code == 2


def test_rows_of_errors(frame):
    with pytest.raises(beameval.Error, match='^row 7: column "judge": the grade is 2: --for accuracy'):
        beameval.sample(frame.assign(judge=[0.5] * 7 + [2.0] + [0.5] * 1992), **HOW)
    with pytest.raises(beameval.Error, match='^several rows have "country"'):
        beameval.sample(frame, example="country", **HOW)
