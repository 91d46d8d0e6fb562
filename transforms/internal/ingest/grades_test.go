package ingest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

// grading is a task of grades.
func grading(o metrics.GradeOptions, names ...string) input.Spec {
	return input.Spec{Params: metrics.Params{Task: metrics.Grading, Grades: o, Metrics: names}}
}

func reasonsOf(bad []Bad) (why []string) {
	for _, b := range bad {
		why = append(why, b.Reason.String())
	}
	return why
}

// TestGrades: attempts in a list, or one in a row; booleans and numbers.
func TestGrades(t *testing.T) {
	got := convert(t, grading(metrics.GradeOptions{}), numbered(1), Input{Rows: 5, Of: Columns{roles.Grade: listsOf(null(floats(3, 1, 2, 0, 4, nan, 7), 3), 3, 2, 1, 0, 1)}})
	require.Equal(t, []int32{0, 4}, got.rows)
	require.Equal(t, []float64{1, 2, 3}, got.batch.Grade[:3], "sorted")
	require.Equal(t, []float64{7}, got.batch.Grade[got.batch.GradeOffset[4]:got.batch.GradeOffset[5]])
	require.Equal(t, []string{"null grade", "not a finite number", "null grade"}, reasonsOf(got.bad))

	b := good(t, grading(metrics.GradeOptions{Booleans: true}), numbered(1), Input{Rows: 3, Of: Columns{roles.Grade: bools(true, false, true)}})
	require.Equal(t, []float64{1, 0, 1}, b.Grade)
	require.Equal(t, []int32{0, 1, 2, 3}, b.GradeOffset)

	few := convert(t, grading(metrics.GradeOptions{Booleans: true, FailFew: true}, "pass@2"), numbered(1), Input{Rows: 2, Of: Columns{roles.Grade: listsOf(bools(true, false, true), 2, 1)}})
	require.Equal(t, []int32{0}, few.rows)
	require.Equal(t, []string{"too few attempts"}, reasonsOf(few.bad))
	require.Equal(t, "1 of 2", few.bad[0].Value)
}

// TestFurtherGrades: each is sorted by itself, and its columns must be there.
func TestFurtherGrades(t *testing.T) {
	spec := grading(metrics.GradeOptions{})
	spec.Params.FurtherGrades, spec.Params.Has = []metrics.FurtherGrade{{Name: "cost"}, {Name: "tokens"}}, metrics.HasFurtherGrades
	b := good(t, spec, numbered(1), Input{Rows: 2, Of: Columns{roles.Grade: listsOf(floats(2, 1, 0), 2, 1), roles.FurtherGrades: listsOf(floats(9, 1, 3, 2, 0.5, 7), 4, 2)}})
	require.Equal(t, []float64{1, 2, 0}, b.Grade)
	require.Equal(t, [][]float64{{3, 9, 0.5}, {1, 2, 7}}, b.FurtherGrade)

	c := NewConverter(&spec, numbered(1), new(Findings))
	require.EqualError(t, c.Check(&Input{Rows: 1, Of: Columns{roles.Grade: ints(1)}}), "no column of further grades")
}

// TestUnusableGrades: texts are no grades, and there is no task without any.
func TestUnusableGrades(t *testing.T) {
	spec := grading(metrics.GradeOptions{})
	spec.Columns.Grade = "g"
	c := NewConverter(&spec, numbered(1), new(Findings))
	require.EqualError(t, c.Check(&Input{Rows: 1, Of: Columns{roles.Grade: words("good")}}), `column "g" is string: the grade of task grade must be of numbers`)
	require.EqualError(t, c.Check(&Input{Rows: 1}), "no column of grades")
	require.EqualError(t, c.Check(&Input{Rows: 1, Of: Columns{roles.Grade: ints(1), roles.Label: ints(1)}}), "a grade is the result itself, and only answers are compared with a label: leave Columns.Label out, or set Columns.Answer")
}

// TestMajorities: the most frequent answer of all attempts; equally frequent ones share; nulls and empty texts are none.
func TestMajorities(t *testing.T) {
	spec := grading(metrics.GradeOptions{})
	spec.Params.Has = metrics.HasAnswers
	grades := func(lengths ...int) Columns {
		n := 0
		for _, length := range lengths {
			n += length
		}
		return Columns{roles.Grade: listsOf(floats(make([]float64, n)...), lengths...)}
	}
	lengths := []int{3, 2, 2, 3, 1}
	of := grades(lengths...)
	of[roles.Answer] = listsOf(null(words("4", "4", "5", "4", "5", "", "", "7", "", "7", "5"), 8), lengths...)
	of[roles.Label] = listsOf(ints(4, 4, 4, 4, 4, 4, 4, 7, 7, 7, 4), lengths...)
	got := convert(t, spec, numbered(1), Input{Rows: 5, Of: of})
	require.Empty(t, got.bad)
	require.Equal(t, []float64{1, 0.5, 0, 1, 0}, got.batch.Majority)

	one := grades(2)
	one[roles.Answer], one[roles.Label] = listsOf(floats(1, 1), 2), listsOf(words("1", "2"), 2)
	require.Equal(t, []string{"several labels"}, reasonsOf(convert(t, spec, numbered(1), Input{Rows: 1, Of: one}).bad))
	one[roles.Label] = listsOf(words("1.0", "1.0"), 2)
	require.Equal(t, []float64{1}, good(t, spec, numbered(1), Input{Rows: 1, Of: one}).Majority, "numbers by value")
	one[roles.Label] = listsOf(null(words("1", "1"), 1), 2)
	require.Equal(t, []string{"null label"}, reasonsOf(convert(t, spec, numbered(1), Input{Rows: 1, Of: one}).bad))
}
