package synthetic

import (
	"fmt"

	"github.com/parquet-go/parquet-go"
)

const (
	values     = 5    // that a rating can have, from 1
	unrated    = 0.15 // the share of ratings that are missing
	mostRaters = 100  // each is compared with all others
)

// ratings is the model of task agreement: examples have one of five values, all equally frequent, and a rater gives it
// to an example or guesses. The first guesses one example in ten, the last six. So Cohen's κ of two raters is
// the share of the examples for which neither guesses.
type ratings struct {
	raters                        int
	value, guesses, guess, absent stream
}

func (s *Spec) ratings() *ratings {
	draws := func(purpose string) stream { return newStream(s.Seed, purpose) }
	return &ratings{raters: s.Labels, value: draws("value"), guesses: draws("guesses"), guess: draws("guess"), absent: draws("absent")}
}

// guessing returns the share of examples for which a rater guesses.
func (m *ratings) guessing(rater int) float64 {
	return 0.1 + float64(0.5*float64(rater)/float64(m.raters-1))
}

// rating returns what a rater gives to the example of a row, if there is a rating.
func (m *ratings) rating(row int64, rater int) (value int32, rated bool) {
	draw, from := row*int64(m.raters)+int64(rater), m.value.uniform(row)
	if m.guesses.uniform(draw) < m.guessing(rater) {
		from = m.guess.uniform(draw)
	}
	return 1 + int32(values*from), m.absent.uniform(draw) >= unrated
}

// columns returns a column of each rater.
func (m *ratings) columns() (all []column) {
	node := parquet.Optional(dictionary(parquet.Leaf(parquet.Int32Type)))
	for rater, name := range numbered("rater", m.raters) {
		all = append(all, perRow(name.String(), node, func(b *batch, i int) parquet.Value {
			if value, rated := m.rating(b.rows[i], rater); rated {
				return parquet.Int32Value(value).Level(0, 1, 0)
			}
			return parquet.NullValue().Level(0, 0, 0)
		}))
	}
	return all
}

// config returns the part of ConfigFile that names the raters.
func (m *ratings) config() string {
	text := "input:\n  columns:\n    raters:\n"
	for _, name := range numbered("rater", m.raters) {
		text += fmt.Sprintf("      - %s\n", name)
	}
	return text
}
