"""Reports that are merged from reports."""

import pathlib

import beameval
import numpy as np
import pandas as pd
import pytest

KEPT = {"output": {"statistics": True}}


def frame(seed: int, rows: int) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, rows)
    p = np.clip(0.4 * y + 0.3 + random.normal(0, 0.2, rows), 0, 1)
    return pd.DataFrame({"id": [f"{seed}-{i}" for i in range(rows)], "y": y, "p": p, "country": random.choice(["de", "fr"], rows)})


def evaluated(data: pd.DataFrame, output: pathlib.Path | None = None, **keys: object) -> beameval.Report:
    return beameval.evaluate(data, label="y", score="p", slices=["country"], confidence={}, config=KEPT, output=output, quiet=True, **keys)


def test_merged_report_is_that_of_all_rows(tmp_path):
    nights = [frame(1, 400), frame(2, 300), frame(3, 500)]
    reports = [evaluated(night, tmp_path / f"dt=2026-11-{day}") for day, night in enumerate(nights, 26)]
    merged = beameval.merge(*reports, output=tmp_path / "week", quiet=True)
    whole = evaluated(pd.concat(nights, ignore_index=True), tmp_path / "all", curves={"mode": "bounded"})
    files = sorted(file.name for file in (tmp_path / "all").iterdir())
    assert files == sorted(file.name for file in (tmp_path / "week").iterdir())
    for name in files:
        if name != "run.json":
            assert (tmp_path / "all" / name).read_bytes() == (tmp_path / "week" / name).read_bytes(), name
    assert merged["accuracy"] == whole["accuracy"]
    assert reports[0].merge(*reports[1:], quiet=True)["accuracy"] == whole["accuracy"]
    again = beameval.merge(str(tmp_path / "dt=*"), output=tmp_path / "week", overwrite=True, quiet=True)
    assert again["f1"] == whole["f1"]


def test_folders_become_slices(tmp_path):
    for seed, site in enumerate("AB"):
        evaluated(frame(seed, 200), tmp_path / f"site={site}")
    merged = beameval.merge(tmp_path, output=tmp_path / "all", slice="site", quiet=True)
    assert {row["slice"].get("site") for row in merged._document["metrics"]} == {None, "A", "B"}


def test_errors(tmp_path):
    with pytest.raises(beameval.Error, match="no reports: merge needs at least one"):
        beameval.merge()
    plain = beameval.evaluate(frame(1, 50), label="y", score="p", output=tmp_path / "plain", quiet=True)
    with pytest.raises(beameval.Error, match=r"has no statistics\.bin, which reports are merged from"):
        beameval.merge(plain)
