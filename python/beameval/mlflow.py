"""The evaluator "beameval" of MLflow, which `mlflow.models.evaluate(..., evaluators="beameval")` runs."""

import json
import os
from typing import Any

import mlflow
import pandas as pd
from beameval import _temporary
from beameval._data import free
from beameval._evaluate import columns_of, evaluate
from beameval._tables import NAMES
from mlflow.models.evaluation import EvaluationResult, ModelEvaluator

# What a type of model implies; the columns of a classifier say whether it is binary.
IMPLIED: dict[str, dict[str, Any]] = {"classifier": {}, "regressor": {"task": "regression"}}


class Evaluator(ModelEvaluator):
    """Logs the metrics of a report, and the report as artifacts in the folder beameval.

    `evaluator_config` has keywords of `beameval.evaluate`. It must not be empty: without any, MLflow's
    own evaluators are left alone. Labels and predictions are those of `mlflow.models.evaluate`; features
    have the roles that the configuration gives them, and none by their names. With
    `data`, all rows of this frame are evaluated instead, and `label`, `score` and so on name its
    columns: of a frame of Spark, MLflow hands over 10,000 rows.
    """

    @classmethod
    def can_evaluate(cls, *, model_type: str, evaluator_config: dict[str, Any], **_: Any) -> bool:
        return model_type in IMPLIED and bool(evaluator_config)

    def evaluate(self, *, model_type: str, dataset: Any, run_id: str, evaluator_config: dict[str, Any], model: Any = None, **_: Any) -> EvaluationResult:
        keys = IMPLIED[model_type] | evaluator_config
        if "data" not in keys:
            keys |= _of(dataset, model, keys)
        config = dict(keys.pop("config", {}))
        output = dict(config.get("output", {}))
        output.setdefault("formats", ["json", "csv", "parquet", "markdown", "html", "mlflow"])
        with _temporary.directory("beameval-data-") as temporary:
            path = os.path.join(temporary, "beameval")
            evaluate(config=config | {"output": output}, **{**keys, "output": path})
            metrics: dict[str, float] = {}
            with open(os.path.join(path, "metrics.jsonl"), encoding="utf-8") as lines:
                for line in lines:  # as many as MLflow takes at a time
                    some = json.loads(line)
                    mlflow.log_metrics(some, run_id=run_id)
                    metrics |= some
            mlflow.log_artifacts(path, "beameval", run_id=run_id)
        return EvaluationResult(metrics=metrics, artifacts={}, run_id=run_id)


def _of(dataset: Any, model: Any, keys: dict[str, Any]) -> dict[str, Any]:
    """Returns the frame and the roles of a data set of MLflow: its features, with labels and
    predictions."""
    features = dataset.features_data
    frame = features.copy() if isinstance(features, pd.DataFrame) else pd.DataFrame(features)
    label = free(dataset.targets_name or "label", frame.columns)
    frame[label] = dataset.labels_data
    roles = {"data": frame, "label": label}
    predictions = model.predict(features) if model is not None else dataset.predictions_data
    if predictions is not None and "prediction" not in keys:
        roles["prediction"] = free(dataset.predictions_name or "prediction", frame.columns)
        frame[roles["prediction"]] = predictions
    configured = {**columns_of(keys.get("config", {})), **columns_of(keys)}
    return dict.fromkeys((role for role in NAMES if role not in (*keys, *configured)), False) | roles
