package pipeline

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/pipeline/config"
)

// prediction is a row of a binary or multiclass task.
type prediction struct {
	ID      int64     `parquet:"id"`
	Country string    `parquet:"country"`
	User    int64     `parquet:"user"`
	Weight  float64   `parquet:"weight"`
	Label   *int64    `parquet:"label,optional"`
	Score   []float64 `parquet:"score,list"`
	P       float64   `parquet:"p"` // Score[0], of binary tasks
}

// predictions returns rows with scores of a number of classes, or of the positive one. The last ones
// have no label.
func predictions(n, scores int) (rows []prediction) {
	r := rand.New(rand.NewPCG(1, 7))
	for i := range n {
		row := prediction{ID: int64(i), Country: []string{"ch", "de", "fr"}[r.IntN(3)], User: r.Int64N(60), Weight: float64(1 + r.IntN(4))}
		total := 0.0
		for range scores {
			row.Score = append(row.Score, float64(1+r.IntN(100)))
			total += row.Score[len(row.Score)-1]
		}
		for j := range row.Score {
			row.Score[j] /= max(total, 101)
		}
		row.P = row.Score[0]
		if label := int64(r.IntN(max(scores, 2))); i < n/2 {
			row.Label = &label
		}
		rows = append(rows, row)
	}
	return rows
}

// doubled returns the rows without a label once for each class, weighted by its probability.
func doubled(rows []prediction) (all []prediction) {
	for _, row := range rows {
		p := row.Score
		if len(p) == 1 {
			p = []float64{1 - p[0], p[0]}
		}
		for class := range p {
			again, label := row, int64(class)
			again.Label, again.Weight = &label, row.Weight*p[class]
			all = append(all, again)
		}
	}
	return all
}

// estimatedOf returns the metrics of slices that are estimated, as if they were not.
func estimatedOf(r *report.Report) map[rowKey]report.Row {
	rows := make(map[rowKey]report.Row)
	for _, row := range r.Metrics {
		if last := len(row.Slice) - 1; last >= 0 && row.Slice[last] == (slice.Pair{Column: "estimated", Value: slice.Bool(true)}) {
			rows[keyOf(row.Slice[:last], row.Name, row.Label)] = row
		}
	}
	return rows
}

// textOfRow returns the contents of a row; NaN equals NaN.
func textOfRow(row report.Row) string {
	text := fmt.Sprint(row.Name, row.Slice, row.Value, row.Undefined, row.Support)
	if row.Bounds != nil {
		text += fmt.Sprintf(" %+v", *row.Bounds)
	}
	if row.Confidence != nil {
		text += fmt.Sprintf(" %+v", *row.Confidence)
	}
	return text
}

// TestEstimatesAreThoseOfWeightedCopies: metrics are estimated as if each row without a label were
// there once for each class, weighted by its probability; rows with a label are evaluated as always.
func TestEstimatesAreThoseOfWeightedCopies(t *testing.T) {
	t.Parallel()
	const common = "slices: [country]\nconfidence: {level: 0.9, groups: 12, by: user}\nper_label: all\n" +
		"input: {columns: {label: label, weight: weight, score: "
	for name, test := range map[string]struct {
		yaml   string
		scores int
	}{
		"binary":         {"p}}\ntask: binary\ncurves: {mode: exact}\n", 1},
		"costs":          {"p, cost_fp: user, cost_fn: p}}\ntask: binary\ntune_thresholds: expected_cost\n", 1},
		"bounded curves": {"p}}\ntask: binary\ncurves: {mode: bounded, bins: 64}\n", 1},
		"multiclass":     {"score}}\ntask: multiclass\nnum_labels: 4\n", 4},
	} {
		t.Run(name, func(t *testing.T) {
			rows := predictions(400, test.scores)
			known, unknown := rows[:200], rows[200:]
			yaml := common + test.yaml
			got := readReport(t, evaluate(t, parse(t, yaml+"unlabelled: estimate", write(t, rows, 2, 70))))
			ofKnown := valuesOf(readReport(t, evaluate(t, parse(t, yaml, write(t, known, 1, 200)))))
			ofCopies := valuesOf(readReport(t, evaluate(t, parse(t, yaml, write(t, doubled(unknown), 3, 50)))))

			require.EqualValues(t, 400, got.Rows.Read)
			require.EqualValues(t, 200, got.Rows.Evaluated)
			require.EqualValues(t, 200, got.Rows.Estimated)
			require.Contains(t, fmt.Sprint(got.Warnings()), "200 rows have no label")
			found := valuesOf(got)
			for key, want := range ofKnown {
				require.Equal(t, textOfRow(want), textOfRow(found[key]), key)
			}
			estimated := estimatedOf(got)
			require.Len(t, estimated, len(ofCopies))
			require.Len(t, found, len(ofKnown)+len(ofCopies))
			for key, want := range ofCopies {
				if want.Label == nil {
					want.Support /= int64(max(test.scores, 2))
				}
				value := estimated[key]
				want.Slice = value.Slice
				require.Equal(t, textOfRow(want), textOfRow(value), key)
			}
		})
	}
}

// TestEstimatesWithoutTruth: the metrics of predictions without truth are estimated in the same way
// as for rows without a label.
func TestEstimatesWithoutTruth(t *testing.T) {
	t.Parallel()
	type judgement struct {
		ID    int64  `parquet:"id"`
		Label *int64 `parquet:"label,optional"`
	}
	const yaml = "task: binary\nslices: [country]\nunlabelled: estimate\ninput: {columns: {example: id, weight: weight, score: p}}\n"
	rows := predictions(300, 1)
	var truth []judgement
	bare := make([]struct {
		ID      int64   `parquet:"id"`
		Country string  `parquet:"country"`
		Weight  float64 `parquet:"weight"`
		P       float64 `parquet:"p"`
	}, len(rows))
	for i, row := range rows {
		bare[i].ID, bare[i].Country, bare[i].Weight, bare[i].P = row.ID, row.Country, row.Weight, row.P
		if row.Label != nil || i%2 == 0 { // some have truth that is null
			truth = append(truth, judgement{row.ID, row.Label})
		}
	}
	want := readReport(t, evaluate(t, parse(t, yaml, write(t, rows, 1, 100))))
	dir := write(t, bare, 2, 40)
	got := readReport(t, evaluate(t, parse(t, yaml, dir, write(t, truth, 1, 1000))))
	require.Len(t, got.Metrics, len(want.Metrics))
	for i, row := range want.Metrics {
		require.Equal(t, textOfRow(row), textOfRow(got.Metrics[i]))
	}
	require.EqualValues(t, 150, got.Rows.Estimated)
	none := readReport(t, evaluate(t, parse(t, yaml, dir, write(t, truth[:0], 1, 1000))))
	require.EqualValues(t, 300, none.Rows.Estimated)
	require.Zero(t, none.Rows.Evaluated)
}

// TestNothingToEstimateFrom: without an estimate, rows without a label are bad; bad scores are bad
// in any case.
func TestNothingToEstimateFrom(t *testing.T) {
	t.Parallel()
	rows := predictions(20, 1)
	dir := write(t, rows, 1, 20)
	const yaml = "task: binary\ninput: {columns: {score: p}}\n"
	cfg := parse(t, yaml, dir)
	cfg.Output.Dir = filepath.Join(t.TempDir(), "report")
	plan, err := Make(t.Context(), cfg)
	require.NoError(t, err)
	require.ErrorContains(t, execute(t.Context(), plan, "direct"), "row group 0, row 10: column \"label\": null: the label is missing")
	_, err = os.Stat(cfg.Output.Dir)
	require.ErrorIs(t, err, os.ErrNotExist)

	rows[15].P = 7
	got := readReport(t, evaluate(t, parse(t, yaml+"unlabelled: estimate\nbad_rows: skip", write(t, rows, 1, 20))))
	require.EqualValues(t, 9, got.Rows.Estimated)
	require.Equal(t, map[string]int64{"probability outside [0, 1]": 1}, got.Rows.Skipped)

	bare := make([]struct {
		Label      int64  `parquet:"label"`
		Prediction int64  `parquet:"prediction"`
		Estimated  string `parquet:"estimated"`
	}, 3)
	requireRefused(t, parse(t, "task: binary\nunlabelled: estimate", write(t, bare, 1, 3)), "2:13: unlabelled: estimate needs scores: set input.columns.score")
	named := parse(t, "task: binary\nslices: [estimated]\nunlabelled: estimate\ninput: {columns: {score: prediction}}", write(t, bare, 1, 3))
	requireRefused(t, named, `3:13: unlabelled: estimate adds the column "estimated" to the slices of rows without a label, and slices has such a column: rename it`)
	judged := make([]struct {
		ID     int64  `parquet:"id"`
		Label  int64  `parquet:"label"`
		Region string `parquet:"region"`
	}, 1)
	ofTruth := parse(t, "input: {columns: {score: p, example: id}}\ntask: binary\nunlabelled: estimate\nslices: [region]", dir, write(t, judged, 1, 1))
	requireRefused(t, ofTruth, "3:13: unlabelled: estimate evaluates predictions without truth")
}

// TestEstimatesOfBundledData compares with what testdata/make_estimates.py computed with
// scikit-learn, from bundled predictions without their labels.
func TestEstimatesOfBundledData(t *testing.T) {
	t.Parallel()
	check := func(set, dir string) {
		cfg := bundled(t, set+"/config.yaml")
		cfg.Input.Files, cfg.Unlabelled = []string{dir}, config.Estimate
		got := valuesOf(readReport(t, evaluate(t, cfg)))
		want := expected(t, filepath.Join("..", "testdata", set, "estimated.json"))
		require.Greater(t, len(want), 20)
		for key, value := range want {
			row, ok := got[key]
			require.True(t, ok, "no row %v", key)
			require.InDelta(t, *value, row.Value, 1e-12*max(1, *value), "%v", key)
		}
	}
	type tumour struct {
		Label *string `parquet:"label,optional"`
		Score float64 `parquet:"score"`
		Size  string  `parquet:"size"`
		Text  string  `parquet:"texture"`
	}
	type digit struct {
		Label      *int32    `parquet:"label,optional"`
		Scores     []float64 `parquet:"scores,list"`
		Prediction int32     `parquet:"prediction"`
		Ink        string    `parquet:"ink"`
		Lean       string    `parquet:"lean"`
	}
	tumours, err := parquet.ReadFile[tumour](filepath.Join("..", "testdata", "breast_cancer", "predictions.parquet"))
	require.NoError(t, err)
	for i := range tumours {
		tumours[i].Label = nil
	}
	check("breast_cancer", write(t, tumours, 1, 200))
	digits, err := parquet.ReadFile[digit](filepath.Join("..", "testdata", "digits", "predictions.parquet"))
	require.NoError(t, err)
	for i := range digits {
		digits[i].Label = nil
	}
	check("digits", write(t, digits, 2, 200))
}
