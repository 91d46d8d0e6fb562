package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/pipeline/config"
)

// judgedRow is a row that a model has judged, in several forms, and that people may have labelled.
type judgedRow struct {
	ID      int64    `parquet:"id"`
	Country string   `parquet:"country"`
	User    int64    `parquet:"user"`
	Weight  float64  `parquet:"mass"`
	Label   *int64   `parquet:"label,optional"`
	Grade   *float64 `parquet:"grade,optional"`
	Word    *string  `parquet:"word,optional"`
	P       float64  `parquet:"p"`
	Verdict int64    `parquet:"verdict"`
	Flag    bool     `parquet:"flag"`
	Said    string   `parquet:"said"`
	Value   float64  `parquet:"value"`
	Other   float64  `parquet:"strength"`
}

var words = []string{"wrong", "right"}

// judgedRows returns rows of which people labelled every fifth, but none of the country "none".
func judgedRows(n int) (rows []judgedRow) {
	r := rand.New(rand.NewPCG(38, 3))
	for i := range n {
		y := int64(min(r.IntN(4), 1))
		verdict := y
		if r.IntN(6) == 0 {
			verdict = 1 - y
		}
		grade := float64(y) + r.NormFloat64()
		row := judgedRow{
			ID: int64(i), Country: []string{"ch", "de", "none"}[r.IntN(3)], User: r.Int64N(40), Weight: float64(1 + r.IntN(4)),
			P: math.Abs(float64(1-verdict) - 0.4*r.Float64()), Verdict: verdict, Flag: verdict == 1, Said: words[verdict], Value: grade + r.NormFloat64()/2 - 1,
		}
		row.P = 1 - row.P
		if i%5 == 0 && row.Country != "none" {
			row.Label, row.Grade, row.Word = &y, &grade, &words[y]
		}
		rows = append(rows, row)
	}
	return rows
}

// labelledOnly returns the rows with a label.
func labelledOnly(rows []judgedRow) (some []judgedRow) {
	for _, r := range rows {
		if r.Label != nil {
			some = append(some, r)
		}
	}
	return some
}

// poweredMean returns the estimate of the mean of labels and its standard error, that of the least
// standard error among many λ.
func poweredMean(rows []judgedRow, weighted bool, y func(*judgedRow) float64, f func(*judgedRow) float64) (mean, stdError float64) {
	of := func(labelled bool, x func(*judgedRow) float64) (mean, variance float64) {
		total, sum := 0.0, 0.0
		each := func(do func(w, x float64)) {
			for i := range rows {
				if r := &rows[i]; (r.Label != nil) == labelled && weighted {
					do(r.Weight, x(r))
				} else if (r.Label != nil) == labelled {
					do(1, x(r))
				}
			}
		}
		each(func(w, x float64) { total, sum = total+w, sum+w*x })
		each(func(w, x float64) { variance += math.Pow(w*(x-sum/total)/total, 2) })
		return sum / total, variance
	}
	stdError = math.Inf(1)
	for step := range 1001 {
		lambda := float64(step) / 1000
		with, error := of(true, func(r *judgedRow) float64 { return y(r) - lambda*f(r) })
		without, more := of(false, func(r *judgedRow) float64 { return lambda * f(r) })
		if se := math.Sqrt(error + more); se < stdError {
			mean, stdError = with+without, se
		}
	}
	return mean, stdError
}

// TestJudged: in every slice, judgements and few labels give a prediction-powered mean, and the rows with
// a label all other metrics, such as the agreement of people and the model.
func TestJudged(t *testing.T) {
	t.Parallel()
	rows := judgedRows(2000)
	label := func(r *judgedRow) float64 { return float64(*r.Label) }
	grade := func(r *judgedRow) float64 { return *r.Grade }
	for name, c := range map[string]struct {
		yaml, without string // the configuration of all rows, and that of the rows with a label
		weighted      bool
		y, f          func(*judgedRow) float64
	}{
		"probabilities": {"task: binary\ninput: {columns: {label: label, judged: p, weight: mass}}\n", "task: binary\ninput: {columns: {label: label, score: p, weight: mass}}\n", true, label, func(r *judgedRow) float64 { return r.P }},
		"verdicts":      {"task: binary\ninput: {columns: {label: label, judged: verdict}}\n", "task: binary\ninput: {columns: {label: label, score: verdict}}\n", false, label, func(r *judgedRow) float64 { return float64(r.Verdict) }},
		"flags":         {"task: binary\ninput: {columns: {label: label, judged: flag}}\n", "task: binary\ninput: {columns: {label: label, prediction: flag}}\n", false, label, func(r *judgedRow) float64 { return float64(r.Verdict) }},
		"words":         {"task: binary\npositive_label: right\ninput: {columns: {label: word, judged: said}}\n", "task: binary\npositive_label: right\ninput: {columns: {label: word, prediction: said}}\n", false, label, func(r *judgedRow) float64 { return float64(r.Verdict) }},
		"numbers":       {"task: regression\ninput: {columns: {label: grade, judged: value}}\n", "task: regression\ninput: {columns: {label: grade, prediction: value}}\n", false, grade, func(r *judgedRow) float64 { return r.Value }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const common = "slices: [country]\nconfidence: {level: 0.95, groups: 20, by: id}\n"
			full := readReport(t, evaluate(t, parse(t, c.yaml+common, write(t, rows, 3, 210))))
			got, labelled := valuesOf(full), labelledOnly(rows)
			require.EqualValues(t, len(labelled), full.Rows.Evaluated)
			require.EqualValues(t, len(rows)-len(labelled), full.Rows.Unlabelled)
			require.Contains(t, fmt.Sprint(full.Warnings), "rows have no label: they count in judged and prediction-powered means only")
			for key, want := range valuesOf(readReport(t, evaluate(t, parse(t, c.without+common, write(t, labelled, 1, 500))))) {
				row := got[key]
				row.Slice = want.Slice
				require.Equal(t, textOfRow(want), textOfRow(row), key)
			}
			if name == "probabilities" || name == "words" {
				require.Greater(t, got[keyOf(nil, "cohen_kappa", nil)].Value, 0.4)
			}
			for _, country := range []string{"", "ch", "de"} {
				var some []judgedRow
				var key slice.Key
				for _, r := range rows {
					if country == "" || r.Country == country {
						some = append(some, r)
					}
				}
				if country != "" {
					key = slice.Key{{Column: "country", Value: slice.String(country)}}
				}
				mean, stdError := poweredMean(some, c.weighted, c.y, c.f)
				row := got[keyOf(key, "prediction_powered_mean", nil)]
				require.InDelta(t, mean, row.Value, 1e-3)
				require.InDelta(t, stdError, got[keyOf(key, "prediction_powered_mean_std_error", nil)].Value, 1e-6)
				require.Equal(t, "normal", row.Confidence.Method)
				require.InDelta(t, row.Value-1.959963984540054*stdError, row.Confidence.Low, 1e-5)
				require.EqualValues(t, len(some), got[keyOf(key, "judged_rows", nil)].Value)
				require.Less(t, got[keyOf(key, "prediction_powered_mean_std_error", nil)].Value, got[keyOf(key, "label_mean_std_error", nil)].Value)
			}
			searched := readReport(t, evaluateOn(t, parse(t, c.yaml+"search: {columns: [country], min_support: 1, alpha: 1}\nconfidence: {groups: 20, by: id}\n", write(t, rows, 1, 500)), "direct", 0))
			require.NotEmpty(t, searched.Search.Found)
			for _, found := range searched.Search.Found { // its metrics are of the rows with a label
				require.NotEmpty(t, found.Metrics)
				for _, m := range found.Metrics {
					require.NotContains(t, m.Name, "judged")
					require.NotContains(t, m.Name, "label_mean")
					require.NotContains(t, m.Name, "powered")
				}
			}

			none := slice.Key{{Column: "country", Value: slice.String("none")}}
			require.Equal(t, "no labels", got[keyOf(none, "prediction_powered_mean", nil)].Undefined)
			require.Empty(t, got[keyOf(none, "judged_mean", nil)].Undefined)

			clustered := valuesOf(readReport(t, evaluate(t, parse(t, c.yaml+"confidence: {groups: 20, by: user}\n", write(t, rows, 1, 500)))))
			row := clustered[keyOf(nil, "prediction_powered_mean", nil)]
			require.Equal(t, "jackknife", row.Confidence.Method)
			require.InEpsilon(t, row.Confidence.StdError, clustered[keyOf(nil, "prediction_powered_mean_std_error", nil)].Value, 0.5)
		})
	}
}

// TestJudgedWithTruth: predictions without truth are rows without a label.
func TestJudgedWithTruth(t *testing.T) {
	t.Parallel()
	type truth struct {
		ID    int64  `parquet:"id"`
		Label *int64 `parquet:"label,optional"`
		Kind  string `parquet:"kind"`
	}
	rows := judgedRows(500)
	var judgements []truth
	bare := make([]struct {
		ID      int64   `parquet:"id"`
		Country string  `parquet:"country"`
		P       float64 `parquet:"p"`
	}, len(rows))
	for i, r := range rows {
		bare[i].ID, bare[i].Country, bare[i].P = r.ID, r.Country, r.P
		if r.Label != nil || i%7 == 0 { // some are null
			judgements = append(judgements, truth{r.ID, r.Label, "x"})
		}
	}
	const yaml = "task: binary\nslices: [country]\ninput: {columns: {example: id, judged: p}}\n"
	want := readReport(t, evaluate(t, parse(t, yaml, write(t, rows, 1, 100))))
	dir, with := write(t, bare, 2, 40), write(t, judgements, 1, 50)
	got := readReport(t, evaluate(t, parse(t, yaml, dir, with)))
	require.Len(t, got.Metrics, len(want.Metrics))
	for i, row := range want.Metrics {
		require.Equal(t, textOfRow(row), textOfRow(got.Metrics[i]))
	}
	require.Equal(t, want.Rows.Unlabelled, got.Rows.Unlabelled)
	none := valuesOf(readReport(t, evaluate(t, parse(t, yaml, dir, write(t, judgements[:0], 1, 1)))))
	require.EqualValues(t, 500, none[keyOf(nil, "judged_rows", nil)].Value)
	requireRefused(t, parse(t, "task: binary\nslices: [kind]\ninput: {columns: {example: id, judged: p}}\n", dir, with),
		`3:40: input.columns.judged: judgements without truth have no value of column "kind" of the truth`)
}

// TestJudgedIsRefused: what judgements cannot be is an error, and a bad judgement a bad row.
func TestJudgedIsRefused(t *testing.T) {
	t.Parallel()
	rows := judgedRows(20)
	dir := write(t, rows, 1, 20)
	for _, c := range []struct{ yaml, want string }{
		{"input: {columns: {judged: p}}", "set task: to regression, for means of numbers, or to binary, for shares of rows"},
		{"task: multiclass\ninput: {columns: {judged: said}}", "2:27: input.columns.judged: only for task"},
		{"task: binary\nunlabelled: estimate\ninput: {columns: {judged: p}}", "2:13: unlabelled: only without input.columns.judged"},
		{"task: binary\ninput: {columns: {judged: nosuch}}", `no column "nosuch"`},
		{"task: binary\ninput: {columns: {judged: p, score: strength}}", `column "strength" cannot be the score where column "p" is judged: the judgements are the score; leave one out`},
		{"task: binary\ninput: {columns: {judged: flag, score: strength}}", `column "strength" cannot be the score where column "flag" is judged: the judgements are the prediction; leave one out`},
		{"task: regression\ninput: {columns: {label: grade, judged: said}}", "the judged of task regression must be of type int or float"},
	} {
		if _, err := config.Parse([]byte(c.yaml), "test.yaml"); err != nil {
			require.ErrorContains(t, err, c.want)
			continue
		}
		requireRefused(t, parse(t, c.yaml, dir), c.want)
	}
	requireRefused(t, parse(t, "task: binary\nmetrics: [prediction_powered_mean]\ninput: {columns: {label: label, score: p}}", dir),
		`metric "prediction_powered_mean" needs judgements of a model: set input.columns.judged`)

	rows[3].P, rows[4].Value = 7, math.NaN()
	dir = write(t, rows, 1, 20)
	got := readReport(t, evaluate(t, parse(t, "task: binary\nbad_rows: skip\ninput: {columns: {judged: p}}", dir)))
	require.Equal(t, map[string]int64{"probability outside [0, 1]": 1}, got.Rows.Skipped)
	got = readReport(t, evaluate(t, parse(t, "task: regression\nbad_rows: skip\ninput: {columns: {label: grade, judged: value}}", dir)))
	require.Len(t, got.Rows.Skipped, 1)
	require.EqualValues(t, 19, got.Rows.Evaluated+got.Rows.Unlabelled)
	require.Empty(t, valuesOf(got)[keyOf(nil, "judged_mean", nil)].Undefined)
}
