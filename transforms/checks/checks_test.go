package checks_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	odd "github.com/beameval/beameval/io/report/checks"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/checks"
	"github.com/beameval/beameval/transforms/internal/ingest"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// facts returns the facts of a binary task with 50 positives and 50 negatives, half of them predicted right.
func facts() *checks.Facts {
	r := &report.Report{Task: "binary", Examples: 100}
	for class := range 2 {
		for predicted := range 2 {
			r.Confusion = append(r.Confusion, cell(nil, class, predicted, 25))
		}
	}
	return &checks.Facts{Report: r, Task: metrics.Binary, Counts: &shuffle.RowCounts{Read: 100}}
}

func cell(key slice.Key, class, predicted int, n int64) report.ConfusionCell {
	return report.ConfusionCell{Slice: key, True: fmt.Sprint(class), Predicted: fmt.Sprint(predicted), TrueIndex: class, PredictedIndex: predicted, Count: n}
}

func country(name string) slice.Key { return slice.Key{{Column: "country", Value: slice.String(name)}} }

func interval(low, high float64) *report.Confidence {
	return &report.Confidence{Low: low, High: high, StdError: (high - low) / 4, Folds: 50}
}

// with changes facts, and adds metric rows.
func with(change func(*checks.Facts), rows ...report.Row) *checks.Facts {
	f := facts()
	f.Report.Metrics = rows
	if change != nil {
		change(f)
	}
	return f
}

// TestEachCheck has for each check data that have it, and data that barely do not.
func TestEachCheck(t *testing.T) {
	skip := func(read, skipped int64, reason string) func(*checks.Facts) {
		return func(f *checks.Facts) {
			f.Counts.Read, f.Counts.Skipped = read, map[string]int64{reason: skipped}
		}
	}
	confusion := func(cells ...report.ConfusionCell) func(*checks.Facts) {
		return func(f *checks.Facts) { f.Report.Confusion = append(f.Report.Confusion, cells...) }
	}
	only := func(cells ...report.ConfusionCell) func(*checks.Facts) {
		return func(f *checks.Facts) { f.Report.Confusion = cells }
	}
	scores := func(n int) func(*checks.Facts) {
		return func(f *checks.Facts) {
			for i := range n {
				f.Counts.Found.Scores.Distinct = append(f.Counts.Found.Scores.Distinct, math.Float64bits(float64(i)/10))
			}
		}
	}
	task := func(task metrics.Task, next func(*checks.Facts)) func(*checks.Facts) {
		return func(f *checks.Facts) { f.Task = task; next(f) }
	}
	baseline := func(before float64, now int64) func(*checks.Facts) {
		return func(f *checks.Facts) {
			f.Report.Baseline, f.Report.Examples = &report.Baseline{Reports: 1, Examples: before}, now
		}
	}
	said := func(name string, task metrics.Task) func(*checks.Facts) {
		return func(f *checks.Facts) { f.Task, f.Others = task, []checks.Found{checks.Say(name, "found")} }
	}
	sums := func(rows, off int64) func(*checks.Facts) {
		return func(f *checks.Facts) { f.Counts.Found.Sums = ingest.Sums{Rows: rows, Off: off, Most: 0.25} }
	}
	auc := func(value float64, c *report.Confidence) report.Row {
		return report.Row{Name: "roc_auc", Value: value, Support: 100, Confidence: c}
	}
	ofLabel := func(value float64, positives int64) report.Row {
		return report.Row{Name: "roc_auc", Label: new("a"), Value: value, Support: positives}
	}
	all := report.Row{Name: "f1_micro", Value: 0.5, Support: 100}
	// The standard error of an area of 0.5 is sqrt(101 / 12 / 50 / 50) = 0.05802, and three such errors are 0.1741.
	one := func(f *checks.Facts) { f.Report.Examples = 99 }
	ids := func(counts ...int64) func(*checks.Facts) {
		return func(f *checks.Facts) {
			f.IDs = &shuffle.IDs{Hashes: make([]uint64, len(counts)), Counts: counts}
		}
	}
	trained := func(left bool, seen ...bool) func(*checks.Facts) {
		return func(f *checks.Facts) {
			ids(1, 3, 1)(f)
			f.IDs.Left, f.Trained = left, seen
		}
	}
	tuned := func(criterion string) func(*checks.Facts) {
		return func(f *checks.Facts) { f.Report.Thresholds = &report.Thresholds{Criterion: criterion} }
	}
	omit := func(limit int) func(*checks.Facts) {
		return func(f *checks.Facts) {
			f.Report.JSONRows = limit
			f.Report.Metrics = []report.Row{{Name: "f1"}, {Name: "f1", Slice: country("de")}}
		}
	}
	cases := []struct {
		check     string
		has, lack *checks.Facts
		message   string
		level     odd.Level
		count     int64
	}{
		{"inverted_scores", with(nil, auc(0.3258, nil)), with(nil, auc(0.3260, nil)), "roc_auc is 0.3258 in all examples, significantly below 0.5", odd.Error, 1},
		{"inverted_scores", with(nil, auc(0.4, interval(0.3, 0.4999))), with(nil, auc(0.3, interval(0.2, 0.5))), "roc_auc is 0.4 in all examples", odd.Error, 1},
		{"inverted_scores", with(task(metrics.Multilabel, one), all, ofLabel(0.32, 50)), with(task(metrics.Multilabel, one), all, ofLabel(0.33, 50)), "in label a", odd.Error, 1},
		{"duplicate_examples", with(ids(1, 2, 1)), with(ids(1, 1, 1)), "1 of 3 ids occur more than once, so that 25 % of the examples are copies: they", odd.Warning, 1},
		{"duplicate_examples", with(func(f *checks.Facts) { ids(1, 2, 2)(f); f.IDs.Left = true }), with(nil), "the 100 % with the smallest hashes", odd.Warning, 2},
		{"overlap", with(trained(false, false, true, false)), with(trained(false, false, false, false)), "1 of 3 ids occur in the training data, 60 % of the examples: the model", odd.Error, 1},
		{"overlap", with(trained(true, true, true, true)), with(ids(1, 2)), "100 % of the examples (of the ids, the 100 % with", odd.Error, 3},
		{"skipped_rows", with(skip(1000, 10, "null score")), with(skip(1000, 0, "null score")), "1 % of the rows (10 of 1000) were skipped: null score (10)", odd.Warning, 10},
		{"skipped_rows", with(skip(1001, 10, "null label")), with(nil), "0.999 % of the rows", odd.Note, 10},
		{"unknown_labels", with(skip(1000, 10, "unknown label name")), with(skip(1000, 10, "null label")), "name a label that is not one of", odd.Warning, 10},
		{"missing_scores", with(skip(2000, 10, "NaN score")), with(skip(1000, 10, "null label")), "have no score", odd.Note, 10},
		{"one_class_true", with(only(cell(nil, 1, 0, 60), cell(nil, 1, 1, 40))), with(only(cell(nil, 1, 0, 60), cell(nil, 0, 0, 1))), "the true class is always 1 in all examples (100 examples)", odd.Warning, 1},
		{"one_class_true", with(confusion(cell(country("de"), 0, 0, 90), cell(country("de"), 0, 1, 10))), with(confusion(cell(country("de"), 0, 0, 90), cell(country("de"), 0, 1, 9))), "in country=de (100 examples)", odd.Warning, 1},
		{"one_class_true", with(confusion(cell(country("de"), 0, 0, 100), cell(country("fr"), 1, 0, 101))), with(confusion(cell(country("de"), 0, 0, 100), cell(country("de"), 1, 0, 1))), "in country=fr (101 examples): metrics that compare classes, such as roc_auc, are undefined, and accuracy says little; check how rows were selected; this holds in 1 other slice", odd.Warning, 2},
		{"one_class_predicted", with(only(cell(nil, 0, 0, 60), cell(nil, 1, 0, 40))), with(only(cell(nil, 0, 0, 60), cell(nil, 1, 1, 1))), "the predicted class is always 0 in all examples", odd.Warning, 1},
		{"constant_scores", with(scores(1)), with(scores(2)), "all scores are 0", odd.Warning, 100},
		{"few_distinct_scores", with(scores(10)), with(func(f *checks.Facts) { scores(10)(f); f.Report.Examples = 99 }), "only 10 distinct scores", odd.Note, 10},
		{"few_distinct_scores", with(scores(2)), with(func(f *checks.Facts) { f.Counts.Found.Scores.Many = true }), "only 2 distinct scores", odd.Note, 2},
		{"probabilities_do_not_sum", with(task(metrics.Multiclass, sums(1000, 1))), with(task(metrics.Multiclass, sums(1000, 0))), "0.1 % of the rows (1 of 1000), and differ from it by up to 0.25", odd.Warning, 1},
		{"no_better_than_chance", with(nil, report.Row{Name: "brier_skill", Value: 0}), with(nil, report.Row{Name: "brier_skill", Value: 0.001}), "brier_skill is 0, not significantly above 0", odd.Warning, 100},
		{"no_better_than_chance", with(nil, report.Row{Name: "brier_skill", Value: 0.1, Confidence: interval(0, 0.2)}), with(nil, report.Row{Name: "brier_skill", Value: 0.1, Confidence: interval(0.001, 0.2)}), "brier_skill is 0.1", odd.Warning, 100},
		{"no_better_than_chance", with(nil, auc(0.6137, nil)), with(nil, auc(0.6138, nil)), "roc_auc is 0.6137, not significantly above 0.5", odd.Warning, 100}, // 1.96 · 0.05802 = 0.11371
		{"no_better_than_chance", with(task(metrics.Regression, func(*checks.Facts) {}), report.Row{Name: "r2", Value: -0.1}), with(func(f *checks.Facts) { f.Task, f.Report.Examples = metrics.Regression, 99 }, report.Row{Name: "r2", Value: -0.1}), "better than always predicting the mean", odd.Warning, 100},
		{"volume", with(baseline(1000, 799)), with(baseline(1000, 800)), "799 examples, 20.1 % fewer than in the baseline", odd.Warning, 799},
		{"volume", with(baseline(1000, 1201)), with(baseline(1000, 1200)), "20.1 % more", odd.Warning, 1201},
		{"tuned_thresholds", with(tuned("max_f1")), with(tuned("")), "were tuned on this data", odd.Warning, 0},
		{"rows_left_out", with(omit(1)), with(omit(2)), "metrics.json has only 1 of the 2 metric rows", odd.Warning, 2},
	}
	met := map[string]bool{}
	for _, c := range cases {
		met[c.check] = true
		got := made(t, c.has, c.check)
		require.NotNil(t, got, "%s: %s", c.check, c.message)
		require.Contains(t, got.Message, c.message)
		require.Equal(t, c.level, got.Level, c.message)
		require.Equal(t, c.count, got.Count, c.message)
		require.Nil(t, made(t, c.lack, c.check), "%s: %s", c.check, c.message)
	}
	for _, name := range checks.Names() { // the others are found elsewhere, and repeated
		if task := taskOf(name); !met[name] {
			got := made(t, with(said(name, task)), name)
			require.NotNil(t, got, name)
			require.Equal(t, "found", got.Message)
			require.Nil(t, made(t, with(said("volume", task)), name), name)
		}
	}
}

func taskOf(name string) metrics.Task {
	for _, task := range []metrics.Task{metrics.Binary, metrics.Multilabel, metrics.Multiclass, metrics.Ranking, metrics.Regression} {
		if checks.MadeFor(name, task) {
			return task
		}
	}
	return 0
}

// made returns the check with a name, if it holds.
func made(t *testing.T, f *checks.Facts, name string) (found *odd.Check) {
	t.Helper()
	list, gates := checks.Make(f)
	require.Empty(t, gates)
	for i := range list {
		if list[i].Name == name {
			require.Nil(t, found, "one entry a check")
			found = &list[i]
		}
	}
	return found
}

// TestManyAreas: of 1,000 areas without effect, as many are inverted by chance as of one.
func TestManyAreas(t *testing.T) {
	rows := []report.Row{{Name: "f1_micro", Support: 100}}
	for i := range 1000 {
		rows = append(rows, report.Row{Name: "roc_auc", Label: new(fmt.Sprint(i)), Value: 0.5, Support: 50})
	}
	multilabel := func(f *checks.Facts) { f.Task = metrics.Multilabel }
	rows[1].Value = 0.5 - 4*0.05802
	require.Nil(t, made(t, with(multilabel, rows...), "inverted_scores"))
	rows[1].Value, rows[2].Value = 0.5-5*0.05802, 0.5-6*0.05802
	got := made(t, with(multilabel, rows...), "inverted_scores")
	require.Equal(t, "1", *got.Label, "the worst")
	require.Equal(t, int64(2), got.Count)
	require.Contains(t, got.Message, "1 other slice or label")
}

func TestOrderAndOptions(t *testing.T) {
	build := func(o checks.Options) *checks.Facts {
		f := with(func(f *checks.Facts) {
			f.Counts.Read, f.Counts.Skipped = 10_000, map[string]int64{"null score": 1}
			f.Others = []checks.Found{checks.Say("empty_slices", "a"), checks.Say("heavy_tails", "c"), checks.Say("empty_slices", "b")}
			f.Options = o
		}, report.Row{Name: "roc_auc", Value: 0.1, Support: 100})
		return f
	}
	list, gates := checks.Make(build(checks.Options{}))
	names := func(list []odd.Check) (names []string) {
		for _, c := range list {
			names = append(names, c.Name)
		}
		return names
	}
	require.Equal(t, []string{"inverted_scores", "no_better_than_chance", "empty_slices", "heavy_tails", "skipped_rows", "missing_scores"}, names(list))
	require.Equal(t, "a; b", list[2].Message)
	require.Empty(t, gates, "no level fails by itself")
	require.InDelta(t, 1e-4, *list[4].Share, 1e-18)

	list, gates = checks.Make(build(checks.Options{Off: []string{"inverted_scores", "heavy_tails"}, Fail: []string{"missing_scores", "constant_scores", "volume"}}))
	require.Equal(t, []string{"no_better_than_chance", "empty_slices", "skipped_rows", "missing_scores"}, names(list))
	require.Len(t, gates, 3)
	verdicts := map[string]report.Verdict{}
	for _, g := range gates {
		verdicts[g.Metric] = g.Verdict
	}
	require.Equal(t, map[string]report.Verdict{"missing_scores": report.Fail, "constant_scores": report.Pass, "volume": report.Unknown}, verdicts)
}

// TestDocs: docs/checks.md has each check, in the order of the table, with its level.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/checks.md")
	require.NoError(t, err)
	rest := string(page)
	for _, name := range checks.Names() {
		_, after, found := strings.Cut(rest, "| `"+name+"` |")
		require.True(t, found, "%s is missing, or not where the table has it", name)
		rest = after
	}
}
