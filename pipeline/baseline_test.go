package pipeline

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/slice"
)

// compared are rows with what two models predict.
type compared struct {
	ID       int64     `parquet:"id"`
	Label    int64     `parquet:"label"`
	Class    string    `parquet:"class"`
	New      float64   `parquet:"p_new"`
	Old      float64   `parquet:"p_old"`
	OldClass string    `parquet:"old_class"`
	NewClass string    `parquet:"new_class"`
	OldList  []float64 `parquet:"old_list,list"`
	NewList  []float64 `parquet:"new_list,list"`
	Country  string    `parquet:"country"`
}

func comparedRows(n int) []compared {
	names := []string{"a", "b", "c"}
	rows := make([]compared, n)
	for i := range rows {
		lists := func(top int) []float64 {
			l := []float64{0.2, 0.2, 0.2}
			l[top] = 0.6
			return l
		}
		now, old := (i*7)%3, (i*5+i/4)%3
		rows[i] = compared{
			ID: int64(i), Label: int64(i * i % 7 % 2), Class: names[i*i%7%3], New: float64(i*37%100) / 100, Old: float64(i*53%100) / 100,
			OldClass: names[old], NewClass: names[now], OldList: lists(old), NewList: lists(now), Country: []string{"de", "fr"}[i%2],
		}
	}
	return rows
}

// TestBaseline compares the metrics of changes with counts of the rows, overall and in a slice.
func TestBaseline(t *testing.T) {
	t.Parallel()
	rows := comparedRows(300)
	data := write(t, rows, 2, 50)
	const binary = "task: binary\ninput: {columns: {label: label, score: p_new, baseline_score: p_old}}\n"
	const classes = "task: multiclass\ninput: {columns: {label: class, %s}}\nlabels: [a, b, c]\n"
	positive := func(p float64) string { return fmt.Sprint(p >= 0.5) }
	for name, c := range map[string]struct {
		yaml            string
		truth, old, now func(r *compared) string
	}{
		"binary": {binary, func(r *compared) string { return fmt.Sprint(r.Label == 1) },
			func(r *compared) string { return positive(r.Old) }, func(r *compared) string { return positive(r.New) }},
		"classes": {fmt.Sprintf(classes, "prediction: new_class, baseline_prediction: old_class"), func(r *compared) string { return r.Class },
			func(r *compared) string { return r.OldClass }, func(r *compared) string { return r.NewClass }},
		"lists": {fmt.Sprintf(classes, "score: new_list, baseline_score: old_list"), func(r *compared) string { return r.Class },
			func(r *compared) string { return r.OldClass }, func(r *compared) string { return r.NewClass }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := valuesOf(readReport(t, evaluate(t, parse(t, c.yaml+"slices: [[country]]\nconfidence: {groups: 20}\n", data))))
			for _, of := range []slice.Key{nil, {{Column: "country", Value: slice.String("de")}}} {
				var n, flips, worse, better float64
				for i := range rows {
					if r := &rows[i]; of == nil || r.Country == "de" {
						truth, old, now := c.truth(r), c.old(r), c.now(r)
						n++
						for counter, is := range map[*float64]bool{&flips: old != now, &worse: old == truth && now != truth, &better: old != truth && now == truth} {
							if is {
								*counter++
							}
						}
					}
				}
				for metric, want := range map[string]float64{
					"flip_rate": flips / n, "churn": flips / n, "regression_rate": worse / n, "improvement_rate": better / n, "accuracy_change": (better - worse) / n,
				} {
					row, found := got[keyOf(of, metric, nil)]
					require.True(t, found, "%v %s", of, metric)
					require.InDelta(t, want, row.Value, 1e-15, metric)
					require.True(t, row.Confidence.HasInterval(), metric)
				}
			}
		})
	}
}

// TestBaselineIsNecessary: what asks for a baseline says so where there is none, and names its bad rows.
func TestBaselineIsNecessary(t *testing.T) {
	t.Parallel()
	data := write(t, comparedRows(20), 1, 50)
	const binary = "task: binary\nmetrics: [%s]\ninput: {columns: {label: label, score: p_new%s}}\n"
	for _, c := range []struct{ metric, columns, want string }{
		{"flip_rate", "", `metric "flip_rate" needs predictions of a baseline: set input.columns.baseline_prediction or baseline_score`},
		{"mean_score_change", ", baseline_prediction: label", `metric "mean_score_change" needs scores of a baseline: set input.columns.baseline_score`},
		{"flip_rate", ", baseline_score: nosuch", `no column "nosuch"`},
		{"flip_rate", ", baseline_score: country", `the baseline_score of task binary must be of type int or float`},
		{"flip_rate", ", baseline_score: old_list", `the baseline_score of task binary must be one value a row`},
	} {
		requireRefused(t, parse(t, fmt.Sprintf(binary, c.metric, c.columns), data), c.want)
	}
}
