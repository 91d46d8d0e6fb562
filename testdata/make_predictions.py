#!/usr/bin/env python3
"""Out-of-fold predictions of simple models on data sets that ship inside scikit-learn: make_predictions.py

Writes {digits,breast_cancer,diabetes,digits_attributes}/predictions.parquet, digits_attributes/long.parquet,
digits_retrieval/{run,qrels}.parquet and, of second and third models to compare with, {digits,digits_retrieval}/{other,third}.parquet beside this script. Seeded and single-threaded: the same versions (README.md) on the same machine give the same bytes. Another BLAS may differ in the
last digits of a probability, so after remaking these files remake the goldens too.
"""
import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"  # one order of every sum

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

HERE = Path(__file__).resolve().parent
SEED = 7

# name: the digits it holds for. 5 has none of them: about a tenth of the label sets are empty.
ATTRIBUTES = {
    "even": {0, 2, 4, 6, 8},
    "square": {0, 1, 4, 9},
    "multiple_of_three": {0, 3, 6, 9},
    "less_than_five": {0, 1, 2, 3, 4},
    "has_loop": {0, 6, 8, 9},
    "has_vertical_stroke": {1, 4, 7, 9},
}


def write(name, columns, labels=None, row_group_size=500, file="predictions"):
    table = pa.table(columns)
    if labels is not None:
        table = table.replace_schema_metadata({"labels": json.dumps(labels)})
    path = HERE / name / f"{file}.parquet"
    path.parent.mkdir(exist_ok=True)
    pq.write_table(table, path, row_group_size=row_group_size, compression="snappy")
    print(f"{path.relative_to(HERE)}: {table.num_rows} rows, {path.stat().st_size} bytes")


def ids(prefix, n):
    return pa.array([f"{prefix}-{i:04d}" for i in range(n)])


def doubles(matrix):
    return pa.array(np.asarray(matrix, dtype=np.float64).tolist(), pa.list_(pa.float64()))


def terciles(x, names):
    """Up to and including the first tercile, up to and including the second, above."""
    return pa.array([names[i] for i in np.searchsorted(np.quantile(x, [1 / 3, 2 / 3]), x, side="left")])


def folds(stratified=True):
    return (StratifiedKFold if stratified else KFold)(5, shuffle=True, random_state=SEED)


def classifier(c):
    return make_pipeline(StandardScaler(), LogisticRegression(C=c, max_iter=1000))


def digit_slices(x):
    ink = x.sum(axis=1)
    column = np.tile(np.arange(8), 8)
    return {
        "ink": terciles(ink, ["light", "medium", "heavy"]),  # sum of the pixels
        "lean": pa.array(np.where(x @ column / ink < 3.5, "left", "right")),  # centre of mass, left or right half
    }


def digits(x, y):
    for file, c in (("predictions", 0.02), ("other", 1), ("third", 0.3)):
        scores = cross_val_predict(classifier(c), x, y, cv=folds(), method="predict_proba")
        write("digits", {
            "example_id": ids("digit", len(y)),
            "label": pa.array(y, pa.int32()),
            "scores": doubles(scores),
            "prediction": pa.array(scores.argmax(axis=1), pa.int32()),
            **digit_slices(x),
        }, labels=[str(k) for k in range(10)], file=file)


def digits_attributes(x, y):
    names = list(ATTRIBUTES)
    truth = np.array([[d in ATTRIBUTES[name] for name in names] for d in y])
    scores = np.column_stack([
        cross_val_predict(classifier(0.02), x, truth[:, j], cv=folds(), method="predict_proba")[:, 1]
        for j in range(len(names))
    ])
    examples, slices = ids("digit", len(y)), digit_slices(x)
    write("digits_attributes", {
        "example_id": examples,
        "labels": pa.array([[n for n, t in zip(names, row) if t] for row in truth], pa.list_(pa.string())),
        "scores": doubles(scores),
        **slices,
    }, labels=names)
    each = np.repeat(np.arange(len(y)), len(names))
    write("digits_attributes", {
        "example_id": examples.take(each),
        "attribute": pa.array(names * len(y)),
        "label": pa.array(truth.ravel()),
        "score": pa.array(scores.ravel()),
        **{column: values.take(each) for column, values in slices.items()},
    }, labels=names, row_group_size=4000, file="long")


def digits_retrieval(x, y, queries=6, retrieved=40, pooled=30, nearest=20):
    """For some images of each digit, the most similar others: by the cosine of 4 x 4 thumbnails, to three decimals, so that
    there are ties. Relevance is 2 for the images of the digit that are nearest, by the distance of all pixels, 1 for
    others of it, and 0. Judged are the first that were retrieved, the nearest, and as many images at random. The other
    system ranks by the cosine of all pixels, the third by their correlation."""
    random = np.random.default_rng(SEED)
    thumbnails = x.reshape(-1, 4, 2, 4, 2).sum(axis=(2, 4)).reshape(-1, 16)
    thumbnails /= np.linalg.norm(thumbnails, axis=1, keepdims=True)
    name = ids("digit", len(y)).to_pylist()
    pixels = x / np.linalg.norm(x, axis=1, keepdims=True)
    centred = x - x.mean(axis=1, keepdims=True)
    centred /= np.linalg.norm(centred, axis=1, keepdims=True)
    run, qrels, other, third = [], [], [], []
    for digit in range(10):
        for q in np.sort(random.choice(np.flatnonzero(y == digit), queries, replace=False)):
            score = np.round(thumbnails @ thumbnails[q], 3)
            found = [i for i in np.argsort(-score, kind="stable") if i != q][:retrieved]
            closeness = np.round(pixels @ pixels[q], 3)
            other += [(name[q], name[i], closeness[i], str(digit)) for i in np.argsort(-closeness, kind="stable") if i != q][:retrieved]
            alike = np.round(centred @ centred[q], 3)
            third += [(name[q], name[i], alike[i], str(digit)) for i in np.argsort(-alike, kind="stable") if i != q][:retrieved]
            distance = ((x - x[q]) ** 2).sum(axis=1)
            near = [i for i in np.argsort(distance, kind="stable") if i != q and y[i] == digit][:nearest]
            others = random.choice(len(y), nearest, replace=False)
            run += [(name[q], name[i], score[i], str(digit)) for i in found]
            qrels += [(name[q], name[i], 2 if i in near else int(y[i] == digit))
                      for i in sorted({*found[:pooled], *near, *others} - {q})]
    for file, rows, columns in (("run", run, ["query_id", "image_id", "score", "digit"]),
                                ("qrels", qrels, ["query_id", "image_id", "relevance"]),
                                ("other", other, ["query_id", "image_id", "score", "digit"]),
                                ("third", third, ["query_id", "image_id", "score", "digit"])):
        write("digits_retrieval", dict(zip(columns, map(pa.array, zip(*rows)))), file=file)


def breast_cancer():
    data = load_breast_cancer()
    x, malignant = data.data[:, :10], data.target == 0  # the ten means alone: a model with some errors to show
    column = list(data.feature_names).index
    radius, texture = x[:, column("mean radius")], x[:, column("mean texture")]
    score = cross_val_predict(classifier(0.1), x, malignant, cv=folds(), method="predict_proba")[:, 1]
    write("breast_cancer", {
        "example_id": ids("tumour", len(x)),
        "label": pa.array(np.where(malignant, "malignant", "benign")),
        "score": pa.array(score),
        "size": pa.array(np.where(radius <= np.median(radius), "small", "large")),
        "texture": terciles(texture, ["smooth", "medium", "rough"]),
    }, row_group_size=200)


def diabetes():
    data = load_diabetes(scaled=False)
    age, sex = data.data[:, data.feature_names.index("age")], data.data[:, data.feature_names.index("sex")]
    model = make_pipeline(StandardScaler(), LinearRegression())
    prediction = cross_val_predict(model, data.data, data.target, cv=folds(stratified=False))
    write("diabetes", {
        "example_id": ids("patient", len(age)),
        "label": pa.array(data.target),
        "prediction": pa.array(prediction),
        "age": pa.array(np.select([age < 40, age <= 60], ["<40", "40-60"], ">60")),
        "sex": pa.array([str(int(s)) for s in sex]),  # 1 and 2, as in the source, which does not say which is which
    }, row_group_size=200)


if __name__ == "__main__":
    images, digit = load_digits(return_X_y=True)
    digits(images, digit)
    digits_attributes(images, digit)
    digits_retrieval(images, digit)
    breast_cancer()
    diabetes()
