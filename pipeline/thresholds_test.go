package pipeline

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/curves"
)

// informedExamples have informative scores, with ties, and equal weights. No example has the label
// d.
func informedExamples(n int) []example {
	rows := examples(n)
	for i := range rows {
		e := &rows[i]
		e.Weight = 1
		e.Labels = slices.DeleteFunc(e.Labels, func(name string) bool { return name == "d" })
		e.Score = math.Round(16*(e.Score+float64(e.Label))) / 32
		for k, name := range []string{"a", "b", "c", "d"} {
			bonus := 0.0
			if slices.Contains(e.Labels, name) {
				bonus = 1
			}
			e.Scores[k] = math.Round(64*(e.Scores[k]+bonus)) / 128
		}
	}
	return rows
}

// Tasks over examples.
const (
	binaryTask     = "task: binary\ninput: {columns: {label: label, score: score}}\n"
	multilabelTask = "task: multilabel\nlabels: [a, b, c, d]\ninput: {columns: {label: labels, score: scores}}\n"
)

// thresholdsOf reads thresholds.json.
func thresholdsOf(t *testing.T, dir string) map[string]float64 {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, report.ThresholdsJSON))
	require.NoError(t, err)
	var thresholds map[string]float64
	require.NoError(t, json.Unmarshal(data, &thresholds))
	return thresholds
}

// confusionAt counts the true and false positives, and all positives and negatives, among the
// examples of a label with scores of at least a threshold.
func confusionAt(scores []float64, truth []bool, threshold float64) (tp, fp, positives, negatives float64) {
	for i, score := range scores {
		predicted := score >= threshold
		switch {
		case truth[i]:
			positives++
		default:
			negatives++
		}
		switch {
		case predicted && truth[i]:
			tp++
		case predicted:
			fp++
		}
	}
	return tp, fp, positives, negatives
}

// bestThreshold tries every score as a threshold, and returns the highest of the best.
func bestThreshold(scores []float64, truth []bool, value func(tp, fp, positives, negatives float64) float64) float64 {
	best, at := math.Inf(-1), math.NaN()
	for _, threshold := range slices.Backward(slices.Sorted(slices.Values(scores))) {
		if v := value(confusionAt(scores, truth, threshold)); v > best {
			best, at = v, threshold
		}
	}
	return at
}

// tunings are the criteria for which thresholds are tuned. The tests find the best thresholds by
// trying all. Values are whole numbers and the floats nearest to fractions, so that ties remain
// ties.
var tunings = []struct {
	name      string
	value     func(tp, fp, positives, negatives float64) float64
	metric    string                                  // a metric of the evaluation with the tuned thresholds
	rate      func(tp, fp, positives float64) float64 // its value
	promised  string                                  // what the tuning report calls it
	threshold string                                  // and its threshold
	only      string                                  // the task for which it does; both, if empty
}{
	{
		"f1", func(tp, fp, positives, _ float64) float64 { return 2 * tp / (tp + fp + positives) },
		"f1", func(tp, fp, positives float64) float64 { return 2 * tp / (tp + fp + positives) },
		"max_f1", "max_f1_threshold", "",
	},
	{
		"recall_at_precision@0.9", func(tp, fp, positives, _ float64) float64 {
			if tp/(tp+fp) < 0.9 {
				return math.Inf(-1)
			}
			return tp
		},
		"recall", func(tp, _, positives float64) float64 { return tp / positives },
		"recall_at_precision@0.9", "", binaryTask,
	},
	{
		"expected_cost\ncosts: {fp: 1, fn: 4, tp: 0.5, tn: 0.5}", func(tp, fp, _, _ float64) float64 { return 3.5*tp - 0.5*fp },
		"recall", func(tp, _, positives float64) float64 { return tp / positives },
		"", "", "",
	},
	{
		"youden", func(tp, fp, positives, negatives float64) float64 { return tp*negatives - fp*positives },
		"recall", func(tp, _, positives float64) float64 { return tp / positives },
		"", "youden_threshold", binaryTask,
	},
}

// TestTunedThresholds tunes thresholds and evaluates with them. Labels without positive examples
// have none.
func TestTunedThresholds(t *testing.T) {
	t.Parallel()
	rows := informedExamples(400)
	preds := write(t, rows, 2, 70)
	scores, truth := map[string][]float64{}, map[string][]bool{}
	for _, e := range rows {
		scores["default"], truth["default"] = append(scores["default"], e.Score), append(truth["default"], e.Label == 1)
		for k, name := range []string{"a", "b", "c", "d"} {
			scores[name], truth[name] = append(scores[name], e.Scores[k]), append(truth[name], slices.Contains(e.Labels, name))
		}
	}
	for _, tuning := range tunings {
		for task, labels := range map[string][]string{binaryTask: {"default"}, multilabelTask: {"a", "b", "c"}} {
			dir := evaluate(t, parse(t, task+"tune_thresholds: "+tuning.name, preds))
			tuned := readReport(t, dir)
			require.Contains(t, tuned.Warnings(), "the thresholds in thresholds.json were tuned on this data, for "+strings.Split(tuning.name, "\n")[0]+": evaluate them on other data")
			first := valuesOf(tuned)
			want := map[string]float64{"default": 0.5}
			for _, label := range labels {
				want[label] = bestThreshold(scores[label], truth[label], tuning.value)
			}
			require.Equal(t, want, thresholdsOf(t, dir), tuning.name)

			second := valuesOf(readReport(t, evaluate(t, parse(t, fmt.Sprintf(
				"%sdecision: {threshold: %s/thresholds.json}\nmetrics: [%s]", task, dir, tuning.metric), preds))))
			for _, label := range labels {
				of := ""
				if task == multilabelTask {
					of = "label " + label
				}
				tp, fp, positives, _ := confusionAt(scores[label], truth[label], want[label])
				value := second[rowKey{"{}", tuning.metric, of}].Value
				require.Equal(t, tuning.rate(tp, fp, positives), value, tuning.name)
				if tuning.only != "" && tuning.only != task {
					continue
				}
				if tuning.promised != "" {
					require.Equal(t, first[rowKey{"{}", tuning.promised, of}].Value, value, tuning.name)
				}
				if tuning.threshold != "" {
					require.Equal(t, first[rowKey{"{}", tuning.threshold, of}].Value, want[label], tuning.name)
				}
			}
		}
	}
}

// TestCriteria: names of what thresholds are tuned for.
func TestCriteria(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]curves.Criterion{
		"f1":                       {Objective: curves.FBeta, At: 1},
		"f0.5":                     {Objective: curves.FBeta, At: 0.5},
		"youden":                   {Objective: curves.Youden},
		"recall_at_precision@0.75": {Objective: curves.RecallAtPrecision, At: 0.75},
		"recall_at_precision@1":    {Objective: curves.RecallAtPrecision, At: 1},
	} {
		got, ok := criterionOf(name)
		require.True(t, ok, name)
		require.Equal(t, want, got)
	}
	for _, name := range []string{"f", "f0", "f-1", "fNaN", "fInf", "1", "ff1", "max_f1", "Youden", "recall_at_precision", "recall_at_precision@", "recall_at_precision@1.5", "recall_at_precision@NaN"} {
		_, ok := criterionOf(name)
		require.False(t, ok, name)
	}
	least, ok := criterionOfCosts(&metrics.Params{Costs: [][]float64{{0.5, 1.5}, {11, 1}}})
	require.True(t, ok)
	require.Equal(t, curves.Criterion{Objective: curves.NetBenefit, At: 10}, least)
	for _, costs := range [][][]float64{nil, {{0, 1}, {0, 0}}, {{0, 1}, {1, 2}}, {{2, 1}, {5, 0}}, {{0, 1e-300}, {1e100, 0}}} {
		_, ok := criterionOfCosts(&metrics.Params{Costs: costs})
		require.False(t, ok, costs)
	}
}
