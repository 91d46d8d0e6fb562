package pipeline

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/analysis/reports"
	changes "github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/pipeline/config"
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

// TestDifferences: the differences from the baseline equal what compare finds between the reports
// of two evaluations, one of each model.
func TestDifferences(t *testing.T) {
	t.Parallel()
	data := write(t, comparedRows(600), 3, 50)
	const binary = "task: binary\ninput: {columns: {label: label, %s}}\n"
	const classes = "task: multiclass\ninput: {columns: {label: class, %s}}\nlabels: [a, b, c]\n"
	for name, c := range map[string]struct{ yaml, both, now, old, more string }{
		"binary":       {binary, "score: p_new, baseline_score: p_old", "score: p_new", "score: p_old", "confidence: {groups: 20}"},
		"without":      {binary, "score: p_new, baseline_score: p_old", "score: p_new", "score: p_old", ""},
		"bounded":      {binary, "score: p_new, baseline_score: p_old", "score: p_new", "score: p_old", "confidence: {groups: 20}\ncurves: {mode: bounded}"},
		"few metrics":  {binary, "score: p_new, baseline_score: p_old", "score: p_new", "score: p_old", "metrics: [roc_auc, f1, flip_rate]\nconfidence: {groups: 20, metrics: [roc_auc]}"},
		"tuned":        {binary, "score: p_new, baseline_score: p_old", "score: p_new", "score: p_old", "confidence: {groups: 20}\ntune_thresholds: f1"},
		"logits":       {binary, "score: p_new, baseline_score: p_old", "score: p_new", "score: p_old", "confidence: {groups: 20}\n"},
		"classes":      {classes, "prediction: new_class, baseline_prediction: old_class", "prediction: new_class", "prediction: old_class", "confidence: {groups: 20}"},
		"lists":        {classes, "score: new_list, baseline_score: old_list", "score: new_list", "score: old_list", "confidence: {groups: 20}\nper_label: all"},
		"scores alone": {classes, "score: new_list, baseline_prediction: old_class", "score: new_list", "prediction: old_class", "confidence: {groups: 20}"},
		"numbers":      {"task: regression\ninput: {columns: {label: label, %s}}\n", "prediction: p_new, baseline_prediction: p_old", "prediction: p_new", "prediction: p_old", "metrics: [mae, rmse, r2, pearson]\nconfidence: {groups: 20}"},
		"fair":         {binary, "score: p_new, baseline_score: p_old", "score: p_new", "score: p_old", "confidence: {groups: 20}\ngroups: {by: country, reference: de}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of := func(columns string) *report.Report {
				yaml := fmt.Sprintf(c.yaml, columns) + c.more + "\nslices: [[country]]\n"
				if columns != c.both {
					yaml = strings.Replace(yaml, ", flip_rate", "", 1)
				}
				if name == "logits" {
					yaml = strings.Replace(yaml, "{columns", "{score_type: logit, columns", 1)
				}
				r, err := reports.Read(t.Context(), evaluate(t, parse(t, yaml, data)))
				require.NoError(t, err)
				return r
			}
			both := of(c.both)
			want, err := comparison.Compare(of(c.old), of(c.now), changes.BenjaminiHochberg)
			require.NoError(t, err)
			found := make(map[string]changes.Change)
			for _, d := range want.Changes {
				found[nameless(&d)] = d
			}
			require.NotEmpty(t, both.Differences)
			for _, d := range both.Differences {
				key := nameless(&d)
				require.Equal(t, fmt.Sprintf("%+v", found[key]), fmt.Sprintf("%+v", d), key)
				delete(found, key)
			}
			for key, d := range found {
				require.Contains(t, d.Reason, "only in ", key)
			}
		})
	}
}

// nameless removes the name, slice and label from a difference, and returns them as a key.
func nameless(d *changes.Change) (key string) {
	key = fmt.Sprint(d.Name, d.Slice, *cmp.Or(d.Label, new("")))
	d.Name, d.Slice, d.Label = "", nil, nil
	return key
}

// TestDifferenceOfAUC: the standard error of a difference of ROC AUC is about DeLong's.
func TestDifferenceOfAUC(t *testing.T) {
	t.Parallel()
	const n, groups = 1500, 500
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 37))
		rows := make([]compared, n)
		for i := range rows {
			y := float64(i % 3 / 2)
			both := r.NormFloat64()
			rows[i] = compared{ID: int64(i), Label: int64(y), New: 1.5*y + both + r.NormFloat64()/2, Old: y + both + r.NormFloat64()}
			rows[i].OldList, rows[i].NewList = []float64{}, []float64{}
		}
		yaml := fmt.Sprintf("task: binary\ninput: {score_type: score, columns: {label: label, score: p_new, baseline_score: p_old}}\nmetrics: [roc_auc]\nconfidence: {groups: %d, by: id}\n", groups)
		differences := readReport(t, evaluateOn(t, parse(t, yaml, write(t, rows, 1, n)), "direct", 0)).Differences
		require.Len(t, differences, 1)
		d := differences[0]
		difference, variance := deLong(rows)
		require.InDelta(t, difference, d.Difference, 1e-12)
		// The relative error of a jackknife of g groups is about 1/√2g.
		require.InEpsilon(t, math.Sqrt(variance), d.StdError, 4/math.Sqrt(2*groups))
	}
}

// deLong returns the difference of the ROC AUC of both scores, and its variance (DeLong, DeLong &
// Clarke-Pearson 1988), from all pairs of a positive and a negative.
func deLong(rows []compared) (difference, variance float64) {
	wins := func(a, b float64) float64 {
		switch {
		case a > b:
			return 1
		case a < b:
			return 0
		}
		return 0.5
	}
	var byPositive, byNegative []float64
	of := func(label int64) (list []*compared) {
		for i := range rows {
			if rows[i].Label == label {
				list = append(list, &rows[i])
			}
		}
		return list
	}
	positives, negatives := of(1), of(0)
	for _, p := range positives {
		sum := 0.0
		for _, q := range negatives {
			sum += wins(p.New, q.New) - wins(p.Old, q.Old)
		}
		byPositive = append(byPositive, sum/float64(len(negatives)))
		difference += sum / float64(len(negatives)*len(positives))
	}
	for _, q := range negatives {
		sum := 0.0
		for _, p := range positives {
			sum += wins(p.New, q.New) - wins(p.Old, q.Old)
		}
		byNegative = append(byNegative, sum/float64(len(positives)))
	}
	meanVariance := func(list []float64) (squares float64) {
		for _, x := range list {
			squares += (x - difference) * (x - difference)
		}
		return squares / float64(len(list)-1) / float64(len(list))
	}
	return difference, meanVariance(byPositive) + meanVariance(byNegative)
}

// TestSearchOfRegressions finds where a new model is worse than the old one, not where both are bad.
func TestSearchOfRegressions(t *testing.T) {
	t.Parallel()
	type row struct {
		ID      int64     `parquet:"id"`
		Label   int64     `parquet:"label"`
		Class   string    `parquet:"class"`
		New     float64   `parquet:"p_new"`
		Old     float64   `parquet:"p_old"`
		NewList []float64 `parquet:"new_list,list"`
		OldList []float64 `parquet:"old_list,list"`
		Country string    `parquet:"country"`
		Device  string    `parquet:"device"`
	}
	r := rand.New(rand.NewPCG(3, 7))
	rows := make([]row, 8000)
	for i := range rows {
		of := row{ID: int64(i), Country: []string{"de", "fr", "it", "us"}[r.IntN(4)], Device: []string{"phone", "tablet", "tv", "pc"}[r.IntN(4)]}
		of.Old = r.Float64()
		if r.Float64() < of.Old {
			of.Label = 1
		}
		if of.Country == "fr" && of.Device == "tv" { // both are bad
			of.Old = 1 - of.Old
		}
		of.New = min(max(of.Old+r.NormFloat64()/50, 0.001), 0.999)
		switch {
		case of.Country == "de" && of.Device == "phone": // broken
			of.New = 1 - of.New
		case of.Country == "us" && of.Device == "pc": // better
			of.New = 0.1 + 0.8*float64(of.Label)
		}
		of.Class = []string{"a", "b"}[of.Label]
		of.NewList, of.OldList = []float64{1 - of.New, of.New}, []float64{1 - of.Old, of.Old}
		rows[i] = of
	}
	data := write(t, rows, 2, 1000)
	const binary = "task: binary\ninput: {columns: {label: label, score: p_new, baseline_score: p_old}}\n"
	const classes = "task: multiclass\ninput: {columns: {label: class, score: new_list, baseline_score: old_list}}\nlabels: [a, b]\n"
	for measure, yaml := range map[string]string{"regression": binary, "log_loss_increase": binary, "brier_increase": classes, "log_loss": binary} {
		t.Run(measure, func(t *testing.T) {
			t.Parallel()
			yaml := yaml + "confidence: {by: id}\nsearch: {columns: [country, device], alpha: 0.99, measure: " + measure + "}\n"
			s := readReport(t, evaluate(t, parse(t, yaml, data))).Search
			found := make(map[string]report.FoundSlice)
			for _, f := range s.Found {
				found[f.Key.String()] = f
			}
			require.Equal(t, measure == "log_loss", found["country=fr, device=tv"].Confirmed)
			require.NotContains(t, found, "country=us, device=pc")
			worst := found["country=de, device=phone"]
			require.True(t, worst.Confirmed)
			values := make(map[string]float64)
			for _, m := range worst.Metrics {
				values[m.Name] = m.Value
			}
			require.Contains(t, values, "improvement_rate")
			if measure == "regression" {
				require.Equal(t, s.Found[0], worst)
				require.InDelta(t, worst.Value, values["regression_rate"], 1e-12)
			}
		})
	}
	without := "task: binary\ninput: {columns: {label: label, score: p_new}}\nconfidence: {by: id}\nsearch: {columns: [country], measure: regression}\n"
	requireRefused(t, parse(t, without, data), `search.measure: "regression" compares the model with a baseline: set input.columns.baseline_score`)
}

// TestChangedExamples sorts the changes itself, for all examples, for each slice and for each
// class. Their numbers must not depend on how rows are divided among files, and run.json must say
// where they are.
func TestChangedExamples(t *testing.T) {
	t.Parallel()
	const (
		binary  = "task: binary\ninput: {columns: {label: label, score: p_new, baseline_score: p_old}}\n"
		classes = "task: multiclass\ninput: {columns: {label: class, %s}}\nlabels: [a, b, c]\n"
		count   = 6
	)
	rows := comparedRows(300)
	data, whole := write(t, rows, 3, 20), write(t, rows, 1, 300)
	class := func(r *compared) string { return r.Class }
	bit := func(p float64) string { return strconv.Itoa(int(p + 0.5)) }
	top := func(list []float64, name string) float64 { return list[slices.Index([]string{"a", "b", "c"}, name)] }
	for name, c := range map[string]struct {
		yaml, per       string
		truth, old, now func(r *compared) string
		// The scores, and the scores of the true class; nil if there are none.
		scores func(r *compared) (old, now, oldTrue, nowTrue float64)
	}{
		"binary": {binary, "slice", func(r *compared) string { return fmt.Sprint(r.Label) }, func(r *compared) string { return bit(r.Old) }, func(r *compared) string { return bit(r.New) },
			func(r *compared) (float64, float64, float64, float64) { return r.Old, r.New, r.Old, r.New }},
		"classes": {fmt.Sprintf(classes, "prediction: new_class, baseline_prediction: old_class"), "slice, label", class,
			func(r *compared) string { return r.OldClass }, func(r *compared) string { return r.NewClass }, nil},
		"lists": {fmt.Sprintf(classes, "score: new_list, baseline_score: old_list"), "label", class,
			func(r *compared) string { return r.OldClass }, func(r *compared) string { return r.NewClass },
			func(r *compared) (float64, float64, float64, float64) {
				return top(r.OldList, r.OldClass), top(r.NewList, r.NewClass), top(r.OldList, r.Class), top(r.NewList, r.Class)
			}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			yaml := strings.Replace(c.yaml, "columns: {", "columns: {example: id, ", 1) + fmt.Sprintf("slices: [country]\nchanged_examples: {count: %d, per: [%s]}\n", count, c.per)
			out := evaluate(t, parse(t, yaml, data))
			requireSame(t, contents(t, evaluate(t, parse(t, yaml, whole))), contents(t, out))
			change := func(r *compared) float64 {
				if c.scores == nil {
					return 0
				}
				_, _, old, now := c.scores(r)
				return math.Abs(now - old)
			}
			// In a binary task, equal changes differ by how far the wrong score is from the threshold.
			margin := func(r *compared) float64 {
				switch {
				case name != "binary":
					return 0
				case c.now(r) == c.truth(r):
					return math.Abs(r.Old - 0.5)
				}
				return math.Abs(r.New - 0.5)
			}
			number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
			var want [][]string
			var ids []int64
			list := func(slice, label, name string, is func(r *compared) bool) {
				var found []*compared
				for i := range rows {
					if r := &rows[i]; is(r) && (label == "" || label == r.Class) && (slice == "{}" || strings.Contains(slice, r.Country)) {
						found = append(found, r)
					}
				}
				slices.SortFunc(found, func(a, b *compared) int {
					return cmp.Or(cmp.Compare(change(b), change(a)), cmp.Compare(margin(b), margin(a)), cmp.Compare(a.ID, b.ID))
				})
				for i, r := range found[:min(count, len(found))] {
					line := []string{name, slice, label, strconv.Itoa(i + 1), fmt.Sprint(r.ID), c.truth(r), c.old(r), c.now(r), "", "", ""}
					if c.scores != nil {
						old, now, _, _ := c.scores(r)
						line[8], line[9], line[10] = number(old), number(now), number(change(r))
					}
					want, ids = append(want, line), append(ids, r.ID)
				}
			}
			ofSlices, ofLabels := []string{"{}"}, []string{""}
			if strings.Contains(c.per, "slice") {
				ofSlices = append(ofSlices, `{"country":"de"}`, `{"country":"fr"}`)
			}
			if strings.Contains(c.per, "label") {
				ofLabels = append(ofLabels, "a", "b", "c")
			}
			for _, slice := range ofSlices {
				for _, label := range ofLabels {
					list(slice, label, "regression", func(r *compared) bool { return c.old(r) == c.truth(r) && c.now(r) != c.truth(r) })
					list(slice, label, "improvement", func(r *compared) bool { return c.old(r) != c.truth(r) && c.now(r) == c.truth(r) })
				}
			}
			require.Greater(t, len(want), 2*count)
			lines, err := csv.NewReader(strings.NewReader(contents(t, out)["changed_examples.csv"])).ReadAll()
			require.NoError(t, err)
			require.Equal(t, []string{"name", "slice", "label", "rank", "example", "true", "baseline_predicted", "predicted", "baseline_score", "score", "change"}, lines[0][:11])
			for i, line := range lines[1:] {
				require.Equal(t, want[i], line[:11], "line %d", i+1)
			}
			require.Len(t, lines, len(want)+1)

			encoded, err := os.ReadFile(filepath.Join(out, report.RunJSON))
			require.NoError(t, err)
			var run report.Run
			require.NoError(t, json.Unmarshal(encoded, &run))
			require.Len(t, run.ChangedExamples, len(want))
			for i, p := range run.ChangedExamples {
				file, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(p.File), "part-"), ".parquet"))
				require.NoError(t, err)
				require.Equal(t, ids[i], int64(file*100+*p.RowGroup*20)+*p.Row)
				require.Equal(t, want[i][0], p.Name)
			}
		})
	}
}

// TestChangedExamplesNeedABaseline also requires the task and slices that they need.
func TestChangedExamplesNeedABaseline(t *testing.T) {
	t.Parallel()
	data := write(t, comparedRows(20), 1, 50)
	requireRefused(t, parse(t, "changed_examples: 5\ntask: binary\ninput: {columns: {label: label, score: p_new}}\n", data),
		"changed_examples: there is no baseline from which predictions could have changed: set input.columns.baseline_score or baseline_prediction")
}

// truths are the true labels of compared rows, and befores the baseline's predictions, in other
// files.
type (
	truths struct {
		ID    int64  `parquet:"id"`
		Label int64  `parquet:"label"`
		Class string `parquet:"class"`
	}
	befores struct {
		ID    int64     `parquet:"id"`
		Old   float64   `parquet:"p_old"`
		Class string    `parquet:"old_class"`
		List  []float64 `parquet:"old_list,list"`
	}
)

// elsewhere writes the baseline's predictions, and the true labels, in another order than the rows,
// with some that belong to no row.
func elsewhere(t *testing.T, rows []compared) (before, truth string) {
	t.Helper()
	b, y := make([]befores, len(rows)+7), make([]truths, len(rows)+3)
	for i := range b {
		r := compared{ID: int64(-1 - i), OldClass: "a", OldList: []float64{0.5, 0.25, 0.25}}
		if i < len(rows) {
			r = rows[i]
		}
		b[(i*101+3)%len(b)] = befores{r.ID, r.Old, r.OldClass, r.OldList}
		if i < len(y) {
			y[(i*103+5)%len(y)] = truths{r.ID, r.Label, cmp.Or(r.Class, "a")}
		}
	}
	return write(t, b, 2, 40), write(t, y, 1, 70)
}

// apartFromConfig returns the files of a report that do not show the configuration, and
// metrics.json without the configuration and the counts of the truth's rows.
func apartFromConfig(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := contents(t, dir)
	var parsed map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(files[report.MetricsJSON]), &parsed))
	delete(parsed, "config")
	delete(parsed, "rows")
	data, err := json.Marshal(parsed)
	require.NoError(t, err)
	files[report.MetricsJSON] = string(data)
	for _, name := range []string{report.ReportHTML, report.ReportMarkdown, report.RunJSON, report.SummaryText} {
		delete(files, name)
	}
	return files
}

// TestBaselinePredictions: a baseline's predictions in other files give the same files of a report
// as in the rows of the predictions.
func TestBaselinePredictions(t *testing.T) {
	t.Parallel()
	rows := comparedRows(300)
	before, truth := elsewhere(t, rows)
	data := write(t, rows, 3, 20)
	const common = "slices: [country]\nconfidence: {groups: 10}\nchanged_examples: {count: 5, per: [slice]}\n"
	for name, c := range map[string]struct{ yaml, label, old, joined string }{
		"binary":      {"task: binary\n", "label", "score: p_new, baseline_score: p_old", "score: p_new}, baseline_predictions: {files: %s, columns: {score: p_old}}"},
		"bounded":     {"task: binary\ncurves: {mode: bounded}\n", "label", "score: p_new, baseline_score: p_old", "score: p_new}, baseline_predictions: {files: %s, columns: {example: id, score: p_old}}"},
		"classes":     {"task: multiclass\n", "class", "prediction: new_class, baseline_prediction: old_class", "prediction: new_class}, baseline_predictions: {files: %s, columns: {prediction: old_class}}"},
		"lists":       {"task: multiclass\nlabels: [a, b, c]\n", "class", "score: new_list, baseline_score: old_list", "score: new_list}, baseline_predictions: {files: %s, columns: {score: old_list}}"},
		"usual names": {"task: multiclass\n", "class", "prediction: old_class, baseline_prediction: old_class", "prediction: old_class}, baseline_predictions: {files: %s}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of := func(columns, more string) map[string]string {
				return apartFromConfig(t, evaluate(t, parse(t, c.yaml+common+"input: {columns: {example: id, "+columns+"}\n"+more, data)))
			}
			joined := fmt.Sprintf(c.joined, before)
			want := of("label: "+c.label+", "+c.old+"}", "")
			requireSame(t, want, of("label: "+c.label+", "+joined, ""))
			requireSame(t, want, of(joined, fmt.Sprintf("truth: {files: %s, columns: {label: %s}}\n", truth, c.label)))
		})
	}
}

// TestBadBaselinePredictions: what is wrong in the files of a baseline has its file and row. Predictions
// without one of the baseline fail the run, or are skipped.
func TestBadBaselinePredictions(t *testing.T) {
	t.Parallel()
	rows := comparedRows(40)
	data := write(t, rows, 1, 50)
	part := func(n int, change func(b *befores)) string {
		list := make([]befores, n)
		for i := range list {
			r := rows[i%len(rows)]
			list[i] = befores{ID: r.ID, Old: r.Old, List: []float64{}}
		}
		change(&list[n-1])
		return write(t, list, 1, 16)
	}
	const yaml = "task: binary\ninput: {columns: {example: id, label: label, score: p_new}, baseline_predictions: {files: %s, columns: {score: p_old}%s}}\n"
	for name, c := range map[string]struct {
		file string
		want []string
	}{
		"missing":   {part(39, func(*befores) {}), []string{`row 39`, `column "id": 39`, "the baseline has no row for it; set input.baseline_predictions.missing: skip to count and skip such examples"}},
		"duplicate": {part(41, func(b *befores) { b.ID = 3 }), []string{"row group 0, row 3", `column "id": 3`}},
		"no score":  {part(40, func(b *befores) { b.Old = 2 }), []string{"row group 2, row 7", `column "p_old": 2`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, runner := range []string{"direct", "prism"} {
				cfg := parse(t, fmt.Sprintf(yaml, c.file, ""), data)
				cfg.Output.Dir = filepath.Join(t.TempDir(), "report")
				plan, err := Make(t.Context(), cfg)
				require.NoError(t, err)
				err = execute(t.Context(), plan, runner)
				for _, part := range c.want {
					require.ErrorContains(t, err, part)
				}
				if name != "missing" {
					require.ErrorContains(t, err, c.file)
				}
			}
		})
	}
	r := readReport(t, evaluate(t, parse(t, fmt.Sprintf(yaml, part(30, func(*befores) {}), ", missing: skip"), data)))
	require.Equal(t, int64(30), r.Examples)
	require.Equal(t, map[string]int64{"no prediction of the baseline": 10}, r.Rows.Skipped)
	for _, c := range []struct{ yaml, want string }{
		{"task: regression\ninput: {columns: {example: id, label: label, prediction: p_new}, baseline_predictions: {files: %s}}", "input.baseline_predictions: only for task binary or multiclass"},
		{"task: binary\ninput: {columns: {example: country, label: label, score: p_new}, baseline_predictions: {files: %s, columns: {example: id, score: p_old}}}", "ids must be of one type"},
		{"task: binary\ninput: {columns: {example: id, label: label, score: p_new}, baseline_predictions: {files: %s}}", "neither a score nor a prediction column in the files of the baseline: set input.baseline_predictions.columns.score or input.baseline_predictions.columns.prediction"},
		{"task: binary\ninput: {columns: {example: id, label: label, score: p_new}, baseline_predictions: {files: %s, columns: {score: old_class}}}", "input.baseline_predictions.columns.score: "},
		{"task: binary\ninput: {columns: {example: id, label: label, score: p_new}, baseline_predictions: {files: %s, columns: {score: nosuch}}}", `no column "nosuch"`},
	} {
		cfg, err := config.Parse([]byte(fmt.Sprintf(c.yaml, part(40, func(*befores) {}))), "test.yaml")
		if err == nil {
			cfg.Input.Files, cfg.Output.Dir = []string{data}, filepath.Join(t.TempDir(), "report")
			_, err = Make(t.Context(), cfg)
		}
		require.ErrorContains(t, err, c.want)
	}
}

// severalLabels are rows with the labels that two models predict, as lists and as a column for each label.
type severalLabels struct {
	ID      int64     `parquet:"id"`
	Labels  []string  `parquet:"labels,list"`
	NewSet  []string  `parquet:"new_set,list"`
	OldSet  []string  `parquet:"old_set,list"`
	NewList []float64 `parquet:"new_list,list"`
	OldList []float64 `parquet:"old_list,list"`
	NewA    float64   `parquet:"pn_a"`
	NewB    float64   `parquet:"pn_b"`
	OldA    float64   `parquet:"po_a"`
	OldB    float64   `parquet:"po_b"`
	Country string    `parquet:"country"`
}

// eachLabel is a row of the same data with a row for each label.
type eachLabel struct {
	ID     int64   `parquet:"id"`
	Class  string  `parquet:"class"`
	Label  int64   `parquet:"label"`
	New    float64 `parquet:"p_new"`
	Old    float64 `parquet:"p_old"`
	WasSet int64   `parquet:"was_set"`
}

func severalLabelsRows(n int) (rows []severalLabels, each []eachLabel) {
	names := []string{"a", "b"}
	for i := range n {
		row := severalLabels{
			ID: int64(i), NewA: float64(i*37%100) / 100, NewB: float64(i*61%100) / 100, OldA: float64(i*53%100) / 100, OldB: float64(i*29%100) / 100,
			Country: []string{"de", "fr"}[i%2],
		}
		row.NewList, row.OldList = []float64{row.NewA, row.NewB}, []float64{row.OldA, row.OldB}
		for k, name := range names {
			long := eachLabel{ID: int64(i), Class: name, Label: int64((i*i + k*i) % 7 % 2), New: row.NewList[k], Old: row.OldList[k]}
			if long.Label == 1 {
				row.Labels = append(row.Labels, name)
			}
			if long.New >= 0.5 {
				row.NewSet = append(row.NewSet, name)
			}
			if long.Old >= 0.5 {
				row.OldSet = append(row.OldSet, name)
				long.WasSet = 1
			}
			each = append(each, long)
		}
		rows = append(rows, row)
	}
	return rows, each
}

// TestBaselineOfLabels compares the metrics of changes of each label with counts of the rows, in all
// forms of the data.
func TestBaselineOfLabels(t *testing.T) {
	t.Parallel()
	rows, each := severalLabelsRows(300)
	wide, long := write(t, rows, 2, 50), write(t, each, 3, 40)
	const lists = "task: multilabel\nlabels: [a, b]\ninput: {columns: {label: labels, %s}}\n"
	const byRow = "task: multilabel\nlabels: [a, b]\ninput: {layout: label, columns: {example: id, class: class, label: label, score: p_new, %s}}\n"
	for name, c := range map[string]struct {
		yaml, data string
		scores     bool
	}{
		"sets":                {fmt.Sprintf(lists, "prediction: new_set, baseline_prediction: old_set"), wide, false},
		"scores":              {fmt.Sprintf(lists, "score: new_list, baseline_score: old_list"), wide, true},
		"scores and sets":     {fmt.Sprintf(lists, "score: new_list, baseline_score: old_list, baseline_prediction: old_set"), wide, true},
		"columns":             {fmt.Sprintf(lists, "score: pn_*, baseline_score: {b: po_b, a: po_a}"), wide, true},
		"columns in order":    {fmt.Sprintf(lists, "score: [pn_a, pn_b], baseline_score: [po_a, po_b]"), wide, true},
		"a row for a label":   {fmt.Sprintf(byRow, "baseline_score: p_old"), long, true},
		"flags in such a row": {fmt.Sprintf(byRow, "baseline_prediction: was_set"), long, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := valuesOf(readReport(t, evaluate(t, parse(t, c.yaml+"per_label: all\n", c.data))))
			sums := make(map[string]float64)
			for k, label := range []string{"a", "b"} {
				found := make(map[string]float64)
				for i := k; i < len(each); i += 2 {
					truth, old, now := each[i].Label == 1, each[i].Old >= 0.5, each[i].New >= 0.5
					for metric, is := range map[string]bool{
						"flip_rate": old != now, "churn": old != now, "positive_to_negative_flip_rate": old && !now, "negative_to_positive_flip_rate": !old && now,
						"regression_rate": old == truth && now != truth, "improvement_rate": old != truth && now == truth,
					} {
						found[metric] += 0
						if is {
							found[metric] += 1.0 / 300
						}
					}
					if c.scores {
						found["mean_score_change"] += math.Abs(each[i].New-each[i].Old) / 300
					}
				}
				found["accuracy_change"] = found["improvement_rate"] - found["regression_rate"]
				for metric, want := range found {
					row, ok := got[keyOf(nil, metric, &label)]
					require.True(t, ok, "%s of %s", metric, label)
					require.InDelta(t, want, row.Value, 1e-12, "%s of %s", metric, label)
					sums[metric+"_macro"] += want / 2
				}
			}
			for metric, want := range sums {
				row, ok := got[keyOf(nil, metric, nil)]
				require.True(t, ok, metric)
				require.InDelta(t, want, row.Value, 1e-12, metric)
			}
			_, ok := got[keyOf(nil, "score_change_quantile@0.5", nil)]
			require.Equal(t, c.scores, ok)
		})
	}
	for columns, want := range map[string]string{
		"prediction: new_set, baseline_score: old_list":                   "scores of a baseline are compared with scores, and there are none",
		"score: new_list, baseline_score: p_old_*":                        `no column has a name like "p_old_*"`,
		"score: new_list, baseline_prediction: country":                   "the baseline_prediction of task multilabel must be a list",
		"score: new_list, score_label: new_set, baseline_score: old_list": "a baseline has a score for every label, and scores are sparse",
		"score: new_list, baseline_score: [po_a]":                         "2 labels, but a column for each of 1",
	} {
		requireRefused(t, parse(t, fmt.Sprintf(lists, columns), wide), want)
	}
}

// TestBaselineOfNumbers computes a regression's metrics of changes from the rows, and compares.
func TestBaselineOfNumbers(t *testing.T) {
	t.Parallel()
	rows := comparedRows(300)
	const yaml = "task: regression\ninput: {columns: {label: label, prediction: p_new, baseline_prediction: p_old}}\n"
	got := valuesOf(readReport(t, evaluate(t, parse(t, yaml+"confidence: {groups: 20}\n", write(t, rows, 2, 50)))))
	want, moved := make(map[string]float64), make([]float64, len(rows))
	squares := make([]float64, 2)
	for i, r := range rows {
		y := float64(r.Label)
		now, old := math.Abs(y-r.New), math.Abs(y-r.Old)
		moved[i] = math.Abs(r.New - r.Old)
		want["mean_score_change"] += moved[i] / 300
		want["mae_change"] += (now - old) / 300
		squares[0] += now * now / 300
		squares[1] += old * old / 300
		if now > old {
			want["larger_error_rate"] += 1.0 / 300
		}
		if now < old {
			want["smaller_error_rate"] += 1.0 / 300
		}
	}
	want["rmse_change"] = math.Sqrt(squares[0]) - math.Sqrt(squares[1])
	for metric, want := range want {
		row, ok := got[keyOf(nil, metric, nil)]
		require.True(t, ok, metric)
		require.InDelta(t, want, row.Value, 1e-12, metric)
		require.True(t, row.Confidence.HasInterval(), metric)
	}
	slices.Sort(moved)
	for rank, want := range map[string]float64{"0.5": moved[149], "0.9": moved[269], "0.99": moved[296]} {
		row := got[keyOf(nil, "score_change_quantile@"+rank, nil)]
		require.InDelta(t, want, row.Value, want/64, rank)
	}
	requireRefused(t, parse(t, "task: regression\ninput: {columns: {label: label, prediction: p_new, baseline_prediction: old_class}}\n", write(t, rows, 1, 50)), "the baseline_prediction of task regression must be of type")
}

// TestMoves compares who moved between classes, and old scores with new ones, with counts of the rows.
func TestMoves(t *testing.T) {
	t.Parallel()
	rows, several := comparedRows(300), make(map[string]int64)
	labelled, each := severalLabelsRows(300)
	was := func(is bool) string { return strconv.Itoa(map[bool]int{true: 1}[is]) }
	for _, r := range rows {
		several["binary "+was(r.Old >= 0.5)+was(r.New >= 0.5)]++
		several["multiclass "+r.OldClass+r.NewClass]++
	}
	for _, r := range each {
		several["multilabel "+r.Class+was(r.Old >= 0.5)+was(r.New >= 0.5)]++
	}
	const bySlices = "slices: [[country]]\n"
	for _, yaml := range []string{
		"task: binary\ninput: {columns: {label: label, score: p_new, baseline_score: p_old}}\n" + bySlices,
		"task: multiclass\ninput: {columns: {label: class, prediction: new_class, baseline_prediction: old_class}}\nmetrics: [accuracy]\n" + bySlices,
		"task: multilabel\nlabels: [a, b]\ninput: {columns: {label: labels, prediction: new_set, baseline_prediction: old_set}}\n" + bySlices,
	} {
		task, data := strings.Fields(yaml)[1], write(t, rows, 2, 50)
		if task == "multilabel" {
			data = write(t, labelled, 2, 50)
		}
		dir := evaluate(t, parse(t, yaml, data))
		r := readReport(t, dir)
		require.NoError(t, r.ReadTables(t.Context(), dir))
		found := 0
		for _, m := range r.Moves {
			key := task + " "
			if m.Label != nil {
				key += *m.Label
			}
			require.Equal(t, several[key+m.Baseline+m.Predicted], m.Count, key)
			require.Equal(t, float64(m.Count), m.Weight)
			found++
		}
		for key := range several {
			if strings.HasPrefix(key, task) {
				found--
			}
		}
		require.Zero(t, found, task)
		if h := r.Histogram(report.HistogramMoves); task == "binary" {
			count := int64(0)
			for _, b := range h.Bins {
				count += b.Count
			}
			require.Equal(t, int64(300), count)
		} else {
			require.Nil(t, h)
		}
	}
}

// TestDifferencesOfLabels: the baseline's values in the differences equal an evaluation of the
// baseline alone.
func TestDifferencesOfLabels(t *testing.T) {
	t.Parallel()
	rows, _ := severalLabelsRows(300)
	data := write(t, rows, 2, 50)
	const yaml = "task: multilabel\nlabels: [a, b]\nper_label: all\ninput: {columns: {label: labels, %s}}\nslices: [[country]]\n"
	for _, c := range [][2]string{
		{"score: new_list, baseline_score: old_list", "score: old_list"},
		{"prediction: new_set, baseline_prediction: old_set", "prediction: old_set"},
	} {
		both := readReport(t, evaluate(t, parse(t, fmt.Sprintf(yaml, c[0]), data)))
		old := valuesOf(readReport(t, evaluate(t, parse(t, fmt.Sprintf(yaml, c[1]), data))))
		require.Len(t, both.Differences, len(old))
		for _, d := range both.Differences {
			require.Equal(t, fmt.Sprint(old[keyOf(d.Slice, d.Name, d.Label)].Value), fmt.Sprint(d.A), "%s %v", d.Name, d.Slice)
		}
	}
}
