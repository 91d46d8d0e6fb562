package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/differences"
)

// costlyRow is an example whose errors have costs of their own.
type costlyRow struct {
	ID      int64    `parquet:"id"`
	Country string   `parquet:"country"`
	Label   int32    `parquet:"label"`
	Score   float64  `parquet:"score"`
	Old     float64  `parquet:"old"`
	Weight  float64  `parquet:"weight"`
	FP      *float64 `parquet:"review,optional"`
	FN      *float64 `parquet:"amount,optional"`
	One     float64  `parquet:"one"`
	Ten     int64    `parquet:"ten"`
}

// costlyRows returns examples with weights, costs and scores. Some scores are equal, and no sum is
// rounded.
func costlyRows(n int) (rows []costlyRow) {
	r := rand.New(rand.NewPCG(38, 4))
	for i := range n {
		y := int32(min(r.IntN(4), 1))
		fp, fn := float64(r.IntN(9))/4, float64(r.IntN(200))/4
		score := func() float64 { return math.Round(16*(2*r.Float64()+float64(y))) / 48 }
		rows = append(rows, costlyRow{int64(i), []string{"ch", "de"}[r.IntN(2)], y, score(), score(), float64(r.IntN(8)) / 4, &fp, &fn, 1, 10})
	}
	return rows
}

// costAt returns what the examples cost at a threshold, and their weight.
func costAt(rows []costlyRow, threshold float64, score func(*costlyRow) float64) (cost, weight float64) {
	for i := range rows {
		r := &rows[i]
		weight += r.Weight
		switch positive := score(r) >= threshold; {
		case positive && r.Label == 0:
			cost += r.Weight * *r.FP
		case !positive && r.Label == 1:
			cost += r.Weight * *r.FN
		}
	}
	return cost, weight
}

const ofClaims = "task: binary\ninput: {columns: {label: label, score: score, baseline_score: old, weight: weight, cost_fp: review, cost_fn: amount}}\n"

func ofScore(r *costlyRow) float64 { return r.Score }

// TestErrorCosts: the expected cost of columns, in slices, of a baseline, and without each fold; and the
// threshold of least cost, among all.
func TestErrorCosts(t *testing.T) {
	t.Parallel()
	rows := costlyRows(600)
	data := write(t, rows, 3, 50)
	dir := evaluate(t, parse(t, ofClaims+"slices: [country]\nconfidence: {groups: 12}\ntune_thresholds: expected_cost\n", data))
	r := readReport(t, dir)
	for _, country := range []string{"", "ch", "de"} {
		some, name := rows, "{}"
		if country != "" {
			some = slices.DeleteFunc(slices.Clone(rows), func(r costlyRow) bool { return r.Country != country })
			name = fmt.Sprintf(`{"country":%q}`, country)
		}
		cost, weight := costAt(some, 0.5, ofScore)
		found := valuesOf(r)[rowKey{name, "expected_cost", ""}]
		require.Equal(t, cost/weight, found.Value)
		require.NotNil(t, found.Confidence)
		require.Less(t, found.Confidence.Low, found.Value)
	}
	old, weight := costAt(rows, 0.5, func(r *costlyRow) float64 { return r.Old })
	of := slices.IndexFunc(r.Differences, func(d differences.Change) bool { return d.Name == "expected_cost" && len(d.Slice) == 0 })
	require.Equal(t, old/weight, r.Differences[of].A)
	require.Less(t, r.Differences[of].Low, r.Differences[of].High)

	best, at := math.Inf(1), math.NaN()
	for i := range rows {
		threshold := rows[i].Score
		if cost, _ := costAt(rows, threshold, ofScore); cost < best || cost == best && threshold > at {
			best, at = cost, threshold
		}
	}
	require.Equal(t, map[string]float64{"default": at}, thresholdsOf(t, dir))
	drawn := readCurves(t, dir)[rowKey{slice: "{}", name: report.CurveCost}]
	require.Greater(t, len(drawn), 40)
	for _, p := range drawn[1:] {
		cost, weight := costAt(rows, *p.Threshold, ofScore)
		require.Equal(t, cost/weight, *p.Y)
	}
	tuned := valuesOf(readReport(t, evaluate(t, parse(t, ofClaims+fmt.Sprintf("decision: {threshold: %v}\nmetrics: [expected_cost]\n", at), write(t, rows, 1, 7)))))
	require.Equal(t, best/weight, tuned[rowKey{"{}", "expected_cost", ""}].Value)
}

// TestEqualErrorCosts: columns of the same costs give the same metrics and thresholds as costs of outcomes.
func TestEqualErrorCosts(t *testing.T) {
	t.Parallel()
	data := write(t, costlyRows(300), 2, 64)
	const task = "task: binary\ntune_thresholds: expected_cost\nconfidence: {groups: 10}\ninput: {columns: {label: label, score: score, weight: weight"
	columns := evaluate(t, parse(t, task+", cost_fp: one, cost_fn: ten}}\n", data))
	outcomes := evaluate(t, parse(t, task+"}}\ncosts: {fp: 1, fn: 10}\n", data))
	require.NotEmpty(t, contents(t, outcomes)[report.MetricsParquet])
	require.Equal(t, contents(t, outcomes)[report.MetricsParquet], contents(t, columns)[report.MetricsParquet])
	require.Equal(t, thresholdsOf(t, outcomes), thresholdsOf(t, columns))
}

// TestBadErrorCosts: costs that cannot be are bad rows, and columns of other tasks and shapes are refused.
func TestBadErrorCosts(t *testing.T) {
	t.Parallel()
	for want, fn := range map[string]*float64{
		`column "amount": -1: expected a cost within 0 and 1e100`: new(-1.),
		`column "amount": NaN: expected a finite number`:          new(math.NaN()),
		`column "amount": +Inf: expected a finite number`:         new(math.Inf(1)),
		`column "amount": null: the cost is missing`:              nil,
	} {
		rows := costlyRows(40)
		rows[33].FN = fn
		cfg := parse(t, ofClaims, write(t, rows, 1, 8))
		cfg.Output.Dir = t.TempDir() + "/report"
		plan, err := Make(t.Context(), cfg)
		require.NoError(t, err)
		err = execute(t.Context(), plan, "direct")
		require.ErrorContains(t, err, "row group 4, row 1")
		require.ErrorContains(t, err, want)
	}
	data := write(t, costlyRows(40), 1, 8)
	requireRefused(t, parse(t, "input: {columns: {label: label, score: score, cost_fp: review, cost_fn: country}}", data), `column "country" is`)
	requireRefused(t, parse(t, "labels: [a, b, c, d]\ninput: {columns: {label: class, score: scores, cost_fp: weight, cost_fn: weight}}", write(t, examples(40), 1, 8)), "input.columns.cost_fp: only for task binary, the task is multiclass")
	requireRefused(t, parse(t, ofClaims+"tune_thresholds: expected_cost\ncurves: {mode: bounded}\n", data), "tune_thresholds: expected_cost of columns needs all scores in order: set curves.mode to exact")
}
