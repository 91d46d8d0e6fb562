package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
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

// judgedRows returns rows. People labelled every fifth, but none of the country "none".
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

// those returns the rows that are kept.
func those[R any](rows []R, keep func(*R) bool) (some []R) {
	for i := range rows {
		if keep(&rows[i]) {
			some = append(some, rows[i])
		}
	}
	return some
}

// labelledOnly returns the rows with a label.
func labelledOnly(rows []judgedRow) []judgedRow {
	return those(rows, func(r *judgedRow) bool { return r.Label != nil })
}

// inCountry returns the rows of a country and its slice, or all rows if country is empty.
func inCountry[R any](rows []R, country string, of func(*R) string) ([]R, slice.Key) {
	if country == "" {
		return rows, nil
	}
	some := those(rows, func(r *R) bool { return of(r) == country })
	return some, slice.Key{{Column: "country", Value: slice.String(country)}}
}

// requirePowered requires a mean or share, its standard error and its interval.
func requirePowered(t *testing.T, got map[rowKey]report.Row, key slice.Key, name string, label *string, mean, stdError float64) {
	t.Helper()
	row := got[keyOf(key, name, label)]
	require.InDelta(t, mean, row.Value, 1e-3, name)
	require.InDelta(t, stdError, got[keyOf(key, name+"_std_error", label)].Value, 1e-6, name)
	require.Equal(t, "normal", row.Confidence.Method)
	require.InDelta(t, row.Value-1.959963984540054*stdError, row.Confidence.Low, 1e-5)
}

// poweredMean tries many λ. It returns the estimate of the mean of labels with the least standard
// error, and this error.
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

// requireFoundByLabels requires that a search found slices, whose metrics are of the rows with a label.
func requireFoundByLabels(t *testing.T, searched *report.Report) {
	t.Helper()
	require.NotEmpty(t, searched.Search.Found)
	for _, found := range searched.Search.Found {
		require.NotEmpty(t, found.Metrics)
		for _, m := range found.Metrics {
			require.NotContains(t, m.Name, "judge")
			require.NotContains(t, m.Name, "label_mean")
			require.NotContains(t, m.Name, "powered")
		}
	}
}

// requireJackknife requires the interval of a mean or share if rows are in groups.
func requireJackknife(t *testing.T, clustered map[rowKey]report.Row, label *string) {
	t.Helper()
	row := clustered[keyOf(nil, "prediction_powered_mean", label)]
	require.Equal(t, "jackknife", row.Confidence.Method)
	require.InEpsilon(t, row.Confidence.StdError, clustered[keyOf(nil, "prediction_powered_mean_std_error", label)].Value, 0.5)
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
			require.Contains(t, fmt.Sprint(full.Warnings()), "rows have no label: they count in judged and prediction-powered means only")
			for key, want := range valuesOf(readReport(t, evaluate(t, parse(t, c.without+common, write(t, labelled, 1, 500))))) {
				row := got[key]
				row.Slice = want.Slice
				require.Equal(t, textOfRow(want), textOfRow(row), key)
			}
			if name == "probabilities" || name == "words" {
				require.Greater(t, got[keyOf(nil, "cohen_kappa", nil)].Value, 0.4)
			}
			for _, country := range []string{"", "ch", "de"} {
				some, key := inCountry(rows, country, func(r *judgedRow) string { return r.Country })
				mean, stdError := poweredMean(some, c.weighted, c.y, c.f)
				requirePowered(t, got, key, "prediction_powered_mean", nil, mean, stdError)
				require.EqualValues(t, len(some), got[keyOf(key, "judged_rows", nil)].Value)
				require.Less(t, got[keyOf(key, "prediction_powered_mean_std_error", nil)].Value, got[keyOf(key, "label_mean_std_error", nil)].Value)
			}
			searched := readReport(t, evaluateOn(t, parse(t, c.yaml+"search: {columns: [country], min_support: 1, alpha: 1}\nconfidence: {groups: 20, by: id}\n", write(t, rows, 1, 500)), "direct", 0))
			requireFoundByLabels(t, searched)

			none := slice.Key{{Column: "country", Value: slice.String("none")}}
			require.Equal(t, "no labels", got[keyOf(none, "prediction_powered_mean", nil)].Undefined)
			require.Empty(t, got[keyOf(none, "judged_mean", nil)].Undefined)

			clustered := valuesOf(readReport(t, evaluate(t, parse(t, c.yaml+"confidence: {groups: 20, by: user}\n", write(t, rows, 1, 500)))))
			requireJackknife(t, clustered, nil)
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
		{"input: {columns: {judged: p}}", "set task: to regression, for means of numbers, to binary, for shares of rows, or to multiclass, for classes"},
		{"task: multilabel\ninput: {columns: {judged: said}}", "2:27: input.columns.judged: only for task"},
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

// judgedClass is a row of three classes that a model predicts and another judges.
type judgedClass struct {
	ID        int64     `parquet:"id"`
	Country   string    `parquet:"country"`
	User      int64     `parquet:"user"`
	Weight    float64   `parquet:"mass"`
	Label     *string   `parquet:"topic,optional"`
	Index     *int64    `parquet:"topic_index,optional"`
	Said      string    `parquet:"said"`
	SaidIndex int64     `parquet:"said_index"`
	Predicted string    `parquet:"predicted_topic"`
	Scores    []float64 `parquet:"p,list"`
}

var topics = []string{"art", "politics", "sports"}

// judgedClassRows returns rows. People labelled every fifth, but none of the country "none".
func judgedClassRows(n int) (rows []judgedClass) {
	r := rand.New(rand.NewPCG(38, 4))
	mostly := func(class int64, p float64) int64 {
		if r.Float64() < p {
			return class
		}
		return r.Int64N(3)
	}
	for i := range n {
		y := int64(min(r.IntN(5), 2))
		judged, predicted := mostly(y, 0.8), mostly(y, 0.6)
		row := judgedClass{ID: int64(i), Country: []string{"ch", "de", "none"}[r.IntN(3)], User: r.Int64N(40), Weight: float64(1 + r.IntN(4)),
			Said: topics[judged], SaidIndex: judged, Predicted: topics[predicted], Scores: []float64{0.25, 0.25, 0.25}}
		row.Scores[predicted] = 0.5
		if i%5 == 0 && row.Country != "none" {
			row.Label, row.Index = &topics[y], &y
		}
		rows = append(rows, row)
	}
	return rows
}

// asNumbers returns rows of numbers that are 1 where the label and the judgement say so.
func asNumbers(rows []judgedClass, is func(r *judgedClass, class string) bool) (list []judgedRow) {
	for i := range rows {
		r, row := &rows[i], judgedRow{Country: rows[i].Country, Weight: rows[i].Weight}
		one := func(class string) float64 {
			if is(r, class) {
				return 1
			}
			return 0
		}
		if row.Value = one(r.Said); r.Label != nil {
			grade, label := one(*r.Label), int64(0)
			row.Grade, row.Label = &grade, &label
		}
		list = append(list, row)
	}
	return list
}

// TestJudgedClasses: in every slice, judgements and few labels give the accuracy of predictions and the
// share of each class, and the rows with a label all other metrics and the agreement of people and the model.
func TestJudgedClasses(t *testing.T) {
	t.Parallel()
	rows := judgedClassRows(2000)
	labelled := those(rows, func(r *judgedClass) bool { return r.Label != nil })
	const indexes = "labels: [art, politics, sports]\ninput: {columns: {label: topic_index, judged: said_index, "
	for name, c := range map[string]struct {
		yaml, without string // the configuration of all rows, and that of the rows with a label
		weighted      bool
	}{
		"names":   {"input: {columns: {label: topic, judged: said, prediction: predicted_topic}}\n", "input: {columns: {label: topic, prediction: predicted_topic}}\n", false},
		"weights": {"input: {columns: {label: topic, judged: said, prediction: predicted_topic, weight: mass}}\n", "input: {columns: {label: topic, prediction: predicted_topic, weight: mass}}\n", true},
		"indexes": {indexes + "score: p}}\n", "labels: [art, politics, sports]\ninput: {columns: {label: topic_index, score: p}}\n", false},
		"alone":   {"input: {columns: {label: topic, judged: said}}\n", "input: {columns: {label: topic, prediction: said}}\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const common = "task: multiclass\nslices: [country]\nper_label: all\nconfidence: {level: 0.95, groups: 20, by: id}\n"
			full := readReport(t, evaluate(t, parse(t, common+c.yaml, write(t, rows, 3, 210))))
			got := valuesOf(full)
			require.EqualValues(t, len(labelled), full.Rows.Evaluated)
			require.EqualValues(t, len(rows)-len(labelled), full.Rows.Unlabelled)
			for key, want := range valuesOf(readReport(t, evaluate(t, parse(t, common+c.without, write(t, labelled, 1, 500))))) {
				row := got[key]
				row.Slice = want.Slice
				require.Equal(t, textOfRow(want), textOfRow(row), key)
			}
			agreement := valuesOf(readReport(t, evaluate(t, parse(t, common+"input: {columns: {label: topic, prediction: said}}\n", write(t, labelled, 1, 500)))))
			for _, country := range []string{"", "ch", "de"} {
				some, key := inCountry(rows, country, func(r *judgedClass) string { return r.Country })
				powered := func(name string, label *string, is func(r *judgedClass, class string) bool) {
					value := func(r *judgedRow) float64 { return r.Value }
					mean, stdError := poweredMean(asNumbers(some, is), c.weighted, func(r *judgedRow) float64 { return *r.Grade }, value)
					requirePowered(t, got, key, name, label, mean, stdError)
				}
				for i := range topics {
					powered("prediction_powered_mean", &topics[i], func(_ *judgedClass, class string) bool { return class == topics[i] })
				}
				require.EqualValues(t, len(some), got[keyOf(key, "judged_rows", nil)].Value)
				if name == "alone" {
					require.NotContains(t, got, keyOf(key, "prediction_powered_accuracy", nil))
					continue
				}
				powered("prediction_powered_accuracy", nil, func(r *judgedClass, class string) bool { return class == r.Predicted })
				if !c.weighted {
					require.Equal(t, agreement[keyOf(key, "accuracy", nil)].Value, got[keyOf(key, "judge_agreement", nil)].Value)
					require.Equal(t, agreement[keyOf(key, "cohen_kappa", nil)].Value, got[keyOf(key, "judge_cohen_kappa", nil)].Value)
				}
			}
			searched := readReport(t, evaluateOn(t, parse(t, "task: multiclass\n"+c.yaml+"search: {columns: [country], min_support: 1, alpha: 1}\nconfidence: {groups: 20, by: id}\n", write(t, rows, 1, 500)), "direct", 0))
			requireFoundByLabels(t, searched)
			clustered := valuesOf(readReport(t, evaluate(t, parse(t, "task: multiclass\nper_label: all\nconfidence: {groups: 20, by: user}\n"+c.yaml, write(t, rows, 1, 500)))))
			requireJackknife(t, clustered, &topics[2])
			none := slice.Key{{Column: "country", Value: slice.String("none")}}
			require.Equal(t, "no labels", got[keyOf(none, "prediction_powered_mean", &topics[0])].Undefined)
			require.Empty(t, got[keyOf(none, "judged_mean", &topics[0])].Undefined)
		})
	}
}

// TestJudgedClassesOnPrism: the report does not depend on runner, files and row groups, also if the truth is
// in other files, and gates apply to its metrics.
func TestJudgedClassesOnPrism(t *testing.T) {
	t.Parallel()
	rows := judgedClassRows(600)
	type truth struct {
		ID    int64   `parquet:"id"`
		Label *string `parquet:"label,optional"`
	}
	type bare struct {
		ID        int64  `parquet:"id"`
		Country   string `parquet:"country"`
		Said      string `parquet:"said"`
		Predicted string `parquet:"predicted_topic"`
	}
	var labels []truth
	var predictions []bare
	for i, r := range rows {
		predictions = append(predictions, bare{r.ID, r.Country, r.Said, r.Predicted})
		if r.Label != nil || i%7 == 0 { // some are null
			labels = append(labels, truth{r.ID, r.Label})
		}
	}
	const yaml = "task: multiclass\nslices: [country]\nconfidence: {groups: 20, by: id}\ngates:\n  - {metric: prediction_powered_accuracy, min: 0.5}\n  - {metric: prediction_powered_accuracy, min: 0.99}\n"
	const alike = "input: {columns: {label: topic, judged: said, prediction: predicted_topic}}\n"
	const apart = "input: {columns: {example: id, judged: said, prediction: predicted_topic}}\n"
	dir := write(t, rows, 1, 600)
	direct := evaluateOn(t, parse(t, yaml+alike, dir), "direct", 0)
	want := readReport(t, direct)
	for name, shown := range map[string]string{report.ReportMarkdown: "| prediction_powered_accuracy | ", report.SummaryText: "prediction_powered_accuracy ", report.ReportHTML: "prediction_powered_mean"} {
		text, err := os.ReadFile(filepath.Join(direct, name))
		require.NoError(t, err)
		require.Contains(t, string(text), shown)
	}
	require.Len(t, want.Gates, 2)
	require.EqualValues(t, "pass", want.Gates[0].Verdict)
	require.EqualValues(t, "fail", want.Gates[1].Verdict)
	for name, dir := range map[string]string{
		"prism":          evaluateOn(t, parse(t, yaml+alike, write(t, rows, 4, 37)), "prism", 0),
		"truth, direct":  evaluateOn(t, parse(t, yaml+apart, write(t, predictions, 2, 41), write(t, labels, 1, 50)), "direct", 0),
		"truth on prism": evaluateOn(t, parse(t, yaml+apart, write(t, predictions, 3, 29), write(t, labels, 2, 50)), "prism", 0),
	} {
		got := readReport(t, dir)
		require.Len(t, got.Metrics, len(want.Metrics), name)
		for i, row := range want.Metrics {
			require.Equal(t, textOfRow(row), textOfRow(got.Metrics[i]), name)
		}
		require.Equal(t, want.Rows.Unlabelled, got.Rows.Unlabelled, name)
		require.Equal(t, want.Gates[1].Verdict, got.Gates[1].Verdict, name)
	}
}

// TestJudgedClassesAreChecked: a judgement is read and checked as a label is; predictions with the usual name
// are judged, and a score that is not for every class is not needed.
func TestJudgedClassesAreChecked(t *testing.T) {
	t.Parallel()
	type row struct {
		Label      *string   `parquet:"label,optional"`
		Said       *string   `parquet:"said,optional"`
		Prediction string    `parquet:"prediction"`
		Score      float64   `parquet:"score"`
		List       []string  `parquet:"list,list"`
		Soft       []float64 `parquet:"soft,list"`
		Fraction   float64   `parquet:"fraction"`
	}
	rows := make([]row, 20)
	for i := range rows {
		rows[i] = row{Label: &topics[i%3], Said: &topics[i%3], Prediction: topics[i%2], List: topics, Soft: []float64{1, 0, 0}, Fraction: 0.5}
	}
	other := "music"
	rows[2].Label, rows[7].Said, rows[9].Said = nil, nil, &other
	dir := write(t, rows, 1, 20)
	const named = "task: multiclass\nlabels: [art, politics, sports]\n"
	requireFails := func(yaml, want string) {
		t.Helper()
		plan, err := Make(t.Context(), withOutput(t, parse(t, yaml, dir)))
		require.NoError(t, err)
		require.ErrorContains(t, execute(t.Context(), plan, "direct"), want)
	}
	requireFails(named+"input: {columns: {judged: said}}\n", `column "said"`)
	requireFails(named+"input: {columns: {judged: said}}\n", `the judgement is missing`)

	got := readReport(t, evaluate(t, parse(t, named+"bad_rows: skip\ninput: {columns: {judged: said}}\n", dir)))
	require.Equal(t, map[string]int64{"null judgement": 1, "unknown label name": 1}, got.Rows.Skipped)
	require.EqualValues(t, 1, got.Rows.Unlabelled)
	require.EqualValues(t, 18, valuesOf(got)[keyOf(nil, "judged_rows", nil)].Value)
	require.Contains(t, valuesOf(got), keyOf(nil, "prediction_powered_accuracy", nil), "there is a prediction")
	found := readReport(t, evaluate(t, parse(t, "task: multiclass\nbad_rows: skip\ninput: {columns: {judged: said}}\n", dir)))
	require.Contains(t, valuesOf(found), keyOf(nil, "judged_mean", &other), "a label that occurs in judgements only")

	for yaml, want := range map[string]string{
		"input: {columns: {judged: list}}\n":                                    `column "list" is`,
		"input: {columns: {judged: said, label: soft}}\n":                       `judgements are classes, and column "soft" of labels has distributions over the classes`,
		"unlabelled: estimate\ninput: {columns: {judged: said, score: soft}}\n": "only without input.columns.judged",
	} {
		if _, err := config.Parse([]byte(named+yaml), "test.yaml"); err != nil {
			require.ErrorContains(t, err, want)
			continue
		}
		requireRefused(t, parse(t, named+yaml, dir), want)
	}
	requireRefused(t, parse(t, named+"metrics: [judge_agreement]\ninput: {columns: {label: label, prediction: said, judged: said}}\n", dir),
		`metric "judge_agreement" needs predictions besides the judgements: set input.columns.prediction`)
	requireRefused(t, parse(t, named+"metrics: [prediction_powered_accuracy]\n", dir), `needs judgements of a model: set input.columns.judged`)
}

// withOutput returns a configuration that writes to a directory of its own.
func withOutput(t *testing.T, cfg *config.Config) *config.Config {
	run := *cfg
	run.Output.Dir = filepath.Join(t.TempDir(), "report")
	return &run
}
