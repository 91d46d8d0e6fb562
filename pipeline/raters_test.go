package pipeline

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// ratedAnswer is an example of task agreement, with a column for each rater.
type ratedAnswer struct {
	ID    string   `parquet:"id"`
	Suite string   `parquet:"suite"`
	Ann   *float64 `parquet:"ann"`
	Bob   *float64 `parquet:"bob"`
	Judge *float64 `parquet:"judge"`
}

// givenRating is a rating.
type givenRating struct {
	ID    string  `parquet:"id"`
	Suite string  `parquet:"suite"`
	Who   string  `parquet:"who"`
	Stars float64 `parquet:"stars"`
}

// ratedAnswers returns answers with ratings from 1 to 5, some of which are missing, and the same ratings in rows. The judge is lenient.
func ratedAnswers(n int) (wide []ratedAnswer, rows []givenRating) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range n {
		a := ratedAnswer{ID: fmt.Sprint("a", i), Suite: []string{"code", "math"}[i%2]}
		truth := 1 + r.IntN(4)
		for rater, to := range []**float64{&a.Ann, &a.Bob, &a.Judge} {
			if r.IntN(6) == 0 {
				continue
			}
			x := float64(truth)
			if r.IntN(3) == 0 || rater == 2 {
				x = float64(1 + r.IntN(5))
			}
			*to = &x
			rows = append(rows, givenRating{a.ID, a.Suite, []string{"ann", "bob", "judge"}[rater], x})
		}
		if a.Ann != nil || a.Bob != nil || a.Judge != nil {
			wide = append(wide, a)
		}
	}
	return wide, rows
}

// TestRaters: a report depends neither on the order of rows nor on whether raters have columns or ratings have rows.
func TestRaters(t *testing.T) {
	t.Parallel()
	const rest = "slices: [[suite]]\nconfidence: {}\nworst_examples: {count: 3}\n"
	wide, rows := ratedAnswers(400)
	ofColumns, ofRows := spreadOf(t, wide), spreadOf(t, rows)
	columnsYAML := "input: {columns: {example: id, raters: [ann, bob, judge]}}\n" + rest
	whole := evaluate(t, parse(t, columnsYAML, ofColumns.whole))
	requireSame(t, contents(t, whole), contents(t, evaluate(t, parse(t, columnsYAML, ofColumns.parts))))
	rowsYAML := "input: {columns: {example: id, rater: who, grade: stars}}\n" + rest
	one := evaluate(t, parse(t, rowsYAML, ofRows.whole))
	requireSame(t, contents(t, one), contents(t, evaluate(t, parse(t, rowsYAML, ofRows.parts))))

	r, other := readReport(t, whole), readReport(t, one)
	require.Equal(t, "agreement", r.Task)
	require.Equal(t, []string{"ann", "bob", "judge"}, r.Labels)
	require.Equal(t, r.Labels, other.Labels)
	require.Equal(t, r.RaterPairs, other.RaterPairs)
	require.Len(t, r.Metrics, len(other.Metrics))
	for i := range r.Metrics {
		require.Equal(t, fmt.Sprint(r.Metrics[i].Value), fmt.Sprint(other.Metrics[i].Value), r.Metrics[i].Name)
		require.Equal(t, r.Metrics[i].Confidence.HasInterval(), other.Metrics[i].Confidence.HasInterval(), r.Metrics[i].Name)
	}
	require.Equal(t, float64(len(rows)), overallRow(t, r, "ratings").Value)
	require.True(t, overallRow(t, r, "alpha_ordinal").Confidence.HasInterval())
	require.Len(t, r.RaterPairs, 3)
	people, judged := r.RaterPairs[0], r.RaterPairs[2]
	require.Equal(t, [2]string{"ann", "bob"}, [2]string{people.A, people.B})
	require.Less(t, judged.High, people.Low, "the judge agrees less with Bob than Ann does: %+v", r.RaterPairs)
	require.Contains(t, contents(t, whole)["worst_examples.csv"], "disagreement")
}

// TestRatersOfTexts: texts have the metrics that need no numbers, and the same values as numbers in their place.
func TestRatersOfTexts(t *testing.T) {
	t.Parallel()
	type row struct {
		ID string `parquet:"id"`
		A  string `parquet:"a"`
		B  string `parquet:"b"`
	}
	type numbers struct {
		ID string `parquet:"id"`
		A  int64  `parquet:"a"`
		B  int64  `parquet:"b"`
	}
	r := rand.New(rand.NewPCG(1, 1))
	var texts []row
	var coded []numbers
	words := []string{"bad", "fair", "good"}
	for i := range 100 {
		a := r.IntN(3)
		b := max(a-r.IntN(2), 0)
		texts, coded = append(texts, row{fmt.Sprint(i), words[a], words[b]}), append(coded, numbers{fmt.Sprint(i), int64(a), int64(b)})
	}
	yaml := "task: agreement\ninput: {columns: {raters: {Ann: a, Bob: b}}}\n"
	of, with := readReport(t, evaluate(t, parse(t, yaml, spreadOf(t, texts).whole))), readReport(t, evaluate(t, parse(t, yaml, spreadOf(t, coded).whole)))
	require.Equal(t, []string{"Ann", "Bob"}, of.Labels)
	for _, name := range []string{"alpha_nominal", "fleiss_kappa", "gwet_ac1", "light_kappa", "full_agreement"} {
		require.InDelta(t, overallRow(t, with, name).Value, overallRow(t, of, name).Value, 1e-15, name)
	}
	for _, m := range of.Metrics {
		require.NotContains(t, []string{"alpha_ordinal", "alpha_interval", "alpha_ratio", "gwet_ac2", "difference_to_others"}, m.Name)
	}
}

// TestUnusableRaters: messages name the columns and what to set.
func TestUnusableRaters(t *testing.T) {
	t.Parallel()
	_, rows := ratedAnswers(20)
	files := spreadOf(t, rows).whole
	for columns, why := range map[string]string{
		"{raters: stars}":                         `column "stars": expected a column of each rater`,
		"{raters: [stars, suite]}":                `column "suite" is string, but column "stars" is`,
		"{rater: who, grade: stars, example: no}": `no column "no"`,
		"{rater: who}":                            "no ratings: set input.columns.raters",
		"{raters: [suite, who], label: stars}":    "raters are compared with each other",
	} {
		_, err := Make(t.Context(), parse(t, "task: agreement\ninput: {columns: "+columns+"}\noutput: {dir: out}\n", files))
		require.ErrorContains(t, err, why, columns)
	}
}
