#!/usr/bin/env python3
"""Predictions as the library datasets writes them: make.py (datasets 5.2.0, pyarrow 26.0.1)

The same rows are in mail.parquet and in the folder saved, and divided among the splits of the folder
splits. tags.parquet has lists of labels.
"""
import shutil
from pathlib import Path

from datasets import ClassLabel, Dataset, DatasetDict, Features, List, Value

HERE = Path(__file__).resolve().parent
ROWS = 30
LABELS = [(i * i + i // 4) % 3 for i in range(ROWS)]
SCORES = [[(1 + (i + k) % 5) / 10 for k in range(3)] for i in range(ROWS)]

mail = Dataset.from_dict(
    {"label": LABELS, "scores": SCORES, "country": ["de" if i % 2 else "fr" for i in range(ROWS)]},
    features=Features({"label": ClassLabel(names=["spam", "ham", "virus"]), "scores": List(Value("float64")), "country": Value("string")}))
tags = Dataset.from_dict(
    {"labels": [[i % 3, 3] if i % 4 else [] for i in range(ROWS)], "scores": [[*s, 0.5] for s in SCORES]},
    features=Features({"labels": List(ClassLabel(names=["sea", "sky", "wood", "town"])), "scores": List(Value("float32"))}))

for folder in ("saved", "splits"):
    shutil.rmtree(HERE / folder, ignore_errors=True)
mail.to_parquet(HERE / "mail.parquet")
tags.to_parquet(HERE / "tags.parquet")
mail.save_to_disk(HERE / "saved", num_shards=2)
DatasetDict({"train": mail.select(range(20)), "test": mail.select(range(20, ROWS))}).save_to_disk(HERE / "splits")
for scratch in HERE.rglob("*.lock"):
    scratch.unlink()
