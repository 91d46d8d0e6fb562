"""Translates calls of fairlearn.metrics into cases."""

import numpy as np
from cases import Case, Unsupported

# Rates of groups whose differences and ratios Fairlearn has under names of their own.
RATES = {"true_positive_rate": "recall", "true_negative_rate": "specificity", "false_positive_rate": "fpr", "false_negative_rate": "fnr", "selection_rate": "predicted_positive_rate"}
NAMES = {
    "accuracy_score": "accuracy", "balanced_accuracy_score": "balanced_accuracy", "f1_score": "f1", "precision_score": "precision", "recall_score": "recall",
    "zero_one_loss": "zero_one_loss", "roc_auc_score": "roc_auc", "log_loss": "log_loss", "mean_absolute_error": "mae", "mean_squared_error": "mse", "r2_score": "r2",
    **RATES,
}  # fmt: skip
ENDS = ("_difference", "_ratio", "_group_min", "_group_max")


def cases(name, given, result):
    if np.ndim(result) != 0:
        raise Unsupported("a table, not a number")
    if "sensitive_features" in given:
        return of_groups(name, given, result)
    return of_all(name, given, result)


def arrays(given):
    truth, predicted = np.asarray(given["y_true"]).ravel(), np.asarray(given["y_pred"]).ravel()
    if given.get("sample_weight") is None:
        return {"y_true": truth, "y_pred": predicted}
    return {"y_true": truth, "y_pred": predicted, "sample_weight": np.asarray(given["sample_weight"], dtype=float)}


def binary(keywords, given):
    classes = np.unique(np.concatenate([keywords["y_true"], keywords["y_pred"]]))
    positive = given.get("pos_label")
    if positive is None:
        positive = 1 if set(classes.tolist()) <= {0, 1} else classes[-1]
    if len(classes) < 2:
        raise Unsupported("a single class")
    return {**keywords, "task": "binary", "positive_label": positive.item() if isinstance(positive, np.generic) else positive}


def of_all(name, given, result):
    if name == "mean_prediction":
        raise Unsupported("the mean of any predictions")
    if name not in RATES:
        raise Unsupported("no such metric")
    keywords = binary(arrays(given), given)
    metric = RATES[name]
    return [Case("Fairlearn", name, float(result), {**keywords, "metrics": [metric]}, lambda r: r[metric])]


def of_groups(name, given, result):
    if given.get("method", "between_groups") != "between_groups":
        raise Unsupported("differences to the value of all examples")
    if given.get("agg", "worst_case") != "worst_case":
        raise Unsupported("the mean of two differences")
    features = np.asarray(given["sensitive_features"])
    if features.ndim != 1 and features.shape[1] != 1:
        raise Unsupported("several features at once")
    metric, groups = name, {"by": "group"}
    for end in ENDS:
        base = name.removesuffix(end)
        if base != name and base in NAMES:
            metric = NAMES[base] + end
            groups["metrics"] = [NAMES[base]]
    if metric == name and not name.startswith(("demographic_parity", "equalized_odds", "equal_opportunity")):
        raise Unsupported("no such metric")
    keywords = binary(arrays(given), given)
    keywords |= {"slices": {"group": features.ravel().astype(str)}, "groups": groups}
    return [Case("Fairlearn", name, float(result), keywords, lambda r: r[metric])]
