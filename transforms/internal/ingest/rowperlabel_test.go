package ingest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

// byClassRow is one row of an example of the naive layout.
type byClassRow struct {
	label        int
	truth, guess int64
	score        float64
}

// rowsOfClasses draws examples of a row for each label, in any order.
func rowsOfClasses(r *rand.Rand, n, labels int) [][]byClassRow {
	list := make([][]byClassRow, n)
	for i := range list {
		for _, label := range r.Perm(labels) {
			list[i] = append(list[i], byClassRow{label, int64(r.IntN(2)), int64(r.IntN(2)), r.NormFloat64()})
		}
	}
	return list
}

// byClassInput makes lists of rows as they come, with names as a new table has
// them or with numbers.
func byClassInput(list [][]byClassRow, vocab *input.Vocabulary) Input {
	class, truth, guess, score := words(), ints(), ints(), floats()
	if vocab.Names == nil {
		class = ints()
	}
	var lengths []int
	for _, rows := range list {
		for _, row := range rows {
			if vocab.Names == nil {
				class.Ints = append(class.Ints, int64(row.label))
			} else {
				class.Codes = append(class.Codes, class.Dict.CodeOf(vocab.Names[row.label]))
			}
			truth.Ints, guess.Ints = append(truth.Ints, row.truth), append(guess.Ints, row.guess)
			score.Floats = append(score.Floats, row.score)
		}
		lengths = append(lengths, len(rows))
	}
	for _, c := range []*columns.Column{class, truth, guess, score} {
		listsOf(c, lengths...)
	}
	return Input{
		Rows: len(list), LabelClass: class, PredictionClass: class, Of: Columns{roles.Label: truth, roles.Score: score, roles.Prediction: guess, roles.ScoreLabel: class},
	}
}

// listInput is byClassInput in the layout with indicators and scores by label.
func listInput(list [][]byClassRow, labels int) Input {
	truth, guess, score := ints(), ints(), floats()
	var lengths []int
	for _, rows := range list {
		rows = slices.Clone(rows)
		slices.SortFunc(rows, func(a, b byClassRow) int { return a.label - b.label })
		for _, row := range rows {
			truth.Ints, guess.Ints = append(truth.Ints, row.truth), append(guess.Ints, row.guess)
			score.Floats = append(score.Floats, row.score)
		}
		lengths = append(lengths, labels)
	}
	return Input{Rows: len(list), Of: Columns{roles.Label: listsOf(truth, lengths...), roles.Score: listsOf(score, lengths...), roles.Prediction: listsOf(guess, lengths...)}}
}

// TestByClass: rows of labels in any order, in batches with a table of strings
// each, are what lists in the order of the labels are.
func TestByClass(t *testing.T) {
	for _, vocab := range []*input.Vocabulary{named("e", "b", "d", "a", "c"), numbered(5)} {
		for _, predicted := range []bool{false, true} {
			for _, elsewhere := range []bool{false, true} {
				r := rand.New(rand.NewPCG(1, 2))
				spec := input.Spec{
					Columns: columnNames, Encoding: input.Indicator,
					Params: metrics.Params{Task: metrics.Multilabel, Labels: 5, Scores: true, Decisions: true, ScoreType: metrics.Logit},
				}
				long := spec
				long.Encoding = ""
				if elsewhere {
					long.Truth = &input.Truth{Columns: input.Columns{Class: "tc", Label: "ty"}}
				}
				reused, reference := NewConverter(&long, vocab, new(Findings)), NewConverter(&spec, vocab, new(Findings))
				for range 60 {
					rows := rowsOfClasses(r, r.IntN(8), 5)
					in, want := byClassInput(rows, vocab), listInput(rows, 5)
					if elsewhere { // in an order of its own
						for i := range rows {
							r.Shuffle(len(rows[i]), func(a, b int) { rows[i][a], rows[i][b] = rows[i][b], rows[i][a] })
						}
						truth := byClassInput(rows, vocab)
						in.Of[roles.Label], in.LabelClass = truth.Of[roles.Label], truth.LabelClass
					}
					if !predicted {
						in.Of[roles.Prediction], in.PredictionClass, want.Of[roles.Prediction] = nil, nil, nil
					}
					require.NoError(t, reused.Check(&in))
					got, good, bad := reused.Convert(&in)
					require.Empty(t, bad)
					require.Len(t, good, len(rows))
					batch, _, bad := reference.Convert(&want)
					require.Empty(t, bad)
					require.Equal(t, setsOf(&batch.True), setsOf(&got.True))
					require.Equal(t, setsOf(&batch.PredictedSet), setsOf(&got.PredictedSet))
					require.Equal(t, batch.Score, got.Score)
					require.Equal(t, batch.Logit, got.Logit)
					require.Equal(t, batch.Probability, got.Probability)
					require.Equal(t, batch.Truth, got.Truth)
				}
			}
		}
	}
}

// TestSparseByClass: labels without a row have no score and are not true.
func TestSparseByClass(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	vocab := named("e", "b", "d", "a", "c")
	spec := input.Spec{Columns: columnNames, Params: metrics.Params{Task: metrics.Multilabel, Labels: 5, Scores: true, Sparse: true, ScoreType: metrics.RawScore}}
	c := NewConverter(&spec, vocab, new(Findings))
	for range 100 {
		rows := rowsOfClasses(r, r.IntN(8), 5)
		for i := range rows {
			rows[i] = rows[i][:r.IntN(6)]
		}
		in := byClassInput(rows, vocab)
		in.Of[roles.Prediction], in.PredictionClass = nil, nil
		b, _, bad := c.Convert(&in)
		require.Empty(t, bad)
		for i := range rows {
			slices.SortFunc(rows[i], func(a, b byClassRow) int { return a.label - b.label })
			scores, labels := b.Scored(int32(i))
			var trueOnes []int32
			for k, row := range rows[i] {
				require.Equal(t, row.score, scores[k])
				require.EqualValues(t, row.label, labels[k])
				if row.truth == 1 {
					trueOnes = append(trueOnes, int32(row.label))
				}
			}
			require.Len(t, scores, len(rows[i]))
			require.Equal(t, trueOnes, append([]int32(nil), b.True.Row(int32(i))...))
		}
	}
}

// TestBadClasses has what can be wrong with rows of labels; which row of an example
// comes first does not change why that is bad.
func TestBadClasses(t *testing.T) {
	vocab := named("a", "b", "c")
	spec := input.Spec{Columns: columnNames, Params: metrics.Params{Task: metrics.Multilabel, Scores: true, Decisions: true, ScoreType: metrics.Logit}}
	for _, c := range []struct {
		class []string
		truth []float64
		null  int // place of a null in the truth; -1: none
		want  string
	}{
		{[]string{"a", "b"}, []float64{0, 1}, -1, "wrong number of values: c: 2 labels"},
		{[]string{"a", "b", "x"}, []float64{0, 1, 1}, -1, `unknown label name: c: "x" (element 2)`},
		{[]string{"a", "b", "a"}, []float64{0, 1, 1}, -1, `duplicate label: c: "a" (element 2)`},
		{[]string{"a", "b", "c", "a"}, []float64{0, 1, 1, 1}, -1, `duplicate label: c: "a" (element 3)`},
		{[]string{"a", "b", "c"}, []float64{0, .5, 1}, -1, "indicator not 0 or 1: y: 0.5 (element 1)"},
		{[]string{"a", "b", "c"}, []float64{0, nan, 1}, -1, "indicator not 0 or 1: y: NaN (element 1)"},
		{[]string{"a", "b", "c"}, []float64{0, 1, 1}, 2, "null label: y: null (element 2)"},
	} {
		n := len(c.class)
		truth := floats(c.truth...)
		if c.null >= 0 {
			null(truth, c.null)
		}
		class := listsOf(words(c.class...), n)
		got := convert(t, spec, vocab, Input{
			Rows: 1, LabelClass: class, Of: Columns{roles.Label: listsOf(truth, n), roles.ScoreLabel: class, roles.Score: listsOf(floats(make([]float64, n)...), n)},
		})
		require.Len(t, got.bad, 1)
		b := &got.bad[0]
		require.Equal(t, c.want, fmt.Sprint(b.Reason, ": ", b.Column, ": ", b.DescribeValue()))
	}
}

// TestMissingTruthOfClasses: truth elsewhere says of every label whether it is true,
// unless scores are sparse.
func TestMissingTruthOfClasses(t *testing.T) {
	vocab := named("a", "b")
	for _, sparse := range []bool{false, true} {
		spec := input.Spec{Truth: &input.Truth{Columns: input.Columns{Class: "tc", Label: "ty"}}, Params: metrics.Params{Task: metrics.Multilabel, Scores: true, Sparse: sparse, ScoreType: metrics.RawScore}}
		class := listsOf(words("b", "a"), 2)
		got := convert(t, spec, vocab, Input{
			Rows: 1, LabelClass: listsOf(words("b"), 1), Of: Columns{roles.Label: listsOf(ints(1), 1), roles.ScoreLabel: class, roles.Score: listsOf(floats(1, 2), 2)},
		})
		if sparse {
			require.Empty(t, got.bad)
			require.Equal(t, []int32{1}, got.batch.True.Row(0))
			continue
		}
		require.Equal(t, []Bad{{Row: 0, Element: -1, Side: input.OfTruth, Column: "tc", Value: "1 labels of 2", Reason: NoTruth, labels: 2}}, got.bad)
	}
}
