package metrics

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/settings"
)

// TestSpelled: the names of metrics in any case, with dashes, and with or without _score.
func TestSpelled(t *testing.T) {
	with := DefaultArguments()
	for _, c := range []struct {
		task       Task
		name, want string
	}{
		{Binary, "f1_score", "f1"}, {Binary, "F1", "f1"}, {Binary, "F1-Score", "f1"}, {Binary, "AUC", "roc_auc"}, {Binary, "ROC_AUC_score", "roc_auc"},
		{Binary, "AP", "average_precision"}, {Binary, "average_precision_score", "average_precision"}, {Binary, "Log-Loss", "log_loss"}, {Binary, "MCC", "mcc"},
		{Binary, "F0.5_score", "f0.5"}, {Binary, "recall_at_FPR@1E-2", "recall_at_fpr@0.01"}, {Binary, "jaccard_score", "jaccard"},
		{Multiclass, "f1_score_macro", "f1_macro"}, {Multiclass, "F1_Macro", "f1_macro"}, {Multiclass, "balanced_accuracy_score", "balanced_accuracy"},
		{Multilabel, "NDCG@5", "ndcg@5"}, {Multilabel, "f3_score_samples", "f3_samples"},
		{Ranking, "Map@10", "map@10"}, {Ranking, "ndcg_score@10", "ndcg@10"}, {Ranking, "Hit_Rate@3", "hit_rate@3"}, {Ranking, "MRR", "mrr"},
		{Regression, "R2", "r2"}, {Regression, "MSE", "mse"}, {Regression, "d2_pinball_score@0.5", "d2_pinball@0.5"}, {Regression, "Interval@0.8", "interval_score@0.8"},
		{Regression, "Mean_Tweedie_Deviance@-1", "mean_tweedie_deviance@-1"},
	} {
		list, err := find(c.task, c.name, with)
		require.NoError(t, err, c.name)
		require.Len(t, list, 1, c.name)
		require.Equal(t, c.want, list[0].full, c.name)
	}
	_, err := find(Binary, "RMSE", with)
	require.EqualError(t, err, `metric "RMSE" is not one of task binary: it belongs to regression`)
}

// TestSpellingsAreOfOneMetric: no two names of a task are spellings of each other unless they stand for the same
// metrics, and every name is found in capitals and with _score.
func TestSpellingsAreOfOneMetric(t *testing.T) {
	with := DefaultArguments()
	full := func(list []choice, err error) (names []string) {
		require.NoError(t, err)
		for _, c := range list {
			names = append(names, c.full)
		}
		return names
	}
	for _, of := range taskNames {
		for _, name := range vocabularies()[of.task].known {
			want := full(find(of.task, name, with))
			for _, spelling := range []string{strings.ToUpper(name), strings.ReplaceAll(name, "_", "-"), strings.TrimSuffix(name, "_score"), strings.Replace(name, "_score@", "@", 1)} {
				if strings.Contains(spelling, "<") {
					continue
				}
				require.Equal(t, want, full(find(of.task, spelling, with)), "%s %s for %s", of.name, spelling, name)
			}
			if !strings.ContainsAny(name, "<@(") && !strings.Contains(name, "_score") {
				require.Equal(t, want, full(find(of.task, name+"_score", with)), "%s %s_score", of.name, name)
			}
		}
	}
}

// TestInBrackets: what ir_measures writes in brackets is a key here, or part of another name.
func TestInBrackets(t *testing.T) {
	p := Params{Task: Ranking, Scores: true, Names: settings.Keys}
	for name, want := range map[string]string{
		"nDCG(cutoff=10)":              "write ndcg@10",
		"nDCG(dcg='exp-log2')@10":      "write ndcg@10, and set ranking.gain to exponential",
		"nDCG(dcg='log2',cutoff=5)":    "write ndcg@5, and set ranking.gain to linear or ranking.preset to trec_eval",
		"nDCG(gains={0:0,1:5})@3":      "write ndcg@3, and write these gains into the label column",
		"AP(rel=2)":                    "write map, and set ranking.relevance_threshold to 2",
		"AP(rel=2)@100":                "write map@100, and set ranking.relevance_threshold to 2",
		"P(rel=2, judged_only=True)@5": "write precision@5, and set ranking.relevance_threshold to 2, and leave items without a judgement out of the predictions",
		"RBP(p=0.8)":                   "write rbp@0.8, and mind that items are either relevant or not",
		"Success(rel=2)@5":             "write hit_rate@5, and set ranking.relevance_threshold to 2",
		"RR(rel=1)":                    "write mrr, and set ranking.relevance_threshold to 1",
		"ERR(cutoff=20)":               "write err@20",
		"nDCG(something='else')@10":    "write ndcg@10, and there is nothing like something",
	} {
		_, err := p.Select([]string{name}, DefaultArguments())
		require.EqualError(t, err, fmt.Sprintf("metric %q has parameters in brackets, as in ir_measures: %s", name, want))
	}
	_, err := p.Select([]string{"RBP(rel=1,p=0.8)"}, DefaultArguments())
	require.NoError(t, err, "the same here and there")
	_, err = p.Select([]string{"nonsense(rel=2)"}, DefaultArguments())
	require.EqualError(t, err, `unknown metric "nonsense(rel=2)" of task ranking`)
}
