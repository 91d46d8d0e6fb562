"""Metrics of machine-learning predictions: exact, per slice, with confidence intervals.

>>> import beameval
>>> r = beameval.evaluate({"y": [1, 0, 1, 0], "p": [0.9, 0.2, 0.4, 0.6]}, label="y", score="p", quiet=True)
>>> r["roc_auc"]
0.75
"""

from beameval._compare import Comparison, compare
from beameval._evaluate import evaluate
from beameval._merge import merge
from beameval._monitor import Monitor, Monitors, monitor
from beameval._plan import plan
from beameval._program import Error
from beameval._report import Gates, Report
from beameval._sample import sample

__all__ = ["Comparison", "Error", "Gates", "Monitor", "Monitors", "Report", "compare", "evaluate", "merge", "monitor", "plan", "sample"]
