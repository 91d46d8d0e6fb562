package pipeline

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/analysis/reports"
	changes "github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
)

const (
	furtherGrades = "task: grade\ninput: {columns: {example: task_id, grade: passed, grades: {cost: cost, stars: rating}}}\nlower_is_better: [cost]\npass_threshold: {stars: 3}\n"
	ofSuites      = "slices: [[suite]]\nconfidence: {by: repo}\nk: [1, 2]\n"
)

// TestFurtherGrades: further grades have, to the last bit, what they have as the grade, in slices, intervals and replicates, whatever the
// order of rows and files.
func TestFurtherGrades(t *testing.T) {
	t.Parallel()
	data := spreadOf(t, attempts(200, 11, 1))
	const more = ofSuites + "worst_examples: 3\nsearch: {columns: [repo], measure: mean_cost, min_support: 10}\n"
	whole := evaluate(t, parse(t, furtherGrades+more, data.whole))
	requireSame(t, contents(t, whole), contents(t, evaluate(t, parse(t, furtherGrades+more, data.parts))))
	requireSame(t, contents(t, whole), contents(t, evaluateOn(t, parse(t, furtherGrades+more, data.parts), "prism", 3)))

	r, err := reports.Read(t.Context(), whole)
	require.NoError(t, err)
	compared := 0
	for name, yaml := range map[string]string{
		"cost": "task: grade\ninput: {columns: {example: task_id, grade: cost}}\nlower_is_better: cost\n", "stars": "task: grade\ninput: {columns: {example: task_id, grade: rating}}\npass_threshold: 3\n",
		"": "task: grade\ninput: {columns: {example: task_id, grade: passed}}\n",
	} {
		alone, err := reports.Read(t.Context(), evaluate(t, parse(t, yaml+ofSuites, data.whole)))
		require.NoError(t, err)
		for _, want := range alone.Metrics {
			of := want.Name
			if name != "" && of != "attempts" {
				of += "_" + name
			}
			i := slices.IndexFunc(r.Metrics, func(row report.Row) bool { return row.Name == of && slices.Equal(row.Slice, want.Slice) })
			require.GreaterOrEqual(t, i, 0, of)
			got := r.Metrics[i]
			require.Equal(t, math.Float64bits(want.Value), math.Float64bits(got.Value), of)
			require.Equal(t, fmt.Sprint(*want.Confidence), fmt.Sprint(*got.Confidence), of)
			require.ElementsMatch(t, want.Replicates, got.Replicates, of)
			require.Equal(t, want.Undefined, got.Undefined, of)
			require.Equal(t, want.Support, got.Support, of)
			require.Equal(t, comparison.Direction(want.Name, alone, alone), comparison.Direction(of, r, r), of)
			compared++
		}
	}
	require.Len(t, r.Metrics, compared-2*3, "attempts are counted once in each of three slices")
	require.NotNil(t, r.Search)
}

// TestDirectionsOfGrades: what a lower cost means reaches comparisons, with the configuration that a report repeats.
func TestDirectionsOfGrades(t *testing.T) {
	t.Parallel()
	yaml := furtherGrades + "confidence: {}\n"
	read := func(rows []attempt, yaml string) *report.Report {
		r, err := reports.Read(t.Context(), evaluate(t, parse(t, yaml, write(t, rows, 1, 500))))
		require.NoError(t, err)
		return r
	}
	rows := attempts(200, 12, 1)
	dearer := slices.Clone(rows)
	for i := range dearer {
		dearer[i].Cost = 1.5*rows[i].Cost + 0.1
		dearer[i].Rating++
	}
	a, b := read(rows, yaml), read(dearer, yaml)
	require.Equal(t, report.Meaning{Definition: "of cost: mean over examples of the mean grade of their attempts", Better: "lower", Own: true}, a.Meanings["mean_cost"])
	require.Contains(t, string(a.Config), `"lower_is_better":["cost"]`)
	require.Contains(t, string(a.Config), `"pass_threshold":{"stars":3}`)
	verdicts := func(a, b *report.Report) map[string]changes.Verdict {
		c, err := comparison.Compare(a, b, changes.BenjaminiHochberg)
		require.NoError(t, err)
		of := map[string]changes.Verdict{}
		for _, d := range c.Changes {
			if len(d.Slice) == 0 {
				of[d.Name] = d.Verdict
			}
		}
		return of
	}
	got := verdicts(a, b)
	require.Equal(t, changes.Worse, got["mean_cost"])
	require.Equal(t, changes.Worse, got["best@3_cost"])
	require.Equal(t, changes.Better, got["mean_stars"])
	require.Equal(t, changes.Better, got["pass_rate_stars"])
	other := read(dearer, strings.Replace(yaml, "lower_is_better: [cost]\n", "", 1))
	require.NotContains(t, []changes.Verdict{changes.Better, changes.Worse}, verdicts(a, other)["mean_cost"], "the reports disagree on what is better")
}

// TestFurtherGradesRefused: what cannot be a further grade, and what to do.
func TestFurtherGradesRefused(t *testing.T) {
	t.Parallel()
	data := write(t, attempts(30, 7, 1), 1, 100)
	columns := func(more string) string {
		return "task: grade\ninput: {columns: {example: task_id, grade: passed, grades: " + more + "}}\n"
	}
	for yaml, want := range map[string]string{
		columns("[cost, repo]"):                             `input.columns.grades: column "repo" is string: each of the columns must have one number a row`,
		columns("[cost, passed]"):                           `input.columns.grades: column "passed" is the grade already: leave it out`,
		columns("{a: cost, b: cost}"):                       `input.columns.grades[1]: "cost" repeats input.columns.grades[0]`,
		columns("{passed: cost}"):                           `input.columns.grades: the grade is called "passed" already: give column "cost" another name, as in {usd: cost}`,
		columns("[coast]"):                                  `no column "coast"`,
		columns("{bias: cost}"):                             `input.columns.grades: a further grade cannot be called "bias", because mean_bias is another metric: give it another name, as in {usd: cost}`,
		columns("{\"cost ($)\": cost}"):                     `letters, digits, _ and dots, a letter first, as in {usd: cost}`,
		columns("[cost]") + "lower_is_better: [coast]\n":    `lower_is_better[0]: there is no grade "coast"; did you mean "cost"? The grade is called passed, further grades are in input.columns.grades`,
		columns("[cost]") + "pass_threshold: {rating: 3}\n": `pass_threshold.rating: there is no grade "rating"`,
		columns("[cost]") + "pass_threshold: 3\n":           `pass_threshold: column "passed" is bool, and true passes: leave it out`,
		columns("[cost]") + "lower_is_better: [passed]\npass_threshold: {passed: 3}\n":                          `pass_threshold.passed: column "passed" is bool, and false passes: leave it out`,
		columns("[cost]") + "metrics: [pass@3_cost]\n":                                                          `metric "pass@3_cost" needs grades that pass or not: set pass_threshold.cost`,
		columns("[cost]") + "metrics: [mean_coast]\n":                                                           `did you mean "mean_cost"?`,
		columns("[cost]") + "gates: [{metric: mean_coast, max: 1}]\n":                                           `did you mean "mean_cost"?`,
		"task: binary\ninput: {columns: {label: passed, score: cost, grades: [rating]}}\n":                      "only for task grade, the task is binary",
		"task: binary\ninput: {columns: {label: passed, score: cost}}\nlower_is_better: [cost]\n":               "lower_is_better: only for task grade, the task is binary",
		"input: {columns: {example: task_id, grades: [cost], grade: null}}\n":                                   "no column of grades: set input.columns.grade",
		"task: agreement\ninput: {columns: {raters: {a: rating, b: cost}, grades: [cost], example: task_id}}\n": "only for task grade, the task is agreement",
	} {
		t.Run(yaml, func(t *testing.T) { requireRefusedYAML(t, yaml, data, want) })
	}
}

// TestMissingFurtherGrades: a null names the file, the row and the column, or is counted.
func TestMissingFurtherGrades(t *testing.T) {
	t.Parallel()
	type row struct {
		ID      string   `parquet:"id"`
		Passed  bool     `parquet:"passed"`
		Cost    *float64 `parquet:"cost"`
		Latency int64    `parquet:"latency"`
	}
	rows := []row{{"a", true, new(1.), 1}, {"b", true, new(2.), 3}, {"a", false, nil, 2}, {"b", false, new(math.NaN()), 4}, {"c", true, new(3.), 5}}
	data := spreadOf(t, rows)
	for _, columns := range []string{"example: id, ", ""} {
		yaml := "task: grade\ninput: {columns: {" + columns + "grade: passed, grades: [cost, latency]}}\nmetrics: [mean_cost, mean_latency, attempts]\n"
		if columns == "" {
			yaml = strings.Replace(yaml, "grade:", "example: null, grade:", 1)
		}
		cfg := parse(t, yaml, data.whole)
		cfg.Output.Dir = t.TempDir() + "/out"
		plan, err := Make(t.Context(), cfg)
		require.NoError(t, err)
		require.ErrorContains(t, execute(t.Context(), plan, "direct"), `part-0.parquet: row group 0, row 2: column "cost": null: a further grade is missing, and every row must have all of them`)
		skipping := parse(t, yaml+"bad_rows: skip\n", data.whole)
		r := readReport(t, evaluate(t, skipping))
		require.Equal(t, map[string]int64{"null further grade": 1, "not a finite number": 1}, r.Rows.Skipped)
		require.Equal(t, map[string]float64{"": 2, "example: id, ": 3}[columns], overallRow(t, r, "mean_cost").Value)
	}
}

// TestOneFurtherGrade: a name may stand for one column or for several, and integers that float64 does not hold are refused.
func TestOneFurtherGrade(t *testing.T) {
	t.Parallel()
	data := write(t, attempts(30, 8, 1), 1, 100)
	named := func(columns string) string {
		r := readReport(t, evaluate(t, parse(t, "input: {columns: {example: task_id, grade: passed, grades: "+columns+"}}\nmetrics: [mean, mean_cost]\n", data)))
		require.Equal(t, "grade", r.Task)
		return strings.Join([]string{r.Metrics[0].Name, r.Metrics[1].Name}, " ")
	}
	for _, columns := range []string{"cost", "[cost]", "{cost: cost}", "co*"} {
		if columns == "co*" {
			columns = "{cost: cost, stars: rating}"
		}
		require.Equal(t, "mean mean_cost", named(columns), columns)
	}
	type row struct {
		Passed bool    `parquet:"passed"`
		Cost   float64 `parquet:"cost"`
		At     int64   `parquet:"at"`
	}
	long := write(t, []row{{true, 1.5, 1<<53 + 1}}, 1, 1)
	cfg := parse(t, "task: grade\ninput: {columns: {grade: passed, grades: [cost, at]}}\n", long)
	cfg.Output.Dir = t.TempDir() + "/out"
	plan, err := Make(t.Context(), cfg)
	require.NoError(t, err)
	require.ErrorContains(t, execute(t.Context(), plan, "direct"), `column "at" has 9007199254740993, which float64 does not hold`)
}
