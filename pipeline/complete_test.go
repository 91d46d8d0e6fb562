package pipeline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/pipeline/config"
)

// completed returns sparse examples that have a score for each label, in no order; scores add up to 1.
func completed(n int) []sparseExample {
	rows := sparseExamples(n)
	for i := range rows {
		e := &rows[i]
		e.Scores, e.Named, e.Odd, e.ScoreIDs, e.ScoreValues = nil, nil, nil, nil, nil
		for place := range sparseClasses {
			k := (place*5 + i) % sparseClasses
			score, name := float64((k*7+i*3)%sparseClasses+1)/45, strconv.Itoa(k)
			e.Dense[k], e.ByLabel[int32(k)], e.ByName[name] = score, score, score
			e.Scores, e.Named = append(e.Scores, scoredIndex{int32(k), score}), append(e.Named, scoredName{name, score})
			e.ScoreIDs, e.ScoreValues = append(e.ScoreIDs, int64(k)), append(e.ScoreValues, score)
		}
	}
	return rows
}

// TestCompleteScores: sparse scores that name every label give the report of dense ones, in every form; a row
// that lacks a label, or names one twice, is bad.
func TestCompleteScores(t *testing.T) {
	t.Parallel()
	rows := completed(120)
	names := make([]string, sparseClasses)
	for k := range names {
		names[k] = strconv.Itoa(k)
	}
	for _, task := range []string{"multilabel\ninput: {label_encoding: indices, columns: {label: labels, ", "multiclass\ninput: {columns: {label: class, "} {
		metrics := "[log_loss, log_loss_macro, roc_auc_macro, ece_macro, f1_macro]"
		if task[:10] == "multiclass" {
			metrics = "[log_loss, roc_auc_ovr_macro, ece, classwise_ece, f1_macro]"
		}
		yaml := func(scores, more string) string {
			return fmt.Sprintf("task: %s%s}%s}\nlabels: [%s]\nmetrics: %s\n", task, scores, more, strings.Join(names, ", "), metrics)
		}
		want := valuesOf(readReport(t, evaluate(t, parse(t, yaml("score: dense", ""), write(t, rows, 2, 30)))))
		for _, scores := range []string{"score: scores", "score: by_label", "score: named", "score: by_name", "score: score_values, score_label: score_ids"} {
			if slices.Contains([]string{"score: named", "score: by_name"}, scores) && task[:10] != "multiclass" {
				continue // labels are indices
			}
			got := valuesOf(readReport(t, evaluate(t, parse(t, yaml(scores, ", complete_scores: true"), write(t, rows, 3, 17)))))
			require.Len(t, got, len(want), scores)
			for key, row := range want {
				require.Equal(t, textOfRow(row), textOfRow(got[key]), scores)
			}
			requireRefused(t, parse(t, yaml(scores, ""), write(t, rows, 3, 17)), "needs a score for every label: the scores are sparse")
		}
		lacking := slices.Clone(rows)
		lacking[3].ScoreIDs, lacking[3].ScoreValues = lacking[3].ScoreIDs[1:], lacking[3].ScoreValues[1:]
		twice := slices.Clone(lacking[5].ScoreIDs)
		twice[0] = twice[1]
		lacking[5].ScoreIDs = twice
		r := readReport(t, evaluate(t, parse(t, yaml("score: score_values, score_label: score_ids", ", complete_scores: true")+"bad_rows: skip\n", write(t, lacking, 1, 50))))
		require.EqualValues(t, 118, r.Rows.Evaluated)
		require.Equal(t, map[string]int64{"wrong number of values": 1, "duplicate label": 1}, r.Rows.Skipped)
	}
	requireRefused(t, parse(t, "task: multiclass\ninput: {complete_scores: true, columns: {label: class, score: dense}}\n", write(t, rows, 1, 50)), "complete_scores")
}

// TestAverageLabels: averages are over the named labels, also if the labels are found in the data.
func TestAverageLabels(t *testing.T) {
	t.Parallel()
	rows := completed(120)
	for _, labels := range []string{"num_labels: 9\n", ""} {
		yaml := "task: multiclass\ninput: {columns: {label: class, score: by_label}, complete_scores: true}\n" + labels
		all := valuesOf(readReport(t, evaluate(t, parse(t, yaml, write(t, rows, 2, 30)))))
		some := readReport(t, evaluate(t, parse(t, yaml+"average_labels: [\"7\", \"2\"]\n", write(t, rows, 2, 30))))
		two, seven := "2", "7"
		for _, row := range some.Metrics {
			require.NotContains(t, []string{"roc_auc_ovr_micro", "roc_auc_ovo_macro"}, row.Name)
			switch row.Name {
			case "f1_macro":
				require.InDelta(t, (all[keyOf(nil, "f1", &two)].Value+all[keyOf(nil, "f1", &seven)].Value)/2, row.Value, 1e-15)
			case "accuracy":
				require.Equal(t, all[keyOf(nil, "accuracy", nil)].Value, row.Value)
			}
		}
		requireRefusedOrFails(t, yaml+"average_labels: [\"2\", nosuch]\n", rows, `"nosuch"`)
	}
}

// requireRefusedOrFails requires an error in planning or, if the labels are only found then, in the run.
func requireRefusedOrFails(t *testing.T, yaml string, rows []sparseExample, why string) {
	t.Helper()
	cfg, err := config.Parse([]byte(yaml), "test.yaml")
	if err == nil {
		cfg.Input.Files = []string{write(t, rows, 1, 50)}
		cfg.Output.Dir = t.TempDir() + "/report"
		var plan *Plan
		if plan, err = Make(t.Context(), cfg); err == nil {
			err = execute(t.Context(), plan, "direct")
		}
	}
	require.ErrorContains(t, err, why)
}
