"""The names by which the program finds columns, made from the table of roles of the program."""

NAMES: dict[str, tuple[str, ...]] = {
    "example": ("example_id", "id", "example"),
    "class": ("class",),
    "query": ("query_id", "qid", "query"),
    "item": ("doc_id", "item_id", "item", "doc", "document_id", "corpus_id", "pid"),
    "label": ("label", "labels", "y_true", "y", "target", "ground_truth", "relevance", "winner", "references"),
    "score": ("score", "scores", "probability", "probabilities", "proba", "prob", "y_score", "y_prob", "y_proba", "logits"),
    "prediction": ("prediction", "predictions", "predicted", "pred", "y_pred"),
    "weight": ("weight", "sample_weight", "example_weight", "example_weights"),
    "a": ("model_a",),
    "b": ("model_b",),
    "grade": ("grade", "passed", "reward", "score"),
    "sampling_probability": ("sampling_probability",),
    "sampling_stratum": ("sampling_stratum",),
    "rater": ("rater", "annotator", "annotator_id", "rater_id", "worker_id"),
}

# The roles that several columns may have, one for each label, such as proba_cat.
WIDE = ("label", "score", "prediction")
