package pipeline

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// drawn is a row that was drawn from a stratum.
type drawn struct {
	ID       int64   `parquet:"id"`
	Label    float64 `parquet:"label"`
	Score    float64 `parquet:"score"`
	Country  string  `parquet:"country,dict"`
	Pi       float64 `parquet:"sampling_probability"`
	Stratum  string  `parquet:"sampling_stratum,dict"`
	Inverted float64 `parquet:"inverted"` // 1 / Pi
}

// drawnRows returns rows of three strata, whose examples are the more often positive, the rarer they were drawn.
func drawnRows(n int) (rows []drawn) {
	for i, e := range examples(n) {
		h := i % 7 % 3
		row := drawn{ID: int64(i), Label: float64(e.Label), Score: min(e.Score+float64(h)/8, 1), Country: fmt.Sprint("c", len(e.Labels)%2), Pi: []float64{0.5, 0.25, 0.0625}[h], Stratum: []string{"low", "middle", "high"}[h]}
		row.Inverted = 1 / row.Pi
		rows = append(rows, row)
	}
	return rows
}

const ofDrawn = "task: binary\ninput: {columns: {label: label, score: score}}\nslices: [country]\n"

// TestDrawnRowsWeigh: every metric of rows that were drawn is equal to the metric with weights of 1 / probability, whether the
// predictions or the truth say how they were drawn.
func TestDrawnRowsWeigh(t *testing.T) {
	t.Parallel()
	rows := drawnRows(400)
	files := write(t, rows, 3, 100)
	want := readReport(t, evaluate(t, parse(t, strings.Replace(ofDrawn, "score: score", "score: score, weight: inverted, sampling_probability: null", 1), files)))
	found := readReport(t, evaluate(t, parse(t, ofDrawn, files)))
	require.Equal(t, want.Metrics, found.Metrics)

	in, of := joinedRows(t, rows)
	joined := evaluate(t, parse(t, "task: binary\nslices: [country]\ntruth: {files: "+of+", missing: skip}\n", in))
	require.Equal(t, want.Metrics, readReport(t, joined).Metrics)
	require.Equal(t, map[string]int64{"no truth": int64(len(rows))}, readReport(t, joined).Rows.Skipped)
}

// joinedRows writes files of predictions and of the truth of rows that were drawn from them.
func joinedRows(t *testing.T, rows []drawn) (in, of string) {
	dir := t.TempDir()
	predictions, truth := []string{"id,score,country"}, []string{"id,label,sampling_probability,sampling_stratum"}
	for i, r := range rows {
		predictions = append(predictions, fmt.Sprintf("%d,%v,%s", r.ID, r.Score, r.Country), fmt.Sprintf("%d,0.5,1", -1-i))
		truth = append(truth, fmt.Sprintf("%d,%v,%v,%s", r.ID, r.Label, r.Pi, r.Stratum))
	}
	in, of = filepath.Join(dir, "predictions.csv"), filepath.Join(dir, "truth.csv")
	require.NoError(t, os.WriteFile(in, []byte(strings.Join(predictions, "\n")), 0o666))
	require.NoError(t, os.WriteFile(of, []byte(strings.Join(truth, "\n")), 0o666))
	return in, of
}

// TestDrawnRowsThatAreBad: a probability is above 0 and at most 1, and only rows without a label lack one.
func TestDrawnRowsThatAreBad(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "drawn.csv")
	for value, want := range map[string]string{
		"0": "sampling probability outside (0, 1]", "-0.5": "sampling probability outside (0, 1]", "1.0000001": "sampling probability outside (0, 1]",
		"1e-310": "sampling probability outside (0, 1]", "NaN": "not a finite number", "": "null sampling probability",
	} {
		require.NoError(t, os.WriteFile(file, []byte("id,label,score,sampling_probability\n0,1,0.5,1\n1,1,0.5,"+value+"\n2,,0.5,\n"), 0o666))
		r := readReport(t, evaluate(t, parse(t, "task: binary\nbad_rows: skip\nmetrics: [accuracy]\n", file)))
		require.Equal(t, map[string]int64{want: 1, "null label": 1}, r.Rows.Skipped, value)
	}
}

// TestSamplingIsRefused: what rows that were drawn cannot be combined with is named.
func TestSamplingIsRefused(t *testing.T) {
	t.Parallel()
	files := write(t, drawnRows(100), 1, 100)
	for yaml, want := range map[string]string{
		"input: {columns: {weight: inverted}}":                                      `rows that were drawn weigh 1 / input.columns.sampling_probability, and have no other weight: set input.columns.weight or input.columns.sampling_probability to null`,
		"input: {columns: {sampling_probability: null, sampling_stratum: country}}": "rows of a stratum were drawn with some probability: set input.columns.sampling_probability",
		"input: {columns: {sampling_probability: country}}":                         `the sampling_probability of task binary must be of type`,
		"input: {columns: {sampling_stratum: inverted}}":                            `the sampling_stratum of task binary must be of type`,
		"unlabelled: estimate":                                                      `estimate evaluates rows that were not drawn, and column "sampling_probability" has the probabilities of rows that were`,
		"output: {statistics: true}\nmetrics: [accuracy]":                           "rows that were drawn with known probabilities are one sample",
	} {
		cfg := parse(t, "task: binary\n"+yaml+"\n", files)
		cfg.Output.Dir = filepath.Join(t.TempDir(), "report")
		_, err := Make(t.Context(), cfg)
		require.ErrorContains(t, err, want)
	}
}

// errorOfMean returns the standard error of the weighted mean of some rows of a stratified sample, by the formulas of textbooks.
func errorOfMean(rows []drawn, inside func(drawn) bool, y func(drawn) float64, finite bool) float64 {
	sum, weight, variance := 0.0, 0.0, 0.0
	for _, r := range rows {
		if inside(r) {
			sum, weight = sum+r.Inverted*y(r), weight+r.Inverted
		}
	}
	for _, h := range []string{"low", "middle", "high"} {
		n, size, total, squares := 0.0, 0.0, 0.0, 0.0
		for _, r := range rows {
			if r.Stratum != h {
				continue
			}
			n, size = n+1, size+r.Inverted
			if inside(r) {
				u := r.Inverted * (y(r) - sum/weight) / weight
				total, squares = total+u, squares+u*u
			}
		}
		within := n / (n - 1) * (squares - total*total/n)
		if finite {
			variance += within * (1 - n/size)
		} else {
			variance += within + total*total/size
		}
	}
	return math.Sqrt(variance)
}

// TestErrorsOfStrata: standard errors of all rows and of slices are as for a stratified sample, whether the predictions or
// the truth say how rows were drawn, and the bytes of the report depend neither on the runner nor on files.
func TestErrorsOfStrata(t *testing.T) {
	t.Parallel()
	rows := drawnRows(150)
	files := write(t, rows, 3, 17)
	for _, finite := range []bool{false, true} {
		yaml := fmt.Sprintf("%sconfidence: {}\nsampling: {finite: %v}\n", ofDrawn, finite)
		dir := evaluate(t, parse(t, yaml, files))
		requireSame(t, contents(t, dir), contents(t, evaluateOn(t, parse(t, yaml, write(t, rows, 1, 1000)), "direct", 3)))
		requireSame(t, contents(t, dir), contents(t, evaluateOn(t, parse(t, yaml, files), "prism", 0)))
		r := readReport(t, dir)
		right := func(d drawn) float64 {
			if (d.Score >= 0.5) == (d.Label == 1) {
				return 1
			}
			return 0
		}
		met := 0
		for _, row := range r.Metrics {
			if row.Name != "accuracy" {
				continue
			}
			inside := func(d drawn) bool { return len(row.Slice) == 0 || row.Slice[0].Value.Text() == d.Country }
			require.InEpsilon(t, errorOfMean(rows, inside, right, finite), row.Confidence.StdError, 1e-9, row.Slice)
			require.Equal(t, "jackknife", row.Confidence.Method)
			met++
		}
		require.Equal(t, 3, met)
		for _, row := range r.Metrics {
			if row.Name == "tp" {
				require.True(t, math.IsNaN(row.Confidence.StdError))
			}
		}
	}
	of := readWhole(t, evaluate(t, parse(t, ofDrawn+"confidence: {}\n", files)))
	in, truth := joinedRows(t, rows)
	joined := readWhole(t, evaluate(t, parse(t, "task: binary\nslices: [country]\nconfidence: {}\ntruth: {files: "+truth+", missing: skip}\n", in)))
	for i, row := range joined.Metrics {
		require.Equal(t, of.Metrics[i].Value, row.Value)
		require.Equal(t, fmt.Sprint(of.Metrics[i].Replicates), fmt.Sprint(row.Replicates), row.Name)
	}
}

// TestOneStratum: rows that were drawn from one stratum with equal probabilities have the values, standard errors and replicates
// of rows that were not drawn, and if the target is the rows themselves, standard errors are smaller by √(1 - n/N).
func TestOneStratum(t *testing.T) {
	t.Parallel()
	rows := drawnRows(300)
	for i := range rows {
		rows[i].Pi, rows[i].Stratum = 0.25, "all"
	}
	files := write(t, rows, 1, 100)
	const metrics = "metrics: [accuracy, f1, log_loss, roc_auc, mcc]\nconfidence: {groups: 50}\n"
	want := readWhole(t, evaluate(t, parse(t, strings.Replace(ofDrawn, "score: score", "score: score, sampling_probability: null", 1)+metrics, files)))
	found := readWhole(t, evaluate(t, parse(t, ofDrawn+metrics, files)))
	finite := readWhole(t, evaluate(t, parse(t, ofDrawn+metrics+"sampling: {finite: true}\n", files)))
	for i, row := range want.Metrics {
		other := found.Metrics[i]
		require.NotEmpty(t, row.Replicates, row.Name)
		require.Equal(t, []any{row.Name, row.Value, row.Confidence.StdError, row.Confidence.DOF, row.Replicates}, []any{other.Name, other.Value, other.Confidence.StdError, other.Confidence.DOF, other.Replicates})
		require.InEpsilon(t, row.Confidence.StdError*math.Sqrt(0.75), finite.Metrics[i].Confidence.StdError, 0.05, row.Name)
	}
}

// TestStrataWithoutIntervals: a stratum of one row, and strata that are too many or unknown.
func TestStrataWithoutIntervals(t *testing.T) {
	t.Parallel()
	rows := drawnRows(150)
	rows[3].Stratum = "alone"
	r := readReport(t, evaluate(t, parse(t, ofDrawn+"metrics: [accuracy, log_loss]\nconfidence: {}\n", write(t, rows, 1, 100))))
	for _, row := range r.Metrics {
		require.Equal(t, "stratum of one group", row.Confidence.NoInterval)
		require.True(t, math.IsNaN(row.Confidence.StdError))
	}
	make := func(yaml string, rows []drawn) error {
		cfg := parse(t, ofDrawn+yaml, write(t, rows, 1, 100))
		cfg.Output.Dir = filepath.Join(t.TempDir(), "report")
		_, err := Make(t.Context(), cfg)
		return err
	}
	require.ErrorContains(t, make("confidence: {by: country}\n", rows), "confidence.by: rows were drawn one by one")
	require.ErrorContains(t, make("confidence: {}\nsearch: {columns: [country], measure: log_loss}\n", rows), "search: slices are not searched among rows that were drawn")
	require.ErrorContains(t, make("sampling: {finite: true}\nconfidence: {groups: 10}\n", append(rows, drawn{ID: -1, Label: 1, Score: 1, Pi: 0.125, Stratum: "low"})), "rows of one stratum were drawn with different probabilities")
	for i := range rows {
		rows[i].Stratum = fmt.Sprint(i / 2)
	}
	require.ErrorContains(t, make("confidence: {groups: 100}\n", rows), "there are 75 strata, and intervals need two groups or more of each: set confidence.groups to 150 or more, or join strata")
	require.NoError(t, make("confidence: {}\n", rows))
}

// TestWorkedSample is the example of docs/confidence.md.
func TestWorkedSample(t *testing.T) {
	t.Parallel()
	var rows []drawn
	for i := range 200 {
		row := drawn{ID: int64(i), Label: 1, Score: 1, Pi: 1. / 70, Stratum: "clear"}
		if i >= 100 {
			row.Pi, row.Stratum = 1./30, "unclear"
		}
		if i < 3 || i >= 160 {
			row.Score = 0
		}
		rows = append(rows, row)
	}
	files := write(t, rows, 1, 100)
	for finite, want := range map[bool]float64{false: 0.0191, true: 0.0188} {
		r := readReport(t, evaluate(t, parse(t, fmt.Sprintf("task: binary\nmetrics: [accuracy]\nconfidence: {}\nsampling: {finite: %v}\n", finite), files)))
		require.InDelta(t, 0.859, r.Metrics[0].Value, 1e-12)
		require.InDelta(t, want, r.Metrics[0].Confidence.StdError, 0.00005)
	}
}
