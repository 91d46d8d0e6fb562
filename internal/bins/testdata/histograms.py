"""Writes histograms.json: numbers, and how numpy.histogram counts them in the bins of package bins.

Run with NumPy 2 (written with the version in the file):

    python internal/bins/testdata/histograms.py
"""

import json
import pathlib

import numpy as np

rng = np.random.default_rng(7)


def case(scale, numbers, edges):
    numbers = np.asarray(numbers, dtype=np.float64)
    finite = numbers[np.isfinite(numbers)]
    counts, _ = np.histogram(finite, bins=edges)
    return {
        "scale": scale,
        "numbers": [x.hex() for x in numbers.tolist()],
        "edges": [float(x).hex() for x in edges],
        "counts": counts.tolist(),
        "minus_infinities": int(np.sum(numbers == -np.inf)),
        "infinities": int(np.sum(numbers == np.inf)),
    }


unit = np.arange(65) / 64
half = np.array([m * 2.0**k for k in range(-5, 10) for m in (1, 1.5)])
largest = np.finfo(np.float64).max
real = np.concatenate([[-largest], -half[::-1], [0], half, [largest]])


def beside(edges):
    return np.concatenate([edges, np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf)])


probabilities = np.concatenate([rng.random(300), rng.beta(0.1, 0.1, 300), beside(unit)])
probabilities = probabilities[(probabilities >= 0) & (probabilities <= 1)]
logits = np.concatenate([3 * rng.standard_normal(300), 1e3 * rng.standard_cauchy(100), beside(real), [-0.0, 5e-324, -5e-324]])
logits = np.concatenate([logits, [np.inf, np.inf, -np.inf]])

out = {"numpy": np.__version__, "cases": [case("unit", probabilities, unit), case("real", logits, real)]}
pathlib.Path(__file__).with_name("histograms.json").write_text(json.dumps(out, indent=1) + "\n")
