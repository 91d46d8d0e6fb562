"""MLflow finds the evaluator by its entry point, logs its metrics, and keeps the report."""

import importlib.metadata
import json
import pathlib

import beameval.mlflow
import mlflow
import numpy as np
import pandas as pd
import pytest
from sklearn import metrics


@pytest.fixture(autouse=True, scope="module")
def tracking(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("mlflow")
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")
    mlflow.create_experiment("test", artifact_location=str(tmp_path / "artifacts"))
    mlflow.set_experiment("test")


@pytest.fixture
def frame():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 20_000)
    p = np.clip(random.normal(0.4 + 0.2 * y, 0.2), 0, 1)
    return pd.DataFrame({"y": y, "p": p, "hard": (p >= 0.5).astype(int), "country": random.choice(["de", "fr"], 20_000)})


def test_entry_point():
    (point,) = importlib.metadata.entry_points(group="mlflow.model_evaluator", name="beameval")
    assert point.load() is beameval.mlflow.Evaluator
    assert "beameval" in mlflow.models.list_evaluators()


def test_classifier(frame, tmp_path):
    with mlflow.start_run() as run:
        result = mlflow.models.evaluate(
            data=frame, targets="y", predictions="hard", model_type="classifier",
            evaluators="beameval", evaluator_config={"score": "p", "slices": ["country"]},
        )  # fmt: skip
    assert result.metrics["accuracy"] == pytest.approx(metrics.accuracy_score(frame.y, frame.hard), rel=1e-12)
    assert result.metrics["roc_auc"] == pytest.approx(metrics.roc_auc_score(frame.y, frame.p), rel=1e-12)
    assert mlflow.get_run(run.info.run_id).data.metrics == result.metrics
    report = mlflow.artifacts.download_artifacts(run_id=run.info.run_id, artifact_path="beameval", dst_path=str(tmp_path / "downloaded"))
    assert json.loads((pathlib.Path(report) / "metrics.json").read_text())["examples"] == 20_000
    assert (pathlib.Path(report) / "report.html").exists()


def test_all_rows_of_a_frame(frame):
    """The frame of the configuration takes the place of what MLflow hands over."""
    with mlflow.start_run():
        result = mlflow.models.evaluate(
            data=frame.head(10), targets="y", predictions="hard", model_type="classifier",
            evaluators="beameval", evaluator_config={"data": frame, "label": "y", "score": "p"},
        )  # fmt: skip
    assert result.metrics["roc_auc"] == pytest.approx(metrics.roc_auc_score(frame.y, frame.p), rel=1e-12)


@pytest.mark.parametrize("name", ["weight", "sample_weight", "score", "probability", "label", "prediction", "id", "query_id"])
def test_features_have_no_roles(name):
    frame = pd.DataFrame({"y": [1, 0, 1, 0], "hard": [1, 0, 0, 0], name: [9.0, 1.0, 0.5, 1.0]})

    def result(**config):
        with mlflow.start_run():
            config = {"task": "binary", "metrics": ["accuracy"], **config}
            return mlflow.models.evaluate(data=frame, targets="y", predictions="hard", model_type="classifier", evaluators="beameval", evaluator_config=config)

    assert result().metrics["accuracy"] == 0.75
    assert result(slices=[name]).metrics["accuracy"] == 0.75
    if "weight" in name:
        assert result(weight=name).metrics["accuracy"] == 11 / 11.5
        assert result(input={"columns": {"weight": name}}).metrics["accuracy"] == 11 / 11.5
        assert result(config={"input": {"columns": {"weight": name}}}).metrics["accuracy"] == 11 / 11.5


def test_regressor():
    frame = pd.DataFrame({"y": [1.0, 2.0, 4.0], "predicted": [1.5, 2.0, 3.0]})
    with mlflow.start_run():
        result = mlflow.models.evaluate(
            data=frame, targets="y", predictions="predicted", model_type="regressor",
            evaluators="beameval", evaluator_config={"metrics": ["mae", "rmse"]},
        )  # fmt: skip
    assert result.metrics["mae"] == 0.5
    assert result.metrics["rmse"] == pytest.approx(metrics.root_mean_squared_error(frame.y, frame.predicted), rel=1e-12)


def test_others_are_left_alone():
    assert not beameval.mlflow.Evaluator.can_evaluate(model_type="classifier", evaluator_config={})
    assert not beameval.mlflow.Evaluator.can_evaluate(model_type="text", evaluator_config={"score": "p"})


class SparkFrame:
    """What pyspark.sql.DataFrame offers."""

    def __init__(self, frame):
        self.frame = frame

    def toArrow(self):
        import pyarrow as pa

        return pa.Table.from_pandas(self.frame, preserve_index=False)


def test_frame_of_spark(frame):
    r = beameval.evaluate(SparkFrame(frame), label="y", score="p", quiet=True)
    assert r["roc_auc"] == pytest.approx(metrics.roc_auc_score(frame.y, frame.p), rel=1e-12)
