"""Reference values of the metrics, by task, for make_goldens.py and make_cases.py.

Each task function returns [(name, label or None, value or None)], names as in the specification. A value is
scikit-learn's wherever it has the metric, and otherwise a few lines of numpy (marked NUMPY, with the definition) or,
for losses from logits, of 50-digit mpmath (marked MPMATH). None is "undefined" (null in JSON).

Conventions:
- zero_division (0, 1 or nan) supplies 0/0 in: precision recall specificity npv fpr fnr fdr for f<beta> jaccard. Rates are
  taken as plain ratios: fpr is fp/(fp+tn), not 1-specificity, so with zero_division 0 both can be 0. As in scikit-learn,
  averages leave nan out, and weights that sum to 0 count as equal.
- Elsewhere scikit-learn's own rule holds: mcc is 0 when a marginal is empty; Cohen's kappa is undefined when everything
  is in one class; balanced_accuracy averages the classes that are true somewhere.
- Everything else with a zero denominator is undefined: likelihood and odds ratios (also where the limit is infinite),
  informedness where a class is never true, markedness where one is never predicted, fowlkes_mallows where no positive is
  true or none predicted, calibration_ratio without positives, brier_skill with one class only.
- ECE: bin i of B is (i/B, (i+1)/B], the first closed at 0; edges are the doubles i/B, compared with, not multiplied by.
- Where labels of an example are ranked, and ties need an order, the lowest label comes first; in top_k_accuracy@k and
  mean_reciprocal_rank the highest class does, as in scikit-learn's top_k_accuracy_score. precision@k is hits/k and f1@k
  2 hits/(k + true labels) for any k, also above the number of labels. Of an example without true labels, one_error is 1,
  ranking_loss 0, lrap 1, coverage_error 0, coverage -1, ndcg 0, hit_rate@k 0, recall@k and max_f1_samples what
  zero_division says; average_precision_samples leaves it out. roc_auc_samples leaves it out too, and examples of which all
  labels are true; of those, ranking_loss is 0 and lrap 1.
- Where scores are sparse, labels without a score rank after all that have one, and are tied: the reference gives them one
  score below all others. Only metrics of the order of the scores are defined.
- Metrics of curves (roc_auc, average_precision, max_f1…) are undefined where a class that they need is absent, and averages
  leave such labels out. Of equally good thresholds the highest counts; thresholds are scores that occur. Of multiclass
  logits, curves are those of the probabilities. Sparse scores have none.
- psp@k and psndcg@k are undefined where no example has a true label.
- _weighted averages weigh a label by the rows that truly have it (the sum of their weights), for losses too.
"""
import math
import warnings

import mpmath
import numpy as np
import scipy.integrate
import scipy.special
import scipy.stats
import scoringrules
import sklearn
from sklearn import metrics as sk
from sklearn.isotonic import IsotonicRegression

mpmath.mp.dps = 50
NAN = float("nan")

COMPUTED_WITH = (f"scikit-learn {sklearn.__version__}, numpy {np.__version__}, scipy {scipy.__version__}, "
                 f"mpmath {mpmath.__version__}, scoringrules {scoringrules.__version__}; definitions in testdata/reference.py")


def finite(value):
    """A Python float, or None where the metric is undefined."""
    value = NAN if value is None else float(value)
    assert not math.isinf(value), "no reference value may be infinite"
    return None if math.isnan(value) else value


def f_name(beta):
    return f"f{beta:g}"


def ratio(num, den, zero_division=NAN):
    return num / den if den != 0 else zero_division


def mean(values, weights=None):
    """Leaves nan out; weights that sum to 0 count as equal (scikit-learn's rule for averages over labels)."""
    values = np.asarray(values, dtype=float)
    kept = ~np.isnan(values)
    if not kept.any():
        return NAN
    if weights is None or np.sum(np.asarray(weights)[kept]) == 0:
        return values[kept].mean()
    return np.average(values[kept], weights=np.asarray(weights)[kept])


# --- probabilities -------------------------------------------------------------------------------------------------

# MPMATH: the exact function, rounded once.
def sigmoid(x):
    return float(1 / (1 + mpmath.exp(-mpmath.mpf(float(x)))))


def softmax(row):
    e = [mpmath.exp(mpmath.mpf(float(x))) for x in row]
    return [v / mpmath.fsum(e) for v in e]


def weighted_mean_exact(values, w):
    weights = [mpmath.mpf(float(x)) for x in w]
    return float(mpmath.fdot(zip(values, weights)) / mpmath.fsum(weights))


def probabilities(scores, score_type):
    if score_type == "probability":
        return scores
    assert score_type == "logit", score_type
    return np.vectorize(sigmoid, otypes=[float])(scores)


def bin_sums(p, hit, w, bins):
    """NUMPY: weight, sum of confidence and sum of hits in each uniform bin."""
    edges = np.arange(bins + 1) / bins
    bin_of = np.maximum(np.searchsorted(edges, p, side="left") - 1, 0)
    return [np.bincount(bin_of, weights=v, minlength=bins) for v in (w, w * p, w * hit)]


def ece(p, hit, w, bins):
    """NUMPY: sum over bins of |sum(conf) - sum(hit)| / total weight."""
    n, conf, hits = bin_sums(p, hit, w, bins)
    return np.abs(conf - hits).sum() / n.sum()


def ece_debiased(p, hit, w, bins):
    """SCIPY: ece less the excess of the mean of a folded normal over its location, after normal_debiased_ce of Kumar
    et al. 2019, of which this is the limit of many resamples. A weight counts as so many examples."""
    n, conf, hits = bin_sums(p, hit, w, bins)
    total = 0
    for n, conf, hits in zip(n, conf, hits):
        if n > 0:
            gap, share = abs(conf - hits) / n, hits / n
            deviation = np.sqrt(max(share * (1 - share), 0) / n) if 0 < hits < n else 0
            total += n * (2 * gap - (scipy.stats.foldnorm.mean(gap / deviation, scale=deviation) if deviation else gap))
    return total / w.sum()


def mce(p, hit, w, bins):
    """NUMPY: max over non-empty bins of |mean conf - mean hit|."""
    n, conf, hits = bin_sums(p, hit, w, bins)
    return np.max(np.abs(conf - hits)[n > 0] / n[n > 0])


def binary_losses(y, scores, score_type, w):
    """Log loss and Brier score of 0/1 labels. From probabilities scikit-learn's, clipped at the float64 epsilon."""
    if score_type == "probability":
        return (sk.log_loss(y, scores, sample_weight=w, labels=[0, 1]),
                sk.brier_score_loss(y, scores, sample_weight=w, pos_label=1))
    # MPMATH: log(1 + e^x) - y x and (sigmoid(x) - y)^2; nothing is clipped
    x = [mpmath.mpf(float(s)) for s in scores]
    loss = [mpmath.log1p(mpmath.exp(-abs(v))) + max(v, 0) - int(t) * v for v, t in zip(x, y)]
    square = [(1 / (1 + mpmath.exp(-v)) - int(t)) ** 2 for v, t in zip(x, y)]
    return weighted_mean_exact(loss, w), weighted_mean_exact(square, w)


# --- binary --------------------------------------------------------------------------------------------------------

def binary(y, pred, scores=None, *, score_type="probability", w=None, zero_division=0, bins=10, betas=(0.5, 2)):
    y, pred = np.asarray(y, dtype=int), np.asarray(pred, dtype=int)
    weight = np.ones(len(y)) if w is None else np.asarray(w, dtype=float)
    both = 0 < (weight * y).sum() and 0 < (weight * (1 - y)).sum()
    tn, fp, fn, tp = sk.confusion_matrix(y, pred, labels=[0, 1], sample_weight=weight).ravel().tolist()
    n = tp + fp + tn + fn

    def positive(metric, **kw):  # label 1 alone: scikit-learn's average="binary", without its check of the labels
        return metric(y, pred, labels=[1], average=None, sample_weight=weight, zero_division=zero_division, **kw)[0]

    precision, recall = ratio(tp, tp + fp), ratio(tp, tp + fn)
    npv, specificity = ratio(tn, tn + fn), ratio(tn, tn + fp)
    lr_positive, lr_negative = sk.class_likelihood_ratios(y, pred, labels=[0, 1], sample_weight=weight)
    out = {
        "tp": tp, "fp": fp, "tn": tn, "fn": fn,
        "accuracy": sk.accuracy_score(y, pred, sample_weight=weight),
        "balanced_accuracy": sk.balanced_accuracy_score(y, pred, sample_weight=weight),
        "precision": positive(sk.precision_score),
        "recall": positive(sk.recall_score),
        **{f_name(b): positive(sk.fbeta_score, beta=b) for b in (1, *betas)},
        # scikit-learn's jaccard_score has no zero_division nan: NUMPY, tp/(tp+fp+fn)
        "jaccard": ratio(tp, tp + fp + fn, zero_division),
        "mcc": sk.matthews_corrcoef(y, pred, sample_weight=weight),
        "cohen_kappa": sk.cohen_kappa_score(y, pred, labels=[0, 1], sample_weight=weight),
        "positive_likelihood_ratio": lr_positive,
        "negative_likelihood_ratio": lr_negative,
        # NUMPY from the four counts
        "specificity": ratio(tn, tn + fp, zero_division),
        "npv": ratio(tn, tn + fn, zero_division),
        "fpr": ratio(fp, fp + tn, zero_division),
        "fnr": ratio(fn, fn + tp, zero_division),
        "fdr": ratio(fp, fp + tp, zero_division),
        "for": ratio(fn, fn + tn, zero_division),
        "informedness": recall + specificity - 1,
        "markedness": precision + npv - 1,
        "fowlkes_mallows": math.sqrt(precision * recall),
        "prevalence": (tp + fn) / n,
        "predicted_positive_rate": (tp + fp) / n,
        "diagnostic_odds_ratio": ratio(tp * tn, fp * fn),
    }
    if scores is not None:
        scores = np.asarray(scores, dtype=float)  # a float32 array would be clipped at the float32 epsilon
    if scores is not None and score_type == "score":
        out |= binary_curves(y, scores, None, weight, bins)
    elif scores is not None:
        p = probabilities(scores, score_type)
        out["log_loss"], out["brier"] = binary_losses(y, scores, score_type, weight)
        label, prediction = np.average(y, weights=weight), np.average(p, weights=weight)
        out |= {  # NUMPY, but for brier_skill
            # 1 - brier/(prevalence (1-prevalence))
            "brier_skill": sk.d2_brier_score(y, p, sample_weight=weight, pos_label=1) if both else NAN,
            "d2_log_loss_score": d2_log_loss(y, p, weight, score_type, out["log_loss"]),
            "normalized_entropy": ratio(out["log_loss"], entropy(label)),  # NUMPY, after He et al. 2014
            "log_loss_sum": out["log_loss"] * weight.sum(),
            **net_benefits(y, p, weight),
            "ece": ece(p, y, weight, bins),
            "ece_debiased": ece_debiased(p, y, weight, bins),
            **corp(y, scores, weight, out["log_loss"], out["brier"]),
            # NUMPY, after Spiegelhalter 1986
            "spiegelhalter_z": ratio((weight * (y - p) * (1 - 2 * p)).sum(),
                                     math.sqrt((weight**2 * (1 - 2 * p)**2 * p * (1 - p)).sum())),
            "mce": mce(p, y, weight, bins),
            "mean_label": label,
            "mean_prediction": prediction,
            "calibration_ratio": ratio(prediction, label),
        } | binary_curves(y, scores, p, weight, bins)
    return [(name, None, finite(v)) for name, v in out.items()]


# --- per label: multiclass (one against the rest) and multilabel --------------------------------------------------

def counts(truth, pred, w):
    """NUMPY: weighted tp, fp, tn, fn of every column of two indicator matrices, each summed by itself."""
    return [w @ cell.astype(float) for cell in (truth & pred, ~truth & pred, ~truth & ~pred, truth & ~pred)]


def label_rows(y, pred, truth, hard, labels, w, zero_division, betas):
    """precision recall f<beta> jaccard specificity: _micro, _macro, _weighted and by label. y and pred are what
    scikit-learn takes (classes or indicator matrix), truth and hard the indicator matrices."""
    rows = []
    every = list(range(len(labels)))

    def averages(name, of):
        rows.extend((f"{name}_{a}", None, finite(of(a))) for a in ("micro", "macro", "weighted"))
        rows.extend((name, label, finite(v)) for label, v in zip(labels, of(None)))

    def scikit(metric, **kw):
        return lambda average: metric(y, pred, labels=every, average=average, sample_weight=w,
                                      zero_division=zero_division, **kw)

    def plain(num, den):  # NUMPY: num/den by label, averaged as scikit-learn averages precision
        values = [ratio(a, b, zero_division) for a, b in zip(num, den)]
        return lambda average: {
            None: values,
            "micro": ratio(num.sum(), den.sum(), zero_division),
            "macro": mean(values),
            "weighted": mean(values, tp + fn),
        }[average]

    tp, fp, tn, fn = counts(truth, hard, w)
    averages("precision", scikit(sk.precision_score))
    averages("recall", scikit(sk.recall_score))
    for b in (1, *betas):
        averages(f_name(b), scikit(sk.fbeta_score, beta=b))
    # scikit-learn's jaccard_score has no zero_division nan
    averages("jaccard", plain(tp, tp + fp + fn) if math.isnan(zero_division) else scikit(sk.jaccard_score))
    averages("specificity", plain(tn, tn + fp))
    return rows


# --- multiclass ----------------------------------------------------------------------------------------------------

def multiclass(y, pred, labels, scores=None, *, score_type="probability", w=None, zero_division=0, bins=10,
               betas=(0.5, 2), ks=(1, 3, 5), soft=None, curves=True):
    """y and pred are class indices; labels is the full class list of the run, whatever occurs in these rows. soft, if
    given, is the true distribution of each row; y is then its argmax."""
    y, pred = np.asarray(y, dtype=int), np.asarray(pred, dtype=int)
    k = len(labels)
    weight = np.ones(len(y)) if w is None else np.asarray(w, dtype=float)
    truth, hard = np.eye(k, dtype=bool)[y], np.eye(k, dtype=bool)[pred]
    target = np.eye(k)[y] if soft is None else np.asarray(soft, dtype=float)

    def kappa(weights):
        return sk.cohen_kappa_score(y, pred, labels=list(range(k)), weights=weights, sample_weight=weight)

    out = {
        "accuracy": sk.accuracy_score(y, pred, sample_weight=weight),
        "balanced_accuracy": sk.balanced_accuracy_score(y, pred, sample_weight=weight),
        "mcc": sk.matthews_corrcoef(y, pred, sample_weight=weight),
        "cohen_kappa": kappa(None),
        "cohen_kappa_linear": kappa("linear"),
        "cohen_kappa_quadratic": kappa("quadratic"),
    }
    if scores is not None:
        out |= places_of_classes(y, np.asarray(scores, dtype=float), weight, ks)
    if scores is not None and score_type != "score":
        if score_type == "probability":
            p = np.asarray(scores, dtype=float)
            if soft is None:
                out["log_loss"] = sk.log_loss(y, p, sample_weight=weight, labels=list(range(k)))
                # the sum over the classes, also for two of them
                out["brier"] = sk.brier_score_loss(y, p, sample_weight=weight, labels=list(range(k)),
                                                   scale_by_half=False)
            else:  # NUMPY: -sum over classes of t log p, clipped as scikit-learn does, and sum of (p - t)^2
                eps = np.finfo(float).eps
                out["log_loss"] = np.average(-(target * np.log(np.clip(p, eps, 1 - eps))).sum(axis=1), weights=weight)
                out["brier"] = np.average(((p - target) ** 2).sum(axis=1), weights=weight)
        else:  # MPMATH: -sum over classes of t log softmax(x) and of (softmax(x) - t)^2; nothing is clipped
            exact = [softmax(row) for row in scores]
            p = np.array([[float(v) for v in row] for row in exact])
            out["log_loss"] = weighted_mean_exact(
                [-mpmath.fsum(t * mpmath.log(v) for v, t in zip(*row) if t) for row in zip(exact, target)], weight)
            out["brier"] = weighted_mean_exact(
                [mpmath.fsum((v - t) ** 2 for v, t in zip(*row)) for row in zip(exact, target)], weight)
        out["log_loss_sum"] = out["log_loss"] * weight.sum()
        out |= skills(y, target, p, weight, out["log_loss"], out["brier"], score_type == "probability" and soft is None)
        out["weighted_kappa_loss_linear"] = kappa_loss(target, p, weight, np.abs)
        out["weighted_kappa_loss_quadratic"] = kappa_loss(target, p, weight, np.square)
        # NUMPY. Confidence is the highest probability; its class is the lowest index among the highest, whatever
        # pred says.
        top = p.argmax(axis=1)
        out["ece"] = ece(p.max(axis=1), top == y, weight, bins)
        out["mce"] = mce(p.max(axis=1), top == y, weight, bins)
        out["classwise_ece"] = np.mean([ece(p[:, j], truth[:, j], weight, bins) for j in range(k)])
    rows = [(name, None, finite(v)) for name, v in out.items()] + label_rows(
        y, pred, truth, hard, labels, weight, zero_division, betas)
    if scores is not None and curves:
        rows += multiclass_curves(y, np.asarray(scores, dtype=float) if score_type == "score" else p, labels, weight)
    return rows


def skills(y, target, p, w, log_loss, brier, scikit):
    """brier_skill and d2_log_loss_score: 1 less the loss over that of always predicting the shares of the classes. scikit-learn's
    d2_brier_score and d2_log_loss_score of hard labels and probabilities (log loss from logits is not clipped), else NUMPY.
    Undefined if one class has all the weight."""
    share = np.average(target, axis=0, weights=w)
    if np.count_nonzero(share) < 2:
        return {"brier_skill": NAN, "d2_log_loss_score": NAN}
    met = share[share > 0]
    values = {"brier_skill": 1 - brier / np.average(((share - target) ** 2).sum(axis=1), weights=w),
              "d2_log_loss_score": 1 + log_loss / (met * np.log(met)).sum()}
    if scikit:
        labels = list(range(p.shape[1]))
        for name, of in (("brier_skill", sk.d2_brier_score), ("d2_log_loss_score", sk.d2_log_loss_score)):
            value = of(y, p, sample_weight=w, labels=labels)
            assert abs(value - values[name]) < 1e-11 * max(1, abs(value)), (name, value, values[name])
            values[name] = value
    return values


def kappa_loss(target, p, w, of):
    """NUMPY, after WeightedKappaLoss of TensorFlow Addons: log(numerator / denominator + 1e-6). Of each example, the
    numerator has the probabilities weighted by their classes' distance from the mean of the true distribution; the
    denominator has all pairs of a true and a predicted class, by their totals. Undefined where it is 0."""
    classes = np.arange(p.shape[1])
    numerator = w @ (of((target @ classes)[:, np.newaxis] - classes) * p).sum(axis=1)
    denominator = (w @ target) @ of(np.subtract.outer(classes, classes)) @ (w @ p) / w.sum()
    return np.log(numerator / denominator + 1e-6) if denominator > 0 else NAN


def places_of_classes(y, scores, w, ks):
    """top_k_accuracy@k and mean_reciprocal_rank."""
    n, classes = scores.shape
    own = scores[np.arange(n), y][:, np.newaxis]
    last = np.arange(classes) > y[:, np.newaxis]
    place = 1 + ((scores > own) | (scores == own) & last).sum(axis=1)

    def top_k(k):
        if classes == 2:  # of two classes, scikit-learn takes the score of one only, and compares it with 0.5: NUMPY
            return np.average(place <= k, weights=w)
        return sk.top_k_accuracy_score(y, scores, k=k, sample_weight=w, labels=list(range(classes)))

    return {
        **{f"top_k_accuracy@{k}": top_k(k) for k in ks},
        "mean_reciprocal_rank": np.average(1 / place, weights=w),  # NUMPY
    }


# --- multilabel ----------------------------------------------------------------------------------------------------

def multilabel(truth, hard, labels, scores=None, *, score_type="probability", w=None, zero_division=0, bins=10,
               betas=(0.5, 2), ks=(1, 3, 5), propensity=None, curves=True):
    """truth and hard are indicator matrices; propensity, if given, is as propensity_scored takes it."""
    truth, hard = np.asarray(truth, dtype=bool), np.asarray(hard, dtype=bool)
    n, k = truth.shape
    weight = np.ones(n) if w is None else np.asarray(w, dtype=float)
    y, pred = truth.astype(int), hard.astype(int)

    def samples(metric, **kw):
        return metric(y, pred, average="samples", sample_weight=weight, zero_division=zero_division, **kw)

    both, either = (truth & hard).sum(axis=1), (truth | hard).sum(axis=1)
    cardinality = np.average(truth.sum(axis=1), weights=weight)
    out = {
        "subset_accuracy": sk.accuracy_score(y, pred, sample_weight=weight),
        "zero_one_loss": sk.zero_one_loss(y, pred, sample_weight=weight),
        "hamming_loss": sk.hamming_loss(y, pred, sample_weight=weight),
        "precision_samples": samples(sk.precision_score),
        "recall_samples": samples(sk.recall_score),
        **{f_name(b) + "_samples": samples(sk.fbeta_score, beta=b) for b in (1, *betas)},
        # scikit-learn's jaccard_score has no zero_division nan; it averages in the same way
        "jaccard_samples": mean([ratio(a, b, zero_division) for a, b in zip(both, either)], weight)
        if math.isnan(zero_division) else samples(sk.jaccard_score),
        # NUMPY
        "label_overlap": np.average(both / k, weights=weight),
        "label_cardinality": cardinality,
        "label_density": cardinality / k,
        "predicted_cardinality": np.average(hard.sum(axis=1), weights=weight),
    }
    # NUMPY: (1+b^2) P R / (b^2 P + R) of P = precision_samples and R = recall_samples; 0 where both are 0
    p_mean, r_mean = out["precision_samples"], out["recall_samples"]
    for b in (1, *betas):
        out[f_name(b) + "_of_means"] = ratio((1 + b * b) * p_mean * r_mean, b * b * p_mean + r_mean, 0.0)
    if scores is not None:
        scores = np.asarray(scores, dtype=float)
        out |= ranking(y, scores, weight, zero_division, ks)
        if propensity is not None:
            out |= propensity_scored(y, scores, weight, ks, **propensity)
    rows = [(name, None, finite(v)) for name, v in out.items()]
    rows += label_rows(y, pred, truth, hard, labels, weight, zero_division, betas)

    support = counts(truth, hard, weight)
    support = support[0] + support[3]
    flat = {"y": y.ravel(), "pred": pred.ravel(), "w": np.repeat(weight, k)}  # micro: every pair of example and label

    def averages(name, values, micro):
        rows.extend([
            (name + "_micro", None, finite(micro)),
            (name + "_macro", None, finite(mean(values))),
            (name + "_weighted", None, finite(mean(values, support))),
        ])
        rows.extend((name, label, finite(v)) for label, v in zip(labels, values))

    averages("accuracy", [sk.accuracy_score(y[:, j], pred[:, j], sample_weight=weight) for j in range(k)],
             sk.accuracy_score(flat["y"], flat["pred"], sample_weight=flat["w"]))
    averages("mcc", [sk.matthews_corrcoef(y[:, j], pred[:, j], sample_weight=weight) for j in range(k)],
             sk.matthews_corrcoef(flat["y"], flat["pred"], sample_weight=flat["w"]))
    if scores is not None and score_type != "score":
        p = probabilities(scores, score_type)
        losses = [binary_losses(y[:, j], scores[:, j], score_type, weight) for j in range(k)]
        micro = binary_losses(flat["y"], scores.ravel(), score_type, flat["w"])
        averages("log_loss", [a for a, _ in losses], micro[0])
        averages("brier", [b for _, b in losses], micro[1])
        normalized = [ratio(loss, entropy(np.average(y[:, j], weights=weight))) for j, (loss, _) in enumerate(losses)]
        averages("normalized_entropy", normalized, None)
        averages("d2_log_loss_score", [d2_log_loss(y[:, j], p[:, j], weight, score_type, losses[j][0]) for j in range(k)], None)
        parts = [corp(y[:, j], scores[:, j], weight, *losses[j]) for j in range(k)]
        for name in parts[0]:
            averages(name, [part[name] for part in parts], NAN)
        averages("log_loss_sum", [loss * weight.sum() for loss, _ in losses], micro[0] * weight.sum() * k)
        rows = [r for r in rows if r[0] not in (
            *(f"{name}_{a}" for name in parts[0] for a in ("micro", "weighted")),
            "normalized_entropy_micro", "d2_log_loss_score_micro", "log_loss_sum_macro", "log_loss_sum_weighted")]
        benefits = [net_benefits(y[:, j], p[:, j], weight) for j in range(k)]
        for name in benefits[0]:
            rows += [(name, label, finite(of[name])) for label, of in zip(labels, benefits)]
            rows.append((name + "_macro", None, finite(mean([of[name] for of in benefits]))))
        averages("ece", [ece(p[:, j], y[:, j], weight, bins) for j in range(k)],
                 ece(p.ravel(), flat["y"], flat["w"], bins))
        averages("ece_debiased", [ece_debiased(p[:, j], y[:, j], weight, bins) for j in range(k)],
                 ece_debiased(p.ravel(), flat["y"], flat["w"], bins))
        if score_type == "logit":
            rows += [(name, None, finite(v)) for name, v in cross_entropies(y, scores, weight).items()]
    if scores is not None and curves:
        rows += multilabel_curves(y, scores, labels, weight)
    return rows


def ranking(y, scores, w, zero_division, ks):
    """How the scores of each example, of whatever type, rank its labels; y is an indicator matrix of numbers."""
    positives = y.sum(axis=1)
    rows = list(zip(y, scores))
    ranked = np.array([row[np.argsort(-s, kind="stable")] for row, s in rows])  # y, best label first
    coverage = sk.coverage_error(y, scores, sample_weight=w)
    out = {
        "coverage_error": coverage,
        "ranking_loss": sk.label_ranking_loss(y, scores, sample_weight=w),
        "lrap": sk.label_ranking_average_precision_score(y, scores, sample_weight=w),
        "ndcg": sk.ndcg_score(y, scores, sample_weight=w),  # ties share their places: ignore_ties=False
        **{f"ndcg@{k}": sk.ndcg_score(y, scores, k=k, sample_weight=w) for k in ks},
        # scikit-learn's of each example
        "roc_auc_samples": mean([sk.roc_auc_score(*row) if 0 < p < y.shape[1] else NAN
                                 for row, p in zip(rows, positives)], w),
        "average_precision_samples": mean([sk.average_precision_score(*row) if p > 0 else NAN
                                           for row, p in zip(rows, positives)], w),
        # NUMPY
        "coverage": coverage - 1,
        "one_error": np.average(1 - ranked[:, 0], weights=w),
        "max_f1_samples": mean([max_f1(*row) if p > 0 else zero_division for row, p in zip(rows, positives)], w),
    }
    for k in ks:
        hits = ranked[:, :k].sum(axis=1)
        out |= {
            f"precision@{k}": np.average(hits / k, weights=w),
            f"recall@{k}": mean([ratio(h, p, zero_division) for h, p in zip(hits, positives)], w),
            f"f1@{k}": np.average(2 * hits / (k + positives), weights=w),
            f"hit_rate@{k}": np.average(hits > 0, weights=w),
        }
    return out


def propensity_scored(y, scores, w, ks, *, a, b, examples, counts):
    """NUMPY, after Jain, Prabhu & Varma 2016 and the code of the Extreme Classification Repository: psp@k and psndcg@k,
    the means over the examples of PSP@k and PSnDCG@k, each divided by what the best possible ranking has. The inverse
    propensity of a label that is true of n of N training examples is 1 + C (n + B)^-A, C = (log N - 1) (B + 1)^A."""
    inverse = 1 + (math.log(examples) - 1) * (b + 1) ** a * (np.asarray(counts, dtype=float) + b) ** -a
    gains = y * inverse
    ranked = np.take_along_axis(gains, np.argsort(-scores, axis=1, kind="stable"), axis=1)
    best = -np.sort(-gains, axis=1)
    discounts = 1 / np.log2(np.arange(y.shape[1]) + 2)
    positives = y.sum(axis=1).astype(int)
    out = {}
    for k in ks:
        def precision(g):
            return np.average(g[:, :k].sum(axis=1) / k, weights=w)

        def ndcg(g):  # DCG / (ideal DCG of min(|Y|, k) places of gain 1); 0 without true labels
            return np.average([(row * discounts)[:k].sum() / discounts[:min(n, k)].sum() if n > 0 else 0
                               for row, n in zip(g, positives)], weights=w)

        out[f"psp@{k}"] = ratio(precision(ranked), precision(best))
        out[f"psndcg@{k}"] = ratio(ndcg(ranked), ndcg(best))
    return out


def max_f1(y, scores):
    """NUMPY: the best F1 of the labels with scores from a threshold on; some label is true."""
    return max(2 * y[scores >= t].sum() / ((scores >= t).sum() + y.sum()) for t in scores)


def cross_entropies(y, scores, w):
    """MPMATH: losses of multi-hot targets from logits, meaned over the examples by weight."""
    sigmoid_sums, softmax_sums = [], []
    for targets, row in zip(y, scores):
        x = [mpmath.mpf(float(v)) for v in row]
        sigmoid_sums.append(mpmath.fsum(
            mpmath.log1p(mpmath.exp(-abs(v))) + max(v, 0) - int(t) * v for v, t in zip(x, targets)))
        log_sum = mpmath.log(mpmath.fsum(mpmath.exp(v) for v in x))
        softmax_sums.append(mpmath.fsum(int(t) * (log_sum - v) for v, t in zip(x, targets)))
    total = weighted_mean_exact(sigmoid_sums, w)
    return {
        "sigmoid_cross_entropy": weighted_mean_exact([s / y.shape[1] for s in sigmoid_sums], w),
        "sigmoid_cross_entropy_sum": total,
        "softmax_cross_entropy": weighted_mean_exact(softmax_sums, w),  # not divided by the number of true labels
    }


# --- regression ----------------------------------------------------------------------------------------------------

def regression(y, pred, *, w=None, quantiles=(0.1, 0.5, 0.9)):
    y, pred = np.asarray(y, dtype=float), np.asarray(pred, dtype=float)
    weight = np.ones(len(y)) if w is None else np.asarray(w, dtype=float)

    def scikit(metric, **kw):
        return metric(y, pred, sample_weight=weight, **kw)

    log_defined = min(y.min(), pred.min()) > -1  # where scikit-learn raises, the metric is undefined
    poisson_defined = y.min() >= 0 and pred.min() > 0
    out = {
        "mae": scikit(sk.mean_absolute_error),
        "mse": scikit(sk.mean_squared_error),
        "rmse": scikit(sk.root_mean_squared_error),
        # force_finite, scikit-learn's default: with a constant y 1 if perfect, else 0. r2 of a single row is undefined, and
        # so is explained_variance, which is 1 in scikit-learn
        "r2": scikit(sk.r2_score),
        "explained_variance": scikit(sk.explained_variance_score) if len(y) > 1 else NAN,
        "mape": scikit(sk.mean_absolute_percentage_error),  # |y| is at least the float64 epsilon
        "msle": scikit(sk.mean_squared_log_error) if log_defined else NAN,
        "rmsle": scikit(sk.root_mean_squared_log_error) if log_defined else NAN,
        "max_error": sk.max_error(y, pred),  # takes no weights
        **{f"pinball@{q:g}": scikit(sk.mean_pinball_loss, alpha=q) for q in quantiles},
        "mean_poisson_deviance": scikit(sk.mean_poisson_deviance) if poisson_defined else NAN,
        "median_absolute_error": scikit(sk.median_absolute_error),
        # NUMPY
        "smape": np.average(smape(y, pred), weights=weight),
        "mean_bias": np.average(pred - y, weights=weight),
        "pearson": pearson(y, pred, weight),
        "concordance": concordance(y, pred, weight),
    }
    return [(name, None, finite(v)) for name, v in out.items()]


def forecasts(y, pred, *, w=None, levels=None, quantiles=None, members=None, scale=None):
    """Forecasts of quantiles and ensembles, scaled errors, and losses that are computed only if they are named."""
    y, pred = np.asarray(y, dtype=float), np.asarray(pred, dtype=float)
    weight = np.ones(len(y)) if w is None else np.asarray(w, dtype=float)

    def mean(values):
        return np.average(values, weights=weight)

    out = {"huber_loss@1": mean(scipy.special.huber(1, y - pred)), "huber_loss@2.5": mean(scipy.special.huber(2.5, y - pred))}
    for name, power, least in (("mean_gamma_deviance", 2, 5e-324), ("mean_tweedie_deviance@1.5", 1.5, 0),
                               ("mean_tweedie_deviance@-1", -1, -math.inf), ("mean_tweedie_deviance@3", 3, 5e-324)):
        defined = y.min() >= least and pred.min() > 0
        out[name] = mean(tweedie(y, pred, power)) if defined else NAN
        if defined and pred.max() < 1e3:  # beyond, scikit-learn loses digits
            assert math.isclose(out[name], sk.mean_tweedie_deviance(y, pred, sample_weight=weight, power=power), rel_tol=1e-9, abs_tol=1e-9)
    out |= orders(y, pred, w)
    out["wape"] = ratio(mean(np.abs(y - pred)), mean(np.abs(y)))  # NUMPY, after Kolassa & Schütz 2007
    root = [math.sqrt(mean(x ** 2)) for x in (y - pred, y, pred)]  # NUMPY, after Theil 1961 and 1966
    out["theil_u1"] = root[0] / (root[1] + root[2]) if root[1] + root[2] > 0 else NAN
    out["theil_u2"] = root[0] / root[1] if root[1] > 0 else NAN
    out["d2_absolute_error"] = sk.d2_absolute_error_score(y, pred, sample_weight=weight)
    for q in (0.1, 0.5, 0.9):
        out[f"d2_pinball@{q:g}"] = sk.d2_pinball_score(y, pred, sample_weight=weight, alpha=q)
    if levels is not None:
        quantiles = np.asarray(quantiles, dtype=float)
        of = {level: quantiles[:, i] for i, level in enumerate(levels)}
        alphas = [round(2 * level, 9) for level in levels if level < 0.5]
        for level, q in of.items():
            out[f"quantile_coverage@{level:g}"] = mean(y <= q)
            out[f"quantile_loss@{level:g}"] = sk.mean_pinball_loss(y, q, sample_weight=weight, alpha=level)
        for alpha in alphas:
            lower, upper = of[round(alpha / 2, 9)], of[round(1 - alpha / 2, 9)]
            name = f"{round(1 - alpha, 9):g}"
            out[f"interval_coverage@{name}"] = mean((lower <= y) & (y <= upper))
            out[f"interval_width@{name}"] = mean(upper - lower)
            out[f"interval_score@{name}"] = mean(scoringrules.interval_score(y, lower, upper, alpha))
        out["crps_quantile"] = mean(scoringrules.crps_quantile(y, quantiles, np.asarray(levels)))
        # NUMPY, after Bracher et al. 2021, equation 1; scoringrules.weighted_interval_score weighs its terms otherwise
        out["wis"] = mean((np.abs(y - of[0.5]) / 2 + sum(
            alpha / 2 * scoringrules.interval_score(y, of[round(alpha / 2, 9)], of[round(1 - alpha / 2, 9)], alpha)
            for alpha in alphas)) / (len(alphas) + 0.5))
    if members is not None:
        out["crps"] = mean([scoringrules.crps_ensemble(a, np.asarray(b, dtype=float), estimator="nrg") for a, b in zip(y, members)])
    if scale is not None:
        scale = np.asarray(scale, dtype=float)
        out["mase"] = mean(np.abs(y - pred) / scale)
        out["rmsse"] = math.sqrt(mean(((y - pred) / scale) ** 2))
    return [(name, None, finite(v)) for name, v in out.items()]


def orders(y, pred, w):
    """How y and pred agree in their order: SciPy's without weights; with weights NUMPY, by pairs of rows, which weigh the product of
    the weights of their rows. The weighted mid-rank of a row is the weight below it and half of the weight of its equals."""
    by_y, by_pred = (np.sign(x[:, None] - x[None, :]) for x in (y, pred))
    weight = np.ones(len(y)) if w is None else np.asarray(w, dtype=float)
    pair = weight[:, None] * weight[None, :]
    untied = [(pair * s * s).sum() for s in (by_y, by_pred)]
    out = {"concordance_index": (pair * by_y ** 2 * (1 + by_y * by_pred) / 2).sum() / untied[0] if untied[0] > 0 else NAN}
    if min(untied) == 0:
        return out | {"spearman": NAN, "kendall": NAN}
    if w is None:
        return out | {"spearman": scipy.stats.spearmanr(y, pred).statistic, "kendall": scipy.stats.kendalltau(y, pred).statistic}
    ranks = [((s > 0) @ weight) + ((s == 0) @ weight) / 2 for s in (by_y, by_pred)]
    return out | {"spearman": pearson(*ranks, weight), "kendall": (pair * by_y * by_pred).sum() / math.sqrt(untied[0] * untied[1])}


def tweedie(y, pred, power):
    """MPMATH: the unit deviances of scikit-learn's mean_tweedie_deviance, whose terms nearly cancel where y is close to p."""
    def deviance(y, p):
        y, p, a = mpmath.mpf(float(y)), mpmath.mpf(float(p)), mpmath.mpf(power)
        if power == 2:
            return float(2 * (mpmath.log(p / y) + y / p - 1))
        return float(2 * (max(y, 0) ** (2 - a) / ((1 - a) * (2 - a)) - y * p ** (1 - a) / (1 - a) + p ** (2 - a) / (2 - a)))

    return np.array([deviance(*pair) for pair in zip(y, pred)])


def smape(y, pred):
    """NUMPY: 2 |y-p| / (|y|+|p|), 0 where both are 0."""
    size = np.abs(y) + np.abs(pred)
    return np.divide(2 * np.abs(y - pred), size, out=np.zeros_like(size), where=size > 0)


def pearson(y, pred, w):
    """NUMPY: weighted covariance over the weighted deviations; undefined where either is constant."""
    if np.ptp(y) == 0 or np.ptp(pred) == 0:
        return NAN
    a, b = y - np.average(y, weights=w), pred - np.average(pred, weights=w)
    return (w * a * b).sum() / math.sqrt((w * a * a).sum() * (w * b * b).sum())


def concordance(y, pred, w):
    """NUMPY, after Lin 1989: 1 less the mean squared distance from the line y = p over what it would be of independent y and
    p with the same means and variances, sums divided by the weight; undefined of one row, or where all is one number."""
    apart = np.average(y, weights=w) - np.average(pred, weights=w)
    whole = np.cov(y, aweights=w, bias=True) + np.cov(pred, aweights=w, bias=True) + apart ** 2
    if len(y) < 2 or max(y.max(), pred.max()) == min(y.min(), pred.min()):
        return NAN
    return 1 - np.average((y - pred) ** 2, weights=w) / whole


# --- curves: metrics of all scores of a label in order -------------------------------------------------------------

CLOSE = 1e-12  # numbers that differ by less are equal, but for rounding


def best(values, thresholds, ok=True):
    """The highest of the values where ok, and the highest threshold that has it."""
    values = np.where(ok, values, -np.inf)
    return values.max(), thresholds[values >= values.max() - CLOSE].max()


def roc_auc(y, scores, w):
    """scikit-learn's; undefined if a class is absent, where it warns."""
    return sk.roc_auc_score(y, scores, sample_weight=w) if 0 < np.sum(y) < len(y) else NAN


def partial_roc_auc(y, scores, w, fpr):
    """scikit-learn's, standardized as McClish 1989; undefined if a class is absent."""
    return sk.roc_auc_score(y, scores, sample_weight=w, max_fpr=fpr) if 0 < np.sum(y) < len(y) else NAN


def share_of_pairs(higher, y, scores, w):
    """NUMPY: the share of the weight of the pairs of a positive and a negative with the positive's score higher, or not lower."""
    pairs = np.multiply.outer(w[y == 1], w[y == 0])
    return pairs[higher(scores[y == 1][:, np.newaxis], scores[y == 0])].sum() / pairs.sum() if 0 < np.sum(y) < len(y) else NAN


def optimistic_roc_auc(y, scores, w):
    return share_of_pairs(np.greater_equal, y, scores, w)


def average_precision(y, scores, w):
    """scikit-learn's; undefined without positives, where it warns and returns 0."""
    return sk.average_precision_score(y, scores, sample_weight=w) if np.any(y) else NAN


def best_f1(y, scores, w):
    """The largest F1 of a threshold, and the highest that has it, of the points of precision_recall_curve."""
    if not np.any(y):
        return NAN, NAN
    precision, recall, thresholds = sk.precision_recall_curve(y, scores, sample_weight=w)
    size = precision + recall
    return best(np.divide(2 * precision * recall, size, out=np.zeros_like(size), where=size > 0)[:-1], thresholds)


def binary_curves(y, scores, p, w, bins):
    """p are the probabilities, None if scores are something else."""
    out = {
        "roc_auc": roc_auc(y, scores, w),
        "average_precision": average_precision(y, scores, w),
        **{f"roc_auc_at_fpr@{f:g}": partial_roc_auc(y, scores, w, f) for f in (0.1, 0.5, 1)},
        **dict.fromkeys(("roc_auc_optimistic", "roc_auc_pessimistic", "gini", "pr_auc", "pr_auc_interpolated", "ks", "ks_threshold",
                         "youden_threshold", "recall_at_precision@0.9", "precision_at_recall@0.9", "recall_at_fpr@0.01",
                         "recall_at_fpr@0.1", "specificity_at_sensitivity@0.9", "sensitivity_at_specificity@0.9",
                         "threshold_at_recall@0.9"), NAN),
    }
    out["max_f1"], out["max_f1_threshold"] = best_f1(y, scores, w)
    if p is not None:
        out["ace"] = ace(y, scores, p, w, bins)
    out |= gains(y, scores, w)
    if np.any(y):
        precision, recall, thresholds = sk.precision_recall_curve(y, scores, sample_weight=w)
        out["pr_auc"] = sk.auc(recall, precision)
        out["pr_auc_interpolated"] = interpolated_pr_auc(y, scores, w)
        # predicting nothing has recall 0 and precision 1: the last point
        out["recall_at_precision@0.9"] = recall[precision >= 0.9 - CLOSE].max()
        out["precision_at_recall@0.9"] = precision[recall >= 0.9 - CLOSE].max()
        out["threshold_at_recall@0.9"] = thresholds[recall[:-1] >= 0.9 - CLOSE].max()
    if 0 < np.sum(y) < len(y):
        out["gini"] = 2 * out["roc_auc"] - 1
        out["roc_auc_optimistic"] = share_of_pairs(np.greater_equal, y, scores, w)
        out["roc_auc_pessimistic"] = share_of_pairs(np.greater, y, scores, w)
        fpr, tpr, thresholds = sk.roc_curve(y, scores, sample_weight=w, drop_intermediate=False)
        for f in (0.01, 0.1):
            out[f"recall_at_fpr@{f}"] = tpr[fpr <= f + CLOSE].max()  # predicting nothing is the first point
        out["specificity_at_sensitivity@0.9"] = (1 - fpr)[tpr >= 0.9 - CLOSE].max()
        out["sensitivity_at_specificity@0.9"] = tpr[1 - fpr >= 0.9 - CLOSE].max()
        distance, thresholds = (tpr - fpr)[1:], thresholds[1:]  # of thresholds that are scores
        out["ks"], out["ks_threshold"] = best(np.abs(distance), thresholds)
        if (w == 1).all():  # SciPy has no weights
            out["ks"] = scipy.stats.ks_2samp(scores[y == 1], scores[y == 0], method="asymp").statistic
        _, out["youden_threshold"] = best(distance, thresholds)
    return out


def on_request(metric, data):
    """Whether a metric of a data set is computed only if a configuration names it."""
    return metric.startswith(("log_loss_sum", "net_benefit", "pr_auc_interpolated", "ece_debiased", "spiegelhalter_z", "miscalibration", "discrimination", "uncertainty",
                              "log_loss_miscalibration", "log_loss_discrimination", "log_loss_uncertainty", "roc_auc_at_fpr@", "d2_log_loss_score")) or (
        data == "digits" and metric == "brier_skill") or (
        data == "digits_attributes" and metric.startswith(("gain@", "lift@", "roc_auc_optimistic")))


def expected_costs(task, labels, y_true, y_pred, costs, w):
    """NUMPY, after Elkan 2001: the mean over examples of the cost of the true and the predicted class; of each label, and the
    mean over the labels."""
    costs = np.asarray(costs, dtype=float)
    if task != "multilabel":
        return [("expected_cost", None, np.average(costs[y_true, y_pred], weights=w))]
    has = [np.array([[j in row for j in range(len(labels))] for row in sets], dtype=int) for sets in (y_true, y_pred)]
    each = np.average(costs[has[0], has[1]], axis=0, weights=w)
    return [("expected_cost_macro", None, each.mean()), *(("expected_cost", *row) for row in zip(labels, each))]


def expected_cost_of_errors(y_true, y_pred, cost_fp, cost_fn, w):
    """NUMPY, after Elkan 2001: the mean over examples of the cost of the error, or 0, of costs of each example."""
    y, p = np.asarray(y_true), np.asarray(y_pred)
    return [("expected_cost", None, np.average(np.where(p > y, cost_fp, np.where(p < y, cost_fn, 0)), weights=w))]


def net_benefits(y, p, w):
    """NUMPY, after Vickers & Elkin 2006: from the counts of a label at each threshold, and of predicting it always."""
    n, label = w.sum(), np.average(y, weights=w)
    at = {t: w[(y == 1) & (p >= t)].sum() / n - w[(y == 0) & (p >= t)].sum() / n * t / (1 - t) for t in (0.1, 0.2, 0.3, 0.4, 0.5)}
    return {f"net_benefit@{t}": v for t, v in at.items()} | {
        f"net_benefit_treat_all@{t}": label - (1 - label) * t / (1 - t) for t in at}


def d2_log_loss(y, p, w, score_type, log_loss):
    """scikit-learn's d2_log_loss_score of probabilities. From logits, of which nothing is clipped, NUMPY: from the log loss.
    Undefined if a class is absent."""
    share = np.average(y, weights=w)
    if entropy(share) == 0:
        return NAN
    if score_type == "probability":
        return sk.d2_log_loss_score(y, p, sample_weight=w, labels=[0, 1])
    return 1 - log_loss / entropy(share)


def entropy(share):
    """NUMPY: the log loss of always predicting the share of positives."""
    return 0 if share in (0, 1) else -(share * np.log(share) + (1 - share) * np.log1p(-share))


def corp(y, scores, w, log_loss, brier):
    """The decomposition of Dimitriadis, Gneiting & Jordan 2021, from scikit-learn's IsotonicRegression. It takes scores that
    are nearly equal as equal, so it gets their ranks."""
    kept = w > 0
    y, scores, w = y[kept], scores[kept], w[kept]
    ranks = np.unique(scores, return_inverse=True)[1]
    fit = IsotonicRegression().fit(ranks, y, sample_weight=w).predict(ranks)
    share = np.average(y, weights=w)
    values = {}
    for prefix, score, recalibrated, uncertainty in (
            ("", brier, np.average((fit - y) ** 2, weights=w), share * (1 - share)),
            ("log_loss_", log_loss, -np.average(np.log(np.where(y == 1, fit, 1 - fit)), weights=w), entropy(share))):
        values[prefix + "miscalibration"] = score - recalibrated
        values[prefix + "discrimination"] = uncertainty - recalibrated
        values[prefix + "uncertainty"] = uncertainty
    return values


def gains(y, scores, w):
    """NUMPY: gain@q and lift@q. The curve of recall by share of the weight, from the highest scores on, has straight lines
    between distinct scores: equal scores share their places."""
    total, positives = w.sum(), w[y == 1].sum()
    cuts = np.unique(scores)[::-1]
    share = np.r_[0, [w[scores >= s].sum() / total for s in cuts]]
    recall = np.r_[0, [ratio(w[(scores >= s) & (y == 1)].sum(), positives) for s in cuts]]
    gain = {q: np.interp(q, share, recall) if positives > 0 else NAN for q in (0.01, 0.05, 0.1, 0.2)}
    return {f"gain@{q}": v for q, v in gain.items()} | {f"lift@{q}": v / q for q, v in gain.items()}


def interpolated_pr_auc(y, scores, w):
    """SCIPY, after Davis & Goadrich 2006: quadrature of tp/(tp + fp) over tp, with fp linear in tp between thresholds."""
    if not np.any(y):
        return NAN
    area, tp, fp = 0.0, 0.0, 0.0
    for s in np.unique(scores)[::-1]:
        next_tp, next_fp = w[(scores >= s) & (y == 1)].sum(), w[(scores >= s) & (y == 0)].sum()
        if next_tp > tp:
            slope = (next_fp - fp) / (next_tp - tp)
            area += next_tp / (next_tp + next_fp) * next_tp if tp + fp == 0 else scipy.integrate.quad(
                lambda t: t / (t + fp + slope * (t - tp)), tp, next_tp, epsabs=1e-15, epsrel=1e-14, limit=500)[0]
        tp, fp = next_tp, next_fp
    return area / tp


def ace(y, scores, p, w, bins):
    """NUMPY, after Nixon et al. 2019: sum over bins of |sum(w p) - sum(w y)| / total weight. A score is in bin i of B if
    the share of the weight with higher scores is within [i/B, (i+1)/B): ties stay together."""
    place = np.array([math.floor(bins * w[scores > s].sum() / w.sum()) for s in scores])
    return np.abs(np.bincount(place, weights=w * (p - y))).sum() / w.sum()


def averaged(name, labels, values, support, micro):
    """A metric of each label, with its averages."""
    return [(f"{name}_micro", None, finite(micro)), (f"{name}_macro", None, finite(mean(values))),
            (f"{name}_weighted", None, finite(mean(values, support))),
            *((name, label, finite(v)) for label, v in zip(labels, values))]


def multiclass_curves(y, p, labels, w):
    """p are the probabilities, or the scores if those are something else."""
    k = len(labels)
    truth = np.eye(k, dtype=int)[y]
    pooled = truth.ravel(), p.ravel(), np.repeat(w, k)
    support = w @ truth
    aucs = [roc_auc(truth[:, j], p[:, j], w) for j in range(k)]
    rows = averaged("roc_auc_ovr", labels, aucs, support, roc_auc(*pooled))
    rows += averaged("average_precision", labels, [average_precision(truth[:, j], p[:, j], w) for j in range(k)], support,
                     average_precision(*pooled))
    macro, by_weight = one_vs_one(y, p, w, k)
    # scikit-learn's where it has the average: of three classes or more, all present, and scores that add up to 1
    if k > 2 and (support > 0).all() and np.allclose(p.sum(axis=1), 1):
        for average in ("micro", "macro", "weighted"):
            value = sk.roc_auc_score(y, p, multi_class="ovr", average=average, sample_weight=w, labels=range(k))
            assert abs(value - next(v for n, _, v in rows if n == f"roc_auc_ovr_{average}")) < CLOSE
        if (w == 1).all():
            macro, by_weight = (sk.roc_auc_score(y, p, multi_class="ovo", average=average, labels=range(k))
                                for average in ("macro", "weighted"))
    return rows + [("roc_auc_ovo_macro", None, finite(macro)), ("roc_auc_ovo_weighted", None, finite(by_weight))]


def one_vs_one(y, p, w, k):
    """NUMPY, after Hand & Till 2001, from scikit-learn's ROC AUC: the means over the pairs of classes that are present, plain
    and by the weight of their rows."""
    values, sizes = [], []
    for i in range(k):
        for j in range(i):
            at = (y == i) | (y == j)
            a, b = roc_auc(y[at] == i, p[at, i], w[at]), roc_auc(y[at] == j, p[at, j], w[at])
            values.append((a + b) / 2)
            sizes.append(w[at].sum())
    return mean(values), mean(values, sizes)


def multilabel_curves(y, scores, labels, w):
    k = len(labels)
    flat = y.ravel(), scores.ravel(), np.repeat(w, k)
    support = w @ y
    rows = []
    for name, of in (("roc_auc", roc_auc), ("average_precision", average_precision),
                     ("pr_auc_interpolated", interpolated_pr_auc), ("roc_auc_optimistic", optimistic_roc_auc),
                     *((f"roc_auc_at_fpr@{f:g}", lambda y, s, w, f=f: partial_roc_auc(y, s, w, f)) for f in (0.1, 0.5, 1))):
        rows += averaged(name, labels, [of(y[:, j], scores[:, j], w) for j in range(k)], support, of(*flat))
    for j, label in enumerate(labels):
        value, threshold = best_f1(y[:, j], scores[:, j], w)
        rows += [("max_f1", label, finite(value)), ("max_f1_threshold", label, finite(threshold))]
        rows += [(name, label, finite(v)) for name, v in gains(y[:, j], scores[:, j], w).items()]
    rows += [(f"{name}_macro", None, finite(mean([gains(y[:, j], scores[:, j], w)[name] for j in range(k)])))
             for name in gains(y[:, 0], scores[:, 0], w)]
    rows.append(("max_f1_micro", None, finite(best_f1(*flat)[0])))
    # the flattened matrix is one ranking, without weights; scikit-learn gives 0 without positives
    ndcg = sk.ndcg_score([flat[0]], [flat[1]]) if y.any() else NAN
    return rows + [("ndcg_micro", None, finite(ndcg))]


def quiet():
    """Undefined metrics and unnormalised probabilities are wanted here: no warnings of them."""
    warnings.filterwarnings("ignore", category=sklearn.exceptions.UndefinedMetricWarning)
    warnings.filterwarnings("ignore", category=UserWarning, module="sklearn")
    warnings.filterwarnings("ignore", category=RuntimeWarning, module="sklearn")  # 0/0 that becomes nan
