package pipeline

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
)

// lackingRow is a row of a user; each user is in a group of the jackknife.
type lackingRow struct {
	ID     int64     `parquet:"id"`
	User   int64     `parquet:"user"`
	Weight float64   `parquet:"weight"`
	Label  *int64    `parquet:"label,optional"`
	Number *float64  `parquet:"number,optional"`
	Labels []int64   `parquet:"labels,list"`
	P      float64   `parquet:"p"`
	Scores []float64 `parquet:"scores,list"`
	Best   int64     `parquet:"best"`
	Said   int64     `parquet:"said"`
	X      float64   `parquet:"x"`
}

// What the rows of a user lack.
const (
	lacksNothing = iota
	lacksNegatives
	lacksWeight
	lacksLabel
)

// lackingRows returns rows of users, some of whom lack something in all of their rows.
func lackingRows(lacks ...int) (rows []lackingRow) {
	r := rand.New(rand.NewPCG(56, 4))
	for user, lack := range lacks {
		for range 3 + r.IntN(4) {
			y := r.Int64N(3)
			if lack == lacksNegatives {
				y = 1
			}
			number := float64(y) + r.NormFloat64()
			row := lackingRow{ID: int64(len(rows)), User: int64(user), Weight: float64(1 + r.IntN(2)), Label: &y, Number: &number, X: number + r.NormFloat64()}
			row.Best, row.Said, row.Scores = r.Int64N(3), y, make([]float64, 3)
			total := 0.0
			for i := range row.Scores {
				row.Scores[i] = r.Float64()
				total += row.Scores[i]
			}
			for i := range row.Scores {
				row.Scores[i] /= total
			}
			row.P = row.Scores[1]
			if y > 0 {
				row.Labels = []int64{y - 1, 2}[:y]
			}
			switch lack {
			case lacksWeight:
				row.Weight = 0
			case lacksLabel:
				row.Label, row.Number = nil, nil
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// everyMetricOf returns all metrics that examples allow, on request or not.
func everyMetricOf(t *testing.T, p metrics.Params) string {
	var names []string
	with := metrics.DefaultArguments()
	for _, name := range metrics.Names(p.Task) {
		if found, err := p.Select([]string{name}, with); err == nil {
			names = append(names, found...)
		}
	}
	require.Greater(t, len(names), 20)
	return strings.Join(names, ", ")
}

// TestFoldsLackWhatMetricsNeed: groups whose rows have no label, no weight, or only one class, do not
// make any metric fail; and those without a label or weight leave no trace in intervals.
func TestFoldsLackWhatMetricsNeed(t *testing.T) {
	t.Parallel()
	binary := func(r *lackingRow) { y := min(*r.Label, 1); r.Label, r.Said = &y, min(r.Said, 1) }
	for name, c := range map[string]struct {
		columns string
		p       metrics.Params
		change  func(*lackingRow)
		judged  bool
	}{
		"binary":             {"label: label, score: p", metrics.Params{Task: metrics.Binary, Decisions: true, Scores: true, Curves: metrics.ExactCurves}, binary, false},
		"bounded":            {"label: label, score: p", metrics.Params{Task: metrics.Binary, Decisions: true, Scores: true, Curves: metrics.BoundedCurves}, binary, false},
		"binary, judged":     {"label: label, judged: p", metrics.Params{Task: metrics.Binary, Decisions: true, Scores: true, Curves: metrics.ExactCurves, Judged: true}, binary, true},
		"multiclass":         {"label: label, score: scores", metrics.Params{Task: metrics.Multiclass, Labels: 3, Decisions: true, Scores: true, Curves: metrics.ExactCurves}, nil, false},
		"multiclass, judged": {"label: label, prediction: best, judged: said", metrics.Params{Task: metrics.Multiclass, Labels: 3, Decisions: true, Has: metrics.HasJudgedClass}, nil, true},
		"multilabel":         {"label: labels, score: scores", metrics.Params{Task: metrics.Multilabel, Labels: 3, Decisions: true, Scores: true, Curves: metrics.ExactCurves}, nil, false},
		"regression":         {"label: number, prediction: x", metrics.Params{Task: metrics.Regression, Curves: metrics.ExactCurves}, nil, false},
		"regression, judged": {"label: number, judged: x", metrics.Params{Task: metrics.Regression, Curves: metrics.ExactCurves, Judged: true}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lacks := []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, lacksNegatives, lacksNegatives, lacksWeight, lacksWeight}
			if c.judged {
				lacks = append(lacks, lacksLabel, lacksLabel, lacksLabel)
			}
			rows := lackingRows(lacks...)
			for i := range rows {
				if c.change != nil && rows[i].Label != nil {
					c.change(&rows[i])
				}
			}
			mode := map[metrics.CurveMode]string{metrics.BoundedCurves: "curves: {mode: bounded, bins: 32}\n"}[c.p.Curves]
			names := everyMetricOf(t, c.p)
			yaml := fmt.Sprintf("task: %s\n%sinput: {columns: {example: id, weight: weight, %s}}\nmetrics: [%s]\nconfidence: {groups: 50, by: user, metrics: [%s]}\n%s",
				c.p.Task, map[bool]string{true: "labels: [a, b, c]\n"}[c.p.Labels > 0], c.columns, names, names, mode)
			whole := valuesOf(readWhole(t, evaluateOn(t, parse(t, yaml, write(t, rows, 2, 40)), "direct", 0)))
			some := those(rows, func(r *lackingRow) bool { return lacks[r.User] < lacksWeight })
			compared, replicated := 0, 0
			for key, want := range valuesOf(readWhole(t, evaluateOn(t, parse(t, yaml, write(t, some, 1, 500)), "direct", 0))) {
				got := whole[key]
				if strings.HasPrefix(want.Name, "judged") || strings.HasPrefix(want.Name, "prediction_powered") || want.Name == "ndcg_micro" {
					require.NotNil(t, got.Confidence, want.Name)
					continue
				}
				got.Support, want.Support = 0, 0
				require.Equal(t, textOfRow(want), textOfRow(got))
				requireSameReplicates(t, want, got)
				if compared++; len(want.Replicates) > 0 {
					replicated++
				}
			}
			require.Greater(t, compared, 20)
			require.Positive(t, replicated)
		})
	}
}

func requireSameReplicates(t *testing.T, want, got report.Row) {
	t.Helper()
	require.Equal(t, want.Folds, got.Folds, want.Name)
	require.Equal(t, fmt.Sprint(want.Replicates), fmt.Sprint(got.Replicates), want.Name)
}
