package ingest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
)

// TestPositiveLabel reads the same labels in every type, with and without a
// positive_label. What the vocabulary calls the labels makes no difference.
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
			for _, vocab := range []*Vocabulary{numbered(2), named("ham", "spam"), named("not "+c.positive, c.positive)} {
				spec := Spec{Params: metrics.Params{Task: metrics.Binary, Decisions: true}, PositiveLabel: c.positive}
				b := good(t, spec, vocab, Input{Rows: 3, Label: c.column, Prediction: c.column})
				require.Equal(t, []int32{1, 0, 1}, b.Class)
				require.Equal(t, []int32{1, 0, 1}, b.Predicted)
				require.Equal(t, []bool{true, false, true}, b.Truth)
			}
		})
	}
}
