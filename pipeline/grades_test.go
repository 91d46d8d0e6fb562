package pipeline

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/analysis/reports"
	changes "github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/pipeline/config"
)

// attempt is a row of task grade.
type attempt struct {
	Problem string  `parquet:"task_id"`
	Repo    string  `parquet:"repo"`
	Suite   string  `parquet:"suite"`
	Passed  bool    `parquet:"passed"`
	Rating  int64   `parquet:"rating"`
	Cost    float64 `parquet:"cost"`
	Label   string  `parquet:"label"`
}

// attempts returns the attempts of a system at n problems, one to five at each, in 12 repositories. right is how good it is.
func attempts(n int, seed uint64, right float64) (rows []attempt) {
	problems, r := rand.New(rand.NewPCG(5, 6)), rand.New(rand.NewPCG(seed, 9))
	for i := range n {
		ease, tries := problems.Float64(), 1+problems.IntN(5)
		for range tries {
			passed := r.Float64() < math.Pow(ease, 1/right)
			rows = append(rows, attempt{fmt.Sprint("p", i), fmt.Sprint("r", i%12), []string{"algebra", "strings"}[i%2], passed, 1 + int64(4*r.Float64()*right), r.ExpFloat64(), "yes"})
		}
	}
	return rows
}

// sharesOf returns the share of the attempts at each problem that pass, by repository.
func sharesOf(rows []attempt) map[string][]float64 {
	passed, all, repo := map[string]float64{}, map[string]float64{}, map[string]string{}
	var order []string
	for _, a := range rows {
		if all[a.Problem] == 0 {
			order = append(order, a.Problem)
		}
		all[a.Problem]++
		repo[a.Problem] = a.Repo
		if a.Passed {
			passed[a.Problem]++
		}
	}
	shares := map[string][]float64{}
	for _, problem := range order {
		shares[repo[problem]] = append(shares[repo[problem]], passed[problem]/all[problem])
	}
	return shares
}

// overallRow returns the row of a metric of all examples.
func overallRow(t *testing.T, r *report.Report, name string) report.Row {
	t.Helper()
	i := slices.IndexFunc(r.Metrics, func(row report.Row) bool { return row.Name == name && len(row.Slice) == 0 })
	require.GreaterOrEqual(t, i, 0, name)
	return r.Metrics[i]
}

const passes = "task: grade\ninput: {columns: {example: task_id, grade: passed}}\n"

// TestGrades: the bytes of a report with slices, intervals, worst examples and a search depend neither on the order of the
// attempts nor on files, and values agree with a simple loop.
func TestGrades(t *testing.T) {
	t.Parallel()
	const yaml = passes + "slices: [[suite]]\nconfidence: {}\nworst_examples: 5\nsearch: {columns: [suite, repo], confirm: false, min_support: 10}\n"
	rows := attempts(300, 1, 1)
	data := spreadOf(t, rows)
	whole := evaluate(t, parse(t, yaml, data.whole))
	requireSame(t, contents(t, whole), contents(t, evaluate(t, parse(t, yaml, data.parts))))
	r := readReport(t, whole)
	require.Equal(t, "grade", r.Task)
	require.EqualValues(t, 300, r.Examples)
	require.Empty(t, r.Labels)
	require.Equal(t, float64(len(rows)), overallRow(t, r, "attempts").Value)
	files := contents(t, whole)
	require.Equal(t, 6, strings.Count(files["worst_examples.csv"], "\n"))
	require.Contains(t, files["worst_examples.csv"], "1 - grade")

	total, all := 0.0, sharesOf(rows)
	for _, shares := range all {
		for _, x := range shares {
			total += x / 300
		}
	}
	rate := overallRow(t, r, "pass_rate")
	require.InDelta(t, total, rate.Value, 1e-12)
	require.Equal(t, rate.Value, overallRow(t, r, "pass@1").Value)
	require.Equal(t, rate.Value, overallRow(t, r, "mean").Value)
	require.True(t, rate.Confidence.HasInterval())
	require.EqualValues(t, 300, r.Confidence.Folds, "each example is a group")
	require.Contains(t, overallRow(t, r, "pass@5").Undefined, "of 300 examples undefined")
	require.Contains(t, files, "found_slices.csv")
}

// TestClusteredErrors: where each of few clusters is a group, standard errors are the jackknife's that leaves out a
// cluster, by its definition.
func TestClusteredErrors(t *testing.T) {
	t.Parallel()
	rows := attempts(200, 2, 1)
	r := readReport(t, evaluate(t, parse(t, passes+"confidence: {by: repo}\n", write(t, rows, 2, 90))))
	all := sharesOf(rows)
	require.Len(t, all, 12)
	require.EqualValues(t, 12, r.Confidence.Folds)
	without := func(left string) float64 {
		sum, n := 0.0, 0.0
		for repo, shares := range all {
			if repo != left {
				for _, x := range shares {
					sum, n = sum+x, n+1
				}
			}
		}
		return sum / n
	}
	var replicates []float64
	mean := 0.0
	for repo := range all {
		replicates = append(replicates, without(repo))
		mean += replicates[len(replicates)-1] / 12
	}
	squares := 0.0
	for _, x := range replicates {
		squares += (x - mean) * (x - mean)
	}
	require.InEpsilon(t, math.Sqrt(11.0/12*squares), overallRow(t, r, "mean").Confidence.StdError, 1e-9)
	require.InEpsilon(t, math.Sqrt(11.0/12*squares), overallRow(t, r, "pass_rate").Confidence.StdError, 1e-9)
}

// TestPairedGrades: two systems are compared example by example, whatever their grades and how often they tried, and the difference is
// exactly what their reports say.
func TestPairedGrades(t *testing.T) {
	t.Parallel()
	one, other := attempts(150, 3, 1), attempts(150, 4, 3)
	other = append(other, other[:40]...)
	evaluated := func(rows []attempt) *report.Report {
		r, err := reports.Read(t.Context(), evaluate(t, parse(t, passes+"confidence: {}\n", write(t, rows, 1, 100))))
		require.NoError(t, err)
		return r
	}
	a, b := evaluated(one), evaluated(other)
	c, err := comparison.Compare(a, b, changes.BenjaminiHochberg)
	require.NoError(t, err)
	require.Equal(t, changes.Paired, c.Pairing, c.Warnings)
	found := false
	for _, d := range c.Changes {
		if d.Name != "pass_rate" {
			continue
		}
		found = true
		require.Equal(t, overallRow(t, b, "pass_rate").Value-overallRow(t, a, "pass_rate").Value, d.Difference)
		require.Equal(t, changes.Better, d.Verdict)
	}
	require.True(t, found)
}

// TestRatings: numbers pass from a threshold on; what examples with too few attempts are is for the user to say.
func TestRatings(t *testing.T) {
	t.Parallel()
	rows := attempts(120, 5, 1)
	data := write(t, rows, 1, 500)
	ratings := func(more string) string {
		return "task: grade\ninput: {columns: {example: task_id, grade: rating}}\n" + more
	}
	names := func(yaml string) (list []string) {
		for _, row := range readReport(t, evaluate(t, parse(t, yaml, data))).Metrics {
			list = append(list, row.Name)
		}
		return list
	}
	without, with := names(ratings("")), names(ratings("pass_threshold: 3\nk: [1, 2]\n"))
	require.NotContains(t, without, "pass_rate")
	require.Contains(t, without, "best@10")
	require.Subset(t, with, []string{"pass_rate", "pass@2", "all_pass@2", "best@2", "flaky_rate", "variance_within", "variance_between", "std", "mean"})
	require.NotContains(t, with, "pass@10")
	require.NotContains(t, with, "median", "on request")
	require.Equal(t, []string{"median", "quantile@0.95"}, names(ratings("metrics: [median, quantile@0.95]\n")))

	r := readReport(t, evaluate(t, parse(t, ratings("too_few_attempts: fail\nbad_rows: skip\nk: [1, 2]\n"), data)))
	single := int64(0)
	tries := map[string]int{}
	for _, a := range rows {
		tries[a.Problem]++
	}
	for _, n := range tries {
		if n == 1 {
			single++
		}
	}
	require.Equal(t, map[string]int64{"too few attempts": single}, r.Rows.Skipped)
	require.Empty(t, overallRow(t, r, "best@2").Undefined)
}

// TestFoundGrades: columns are found by name, and labels and scores mean nothing beside them.
func TestFoundGrades(t *testing.T) {
	t.Parallel()
	rows := attempts(40, 6, 1)
	data := write(t, rows, 1, 500)
	r := readReport(t, evaluate(t, parse(t, "task: grade\nmetrics: [pass_rate, attempts]\n", data)))
	require.EqualValues(t, len(rows), r.Examples, "no column names examples")
	r = readReport(t, evaluate(t, parse(t, "input: {columns: {grade: passed, example: task_id}}\nmetrics: [pass_rate]\n", data)))
	require.Equal(t, "grade", r.Task)
	require.EqualValues(t, 40, r.Examples)
}

// TestGradesRefused: what contradicts grades, and what to do.
func TestGradesRefused(t *testing.T) {
	t.Parallel()
	data := write(t, attempts(30, 7, 1), 1, 100)
	for yaml, want := range map[string]string{
		passes + "pass_threshold: 0.5":                                                  `pass_threshold: column "passed" is bool, and true passes: leave it out`,
		"task: grade\ninput: {columns: {grade: rating}}\nworst_examples: 3":             "worst_examples: examples have a loss if their grades pass or not: set pass_threshold",
		"task: grade\ninput: {columns: {grade: rating}}\nmetrics: [pass@3]":             `metric "pass@3" needs grades that pass or not: set pass_threshold`,
		passes + "metrics: [best@3]":                                                    `metric "best@3" is of grades that are numbers, and these are booleans: write pass@3`,
		passes + "metrics: [accuracy]":                                                  "is not one of task grade",
		"task: grade\ninput: {columns: {grade: repo}}":                                  "the grade of task grade must be of type",
		"task: grade\ninput: {columns: {grade: null}}":                                  "no column of grades: set input.columns.grade, perhaps to \"rating\"",
		"task: grade\ninput: {columns: {grade: passed, label: label}}":                  "a grade is the result itself, and only answers are compared with a label: leave input.columns.label out, or set input.columns.answer",
		"task: grade\ninput: {columns: {grade: passed, prediction: label}}":             "grades are there already: leave input.columns.score and input.columns.prediction out",
		"task: binary\ninput: {columns: {grade: passed, label: passed, score: rating}}": "only for task grade or agreement, the task is binary",
	} {
		t.Run(yaml, func(t *testing.T) { requireRefusedYAML(t, yaml, data, want) })
	}
}

// requireRefusedYAML requires that a configuration of a file is an error, when it is parsed or planned.
func requireRefusedYAML(t *testing.T, yaml, file, want string) {
	t.Helper()
	cfg, err := config.Parse([]byte(yaml), "test.yaml")
	if err != nil {
		require.ErrorContains(t, err, want)
		return
	}
	cfg.Input.Files = []string{file}
	requireRefused(t, cfg, want)
}

// TestGradesAsStatsmodels compares metrics and standard errors of two systems, and of their differences, with NumPy and statsmodels; see
// testdata/make_grades.py.
func TestGradesAsStatsmodels(t *testing.T) {
	t.Parallel()
	type estimate struct {
		Value    float64
		StdError *float64 `json:"std_error"` // nil if there is no interval
	}
	var expected struct {
		Metrics map[string]struct{ A, B, Difference estimate }
	}
	data, err := os.ReadFile("../testdata/grades/expected.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &expected))
	of := func(system string) *report.Report {
		yaml := strings.Replace(passes, "grade: passed", "grade: passed, grades: [seconds]", 1) + "lower_is_better: [seconds]\npass_threshold: {seconds: 12}\nmetrics: [" + strings.Join(slices.Sorted(maps.Keys(expected.Metrics)), ", ") + "]\nconfidence: {by: repo}\n"
		r, err := reports.Read(t.Context(), evaluate(t, parse(t, yaml, "../testdata/grades/"+system+".jsonl")))
		require.NoError(t, err)
		return r
	}
	a, b := of("a"), of("b")
	c, err := comparison.Compare(a, b, changes.BenjaminiHochberg)
	require.NoError(t, err)
	require.Equal(t, changes.Paired, c.Pairing)
	for name, want := range expected.Metrics {
		for _, one := range []struct {
			r    *report.Report
			want estimate
		}{{a, want.A}, {b, want.B}} {
			row := overallRow(t, one.r, name)
			require.InDelta(t, one.want.Value, row.Value, 1e-12, name)
			if one.want.StdError != nil {
				require.InEpsilon(t, *one.want.StdError, row.Confidence.StdError, 1e-10, name)
			}
		}
		i := slices.IndexFunc(c.Changes, func(d changes.Change) bool { return d.Name == name })
		require.GreaterOrEqual(t, i, 0, name)
		require.InDelta(t, want.Difference.Value, c.Changes[i].Difference, 1e-12, name)
		if want.Difference.StdError != nil {
			require.InEpsilon(t, *want.Difference.StdError, c.Changes[i].StdError, 1e-10, name)
		}
	}
}

// TestAnswers: the most frequent answer of all attempts is compared with the label, in any order of the rows.
func TestAnswers(t *testing.T) {
	t.Parallel()
	type answered struct {
		Question int64  `parquet:"id"`
		Answer   string `parquet:"said"`
		Label    int64  `parquet:"target"`
		Right    bool   `parquet:"right"`
	}
	var rows []answered
	for q := range int64(40) {
		for i := range int64(5) {
			said := q % (1 + (q+i)%3)
			rows = append(rows, answered{q, fmt.Sprint(said), q % 3, said == q%3})
		}
	}
	const yaml = "task: grade\ninput: {columns: {grade: right, answer: said, label: target}}\nmetrics: [majority_accuracy, pass_rate]\nconfidence: {}\n"
	data := spreadOf(t, rows)
	whole := evaluate(t, parse(t, yaml, data.whole))
	requireSame(t, contents(t, whole), contents(t, evaluate(t, parse(t, yaml, data.parts))))
	want := 0.0
	for q := range int64(40) {
		times, most, first := map[string]int{}, 0, 0
		for _, a := range rows[5*q : 5*q+5] {
			times[a.Answer]++
			most = max(most, times[a.Answer])
		}
		for _, n := range times {
			if n == most {
				first++
			}
		}
		if times[fmt.Sprint(q%3)] == most {
			want += 1 / float64(first) / 40
		}
	}
	require.InDelta(t, want, overallRow(t, readReport(t, whole), "majority_accuracy").Value, 1e-12)
	requireRefused(t, parse(t, "task: grade\ninput: {columns: {grade: right, answer: said, label: null}}\n", data.whole), "answers are compared with a label, and there is none: set input.columns.label")
	requireRefused(t, parse(t, "task: grade\ninput: {columns: {grade: right}}\nmetrics: [majority_accuracy]\n", data.whole), `metric "majority_accuracy" needs answers: set input.columns.answer`)
}
