package report

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// headlines lists, for each task, the metrics to show first, the best known first. A name that ends
// in @ stands for the metric with the largest cut-off, and one that ends in _ for all that begin so, but do not compare
// groups. The lists are longer than what fits, because a report may lack some of them.
var headlines = map[string][]string{
	"binary": {"prediction_powered_mean", "label_mean", "accuracy", "precision", "recall", "f1", "roc_auc", "average_precision", "log_loss", "ece",
		"mcc", "balanced_accuracy", "specificity", "brier", "demographic_parity_difference", "equalized_odds_difference"},
	"multiclass": {"prediction_powered_accuracy", "accuracy", "balanced_accuracy", "f1_macro", "f1_weighted", "mcc", "roc_auc_ovr_macro", "log_loss",
		"ece", "cohen_kappa", "top_k_accuracy@", "precision_macro", "recall_macro"},
	"multilabel": {"subset_accuracy", "hamming_loss", "f1_micro", "f1_macro", "f1_samples", "roc_auc_macro",
		"average_precision_macro", "lrap", "jaccard_samples", "precision_samples", "recall_samples"},
	"ranking": {"ndcg", "ndcg@", "map", "mrr", "precision@", "recall@", "hit_rate@", "queries", "r_precision", "err"},
	"regression": {"prediction_powered_mean", "label_mean", "mae", "rmse", "wis", "crps", "interval_coverage@", "mase", "r2", "explained_variance", "mape", "median_absolute_error", "pearson", "mean_bias",
		"mse", "max_error"},
	"preference": {"tie_rate", "first_win_rate"},
	"agreement":  {"alpha_ordinal", "alpha_nominal", "alpha_interval", "gwet_ac2", "gwet_ac1", "fleiss_kappa", "full_agreement", "ratings"},
	"grade":      {"pass_rate", "mean", "mean_", "pass@", "all_pass@", "best@", "flaky_rate", "std", "attempts"},
}

// worseIfHigher is the set of headlines whose lower values are better.
var worseIfHigher = map[string]bool{
	"demographic_parity_difference": true, "equalized_odds_difference": true, "log_loss": true, "ece": true, "brier": true, "hamming_loss": true,
	"mae": true, "rmse": true, "mape": true, "median_absolute_error": true, "mse": true, "max_error": true, "wis": true, "crps": true, "mase": true,
	"flaky_rate": true,
}

// neitherBetter is the set of headlines without a better direction.
var neitherBetter = map[string]bool{"tie_rate": true, "first_win_rate": true, "queries": true, "mean_bias": true, "interval_coverage@": true, "std": true, "attempts": true, "ratings": true,
	"prediction_powered_mean": true, "label_mean": true}

// Direction returns 1 if higher values of a headline are better, -1 if lower values are, and 0 if
// neither is the case or the metric is no headline.
func Direction(name string) int {
	stem, _, cut := strings.Cut(name, "@")
	if cut {
		stem += "@"
	}
	known := slices.ContainsFunc(slices.Collect(maps.Values(headlines)), func(list []string) bool { return slices.Contains(list, stem) })
	switch {
	case !known || neitherBetter[stem]:
		return 0
	case worseIfHigher[stem]:
		return -1
	}
	return 1
}

// KnownOfLabels are the metrics to show for each label, the best known first.
var KnownOfLabels = []string{"prediction_powered_mean", "precision", "recall", "f1", "roc_auc", "roc_auc_ovr", "average_precision", "log_loss", "mcc", "jaccard", "elo", "bradley_terry", "win_rate", "kappa_with_others", "agreement_with_others", "difference_to_others"}

const (
	maxHeadlines = 8
	minHeadlines = 6 // with fewer headlines, other metrics are shown as well
)

// chooseHeadlines chooses the names to show from the names in a report.
func chooseHeadlines(preferred, names []string) []string {
	names = slices.Clone(names)
	slices.SortFunc(names, CompareNames)
	var chosen []string
	for _, want := range preferred {
		for _, name := range slices.Backward(names) { // the largest cut-off first
			if name == want || strings.HasSuffix(want, "@") && isNumber(strings.CutPrefix(name, want)) {
				chosen = append(chosen, name)
				break
			}
		}
		for _, name := range names {
			if strings.HasSuffix(want, "_") && strings.HasPrefix(name, want) && !comparesGroups(name, names) {
				chosen = append(chosen, name)
			}
		}
	}
	for _, name := range names {
		if len(chosen) < minHeadlines && !slices.Contains(chosen, name) {
			chosen = append(chosen, name)
		}
	}
	return chosen[:min(len(chosen), maxHeadlines)]
}

// comparesGroups reports whether a metric compares the values that another of the names has in groups.
func comparesGroups(name string, names []string) bool {
	of, compares := ofGroups(name, GroupDifference, GroupRatio, groupMax, groupMin, DifferenceToReference, ratioToReference)
	return compares && slices.Contains(names, of)
}

// isNumber reports whether a name has a number after a prefix.
func isNumber(rest string, found bool) bool {
	_, err := strconv.ParseFloat(rest, 64)
	return found && err == nil
}

// CompareNames orders metric names, with cut-offs as numbers: ndcg@3 before ndcg@10.
func CompareNames(a, b string) int {
	nameA, cutA, _ := strings.Cut(a, "@")
	nameB, cutB, _ := strings.Cut(b, "@")
	x, _ := strconv.ParseFloat(cutA, 64)
	y, _ := strconv.ParseFloat(cutB, 64)
	return cmp.Or(strings.Compare(nameA, nameB), cmp.Compare(x, y), strings.Compare(cutA, cutB))
}

// Headlines chooses the metrics of a task to show first from the names in a report: all that are
// asked for, in their order. If it has none of them, it chooses the best known of the task.
func Headlines(task string, asked, names []string) []string {
	if chosen := among(asked, names); len(chosen) > 0 {
		return chosen
	}
	return chooseHeadlines(headlines[task], names)
}

// HeadlinesByValue is Headlines for metrics with values. Unless they are asked for, it leaves out metrics without a value whose
// cut-off no example reaches: of four attempts, pass@3 says more than pass@10.
func HeadlinesByValue(task string, asked []string, values map[string]float64) []string {
	names := slices.SortedFunc(maps.Keys(values), CompareNames)
	if chosen := among(asked, names); len(chosen) > 0 {
		return chosen
	}
	return Headlines(task, nil, slices.DeleteFunc(names, func(name string) bool {
		return strings.Contains(name, "@") && math.IsNaN(values[name])
	}))
}

// HeadlinesOf chooses the metrics of all labels that a report shows first, or several do of which it is one.
func HeadlinesOf(r *Report, others ...*Report) []string {
	values := map[string]float64{}
	for _, of := range append([]*Report{r}, others...) {
		for i := range of.Metrics {
			row := &of.Metrics[i]
			if known, met := values[row.Name]; len(row.Slice) == 0 && row.Label == nil && (!met || math.IsNaN(known)) {
				values[row.Name] = row.Value
			}
		}
	}
	settings := r.Settings()
	return HeadlinesByValue(r.Task, settings.Asked(), values)
}

// LabelHeadlines chooses the metrics to show for each label in the same way.
func LabelHeadlines(asked, names []string) []string {
	if chosen := among(asked, names); len(chosen) > 0 {
		return chosen
	}
	return chooseHeadlines(KnownOfLabels, names)
}

// knownOfGroups are the best known comparisons of groups, which are asked for by groups, not by metrics.
var knownOfGroups = []string{"demographic_parity_difference", "equalized_odds_difference"}

// among returns the asked names that a report has, without duplicates.
func among(asked, names []string) (found []string) {
	for _, name := range asked {
		if slices.Contains(names, name) && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	return found
}
