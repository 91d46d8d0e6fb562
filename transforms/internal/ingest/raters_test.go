package ingest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

func rating(o metrics.RaterOptions) input.Spec {
	return input.Spec{Params: metrics.Params{Task: metrics.Agreement, Raters: o}}
}

// TestRatings: columns of raters and rows of ratings, in any order, make the same batch. Nulls, NaN and empty texts are no
// ratings.
func TestRatings(t *testing.T) {
	raters := named("ann", "bob", "carl")
	columns := good(t, rating(metrics.RaterOptions{}), raters, Input{Rows: 3, Of: Columns{roles.Raters: listsOf(null(floats(1, 0, 3, nan, 5, 6, nan, nan, 9), 1), 3, 3, 3)}})
	require.Equal(t, []float64{1, 3, 5, 6, 9}, columns.Rating)
	require.Equal(t, []int32{0, 2, 1, 2, 2}, columns.Rater)
	require.Equal(t, []int32{0, 2, 4, 5}, columns.RatingOffset)
	rows := good(t, rating(metrics.RaterOptions{}), raters, Input{Rows: 3, Of: Columns{
		roles.Grade: listsOf(null(floats(3, 1, 0, 6, 5, 9), 2), 3, 2, 1), roles.Rater: listsOf(words("carl", "ann", "bob", "carl", "bob", "carl"), 3, 2, 1),
	}})
	require.Equal(t, columns.Rating, rows.Rating)
	require.Equal(t, columns.Rater, rows.Rater)
	require.Equal(t, columns.RatingOffset, rows.RatingOffset)

	texts := good(t, rating(metrics.RaterOptions{Names: true}), raters, Input{Rows: 2, Of: Columns{roles.Raters: listsOf(words("good", "bad", "", "good", "good", "fair"), 3, 3)}})
	require.Equal(t, []int32{0, 1, 0, 1, 2}, texts.Rater)
	require.Equal(t, texts.Rating[0], texts.Rating[2])
	require.Equal(t, texts.Rating[2], texts.Rating[3])
	require.NotEqual(t, texts.Rating[0], texts.Rating[1])
	require.NotEqual(t, texts.Rating[0], texts.Rating[4])
}

// TestUnusableRatings: a text is never equal to a number, so that a column has either.
func TestUnusableRatings(t *testing.T) {
	check := func(o metrics.RaterOptions, of Columns) error {
		spec := rating(o)
		spec.Columns = columnNames
		return NewConverter(&spec, named("ann", "bob"), new(Findings)).Check(&Input{Rows: 1, Of: of})
	}
	require.EqualError(t, check(metrics.RaterOptions{}, Columns{roles.Raters: listsOf(words("x", "y"), 2)}), `column "rs" is list<string>: the raters of task agreement must be of numbers`)
	require.EqualError(t, check(metrics.RaterOptions{Names: true}, Columns{roles.Raters: listsOf(ints(1, 2), 2)}), `column "rs" is list<int>: the raters of task agreement must be of texts or booleans`)
	require.NoError(t, check(metrics.RaterOptions{Names: true}, Columns{roles.Raters: listsOf(null(ints(0, 0), 0, 1), 2)}))
	require.EqualError(t, check(metrics.RaterOptions{}, Columns{roles.Rater: words("x")}), "no ratings: set Columns.Raters, or Columns.Rater and Columns.Grade")
}
