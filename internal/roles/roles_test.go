package roles

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite what is made from the table of roles")

// TestTable: every role has what others rely on.
func TestTable(t *testing.T) {
	keys, fields := map[string]bool{}, map[string]bool{}
	for r := range All() {
		about := r.Of()
		require.NotEmpty(t, about.Input.Key, "role %d has no row", r)
		require.NotEmpty(t, about.Input.Doc, r)
		require.False(t, keys[about.Input.Key], "two roles have the key %s", r)
		keys[about.Input.Key] = true
		if about.Field != "" {
			require.False(t, fields[about.Field], "two roles have the field %s", about.Field)
			fields[about.Field] = true
		}
		require.Equal(t, about.Null == "", about.Missing == "", r)
		require.Equal(t, about.What == "", about.Batch == "" && about.Needed == 0, r)
		if about.Input.Wide {
			require.NotEqual(t, Value, about.Shape, r)
		}
	}

}

// TestRulesNameRoles: a message has no name of a role that the table lacks.
func TestRulesNameRoles(t *testing.T) {
	for _, rule := range rules {
		require.NotContains(t, rule.explain(Binary, func(r Role) string { return "a" }), "{", rule.why)
	}
}

// TestCheck: columns of other tasks, columns that are missing, and columns that contradict each other.
func TestCheck(t *testing.T) {
	set := func(r Role) string { return "x." + r.String() }
	for _, c := range []struct {
		given Given
		at    Role
		want  string
	}{
		{Given{Task: Binary, Has: SetOf(Label, Score, Weight)}, 0, ""},
		{Given{Task: Multilabel, Has: SetOf(Label, Score, CostFP, CostFN)}, CostFP, "x.cost_fp: only for task binary, the task is multilabel"},
		{Given{Task: Binary, Has: SetOf(Label, Score, CostFP)}, CostFP, "an error may also be a false negative: set x.cost_fn"},
		{Given{Task: Binary, Has: SetOf(Label, Score, CostFN)}, CostFN, "an error may also be a false positive: set x.cost_fp"},
		{Given{Task: Regression, Has: SetOf(Label)}, Prediction, "regression needs a prediction column: set x.prediction"},
		{Given{Task: Regression, Has: SetOf(Label, Prediction), Scores: true}, Score, "a regression has no scores: leave x.score out, and set x.prediction"},
		{Given{Task: Ranking, Has: SetOf(Label, Score, Prediction)}, Prediction, "a ranking has no predictions: leave x.prediction out"},
		{Given{Task: Preference, Has: SetOf(Label, A)}, A, "no columns of the two systems: set x.a and x.b"},
		{Given{Task: Preference, Has: SetOf(Label, A, B), Scores: true}, Score, "a preference has neither scores nor predictions: leave x.score and x.prediction out"},
		{Given{Task: Grading, Has: SetOf(Grade, Label)}, Label, "a grade is the result itself, and only answers are compared with a label: leave x.label out, or set x.answer"},
		{Given{Task: Grading, Has: SetOf(Grade, Answer)}, Answer, "answers are compared with a label, and there is none: set x.label"},
		{Given{Task: Grading, Has: SetOf(Grade, Answer, Label)}, 0, ""},
		{Given{Task: Grading, Has: SetOf(Grade, Prediction)}, Score, "grades are there already: leave x.score and x.prediction out"},
		{Given{Task: Regression, Has: SetOf(Label, Prediction, Grade)}, Grade, "x.grade: only for task grade or agreement, the task is regression"},
		{Given{Task: Agreement, Has: SetOf(Rater)}, Raters, "no ratings: set x.raters, or x.rater and x.grade"},
		{Given{Task: Agreement, Has: SetOf(Raters, Grade)}, Raters, "ratings have a column of each rater, or a row each: set x.raters, or x.rater and x.grade"},
		{Given{Task: Agreement, Has: SetOf(Raters, Label)}, Label, "raters are compared with each other: leave x.label, x.score and x.prediction out, or make them one of x.raters"},
		{Given{Task: Agreement, Has: SetOf(Rater, Grade, Weight)}, 0, ""},
		{Given{Task: Multilabel, Has: SetOf(Label, Prediction, ScoreLabel)}, ScoreLabel, "x.score_label says which labels the scores are of, and there are none: set x.score"},
		{Given{Task: Binary, Has: SetOf(Label, Score, ScoreLabel)}, ScoreLabel, "scores by label are for tasks multiclass and multilabel, the task is binary: leave x.score_label out"},
		{Given{Task: Multiclass, Has: SetOf(Label, Score), Sparse: true}, ScoreLabel, "scores are sparse, and nothing says which labels they are of: set x.score_label"},
		{Given{Task: Multilabel, Has: SetOf(Label, Score), Sparse: true, Rows: true}, 0, ""},
		{Given{Task: Binary, Has: SetOf(Label, Prediction, BaselineScore)}, BaselineScore, "scores of a baseline are compared with scores, and there are none: set x.score, or x.baseline_prediction instead of x.baseline_score"},
		{Given{Task: Multiclass, Has: SetOf(Label, Score, ScoreLabel, BaselineScore), Sparse: true}, BaselineScore, "a baseline has a score for every label, and scores are sparse: leave x.baseline_score out, and set x.baseline_prediction"},
	} {
		r, err := c.given.Check(set)
		require.Equal(t, c.at, r, c.want)
		if c.want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, c.want)
		}
	}
}

// TestLacks: what a task cannot be without.
func TestLacks(t *testing.T) {
	require.Equal(t, SetOf(Label), Given{Task: Binary, Has: SetOf(Score)}.Lacks())
	require.Equal(t, SetOf(Grade), Given{Task: Grading, Has: SetOf(Example)}.Lacks())
	require.Empty(t, Given{Task: Grading, Has: SetOf(Grade)}.Lacks())
}

// TestSet: a set yields its roles in order.
func TestSet(t *testing.T) {
	s := SetOf(Weight, Example, B)
	require.Equal(t, []Role{Example, Weight, B}, slices.Collect(s.All()))
	require.Equal(t, Example, s.First())
	require.True(t, s.Has(Weight, B))
	require.False(t, s.Has(Weight, A))
	require.True(t, s.HasAny(A, B))
	require.False(t, s.HasAny(A, Item))
	require.Empty(t, slices.Collect(Set(0).All()))
	require.Equal(t, SetOf(BaselinePrediction), SetOf(BaselineScore, Prediction).Batch())
	require.Equal(t, SetOf(BaselinePrediction, BaselineScore), SetOf(BaselineScore, Score).Batch())
	require.Equal(t, SetOf(CostFP, CostFN), SetOf(CostFP, Weight).Batch())
}

const inputs = "../../docs/inputs.md"

// TestDocs: the tables of roles in docs/inputs.md are made from this package.
func TestDocs(t *testing.T) {
	page := string(must(t, inputs))
	for name, table := range map[string]string{"names": tableOfNames(), "roles": tableOfRoles()} {
		begin, end := "<!-- "+name+": made from the table of roles -->\n", "<!-- end -->\n"
		before, rest, found := strings.Cut(page, begin)
		require.True(t, found, "%s lacks %s", inputs, begin)
		_, after, found := strings.Cut(rest, end)
		require.True(t, found)
		page = before + begin + table + end + after
	}
	golden(t, inputs, page)
}

// tableOfNames lists the usual names of columns.
func tableOfNames() string {
	lines := "| role | names | if the task needs it |\n|---|---|---|\n"
	code := func(names []string) string {
		if names == nil {
			return ""
		}
		return "`" + strings.Join(names, " ") + "`"
	}
	for r := range All() {
		if r.UsualNames(OfInput) == nil {
			continue
		}
		more, also := "", code(r.Of().Also)
		if r == Score {
			more = "; else [one column per label](#one-column-per-label)"
		}
		if of := r.InFiles(OfTruth).Also; of != nil {
			also += "; in the truth " + code(of)
		}
		lines += fmt.Sprintf("| %s | %s%s | %s |\n", r, code(r.Of().Names), more, also)
	}
	return lines
}

// tableOfRoles says what the column of each role must be.
func tableOfRoles() string {
	lines := "| role | tasks | in a row | values | also in |\n|---|---|---|---|---|\n"
	for r := range All() {
		about := r.Of()
		tasks := "all"
		if about.Tasks != 0 {
			tasks = strings.ReplaceAll(about.Tasks.or(), " or ", ", ")
		}
		shape := [...]string{Value: "one value", List: "a list", PerLabel: "one for each label or item", OfTask: "one, or a list"}[about.Shape]
		if about.Input.Wide {
			shape += ", or several columns"
		}
		values := [...]string{Number: "numbers", Text: "text or whole numbers", ID: "any", Target: "as the task's labels", Flag: "numbers or booleans"}[about.Type]
		var also []string
		if about.Truth.Key != "" {
			also = append(also, "truth")
		}
		if about.Baseline.Key != "" {
			also = append(also, "baseline, as `"+about.Baseline.Key+"`")
		}
		if about.Training.Key != "" {
			also = append(also, "training data")
		}
		lines += fmt.Sprintf("| `%s` | %s | %s | %s | %s |\n", r, tasks, shape, values, strings.Join(also, "; "))
	}
	return lines
}

func must(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return text
}

// golden compares a file that is made from the table.
func golden(t *testing.T, file, want string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
	}
	require.Equal(t, want, string(must(t, file)), "go test ./internal/roles -update writes %s anew", file)
}
