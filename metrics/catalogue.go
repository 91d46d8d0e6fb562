package metrics

import "github.com/beameval/beameval/metrics/curves"

// metric is a row of the catalogue.
type metric struct {
	// name is the base name; a parameter stands in it as <beta>, <q>…
	name  string
	tasks Task
	needs need
	evaluator
	// doc is the definition, in one line; ref its source.
	doc, ref string
	aliases  []string
}

// need is what a metric needs to know of the examples.
type need uint8

const (
	needDecision    need = 1 << iota // predicted classes or label sets
	needProbability                  // probabilities, given or from logits
	needLogit                        // logits
	needScore                        // scores of any type
	needPropensity                   // propensities of the labels
	needCurve                        // scores of single labels in order, exactly or within bounds
	needExactCurve                   // exactly
)

// The sources of the formulas; docs/metrics.md lists them in full.
const (
	sklearn = "scikit-learn"
	zhang   = "Zhang & Zhou 2014"
	godbole = "Godbole & Sarawagi 2004"
	guo     = "Guo et al. 2017"
	kull    = "Kull et al. 2019"
	tfma    = "TensorFlow Model Analysis"
	jain    = "Jain, Prabhu & Varma 2016"
	powers  = "Powers 2011"
	manning = "Manning, Raghavan & Schütze 2008"
	torre   = "de la Torre, Puig & Valls 2018"

	jarvelin = "Järvelin & Kekäläinen 2002"
	chapelle = "Chapelle et al. 2009"
	trec     = "trec_eval"
)

// catalogue is the table of all metrics. docs/metrics.md is made from it.
var catalogue []metric

// Metrics find others in the catalogue: an initializer would be a cycle.
func init() { catalogue = metrics }

var metrics = []metric{
	{"tp", Binary, needDecision, counting(func(c counts) Value { return defined(c.tp) }), "total weight of true positives", sklearn + ", confusion_matrix", nil},
	{"fp", Binary, needDecision, counting(func(c counts) Value { return defined(c.fp) }), "total weight of false positives", sklearn + ", confusion_matrix", nil},
	{"tn", Binary, needDecision, counting(func(c counts) Value { return defined(c.tn) }), "total weight of true negatives", sklearn + ", confusion_matrix", nil},
	{"fn", Binary, needDecision, counting(func(c counts) Value { return defined(c.fn) }), "total weight of false negatives", sklearn + ", confusion_matrix", nil},
	{"accuracy", Binary | Multilabel, needDecision, counting(accuracy), "(tp + tn) / n", sklearn, nil},
	{"accuracy", Multiclass, needDecision, agreement(multiclassAccuracy), "share of examples whose predicted class is the true one", sklearn, nil},
	{"balanced_accuracy", Binary, needDecision, counting(balancedAccuracy), "mean of the recalls of the classes that occur", sklearn, nil},
	{"balanced_accuracy", Multiclass, needDecision, agreement(multiclassBalancedAccuracy), "mean of the recalls of the classes that occur", sklearn, nil},
	{"precision", Binary | Multiclass | Multilabel, needDecision, counting(precision), "tp / (tp + fp)", sklearn, []string{"ppv"}},
	{"recall", Binary | Multiclass | Multilabel, needDecision, counting(recall), "tp / (tp + fn)", sklearn, []string{"tpr", "sensitivity"}},
	{"specificity", Binary | Multiclass | Multilabel, needDecision, counting(specificity), "tn / (tn + fp), the recall of the negatives", powers, []string{"tnr"}},
	{"f1", Binary | Multiclass | Multilabel, needDecision, countingWith(fbeta).at(1), "2 tp / (2 tp + fp + fn), the harmonic mean of precision and recall", sklearn, nil},
	{"f<beta>", Binary | Multiclass | Multilabel, needDecision, countingWith(fbeta), "(1+β²) tp / ((1+β²) tp + β² fn + fp)", sklearn, nil},
	{"jaccard", Binary | Multiclass | Multilabel, needDecision, counting(jaccard), "tp / (tp + fp + fn)", sklearn, []string{"iou"}},
	{"mcc", Binary | Multilabel, needDecision, counting(mcc), "Matthews correlation; 0 where a margin is empty", sklearn, []string{"matthews_corrcoef"}},
	{"mcc", Multiclass, needDecision, agreement(multiclassMCC), "Gorodkin's R_K; 0 where labels or predictions have one class only", sklearn, []string{"matthews_corrcoef"}},
	{"cohen_kappa", Binary | Multiclass, needDecision, agreement(cohenKappa), "1 - observed disagreement / disagreement by chance", sklearn, []string{"kappa", "cohen_kappa_score"}},
	{"cohen_kappa_linear", Multiclass, needDecision, agreement(linearKappa), "kappa with disagreements weighted by |i - j|, classes in the order of the labels", sklearn, []string{"linear_weighted_kappa"}},
	{"cohen_kappa_quadratic", Multiclass, needDecision, agreement(quadraticKappa), "kappa with disagreements weighted by (i - j)²", sklearn, []string{"quadratic_weighted_kappa"}},
	{"npv", Binary, needDecision, counting(npv), "negative predictive value, tn / (tn + fn)", powers, nil},
	{"fpr", Binary, needDecision, counting(fpr), "false positive rate, fp / (fp + tn)", sklearn, []string{"fall_out"}},
	{"fnr", Binary, needDecision, counting(fnr), "false negative rate, fn / (fn + tp)", sklearn, []string{"miss_rate"}},
	{"fdr", Binary, needDecision, counting(fdr), "false discovery rate, fp / (fp + tp)", powers, nil},
	{"for", Binary, needDecision, counting(falseOmission), "false omission rate, fn / (fn + tn)", powers, nil},
	{"informedness", Binary, needDecision, counting(informedness), "recall + specificity - 1", powers, []string{"youden_j"}},
	{"markedness", Binary, needDecision, counting(markedness), "precision + npv - 1", powers, nil},
	{"fowlkes_mallows", Binary, needDecision, counting(fowlkesMallows), "√(precision · recall)", powers, nil},
	{"prevalence", Binary, needDecision, counting(prevalence), "share of positive examples", powers, nil},
	{"predicted_positive_rate", Binary, needDecision, counting(predictedRate), "share of examples predicted positive", powers, nil},
	{"positive_likelihood_ratio", Binary, needDecision, counting(positiveLikelihoodRatio), "recall / (1 - specificity)", sklearn, []string{"lr+"}},
	{"negative_likelihood_ratio", Binary, needDecision, counting(negativeLikelihoodRatio), "(1 - recall) / specificity", sklearn, []string{"lr-"}},
	{"diagnostic_odds_ratio", Binary, needDecision, counting(diagnosticOddsRatio), "tp tn / (fp fn)", "Glas et al. 2003", nil},

	{"log_loss", Binary | Multilabel, needProbability, losing(logLoss), "mean of -log(probability of what was true)", sklearn, []string{"binary_cross_entropy"}},
	{"log_loss", Multiclass, needProbability, mean(multiclassLogLoss), "mean of -log(probability of the true class); of soft labels, of -Σ over classes of truth · log(probability)", sklearn, []string{"cross_entropy"}},
	{"brier", Binary | Multilabel, needProbability, losing(brier), "mean of (probability - label)²", sklearn, []string{"brier_score_loss"}},
	{"brier", Multiclass, needProbability, mean(multiclassBrier), "mean of Σ over classes of (probability - truth)², in [0, 2]", sklearn + ", scale_by_half=False", []string{"brier_score_loss"}},
	{"brier_skill", Binary, needProbability, losing(brierSkill), "1 - brier / (brier of always predicting the prevalence)", "Murphy 1973", nil},
	{"mean_label", Binary, needProbability, losing(meanLabel), "mean of the labels", tfma, nil},
	{"mean_prediction", Binary, needProbability, binning(meanPrediction), "mean of the probabilities", tfma, nil},
	{"calibration_ratio", Binary, needProbability, binning(calibrationRatio), "mean_prediction / mean_label", tfma, []string{"calibration"}},
	{"ece", Binary | Multilabel, needProbability, calibrating(expectedCalibrationError), "expected calibration error: mean over bins, by weight, of |mean probability - share of positives|", guo, []string{"expected_calibration_error"}},
	{"ece", Multiclass, needProbability, topCalibrating(expectedCalibrationError), "expected calibration error of the top class: mean over bins, by weight, of |confidence - accuracy|", guo, []string{"expected_calibration_error"}},
	{"mce", Binary, needProbability, calibrating(maximumCalibrationError), "maximum calibration error: the largest |mean probability - share of positives| of a bin", guo, []string{"maximum_calibration_error"}},
	{"mce", Multiclass, needProbability, topCalibrating(maximumCalibrationError), "maximum calibration error of the top class", guo, []string{"maximum_calibration_error"}},
	{"weighted_kappa_loss_linear", Multiclass, needProbability, kappaLoss(linearKappaLoss), "log(D / E + 10⁻⁶): D is the sum of |c - j| · probability of class j, c being the true class, and E what D would be with predictions independent of the labels", torre + ", as in TensorFlow Addons", nil},
	{"weighted_kappa_loss_quadratic", Multiclass, needProbability, kappaLoss(quadraticKappaLoss), "weighted_kappa_loss_linear with (c - j)² in place of |c - j|", torre + ", as in TensorFlow Addons", nil},
	{"classwise_ece", Multiclass, needProbability, calibrating(expectedCalibrationError).only(macro), "mean over classes of the ece of that class against the rest", kull, nil},

	{"roc_auc", Binary | Multilabel, needScore | needCurve, curving((*curves.Accumulator).ROCAUC, (*curves.Bounds).ROCAUC), "area under the ROC curve: share of the pairs of a positive and a negative with the positive's score higher, ties counting one half", sklearn + ", roc_auc_score", []string{"auc"}},
	{"roc_auc_ovr", Multiclass, needScore | needCurve, curving((*curves.Accumulator).ROCAUC, (*curves.Bounds).ROCAUC), "ROC AUC of each class against the rest", sklearn + ", roc_auc_score", nil},
	{"roc_auc_ovo_macro", Multiclass, needScore | needCurve | needExactCurve, oneVsOne(curves.OneVsOneROCAUC), "mean over pairs of classes of the ROC AUC of one against the other, by the scores of either", "Hand & Till 2001", nil},
	{"roc_auc_ovo_weighted", Multiclass, needScore | needCurve | needExactCurve, oneVsOne(curves.OneVsOneROCAUCWeighted), "roc_auc_ovo_macro with pairs of classes weighted by their examples", sklearn + ", roc_auc_score", nil},
	{"roc_auc_optimistic", Binary, needScore | needCurve, curving((*curves.Accumulator).ROCAUCOptimistic, (*curves.Bounds).ROCAUCOptimistic), "roc_auc with ties counting 1", "beameval", nil},
	{"roc_auc_pessimistic", Binary, needScore | needCurve, curving((*curves.Accumulator).ROCAUCPessimistic, (*curves.Bounds).ROCAUCPessimistic), "roc_auc with ties counting 0", "beameval", nil},
	{"gini", Binary, needScore | needCurve, curving((*curves.Accumulator).Gini, (*curves.Bounds).Gini), "2 roc_auc - 1", "credit scoring; Somers' D", nil},
	{"average_precision", Binary | Multiclass | Multilabel, needScore | needCurve, curving((*curves.Accumulator).AveragePrecision, (*curves.Bounds).AveragePrecision), "Σ over thresholds of the precision · what recall grows by", sklearn + ", average_precision_score", []string{"ap"}},
	{"pr_auc", Binary, needScore | needCurve, curving((*curves.Accumulator).PRAUC, (*curves.Bounds).PRAUC), "area under the precision-recall curve by trapezoids", sklearn + ", auc of precision_recall_curve", nil},
	{"ks", Binary, needScore | needCurve, bestOf(curves.KolmogorovSmirnov), "Kolmogorov-Smirnov statistic: largest |tpr - fpr| of a threshold", "SciPy ks_2samp", nil},
	{"ks_threshold", Binary, needScore | needCurve, thresholdOf(curves.KolmogorovSmirnov), "the threshold of ks", "SciPy ks_2samp", nil},
	{"max_f1", Binary | Multilabel, needScore | needCurve, bestOf(curves.FBeta).at(1).averaged("", micro), "largest f1 of a threshold", "Lipton et al. 2014", nil},
	{"max_f1_threshold", Binary | Multilabel, needScore | needCurve, thresholdOf(curves.FBeta).at(1), "the threshold of max_f1", "Lipton et al. 2014", nil},
	{"youden_threshold", Binary, needScore | needCurve, thresholdOf(curves.Youden), "the threshold of the largest informedness", "Youden 1950", nil},
	{"recall_at_precision@<p>", Binary, needScore | needCurve, bestOf(curves.RecallAtPrecision), "largest recall of a threshold whose precision is p or more; 0 if there is none", tfma, nil},
	{"precision_at_recall@<r>", Binary, needScore | needCurve, bestOf(curves.PrecisionAtRecall), "largest precision of a threshold whose recall is r or more", tfma, nil},
	{"recall_at_fpr@<f>", Binary, needScore | needCurve, bestOf(curves.RecallAtFPR), "largest recall of a threshold whose false positive rate is f or less", tfma, nil},
	{"specificity_at_sensitivity@<s>", Binary, needScore | needCurve, bestOf(curves.SpecificityAtSensitivity), "largest specificity of a threshold whose recall is s or more", tfma, nil},
	{"sensitivity_at_specificity@<s>", Binary, needScore | needCurve, bestOf(curves.SensitivityAtSpecificity), "largest recall of a threshold whose specificity is s or more", tfma, nil},
	{"threshold_at_recall@<r>", Binary, needScore | needCurve, thresholdOf(curves.ThresholdAtRecall), "highest threshold whose recall is r or more", "beameval", nil},
	{"ndcg_micro", Multilabel, needScore | needCurve | needExactCurve, pooledNDCG, "ndcg of all scores of all labels as one ranking, ties sharing their places; weights do not count", sklearn + ", ndcg_score of the flattened matrix", nil},
	{"ace", Binary, needProbability | needCurve | needExactCurve, ofQuantiles(expectedCalibrationError), "adaptive calibration error: ece in bins of equal weight", "Nixon et al. 2019", []string{"adaptive_calibration_error"}},

	{"subset_accuracy", Multilabel, needDecision, bySize(subsetMatch), "share of examples whose label set is predicted exactly", zhang, []string{"exact_match_ratio"}},
	{"zero_one_loss", Multilabel, needDecision, bySize(subsetMismatch), "1 - subset_accuracy", sklearn, nil},
	{"hamming_loss", Multilabel, needDecision, bySize(hammingLoss), "mean of |Y Δ h| / L", sklearn, nil},
	{"jaccard_samples", Multilabel, needDecision, bySize(samplesJaccard), "mean of |Y ∩ h| / |Y ∪ h|", sklearn, []string{"example_based_accuracy"}},
	{"precision_samples", Multilabel, needDecision, bySize(samplesPrecision), "mean of |Y ∩ h| / |h|", sklearn, []string{"example_based_precision"}},
	{"recall_samples", Multilabel, needDecision, bySize(samplesRecall), "mean of |Y ∩ h| / |Y|", sklearn, []string{"example_based_recall"}},
	{"f1_samples", Multilabel, needDecision, bySizeWith(samplesFBeta).at(1), "mean of 2 |Y ∩ h| / (|Y| + |h|)", sklearn, []string{"example_based_f1"}},
	{"f<beta>_samples", Multilabel, needDecision, bySizeWith(samplesFBeta), "mean of (1+β²) |Y ∩ h| / (β² |Y| + |h|)", sklearn, nil},
	{"label_overlap", Multilabel, needDecision, bySize(labelOverlap), "mean of |Y ∩ h| / L", "beameval", nil},
	{"f1_of_means", Multilabel, needDecision, fOfMeans.at(1), "harmonic mean of precision_samples and recall_samples", godbole, nil},
	{"f<beta>_of_means", Multilabel, needDecision, fOfMeans, "F-beta of precision_samples and recall_samples", godbole, nil},
	{"label_cardinality", Multilabel, needDecision, bySize(trueCardinality), "mean of |Y|", zhang, nil},
	{"label_density", Multilabel, needDecision, bySize(trueDensity), "mean of |Y| / L", zhang, nil},
	{"predicted_cardinality", Multilabel, needDecision, bySize(predictedCardinality), "mean of |h|", zhang + ", for predictions", nil},
	{"sigmoid_cross_entropy", Multilabel, needLogit, losing(logLoss).only(micro), "mean over examples of the mean over labels of the logistic loss", "TensorFlow", nil},
	{"sigmoid_cross_entropy_sum", Multilabel, needLogit, labelSum, "mean over examples of the sum over labels of the logistic loss", "TensorFlow", nil},
	{"softmax_cross_entropy", Multilabel, needLogit, mean(softmaxCrossEntropy), "mean over examples of -Σ over true labels of log softmax", "TensorFlow, multi-hot targets", nil},

	{"one_error", Multilabel, needScore, mean(oneError), "share of examples whose top label, of equals the first, is not true", zhang, nil},
	{"coverage_error", Multilabel, needScore, mean(coverageError), "mean number of labels to go through, best first, to meet all true ones; 0 without true labels", sklearn, nil},
	{"coverage", Multilabel, needScore, mean(coverage), "coverage_error - 1", zhang, nil},
	{"ranking_loss", Multilabel, needScore, mean(rankingLoss), "mean share of (true, other) pairs of labels in the wrong order, ties being wrong; 0 where all or no labels are true", sklearn, []string{"label_ranking_loss"}},
	{"lrap", Multilabel, needScore, mean(labelRankingAveragePrecision), "mean over true labels of the share of true ones among those with its score or a higher one; 1 where all or no labels are true", sklearn, []string{"label_ranking_average_precision"}},
	{"ndcg", Multilabel, needScore, mean(samplesNDCG), "mean of DCG / ideal DCG of the labels, true ones having gain 1 and ties sharing their places; 0 without true labels", sklearn, nil},
	{"ndcg@<k>", Multilabel, needScore, mean(samplesNDCGAt), "ndcg of the first k places", sklearn, nil},
	{"precision@<k>", Multilabel, needScore, mean(samplesPrecisionAt), "mean of (true labels among the k best) / k, of equals the first labels", manning, nil},
	{"recall@<k>", Multilabel, needScore, mean(samplesRecallAt), "mean of (true labels among the k best) / |Y|", manning, nil},
	{"f1@<k>", Multilabel, needScore, mean(samplesF1At), "mean of 2 (true labels among the k best) / (k + |Y|)", manning, nil},
	{"hit_rate@<k>", Multilabel, needScore, mean(samplesHitRateAt), "share of examples with a true label among the k best", "RecBole", nil},
	{"max_f1_samples", Multilabel, needScore, mean(samplesMaxF1), "mean of the best F1 that a threshold of its own gives an example", "Lipton et al. 2014", nil},
	{"roc_auc_samples", Multilabel, needScore, mean(samplesROCAUC), "mean of the ROC AUC of each example's labels, where it has true ones and others", sklearn, nil},
	{"average_precision_samples", Multilabel, needScore, mean(samplesAveragePrecision), "mean of the average precision of each example's labels, where it has true ones", sklearn, nil},
	{"psp@<k>", Multilabel, needScore | needPropensity, ratioOfMeans(propensityScoredAt, propensityScoredBestAt), "propensity-scored precision@k: mean of (Σ over the true labels among the k best of 1 / propensity) / k, divided by the mean of the best that could be", jain, nil},
	{"psndcg@<k>", Multilabel, needScore | needPropensity, ratioOfMeans(propensityScoredGainAt, propensityScoredBestGainAt), "propensity-scored ndcg@k, true labels having gain 1 / propensity: mean of DCG / (ideal DCG of gains 1), divided by the mean of the best that could be", jain, nil},
	{"top_k_accuracy@<k>", Multiclass, needScore, mean(topKAccuracy), "share of examples whose true class is among the k best, of equals the last classes", sklearn, nil},
	{"mean_reciprocal_rank", Multiclass, needScore, mean(reciprocalRank), "mean of 1 / (place of the true class), ties as in top_k_accuracy", "Voorhees 1999", []string{"mrr"}},

	{"mae", Regression, 0, ofResiduals(meanAbsoluteError), "mean of |y - p|", sklearn, []string{"mean_absolute_error"}},
	{"mse", Regression, 0, ofResiduals(meanSquaredError), "mean of (y - p)²", sklearn, []string{"mean_squared_error"}},
	{"rmse", Regression, 0, ofResiduals(rootMeanSquaredError), "√mse", sklearn, []string{"root_mean_squared_error"}},
	{"r2", Regression, 0, ofResiduals(r2), "1 - Σ (y - p)² / Σ (y - ȳ)²; where labels are all equal 1 if perfect, else 0", sklearn, []string{"r2_score"}},
	{"explained_variance", Regression, 0, ofResiduals(explainedVariance), "1 - Var(y - p) / Var(y); where labels are all equal as r2", sklearn, nil},
	{"mape", Regression, 0, ofResiduals(meanPercentageError), "mean of |y - p| / max(|y|, 2⁻⁵²)", sklearn, []string{"mean_absolute_percentage_error"}},
	{"smape", Regression, 0, ofResiduals(symmetricPercentageError), "mean of 2 |y - p| / (|y| + |p|), 0 where both are 0; in [0, 2]", "Makridakis 1993, without the factor 100", nil},
	{"msle", Regression, 0, ofResiduals(meanSquaredLogError), "mean of (log(1 + y) - log(1 + p))²; undefined at -1 or less", sklearn, []string{"mean_squared_log_error"}},
	{"rmsle", Regression, 0, ofResiduals(rootMeanSquaredLogError), "√msle", sklearn, []string{"root_mean_squared_log_error"}},
	{"median_absolute_error", Regression, needCurve | needExactCurve, medianResidual, "median of |y - p|, by weight; where just half of the weight is on either side of two values, their mean", sklearn, nil},
	{"max_error", Regression, 0, ofResiduals(maxError), "largest |y - p| of a row that has weight", sklearn, nil},
	{"pearson", Regression, 0, ofResiduals(pearson), "Pearson correlation of y and p", "SciPy pearsonr", []string{"pearsonr"}},
	{"mean_bias", Regression, 0, ofResiduals(meanBias), "mean of p - y", "forecast verification", []string{"mean_error"}},
	{"pinball@<q>", Regression, 0, ofResidualsWith(pinball), "mean of max(q (y - p), (q - 1) (y - p))", sklearn, []string{"pinball", "mean_pinball_loss"}},
	{"mean_poisson_deviance", Regression, 0, ofResiduals(meanPoissonDeviance), "mean of 2 (y log(y/p) - y + p); undefined where y < 0 or p <= 0", sklearn, nil},

	{"ndcg", Ranking, needScore, mean(queryNDCG), "mean of DCG / (DCG of the best ranking of all judged items), DCG being Σ gain / log₂(place + 1)", jarvelin, nil},
	{"ndcg@<k>", Ranking, needScore, mean(queryNDCG), "ndcg of the first k places, of the best ranking too", jarvelin, nil},
	{"dcg@<k>", Ranking, needScore, mean(queryDCG), "mean of Σ gain / log₂(place + 1) over the first k places", jarvelin, nil},
	{"map", Ranking, needScore, mean(queryAveragePrecision), "mean average precision: mean of (Σ over the relevant items of the precision at their places) / R", manning, []string{"mean_average_precision"}},
	{"map@<k>", Ranking, needScore, mean(queryAveragePrecision), "map with the relevant items among the first k only, divided by R all the same", trec + ", map_cut", nil},
	{"mrr", Ranking, needScore, mean(queryReciprocalRank), "mean reciprocal rank: mean of 1 / (place of the first relevant item), 0 if none was retrieved", "Voorhees 1999", []string{"mean_reciprocal_rank", "recip_rank"}},
	{"mrr@<k>", Ranking, needScore, mean(queryReciprocalRank), "mrr, 0 if no relevant item is among the first k", "Voorhees 1999", nil},
	{"precision@<k>", Ranking, needScore, mean(queryPrecision), "mean of (relevant items among the first k) / k", manning, nil},
	{"recall@<k>", Ranking, needScore, mean(queryRecall), "mean of (relevant items among the first k) / R", manning, nil},
	{"f1@<k>", Ranking, needScore, mean(queryF1), "mean of 2 (relevant items among the first k) / (k + R), the harmonic mean of precision and recall", manning, nil},
	{"hit_rate@<k>", Ranking, needScore, mean(queryHitRate), "share of queries with a relevant item among the first k", trec + ", success", []string{"success@<k>"}},
	{"r_precision", Ranking, needScore, mean(queryRPrecision), "mean of (relevant items among the first R) / R", manning, []string{"rprec"}},
	{"err", Ranking, needScore, mean(queryERR), "expected reciprocal rank: mean expectation of 1 / (place at which a user stops), who stops at an item with probability (2^relevance - 1) / 2^max_relevance", chapelle, nil},
	{"err@<k>", Ranking, needScore, mean(queryERR), "err of users who look at the first k places only", chapelle, nil},
	{"rbp@<persistence>", Ranking, needScore, mean(queryRBP), "rank-biased precision: mean of (1 - p) Σ p^(place - 1) over the relevant items, p being the persistence", "Moffat & Zobel 2008", []string{"rbp@p"}},
	{"bpref", Ranking, needScore, mean(queryBpref), "mean over relevant items of 1 - min(n, R) / min(N, R), 0 for those not retrieved, n of the N items judged not relevant coming before", "Buckley & Voorhees 2004, as in trec_eval", nil},
	{"auc", Ranking, needScore, mean(queryROCAUC), "mean of the ROC AUC of the retrieved items, ties counting one half, where there are relevant ones and others", sklearn + ", roc_auc_score of each query", nil},
	{"gauc", Ranking, needScore, ratioOfMeans(queryROCAUCByItems, queryItemsOfROCAUC), "group AUC: auc with queries weighted by the number of items retrieved", "Zhu et al. 2017", []string{"group_auc"}},
	{"kendall_tau", Ranking, needScore, mean(queryKendallTau), "mean of Kendall's τ-b of the scores and relevances of the retrieved items, where neither are all equal", "SciPy kendalltau", []string{"kendalltau"}},
	{"queries", Ranking, needScore, numberOfRows, "number of queries, whatever their weights", "beameval", nil},
	{"queries_without_relevant", Ranking, needScore, undefinedRows(queryHasRelevant), "number of queries without relevant items, retrieved or not", "beameval", nil},
	{"min_label_position", Ranking, needScore, mean(queryFirstPlace), "mean place of the first relevant item, where one was retrieved", tfma, nil},
}
