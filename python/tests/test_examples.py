"""The examples of docstrings and of README.md run."""

import doctest
import pathlib
import re

import beameval
import numpy as np
import pandas as pd
import pytest
from beameval import _compare, _evaluate, _monitor, _plan, _report, _sample
from sklearn.linear_model import LogisticRegression


@pytest.mark.parametrize("module", [beameval, _compare, _evaluate, _monitor, _plan, _report, _sample])
def test_docstrings(module):
    names = {"beameval": beameval, "evaluate": beameval.evaluate}
    assert doctest.testmod(module, extraglobs=names).failed == 0


SNIPPETS = re.findall(r"```python\n(.*?)```", (pathlib.Path(__file__).resolve().parents[2] / "README.md").read_text(), re.DOTALL)


@pytest.mark.parametrize("classes", [[0, 1], [1, 2, 3], ["ham", "spam", "virus"], [1.0, 2.0, 4.0], [False, True]])
def test_snippets(classes, monkeypatch, tmp_path):
    """The snippets of the first page run as they stand, whatever the classes are."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 2))
    y = np.array(classes)[np.digitize(X[:, 0], np.linspace(-1, 1, len(classes) + 1)[1:-1])]
    model = LogisticRegression().fit(X, y)
    X_test, y_test, countries = X, y, random.choice(["de", "fr"], 300)
    frame = pd.DataFrame({"y": X[:, 0] > 0, "p": 1 / (1 + np.exp(-X[:, 0])), "country": countries})
    beameval.evaluate(frame, label="y", score="p", slices=["country"], confidence={}, output="reports/monday", quiet=True)
    known = {"beameval": beameval, "pd": pd, "df": frame, "model": model, "X_test": X_test, "y_test": y_test, "countries": countries}
    assert len(SNIPPETS) == 2
    for snippet in SNIPPETS:
        exec(snippet, known)
    r = beameval.evaluate("predictions.parquet", slices=["country"], quiet=True)
    assert r["accuracy"] == pytest.approx(model.score(X, y), rel=1e-12)


def test_readme():
    readme = pathlib.Path(__file__).resolve().parents[1] / "README.md"
    result = doctest.testfile(str(readme), module_relative=False)
    assert result.failed == 0 and result.attempted > 0
