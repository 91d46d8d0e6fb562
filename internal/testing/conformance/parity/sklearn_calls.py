"""Translates calls of sklearn.metrics into cases."""

import numpy as np
from cases import Case, Unsupported
from sklearn.utils.multiclass import type_of_target, unique_labels

# Of decisions: the name here, and whether it has averages.
DECISIONS = {
    "accuracy_score": ("accuracy", False),
    "balanced_accuracy_score": ("balanced_accuracy", False),
    "matthews_corrcoef": ("mcc", False),
    "cohen_kappa_score": ("cohen_kappa", False),
    "hamming_loss": ("hamming_loss", False),
    "zero_one_loss": ("zero_one_loss", False),
    "f1_score": ("f1", True),
    "fbeta_score": ("f", True),
    "precision_score": ("precision", True),
    "recall_score": ("recall", True),
    "jaccard_score": ("jaccard", True),
}
REGRESSION = {
    "mean_absolute_error": "mae",
    "mean_squared_error": "mse",
    "root_mean_squared_error": "rmse",
    "mean_squared_log_error": "msle",
    "root_mean_squared_log_error": "rmsle",
    "median_absolute_error": "median_absolute_error",
    "mean_absolute_percentage_error": "mape",
    "max_error": "max_error",
    "r2_score": "r2",
    "explained_variance_score": "explained_variance",
    "mean_poisson_deviance": "mean_poisson_deviance",
    "mean_gamma_deviance": "mean_gamma_deviance",
    "d2_absolute_error_score": "d2_absolute_error",
}
SCORES = {"roc_auc_score": "roc_auc", "average_precision_score": "average_precision"}
PROBABILITIES = {"log_loss": "log_loss", "brier_score_loss": "brier", "d2_log_loss_score": "d2_log_loss_score", "d2_brier_score": "d2_brier_score"}
LABEL_RANKING = {"label_ranking_loss": "ranking_loss", "coverage_error": "coverage_error", "label_ranking_average_precision_score": "lrap"}


def cases(name, given, result):
    """Yields the cases of a call."""
    for translate in (decisions, regression, scores, probabilities, label_ranking, gains, top_k):
        found = translate(name, given, result)
        if found is not None:
            return found
    raise Unsupported("no such metric")


def array(given, key):
    value = given.get(key)
    if value is None:
        return None
    if hasattr(value, "toarray"):
        value = value.toarray()
    value = np.asarray(value)
    return value.ravel() if value.ndim == 2 and value.shape[1] == 1 else value


def plain(value):
    return value.item() if isinstance(value, np.generic) else value


def digits(value):
    return np.format_float_positional(value, trim="-")


def with_weights(given, keywords):
    weights = array(given, "sample_weight")
    if weights is not None:
        keywords["sample_weight"] = weights.astype(float)
    return keywords


def zero_division(given):
    value = given.get("zero_division", "warn")
    if isinstance(value, dict):
        raise Unsupported("zero_division by metric")
    if value == "warn":
        return {"zero_division": 0}
    return {"zero_division": "nan" if value != value else plain(value)}


def decisions(name, given, result):
    if name not in DECISIONS:
        return None
    metric, averaged = DECISIONS[name]
    truth, predicted = array(given, "y1" if name == "cohen_kappa_score" else "y_true"), array(given, "y2" if name == "cohen_kappa_score" else "y_pred")
    if given.get("normalize", True) is False:
        raise Unsupported("counts in place of shares")
    if given.get("adjusted"):
        raise Unsupported("balanced accuracy adjusted for chance")
    if name == "fbeta_score":
        if not 0 < given["beta"] < np.inf:
            raise Unsupported("F of a beta of 0 or ∞")
        metric = f"f{digits(given['beta'])}"
    if name == "cohen_kappa_score" and given.get("weights"):
        metric += "_" + given["weights"]
    kind = {type_of_target(truth), type_of_target(predicted)}
    keywords = with_weights(given, {"y_true": truth, "y_pred": predicted, **(zero_division(given) if averaged else {})})
    if "multilabel-indicator" in kind:
        return multilabel_decisions(name, metric, averaged, given, keywords, result)
    if not kind <= {"binary", "multiclass"}:
        raise Unsupported("values that are no classes")
    classes = [plain(each) for each in unique_labels(truth, predicted)]
    average = given.get("average", "binary") if averaged else "all"
    if average == "binary":
        positive = plain(given.get("pos_label", 1))
        if len(classes) > 2:
            raise Unsupported("one label of several without the others")
        keywords |= {"task": "binary", "positive_label": positive}
        return [Case("scikit-learn", name, float(result), {**keywords, "metrics": [metric]}, lambda r: r[metric])]
    return multiclass_decisions(name, metric, average, classes, given, keywords, result)


def multiclass_decisions(name, metric, average, classes, given, keywords, result):
    wanted = given.get("labels")
    chosen = classes if wanted is None else [plain(each) for each in np.asarray(wanted)]
    every = classes + [each for each in chosen if each not in classes]
    if len(every) < 2:
        raise Unsupported("a single class")
    if average == "all" and len(chosen) < len(every):
        raise Unsupported("one number of some of the labels")
    if average == "samples":
        raise Unsupported("averages over samples of single labels")
    keywords |= {"task": "multiclass", "labels": [str(each) for each in every]}
    keywords["y_true"], keywords["y_pred"] = keywords["y_true"].astype(str), keywords["y_pred"].astype(str)
    if chosen != classes and average != "all":
        keywords["average_labels"] = [str(each) for each in chosen]
    return averages(name, metric, average, chosen, keywords, result)


def averages(name, metric, average, chosen, keywords, result, convention=""):
    if average == "all":
        if name == "hamming_loss" and keywords["task"] == "multiclass" or name == "zero_one_loss" and keywords["task"] == "multiclass":
            return [Case("scikit-learn", name, float(result), {**keywords, "metrics": ["accuracy"]}, lambda r: 1 - r["accuracy"])]
        return [Case("scikit-learn", name, float(result), {**keywords, "metrics": [metric]}, lambda r: r[metric])]
    if average is None:
        keywords.pop("average_labels", None)
        return [
            Case("scikit-learn", name, float(want), {**keywords, "metrics": [metric]}, lambda r, label=str(label): r[metric, label], convention)
            for label, want in zip(chosen, result, strict=True)
        ]
    whole = f"{metric}_{average}"
    return [Case("scikit-learn", name, float(result), {**keywords, "metrics": [whole]}, lambda r: r[whole], convention)]


def multilabel_decisions(name, metric, averaged, given, keywords, result):
    keywords["y_true"], keywords["y_pred"] = keywords["y_true"].astype(int), keywords["y_pred"].astype(int)
    names = [f"l{i:03}" for i in range(keywords["y_true"].shape[1])]
    keywords |= {"task": "multilabel", "labels": names}
    wanted = given.get("labels")
    chosen = names if wanted is None else [names[i] for i in wanted]
    average = given.get("average", "binary") if averaged else "all"
    if metric == "accuracy":
        metric = "subset_accuracy"
    if average == "samples" and len(chosen) < len(names):
        raise Unsupported("averages over samples of some of the labels")
    if chosen != names and average not in ("all", None):
        keywords["average_labels"] = chosen
    return averages(name, metric, average, chosen, keywords, result)


def regression(name, given, result):
    if name == "mean_pinball_loss":
        metric = f"pinball@{digits(given.get('alpha', 0.5))}"
    elif name == "d2_pinball_score":
        metric = f"d2_pinball@{digits(given.get('alpha', 0.5))}"
    elif name == "mean_tweedie_deviance":
        metric = f"mean_tweedie_deviance@{digits(given.get('power', 0))}"
    elif name in REGRESSION:
        metric = REGRESSION[name]
    else:
        return None
    truth, predicted = array(given, "y_true"), array(given, "y_pred")
    if truth.ndim != 1 or np.ndim(result) != 0:
        raise Unsupported("several outputs")
    keywords = with_weights(given, {"y_true": truth.astype(float), "y_pred": predicted.astype(float), "task": "regression", "metrics": [metric]})
    return [Case("scikit-learn", name, float(result), keywords, lambda r: r[metric], cancels(given) or precision(*(np.asarray(given[key]) for key in ("y_true", "y_pred", "sample_weight") if given.get(key) is not None)) or variance(name, given, truth))]


def cancels(given):
    """Returns a convention for powers of Tweedie deviances at which differences lose most of their digits."""
    near = any(0 < abs(given.get("power", 0) - pole) < 1e-6 for pole in (1, 2))
    return "a power so near to 1 or 2 that both lose some ten digits" if near else ""


def precision(*arrays):
    """Returns a convention if scikit-learn computes in fewer than 64 bits."""
    few = any(each.dtype.kind == "f" and each.dtype.itemsize < 8 for each in arrays)
    return "computed, or clipped, in the 16 or 32 bits of the input; in 64 here" if few else ""


def variance(name, given, truth):
    if name not in ("r2_score", "explained_variance_score") or len(set(truth.tolist())) > 1:
        return ""
    if len(truth) == 1:
        return "1 for a single row, which has no variance and is undefined here"
    return "undefined for labels without variance (force_finite=False); 1 or 0 here" if given.get("force_finite") is False else ""


def scores(name, given, result):
    if name not in SCORES:
        return None
    metric = SCORES[name]
    truth, scored = array(given, "y_true"), array(given, "y_score")
    kind = type_of_target(truth)
    keywords = with_weights(given, {"y_true": truth, "y_score": scored.astype(float), "input": {"score_type": "score"}})
    if given.get("max_fpr") is not None and given["max_fpr"] != 1:
        metric = f"roc_auc_at_fpr@{digits(given['max_fpr'])}"
    average = given.get("average", "macro")
    if kind == "multilabel-indicator":
        names = [f"l{i:03}" for i in range(truth.shape[1])]
        keywords |= {"task": "multilabel", "labels": names, "y_true": truth.astype(int)}
        empty = "" if truth.any(axis=0).all() else "0 for a label without positive rows, which is undefined here and in no average"
        return averages(name, metric, average, names, keywords, result, empty)
    classes = [plain(each) for each in np.unique(truth)]
    if kind == "binary" and scored.ndim == 1:
        if len(classes) < 2:
            raise Unsupported("a single class")
        positive = given.get("pos_label", 1) if name == "average_precision_score" else classes[1]
        keywords |= {"task": "binary", "positive_label": plain(positive), "metrics": [metric]}
        return [Case("scikit-learn", name, float(result), keywords, lambda r: r[metric])]
    if kind != "multiclass":
        raise Unsupported("values that are no classes")
    every = classes if given.get("labels") is None else [plain(each) for each in np.asarray(given["labels"])]
    how = given.get("multi_class", "ovr")
    keywords |= {"task": "multiclass", "labels": [str(each) for each in every], "y_true": truth.astype(str)}
    whole = f"{metric}_{how}_{average}" if metric == "roc_auc" else f"{metric}_{average}"
    if metric == "roc_auc" and average is None:
        return averages(name, "roc_auc_ovr", None, every, keywords, result)
    if average is None:
        return averages(name, metric, None, every, keywords, result)
    return [Case("scikit-learn", name, float(result), {**keywords, "metrics": [whole]}, lambda r: r[whole])]


def probabilities(name, given, result):
    if name not in PROBABILITIES:
        return None
    metric = PROBABILITIES[name]
    truth = array(given, "y_true")
    scored = given.get("y_proba", given.get("y_pred"))
    scored = np.asarray(scored)
    if scored.ndim == 2 and not np.allclose(scored.sum(axis=1), 1, rtol=1e-3):
        raise Unsupported("probabilities that do not add up to 1")
    narrow, scored = precision(scored), scored.astype(float)
    if given.get("normalize", True) is False:
        metric = "log_loss_sum"
    classes = [plain(each) for each in (np.unique(truth) if given.get("labels") is None else np.unique(given["labels"]))]
    if type_of_target(truth) == "multilabel-indicator" or len(classes) < 2:
        raise Unsupported("a single class, or labels as a matrix")
    keywords = with_weights(given, {"y_true": truth, "y_score": scored, "metrics": [metric]})
    scale = 1.0
    if len(classes) == 2:
        if scored.ndim == 2:
            keywords["y_score"] = scored[:, 1]
        positive = given.get("pos_label")
        keywords |= {"task": "binary", "positive_label": classes[1] if positive is None else plain(positive)}
        scale = 2.0 if name == "brier_score_loss" and given.get("scale_by_half") is False else 1.0
    else:
        keywords |= {"task": "multiclass", "labels": [str(each) for each in classes], "y_true": truth.astype(str)}
        scale = 0.5 if name == "brier_score_loss" and given.get("scale_by_half") is True else 1.0
    return [Case("scikit-learn", name, float(result), keywords, lambda r: None if r[metric] is None else scale * r[metric], narrow)]


def label_ranking(name, given, result):
    if name not in LABEL_RANKING:
        return None
    metric = LABEL_RANKING[name]
    truth = array(given, "y_true")
    if truth.ndim != 2:
        raise Unsupported("a single label")
    keywords = {"y_true": truth.astype(int), "y_score": array(given, "y_score").astype(float), "input": {"score_type": "score"}, "task": "multilabel", "metrics": [metric]}
    return [Case("scikit-learn", name, float(result), with_weights(given, keywords), lambda r: r[metric])]


def gains(name, given, result):
    if name not in ("ndcg_score", "dcg_score"):
        return None
    if given.get("ignore_ties"):
        raise Unsupported("ties in the order of the input")
    if given.get("log_base", 2) != 2:
        raise Unsupported("discounts by another logarithm")
    truth, scored = np.asarray(given["y_true"], dtype=float), np.asarray(given["y_score"], dtype=float)
    k = given.get("k")
    if name == "dcg_score" and k is None:
        k = truth.shape[1]
    metric = name.removesuffix("_score") + (f"@{plain(k)}" if k else "")
    queries, items = truth.shape
    data = {
        "query": np.repeat(np.arange(queries), items).tolist(), "item": np.tile(np.arange(items), queries).tolist(),
        "relevance": truth.ravel().tolist(), "score": scored.ravel().tolist(),
    }  # fmt: skip
    weights = array(given, "sample_weight")
    if weights is not None:
        data["weight"] = np.repeat(weights.astype(float), items).tolist()
    ranking = {"gain": "linear", "ties": "expected", "empty_queries": "zero"}
    keywords = {"data": data, "task": "ranking", "query": "query", "item": "item", "label": "relevance", "score": "score", "ranking": ranking, "metrics": [metric]}
    if weights is not None:
        keywords["weight"] = "weight"
    return [Case("scikit-learn", name, float(result), keywords, lambda r: r[metric])]


def top_k(name, given, result):
    if name != "top_k_accuracy_score":
        return None
    truth, scored = array(given, "y_true"), array(given, "y_score").astype(float)
    classes = np.unique(truth) if given.get("labels") is None else np.asarray(given["labels"])
    if given.get("normalize", True) is False:
        raise Unsupported("counts in place of shares")
    if scored.ndim == 1:
        raise Unsupported("the k best of two classes by one score")
    metric = f"top_k_accuracy@{plain(given.get('k', 2))}"
    keywords = {
        "y_true": truth.astype(str), "y_score": scored, "labels": [str(each) for each in classes], "task": "multiclass",
        "input": {"score_type": "score"}, "metrics": [metric],
    }  # fmt: skip
    return [Case("scikit-learn", name, float(result), with_weights(given, keywords), lambda r: r[metric])]
