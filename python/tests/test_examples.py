"""The examples of docstrings and of README.md run."""

import doctest
import pathlib

import beameval
import pytest
from beameval import _compare, _evaluate, _monitor, _report


@pytest.mark.parametrize("module", [beameval, _compare, _evaluate, _monitor, _report])
def test_docstrings(module):
    names = {"beameval": beameval, "evaluate": beameval.evaluate}
    assert doctest.testmod(module, extraglobs=names).failed == 0


def test_readme():
    readme = pathlib.Path(__file__).resolve().parents[1] / "README.md"
    result = doctest.testfile(str(readme), module_relative=False)
    assert result.failed == 0 and result.attempted > 0
