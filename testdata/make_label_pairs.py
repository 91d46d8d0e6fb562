"""Counts the labels that are predicted in place of others: digits/label_pairs.json and
digits_attributes/label_pairs.json, from predictions.parquet. With numpy, by products of matrices of
missed and wrongly predicted labels; of a multiclass task, these have one label an example.

A row is [label, predicted, count, share, lift, gain]; the heaviest pair comes first, then by the order of
labels. See docs/configuration.md for what they mean.
"""

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

HERE = Path(__file__).parent
ATTRIBUTES = ["even", "square", "multiple_of_three", "less_than_five", "has_loop", "has_vertical_stroke"]


def pairs(truth, predicted, names, multiclass):
    missed, wrong = truth & ~predicted, predicted & ~truth
    counts = missed.T.astype(int) @ wrong.astype(int)
    rows = []
    for i, j in np.argwhere(counts):
        n = int(counts[i, j])
        share = n / missed[:, i].sum()
        lift = share / wrong[:, j].mean()
        rows.append([names[i], names[j], n, float(share), float(lift), n / len(truth) if multiclass else None])
    return sorted(rows, key=lambda row: (-row[2], names.index(row[0]), names.index(row[1])))


def write(folder, rows):
    lines = ",\n".join(json.dumps(row) for row in rows)
    text = f'{{"_computed_with": "numpy {np.__version__}", "pairs": [\n{lines}\n]}}\n'
    (HERE / folder / "label_pairs.json").write_text(text)


def digits():
    table = pq.read_table(HERE / "digits" / "predictions.parquet").to_pydict()
    one = np.eye(10, dtype=bool)
    write("digits", pairs(one[table["label"]], one[table["prediction"]], [str(i) for i in range(10)], True))


def digits_attributes():
    table = pq.read_table(HERE / "digits_attributes" / "predictions.parquet").to_pydict()
    truth = np.array([[name in labels for name in ATTRIBUTES] for labels in table["labels"]])
    write("digits_attributes", pairs(truth, np.array(table["scores"]) >= 0.5, ATTRIBUTES, False))


if __name__ == "__main__":
    digits()
    digits_attributes()
