package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/analysis/reports"
	changes "github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// sampledRow is a row that a judge has graded. Some rows were drawn from a stratum, and have a label.
type sampledRow struct {
	ID        int64    `parquet:"id"`
	Country   string   `parquet:"country,dict"`
	Judge     float64  `parquet:"judge"`
	Said      string   `parquet:"said,dict"`
	Predicted string   `parquet:"prediction,dict"`
	Is        float64  `parquet:"is"` // whether the judge says sports
	Other     float64  `parquet:"strength"`
	Label     *int64   `parquet:"label,optional"`
	Topic     *string  `parquet:"topic,optional,dict"`
	Sports    *float64 `parquet:"sports,optional"` // whether the topic is sports
	Pi        *float64 `parquet:"sampling_probability,optional"`
	Stratum   *string  `parquet:"sampling_stratum,optional,dict"`
}

// sampledRows returns rows in three strata by what the judge says; 20, 25 and 15 of them were drawn.
func sampledRows(n int) (rows []sampledRow) {
	r := rand.New(rand.NewPCG(59, 6))
	sizes := map[string]int{}
	for i := range n {
		p := math.Round(1000*math.Sqrt(r.Float64())) / 1000
		topic, h := topics[r.IntN(3)], []string{"low", "middle", "high"}[int(min(3*p, 2))]
		row := sampledRow{ID: int64(i), Country: []string{"ch", "de"}[r.IntN(2)], Judge: p, Said: topics[r.IntN(3)], Predicted: topics[r.IntN(3)], Other: r.NormFloat64(), Stratum: &h, Topic: &topic}
		if r.IntN(4) > 0 {
			row.Said = topic
		}
		if r.IntN(3) > 0 {
			row.Predicted = topic
		}
		y := int64(0)
		if r.Float64() < p {
			y = 1
		}
		row.Label = &y
		if row.Said == "sports" {
			row.Is = 1
		}
		sizes[h]++
		rows = append(rows, row)
	}
	drawn := map[string]int{"low": 20, "middle": 25, "high": 15}
	taken := map[string]int{}
	for i := range rows {
		row := &rows[i]
		if h := *row.Stratum; taken[h] < drawn[h] {
			taken[h]++
			pi, is := float64(drawn[h])/float64(sizes[h]), 0.0
			if *row.Topic == "sports" {
				is = 1
			}
			row.Pi, row.Sports = &pi, &is
		} else {
			row.Label, row.Topic, row.Stratum = nil, nil, nil
		}
	}
	return rows
}

const ofSampled = "task: binary\ninput: {columns: {example: id, label: label, judged: judge}}\nslices: [country]\n"

// labelsOf writes the labels of rows, and how these were drawn, to a file of their own.
func labelsOf(t *testing.T, rows []sampledRow) string {
	lines := []string{"id,label,sampling_probability,sampling_stratum"}
	for _, r := range rows {
		if r.Label != nil {
			lines = append(lines, fmt.Sprintf("%d,%d,%v,%s", r.ID, *r.Label, *r.Pi, *r.Stratum))
		}
	}
	name := filepath.Join(t.TempDir(), "labels.csv")
	require.NoError(t, os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o666))
	return name
}

// readWhole reads a report with its replicates.
func readWhole(t *testing.T, dir string) *report.Report {
	t.Helper()
	r, err := reports.Read(t.Context(), dir)
	require.NoError(t, err)
	return r
}

// TestJudgedSample: the intervals of prediction-powered means have the standard errors that the metrics say, of all rows and of
// slices, whether labels are beside predictions or in other files; and neither the runner nor files change a byte.
func TestJudgedSample(t *testing.T) {
	t.Parallel()
	rows := sampledRows(600)
	files := write(t, rows, 3, 100)
	type bare struct {
		ID      int64   `parquet:"id"`
		Country string  `parquet:"country,dict"`
		Judge   float64 `parquet:"judge"`
	}
	var predictions []bare
	for _, r := range rows {
		predictions = append(predictions, bare{r.ID, r.Country, r.Judge})
	}
	in, truth := write(t, predictions, 2, 100), labelsOf(t, rows)
	var before map[rowKey]report.Row
	for _, finite := range []bool{false, true} {
		yaml := fmt.Sprintf("%sconfidence: {}\nsampling: {finite: %v}\n", ofSampled, finite)
		dir := evaluate(t, parse(t, yaml, files))
		requireSame(t, contents(t, dir), contents(t, evaluateOn(t, parse(t, yaml, write(t, rows, 1, 1000)), "direct", 3)))
		requireSame(t, contents(t, dir), contents(t, evaluateOn(t, parse(t, yaml, files), "prism", 0)))
		r := readWhole(t, dir)
		joined := readWhole(t, evaluate(t, parse(t, strings.Replace(yaml, "label: label, ", "", 1), in, truth)))
		require.Len(t, joined.Metrics, len(r.Metrics))
		for i, row := range r.Metrics {
			require.Equal(t, textOfRow(row), textOfRow(joined.Metrics[i]), row.Name)
			require.Equal(t, row.Folds, joined.Metrics[i].Folds, row.Name)
			for k, x := range row.Replicates {
				require.Equal(t, math.Float64bits(x), math.Float64bits(joined.Metrics[i].Replicates[k]), row.Name)
			}
		}
		require.EqualValues(t, 540, r.Rows.Unlabelled)
		require.Contains(t, fmt.Sprint(r.Warnings()), "were drawn at random, with the probabilities that they have")
		require.NotContains(t, fmt.Sprint(r.Warnings()), "have a judgement")
		got := valuesOf(r)
		for _, key := range []slice.Key{nil, {{Column: "country", Value: slice.String("ch")}}} {
			mean, alone := got[keyOf(key, "prediction_powered_mean", nil)], got[keyOf(key, "label_mean", nil)]
			require.Equal(t, "jackknife", mean.Confidence.Method)
			require.InEpsilon(t, got[keyOf(key, "prediction_powered_mean_std_error", nil)].Value, mean.Confidence.StdError, 1e-9)
			require.InEpsilon(t, got[keyOf(key, "label_mean_std_error", nil)].Value, alone.Confidence.StdError, 1e-9)
			require.Equal(t, "of drawn rows", got[keyOf(key, "prediction_powered_lambda", nil)].Confidence.NoInterval)
			require.Equal(t, "of drawn rows", got[keyOf(key, "label_mean_std_error", nil)].Confidence.NoInterval)
			require.Equal(t, "a count", got[keyOf(key, "judged_rows", nil)].Confidence.NoInterval)
			judged := got[keyOf(key, "judged_mean", nil)]
			if finite { // all judgements are known
				require.Zero(t, judged.Confidence.StdError)
			} else {
				require.Less(t, judged.Confidence.StdError, alone.Confidence.StdError/2)
				require.Positive(t, judged.Confidence.StdError)
			}
			if finite {
				require.Equal(t, before[keyOf(key, "prediction_powered_mean", nil)].Value, mean.Value)
				require.Less(t, mean.Confidence.StdError, before[keyOf(key, "prediction_powered_mean", nil)].Confidence.StdError)
			}
		}
		before = got
		if finite {
			continue
		}
		without := valuesOf(readWhole(t, evaluate(t, parse(t, ofSampled, files))))
		for key, row := range got {
			require.Equal(t, fmt.Sprint(row.Value), fmt.Sprint(without[key].Value), "without intervals: %v", key)
		}
	}
	// Metrics of the rows with a label are those without judgements.
	labelled := slices.DeleteFunc(slices.Clone(rows), func(r sampledRow) bool { return r.Label == nil })
	got := valuesOf(readWhole(t, evaluate(t, parse(t, ofSampled+"confidence: {}\n", files))))
	for key, row := range valuesOf(readWhole(t, evaluate(t, parse(t, strings.Replace(ofSampled, "judged:", "score:", 1)+"confidence: {}\n", write(t, labelled, 1, 1000))))) {
		found := got[key]
		found.Slice = row.Slice
		require.Equal(t, textOfRow(row), textOfRow(found), key)
	}
}

// TestJudgedSampleOfOneStratum: rows that were drawn from one stratum with equal probabilities have the means of rows that were not
// drawn, and standard errors that are larger by √(n/(n-1)).
func TestJudgedSampleOfOneStratum(t *testing.T) {
	t.Parallel()
	rows := sampledRows(600)
	for i := range rows {
		if rows[i].Label != nil {
			pi, h := 0.1, "all"
			rows[i].Pi, rows[i].Stratum = &pi, &h
		}
	}
	files := write(t, rows, 2, 100)
	yaml := strings.Replace(ofSampled, "slices: [country]\n", "confidence: {groups: 20}\n", 1)
	want := valuesOf(readWhole(t, evaluate(t, parse(t, strings.Replace(yaml, "judged: judge", "judged: judge, sampling_probability: null", 1), files))))
	for _, how := range []string{"", ", sampling_stratum: null"} {
		got := valuesOf(readWhole(t, evaluate(t, parse(t, strings.Replace(yaml, "judged: judge", "judged: judge"+how, 1), files))))
		require.Len(t, got, len(want))
		for key, row := range want {
			found := got[key]
			if strings.HasSuffix(row.Name, "mean_std_error") {
				require.InEpsilon(t, row.Value*math.Sqrt(60./59), found.Value, 1e-12)
			} else if strings.HasPrefix(row.Name, "prediction_powered") || strings.HasPrefix(row.Name, "judged") || row.Name == "label_mean" || row.Name == "roc_auc" {
				require.InDelta(t, row.Value, found.Value, 1e-12*max(math.Abs(row.Value), 1), row.Name)
			}
		}
		mean, found := want[keyOf(nil, "prediction_powered_mean", nil)], got[keyOf(nil, "prediction_powered_mean", nil)]
		require.Equal(t, []string{"normal", "jackknife"}, []string{mean.Confidence.Method, found.Confidence.Method})
		require.InEpsilon(t, mean.Confidence.StdError, found.Confidence.StdError, 0.01) // without a group, the share that was drawn is another
	}
}

// TestJudgedClassesOfSample: in a multiclass task, the share of a class is the mean of numbers that are 1 where label and judgement
// are the class.
func TestJudgedClassesOfSample(t *testing.T) {
	t.Parallel()
	rows := sampledRows(600)
	files := write(t, rows, 2, 100)
	got := valuesOf(readWhole(t, evaluate(t, parse(t, "task: multiclass\ninput: {columns: {example: id, label: topic, judged: said}}\nslices: [country]\nconfidence: {}\n", files))))
	numbers := valuesOf(readWhole(t, evaluate(t, parse(t, "task: regression\ninput: {columns: {example: id, label: sports, judged: is}}\nslices: [country]\nconfidence: {}\n", files))))
	for _, key := range []slice.Key{nil, {{Column: "country", Value: slice.String("de")}}} {
		for _, name := range []string{"prediction_powered_mean", "prediction_powered_mean_std_error", "prediction_powered_lambda", "prediction_powered_correlation", "label_mean", "judged_mean"} {
			want, found := numbers[keyOf(key, name, nil)], got[keyOf(key, name, &topics[2])]
			require.Equal(t, want.Value, found.Value, name)
			require.Equal(t, fmt.Sprint(want.Replicates), fmt.Sprint(found.Replicates), name)
		}
		accuracy := got[keyOf(key, "prediction_powered_accuracy", nil)]
		require.InEpsilon(t, got[keyOf(key, "prediction_powered_accuracy_std_error", nil)].Value, accuracy.Confidence.StdError, 1e-9)
		require.InDelta(t, got[keyOf(key, "accuracy", nil)].Value, accuracy.Value, 3*accuracy.Confidence.StdError)
	}
	require.EqualValues(t, 600, got[keyOf(nil, "judged_rows", nil)].Value)
	require.Contains(t, got, keyOf(nil, "judge_agreement", nil))
}

// TestJudgedSamplesCompared: reports of the same rows are paired, and their difference has a smaller standard error than unpaired
// values; if rows without a label differ, reports are not paired.
func TestJudgedSamplesCompared(t *testing.T) {
	t.Parallel()
	rows := sampledRows(600)
	const yaml = "task: multiclass\ninput: {columns: {example: id, label: topic, judged: said}}\nmetrics: [prediction_powered_accuracy, prediction_powered_mean, judged_accuracy, accuracy]\nconfidence: {}\n"
	a := readWhole(t, evaluate(t, parse(t, yaml, write(t, rows, 1, 1000))))
	for i := range rows {
		if i%3 == 0 {
			rows[i].Predicted = rows[i].Said
		}
	}
	b := readWhole(t, evaluate(t, parse(t, yaml, write(t, rows, 1, 1000))))
	c, err := comparison.Compare(a, b, changes.BenjaminiHochberg)
	require.NoError(t, err)
	require.Equal(t, "paired", string(c.Pairing), c.Warnings)
	met := 0
	for _, d := range c.Changes {
		if d.Name == "prediction_powered_accuracy" {
			met++
			x, y := valuesOf(a)[keyOf(nil, d.Name, nil)], valuesOf(b)[keyOf(nil, d.Name, nil)]
			require.Less(t, d.StdError, math.Hypot(x.Confidence.StdError, y.Confidence.StdError))
			require.Len(t, x.Replicates, 120, "two for each of 60 rows with a label")
		}
	}
	require.Equal(t, 1, met)
	for i := range rows {
		if rows[i].Label == nil {
			rows[i].ID += 1000
		}
	}
	c, err = comparison.Compare(a, readWhole(t, evaluate(t, parse(t, yaml, write(t, rows, 1, 1000)))), changes.BenjaminiHochberg)
	require.NoError(t, err)
	require.Equal(t, "unpaired", string(c.Pairing))
}

// TestJudgedSampleIsChecked: a row with a label was drawn with a probability from a stratum, rows without one need neither, and
// rows that are missing are warned of.
func TestJudgedSampleIsChecked(t *testing.T) {
	t.Parallel()
	rows := sampledRows(600)
	labelled := 0
	for i := range rows {
		r := &rows[i]
		switch {
		case r.Label == nil: // says how it was drawn, without a label
			pi, h := []float64{0.5, 7, math.NaN()}[i%3], "low"
			r.Pi, r.Stratum = &pi, &h
			continue
		case labelled == 5:
			r.Pi = nil
		case labelled == 6:
			pi := 1.5
			r.Pi = &pi
		case labelled == 7:
			r.Stratum = nil
		}
		labelled++
	}
	skipped := readWhole(t, evaluate(t, parse(t, ofSampled+"bad_rows: skip\n", write(t, rows, 1, 1000))))
	require.Equal(t, map[string]int64{"null sampling probability": 1, "sampling probability outside (0, 1]": 1, "null sampling stratum": 1}, skipped.Rows.Skipped)
	require.EqualValues(t, 540, skipped.Rows.Unlabelled)
	plan, err := Make(t.Context(), withOutput(t, parse(t, ofSampled, write(t, rows, 1, 1000))))
	require.NoError(t, err)
	require.ErrorContains(t, execute(t.Context(), plan, "direct"), `column "sampling_probability"`)
	requireRefused(t, parse(t, ofSampled+"confidence: {}\n", write(t, rows, 1, 1000)), "the row was drawn with a probability, but from no stratum")

	rows = sampledRows(600)
	few := slices.DeleteFunc(slices.Clone(rows), func(r sampledRow) bool { return r.Label == nil && r.ID%4 > 0 })
	alone := readWhole(t, evaluate(t, parse(t, ofSampled, write(t, few, 1, 1000))))
	require.Contains(t, fmt.Sprint(alone.Warnings()), fmt.Sprintf("the rows with a label were drawn from about 600 rows, as their probabilities say, but %d rows have a judgement", len(few)))

	files := write(t, rows, 1, 1000)
	for yaml, want := range map[string]string{
		"confidence: {groups: 600}\n":                    "confidence.groups: rows without a label are in as many groups as rows with one, so that there may be 500 of these, and not 600",
		"confidence: {by: country}\n":                    "confidence.by: rows were drawn one by one",
		"unlabelled: estimate\n":                         "only without input.columns.judged",
		"output: {statistics: true}\n":                   "rows that were drawn with known probabilities are one sample",
		"search: {columns: [country]}\nconfidence: {}\n": "slices are not searched among rows that were drawn",
		"slices: [sampling_stratum]\ntruth: {files: " + labelsOf(t, rows) + "}\ninput: {columns: {example: id, judged: judge, sampling_probability: sampling_probability}}\n": `truth.columns.sampling_stratum: column "sampling_stratum" is in other files than column "sampling_probability", the probability: write both to the same files`,
	} {
		if !strings.Contains(yaml, "input:") {
			yaml = ofSampled + yaml
		} else {
			yaml = "task: binary\n" + yaml
		}
		requireRefusedYAML(t, yaml, files, want)
	}
}
