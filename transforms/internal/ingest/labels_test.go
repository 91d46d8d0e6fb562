package ingest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

// TestPositiveLabel reads the same labels in every type, with and without a
// positive_label.
func TestPositiveLabel(t *testing.T) {
	for name, c := range map[string]struct {
		positive string
		column   *columns.Column
	}{
		"bools":              {"", bools(true, false, true)},
		"ints":               {"", ints(1, 0, 1)},
		"floats":             {"", floats(1, 0, 1)},
		"text":               {"", words("1", "0", "1")},
		"the word":           {"spam", words("spam", "ham", "spam")},
		"the first word":     {"ham", words("ham", "spam", "ham")},
		"a word and others":  {"spam", words("spam", "eggs", "spam")},
		"a bool":             {"false", bools(false, true, false)},
		"an int":             {"-1", ints(-1, 1, -1)},
		"an int and others":  {"3", ints(3, 300, 3)},
		"a float":            {"0.5", floats(.5, .25, .5)},
		"a whole float":      {"2", floats(2, 1, 2)},
		"1 among ints":       {"1", ints(1, 7, 1)},
		"1 in text":          {"1", words("1", "01", "1")},
		"the text of a bool": {"true", words("true", "True", "true")},
	} {
		t.Run(name, func(t *testing.T) {
			spec, vocab := decided(metrics.Binary), input.BinaryLabels(c.positive)
			spec.PositiveLabel = c.positive
			b := good(t, spec, &vocab, Input{Rows: 3, Of: Columns{roles.Label: c.column, roles.Prediction: c.column}})
			require.Equal(t, []int32{1, 0, 1}, b.Class)
			require.Equal(t, []int32{1, 0, 1}, b.Predicted)
			require.Equal(t, []bool{true, false, true}, b.Truth)
		})
	}
}

// TestClasses reads the same classes by index, by name, and as the numbers
// that were found in the data.
func TestClasses(t *testing.T) {
	signs := &input.Vocabulary{Names: []string{"-1", "0", "1"}, Numbers: true}
	for name, c := range map[string]struct {
		vocab  *input.Vocabulary
		column *columns.Column
	}{
		"indices":            {numbered(3), ints(0, 2, 1)},
		"float indices":      {numbered(3), floats(0, 2, 1)},
		"indices of names":   {named("x", "y", "z"), ints(0, 2, 1)},
		"names":              {named("x", "y", "z"), words("x", "z", "y")},
		"text of numbers":    {numbered(3), words("0", "2", "1")},
		"numbers found":      {signs, ints(-1, 1, 0)},
		"whole floats found": {signs, floats(-1, 1, 0)},
		"text found":         {signs, words("-1", "1", "0")},
		"nulls of no effect": {numbered(3), null(ints(0, 2, 1))},
	} {
		t.Run(name, func(t *testing.T) {
			spec := decided(metrics.Multiclass)
			b := good(t, spec, c.vocab, Input{Rows: 3, Of: Columns{roles.Label: c.column, roles.Prediction: c.column}})
			require.Equal(t, []int32{0, 2, 1}, b.Class)
			require.Equal(t, []int32{0, 2, 1}, b.Predicted)
		})
	}
}

func TestBoolClasses(t *testing.T) {
	spec := decided(metrics.Multiclass)
	in := Input{Rows: 2, Of: Columns{roles.Label: bools(false, true), roles.Prediction: bools(true, true)}}
	for _, vocab := range []*input.Vocabulary{numbered(2), {Names: []string{"0", "1"}, Numbers: true}} {
		b := good(t, spec, vocab, in)
		require.Equal(t, []int32{0, 1}, b.Class)
		require.Equal(t, []int32{1, 1}, b.Predicted)
	}
}

// TestLabelLists reads the same label sets in every encoding. Sets come out
// sorted, whatever the order of the lists.
func TestLabelLists(t *testing.T) {
	vocab := named("a", "b", "c")
	want := [][]int32{{0, 2}, {}, {1}, {0, 1, 2}}
	for name, c := range map[string]struct {
		encoding input.Encoding
		column   *columns.Column
	}{
		"indices":            {input.Indices, listsOf(ints(2, 0, 1, 1, 2, 0), 2, 0, 1, 3)},
		"float indices":      {input.Indices, listsOf(floats(0, 2, 1, 2, 1, 0), 2, 0, 1, 3)},
		"names":              {input.Names, listsOf(words("c", "a", "b", "c", "a", "b"), 2, 0, 1, 3)},
		"indicators":         {input.Indicator, listsOf(ints(1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1), 3, 3, 3, 3)},
		"bool indicators":    {input.Indicator, listsOf(bools(true, false, true, false, false, false, false, true, false, true, true, true), 3, 3, 3, 3)},
		"float indicators":   {input.Indicator, listsOf(floats(1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1), 3, 3, 3, 3)},
		"nulls of no effect": {input.Names, listsOf(null(words("c", "a", "b", "c", "a", "b")), 2, 0, 1, 3)},
	} {
		t.Run(name, func(t *testing.T) {
			spec := input.Spec{Params: decided(metrics.Multilabel).Params, Encoding: c.encoding}
			b := good(t, spec, vocab, Input{Rows: 4, Of: Columns{roles.Label: c.column, roles.Prediction: c.column}})
			require.Equal(t, want, setsOf(&b.True))
			require.Equal(t, want, setsOf(&b.PredictedSet))
		})
	}
}

// TestTruthOfScores checks the matrix of truths that goes with the scores.
func TestTruthOfScores(t *testing.T) {
	spec := scored(metrics.Multilabel)
	b := good(t, spec, numbered(3), Input{
		Rows: 2, Of: Columns{roles.Label: listsOf(ints(2, 0, 1), 2, 1),
			roles.Score: listsOf(floats(.1, .2, .3, .4, .5, .6), 3, 3)},
	})
	require.Equal(t, []bool{true, false, true, false, true, false}, b.Truth)
	require.Equal(t, []float64{.1, .2, .3, .4, .5, .6}, b.Probability)
}

// TestNamesOfNumbers reads numbers as names where the labels were found in the
// data, and as indices otherwise.
func TestNamesOfNumbers(t *testing.T) {
	in := Input{Rows: 1, Of: Columns{roles.Label: listsOf(ints(7, 1), 2), roles.Prediction: listsOf(ints(), 0)}}
	spec := decided(metrics.Multilabel)
	b := good(t, spec, &input.Vocabulary{Names: []string{"1", "5", "7"}, Numbers: true}, in)
	require.Equal(t, [][]int32{{0, 2}}, setsOf(&b.True))
	b = good(t, spec, numbered(8), in)
	require.Equal(t, [][]int32{{1, 7}}, setsOf(&b.True))
}

// TestDistributions reads distributions as they are, normalising nothing, and
// takes the most probable class for the true one.
func TestDistributions(t *testing.T) {
	for name, c := range map[string]struct {
		column *columns.Column
		want   []float64
		class  []int32
	}{
		"probabilities":  {listsOf(floats(.2, .5, .3, .1, .1, .8), 3, 3), []float64{.2, .5, .3, .1, .1, .8}, []int32{1, 2}},
		"ties":           {listsOf(floats(.4, .4, .2, 0, .5, .5), 3, 3), []float64{.4, .4, .2, 0, .5, .5}, []int32{0, 1}},
		"one class":      {listsOf(ints(0, 0, 1, 1, 0, 0), 3, 3), []float64{0, 0, 1, 1, 0, 0}, []int32{2, 0}},
		"truth values":   {listsOf(bools(false, true, false, true, false, false), 3, 3), []float64{0, 1, 0, 1, 0, 0}, []int32{1, 0}},
		"almost 1":       {listsOf(floats(.3335, .333, .3331, .3335, .3335, .3335), 3, 3), []float64{.3335, .333, .3331, .3335, .3335, .3335}, []int32{0, 0}},
		"no nulls there": {listsOf(null(floats(.2, .5, .3, .1, .1, .8)), 3, 3), []float64{.2, .5, .3, .1, .1, .8}, []int32{1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			spec := input.Spec{Params: decided(metrics.Multiclass).Params, Encoding: input.Distribution}
			b := good(t, spec, named("x", "y", "z"), Input{Rows: 2, Of: Columns{roles.Label: c.column, roles.Prediction: words("z", "x")}})
			require.Equal(t, c.want, b.Distribution)
			require.Equal(t, c.class, b.Class)
			require.Equal(t, []int32{2, 0}, b.Predicted)
		})
	}
}

// TestDistributionsOf32Bits: however the classes divide it, what was rounded to 32
// bits still adds up to 1.
func TestDistributionsOf32Bits(t *testing.T) {
	for _, n := range []int{1, 3, 7, 1000, 100_000} {
		col := floats(make([]float64, n)...)
		for i := range col.Floats {
			col.Floats[i] = float64(float32(1 / float64(n)))
		}
		spec := input.Spec{Params: decided(metrics.Multiclass).Params, Encoding: input.Distribution}
		good(t, spec, numbered(n), Input{Rows: 1, Of: Columns{roles.Label: listsOf(col, n), roles.Prediction: ints(0)}})
	}
}

// TestHardLabelsHaveNoDistribution: they need none.
func TestHardLabelsHaveNoDistribution(t *testing.T) {
	spec := decided(metrics.Multiclass)
	require.Nil(t, good(t, spec, numbered(3), Input{Rows: 1, Of: Columns{roles.Label: ints(2), roles.Prediction: ints(0)}}).Distribution)
}
