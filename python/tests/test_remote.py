"""Reports at a URI, which pyarrow reads."""

import beameval
import pytest


def test_report(tmp_path):
    here = beameval.evaluate(y_true=[0, 1, 1], y_score=[0.2, 0.9, 0.4], output=tmp_path / "today", quiet=True)
    there = beameval.Report.open((tmp_path / "today").as_uri())
    assert there["roc_auc"] == here["roc_auc"] == 1
    assert there.metrics == here.metrics
    assert there._repr_html_() == here._repr_html_()
    with pytest.raises(beameval.Error, match="yesterday has no metrics.json"):
        beameval.Report.open((tmp_path / "yesterday").as_uri())
