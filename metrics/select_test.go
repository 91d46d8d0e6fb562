package metrics

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSelect(t *testing.T) {
	with := Arguments{"beta": {0.5, 2}, "q": {0.1, 0.5}}
	for _, c := range []struct {
		task  Task
		names []string
		want  []string
	}{
		{Binary, []string{"tpr", "ppv", "kappa"}, []string{"recall", "precision", "cohen_kappa"}},
		{Binary, []string{"recall", "tpr", "sensitivity"}, []string{"recall"}},
		{Binary, []string{"f3", "f1", "f1.0", "f0.5", "f<beta>"}, []string{"f3", "f1", "f0.5", "f2"}},
		{Multiclass, []string{"f1_macro", "tpr_weighted"}, []string{"f1_macro", "recall_weighted"}},
		{Multiclass, []string{"f0.5_macro", "f3", "f2_micro"}, []string{"f0.5_macro", "f3", "f2_micro"}},
		{Multilabel, []string{"exact_match_ratio", "f3_samples", "f0.25_of_means"}, []string{"subset_accuracy", "f3_samples", "f0.25_of_means"}},
		{Multilabel, []string{"f<beta>_samples"}, []string{"f0.5_samples", "f2_samples"}},
		{Regression, []string{"pinball@0.9", "pinball@.25"}, []string{"pinball@0.9", "pinball@0.25"}},
		{Regression, []string{"pinball"}, []string{"pinball@0.1", "pinball@0.5"}},
		{Regression, []string{"mean_pinball_loss", "mean_squared_error"}, []string{"pinball@0.1", "pinball@0.5", "mse"}},
	} {
		p := Params{Task: c.task, Labels: 3, Scores: true, Decisions: true, Bins: 10}
		got, err := p.Select(c.names, with)
		require.NoError(t, err, "%v", c.names)
		require.Equal(t, c.want, got)
		p.Metrics = got
		require.NoError(t, p.Complete())
		chosen, err := p.find()
		require.NoError(t, err)
		var full []string
		for _, choice := range chosen {
			full = append(full, choice.full)
		}
		require.Equal(t, got, full)
	}
}

func TestSelectErrors(t *testing.T) {
	for _, c := range []struct {
		p    Params
		name string
		want string
	}{
		{Params{Task: Binary}, "mse", `metric "mse" is not one of task binary: it belongs to regression`},
		{Params{Task: Binary}, "pinball@0.9", `metric "pinball@0.9" is not one of task binary: it belongs to regression`},
		{Params{Task: Regression}, "f1", `metric "f1" is not one of task regression: it belongs to binary, multiclass, multilabel`},
		{Params{Task: Binary}, "f1_macro", `metric "f1_macro" is not one of task binary: it belongs to multiclass, multilabel`},
		{Params{Task: Multiclass}, "accuracy_macro", `metric "accuracy_macro" is not one of task multiclass: it belongs to multilabel`},
		{Params{Task: Multiclass}, "f3_samples", `metric "f3_samples" is not one of task multiclass: it belongs to multilabel`},
		{Params{Task: Binary, Decisions: true}, "f-1", `metric "f-1": -1 is not a positive number up to 1e6`},
		{Params{Task: Binary, Decisions: true}, "f0", `metric "f0": 0 is not a positive number up to 1e6`},
		{Params{Task: Regression}, "pinball@1.5", `metric "pinball@1.5": 1.5 is not a number between 0 and 1`},
		{Params{Task: Binary}, "f1", `metric "f1" needs decisions: set Params.Decisions if examples have predictions, or Params.Scores if predictions follow from scores`},
		{Params{Task: Binary, Decisions: true}, "ece", `metric "ece" needs scores: set Params.Scores if examples have them`},
		{Params{Task: Binary, Scores: true, ScoreType: RawScore}, "ece", `metric "ece" needs probabilities: Params.ScoreType is RawScore, not Probability or Logit`},
		{Params{Task: Multilabel, Scores: true}, "sigmoid_cross_entropy", `metric "sigmoid_cross_entropy" needs logits: Params.ScoreType is not Logit`},
		{Params{Task: Binary, Scores: true, ScoreType: RawScore}, "", "no metric of task binary can be computed: there are neither probabilities nor predictions"},
	} {
		names := []string{c.name}
		if c.name == "" {
			names = nil
		}
		_, err := c.p.Select(names, DefaultArguments())
		require.EqualError(t, err, c.want)
	}
	p := Params{Task: Regression}
	_, err := p.Select([]string{"pinball"}, nil)
	require.EqualError(t, err, `metric "pinball" has a parameter, and no argument is given`)
	_, err = p.Select(nil, Arguments{"q": {0.5, 2}})
	require.EqualError(t, err, `<q>: 2 is not a number between 0 and 1`)
}

// TestNamesOfOtherTools: names of ir_measures and trec_eval stand for the same metrics, and for no
// others.
func TestNamesOfOtherTools(t *testing.T) {
	as := RankingOptions{Gain: LinearGain}
	for name, want := range map[string]string{
		"nDCG": "ndcg", "nDCG@10": "ndcg@10", "NDCG@7": "ndcg@7", "AP": "map", "AP@20": "map@20", "RR": "mrr", "RR@10": "mrr@10", "MRR": "mrr", "MAP": "map",
		"P@10": "precision@10", "R@100": "recall@100", "Rprec": "r_precision", "Success@5": "hit_rate@5", "ERR@20": "err@20", "Bpref": "bpref",
		"RBP(p=0.8,rel=1)": "rbp@0.8", "RBP(rel=1,p=0.95)": "rbp@0.95",
		"ndcg_cut_10": "ndcg@10", "map_cut_10": "map@10", "recip_rank": "mrr", "P_10": "precision@10", "recall_100": "recall@100", "success_5": "hit_rate@5", "bpref": "bpref",
	} {
		p := Params{Task: Ranking, Scores: true, Ranking: as}
		got, err := p.Select([]string{name}, nil)
		require.NoError(t, err)
		require.Equal(t, []string{want}, got)
	}
	for _, c := range []struct {
		name, want string
		options    RankingOptions
	}{
		{"nDCG@10", `metric "nDCG@10" has linear gains: set Params.Ranking.Gain to LinearGain; ndcg@10 has exponential gains`, RankingOptions{}},
		{"ndcg_cut_5", `metric "ndcg_cut_5" has linear gains: set Params.Ranking.Gain to LinearGain; ndcg@5 has exponential gains`, RankingOptions{}},
		{"AP", `metric "AP" counts items of relevance 1 as relevant, but Params.Ranking.RelevanceThreshold is 2: write map`, RankingOptions{RelevanceThreshold: 2}},
		{"ERR@20", `metric "ERR@20" has 4 as the highest relevance, but Params.Ranking.MaxRelevance is 3: write err@20`, RankingOptions{MaxRelevance: 3}},
		{"infAP", `unknown metric "infAP" of task ranking`, as}, // infers judgements
		{"RBP(p=0.8)", `metric "RBP(p=0.8)" has parameters in brackets, as in ir_measures: write rbp@0.8, and mind that items are either relevant or not`, as},                           // of graded relevance
		{"nDCG(dcg='exp-log2')@10", `metric "nDCG(dcg='exp-log2')@10" has parameters in brackets, as in ir_measures: write ndcg@10, and set Params.Ranking.Gain to ExponentialGain`, as}, // options are keys of the configuration
	} {
		p := Params{Task: Ranking, Scores: true, Ranking: c.options}
		_, err := p.Select([]string{c.name}, nil)
		require.EqualError(t, err, c.want)
	}
	// Names that are the main ones follow the options, as trec_eval's -l.
	p := Params{Task: Ranking, Scores: true, Ranking: RankingOptions{RelevanceThreshold: 2, MaxRelevance: 3}}
	got, err := p.Select([]string{"ndcg", "P_5", "err@20"}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"ndcg", "precision@5", "err@20"}, got)
}

func TestUnknownMetric(t *testing.T) {
	for _, name := range []string{"f1_makro", "f", "fnan", "finf", "f_macro", "f1e999", "pinball@", "", "_macro", "f0x1p1", "f1_0"} {
		p := Params{Task: Multiclass, Decisions: true}
		_, err := p.Select([]string{name}, DefaultArguments())
		var unknown *UnknownMetricError
		require.ErrorAs(t, err, &unknown, name)
		require.Equal(t, name, unknown.Name)
		require.Equal(t, Multiclass, unknown.Task)
		require.Contains(t, unknown.Known, "f1_macro")
		require.Contains(t, unknown.Known, "tpr_weighted")
		require.NotContains(t, unknown.Known, "mse")
	}
}

// TestEverySelectionCompiles selects all metrics, together and by each of
// their spellings.
func TestEverySelectionCompiles(t *testing.T) {
	for _, n := range taskNames {
		for _, score := range []ScoreType{Probability, Logit, RawScore} {
			p := params(t, n.task, 3, score)
			require.NoError(t, p.Complete())
			chosen, err := p.find()
			require.NoError(t, err)
			require.Len(t, chosen, len(p.Metrics))
			for i, c := range chosen {
				require.Equal(t, p.Metrics[i], c.full)
				again, err := p.Select([]string{c.full}, nil)
				require.NoError(t, err)
				require.Equal(t, []string{c.full}, again)
			}
			sorted := slices.Sorted(slices.Values(p.Metrics))
			require.Len(t, slices.Compact(sorted), len(p.Metrics), "a metric is there twice")
		}
	}
}

func TestSpellingsAreUnique(t *testing.T) {
	for _, n := range taskNames {
		seen := make(map[string]string)
		for i := range catalogue {
			m := &catalogue[i]
			if m.tasks&n.task == 0 {
				continue
			}
			for _, name := range append([]string{m.name}, m.aliases...) {
				for _, average := range m.averagesIn(n.task) {
					require.NotContains(t, seen, name+average, "%s of %s and %s", n.name, m.name, seen[name+average])
					seen[name+average] = m.name
				}
			}
		}
	}
}

func TestCatalogueRowsAreComplete(t *testing.T) {
	for _, m := range catalogue {
		require.NotEmpty(t, m.name)
		require.NotZero(t, m.tasks, m.name)
		require.NotEqual(t, m.overall == nil, m.byLabel == nil, m.name)
		require.NotEmpty(t, m.doc, m.name)
		require.NotEmpty(t, m.ref, m.name)
		require.NotContains(t, m.doc, "\n", m.name)
		require.False(t, strings.HasSuffix(m.doc, "."), m.name)
		for _, n := range taskNames {
			if m.tasks&n.task != 0 {
				require.Less(t, m.from, numKinds)
				require.NotEmpty(t, m.averagesIn(n.task), m.name)
			}
		}
	}
}

// TestNamesOfEnumerations: a value is read from the text that it is written as.
func TestNamesOfEnumerations(t *testing.T) {
	type enumeration interface {
		encoding.TextMarshaler
		fmt.Stringer
	}
	for _, e := range []struct {
		values []enumeration
		names  string
		read   encoding.TextUnmarshaler
	}{
		{[]enumeration{Binary, Multiclass, Multilabel, Regression, Ranking, Preference, Grading, Agreement}, "binary, multiclass, multilabel, regression, ranking, preference, grade, agreement", new(Task)},
		{[]enumeration{Probability, Logit, RawScore}, "probability, logit, score", new(ScoreType)},
		{[]enumeration{ExponentialGain, LinearGain}, "exponential, linear", new(Gain)},
		{[]enumeration{ExpectedTies, ItemTies}, "expected, item", new(Ties)},
		{[]enumeration{SkipEmpty, EmptyIsZero, EmptyIsOne}, "skip, zero, one", new(EmptyQueries)},
	} {
		names := []string{}
		for _, v := range e.values {
			text, err := v.MarshalText()
			require.NoError(t, err)
			require.NoError(t, e.read.UnmarshalText(text))
			require.Equal(t, v, reflect.ValueOf(e.read).Elem().Interface())
			names = append(names, v.String())
		}
		require.Equal(t, e.names, strings.Join(names, ", "))
		require.EqualError(t, e.read.UnmarshalText([]byte("cubic")), `unknown value "cubic" (valid values: `+e.names+")")
	}
	require.Equal(t, "binary, regression", (Binary | Regression).String())
	require.Equal(t, "unknown (7)", Gain(7).String())
}

// TestCostlyMetrics: all pairs of many classes are compared only if that is asked
// for.
func TestCostlyMetrics(t *testing.T) {
	for labels, want := range map[int]bool{100: true, 101: false} {
		p := Params{Task: Multiclass, Labels: labels, Scores: true, Curves: ExactCurves}
		names, err := p.Select(nil, DefaultArguments())
		require.NoError(t, err)
		require.Equal(t, want, slices.Contains(names, "roc_auc_ovo_macro"))
		names, err = p.Select([]string{"roc_auc_ovo_macro"}, DefaultArguments())
		require.NoError(t, err)
		require.Equal(t, []string{"roc_auc_ovo_macro"}, names)
	}
}

// TestOrdinalMetrics: metrics of the order of classes are computed if classes have one, or if they are asked for.
func TestOrdinalMetrics(t *testing.T) {
	ordinal := []string{"cohen_kappa_linear", "cohen_kappa_quadratic", "weighted_kappa_loss_linear", "weighted_kappa_loss_quadratic"}
	p := Params{Task: Multiclass, Labels: 3, Scores: true, Decisions: true}
	nominal, err := p.Select(nil, nil)
	require.NoError(t, err)
	p.Ordinal = true
	all, err := p.Select(nil, nil)
	require.NoError(t, err)
	require.ElementsMatch(t, all, append(nominal, ordinal...))
	p.Ordinal = false
	named, err := p.Select(ordinal, nil)
	require.NoError(t, err)
	require.Equal(t, ordinal, named)
}

// TestOnRequest: some metrics are computed only if they are named.
func TestOnRequest(t *testing.T) {
	p := Params{Task: Binary, Scores: true, Curves: ExactCurves}
	names, err := p.Select(nil, DefaultArguments())
	require.NoError(t, err)
	require.Contains(t, names, "normalized_entropy")
	for _, name := range []string{"log_loss_sum", "pr_auc_interpolated"} {
		require.NotContains(t, names, name)
		named, err := p.Select([]string{name}, nil)
		require.NoError(t, err)
		require.Equal(t, []string{name}, named)
	}
}

// TestAliasesOfOtherTasks: concordance is the ROC AUC of a binary task, but a metric of its own in
// regression, and that is what results of the name are.
func TestAliasesOfOtherTasks(t *testing.T) {
	p := Params{Task: Binary, Scores: true, Curves: ExactCurves}
	names, err := p.Select([]string{"concordance", "pcoc"}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"roc_auc", "calibration_ratio"}, names)
	least, greatest := Bounds("concordance")
	require.Equal(t, [2]float64{-1, 1}, [2]float64{least, greatest})
}
