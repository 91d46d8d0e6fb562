package transforms

import (
	"fmt"
	"iter"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
)

// MaxRows is how many metric rows a report may have, about: of one slice, and of all
// where the spec does not say how many slices it may have.
const MaxRows = 20_000_000

// maxSlices is how many slices a report may have besides the overall one.
func (s *Spec) maxSlices() int {
	if s.MaxSlices > 0 {
		return s.MaxSlices
	}
	return min(max(MaxRows/max(s.Rows(), 1), 1), 100_000)
}

// Rows returns how many metric rows a slice has, about.
func (s *Spec) Rows() int { return s.Params.Rows(s.PerLabel.count(s.Params.Labels)) }

// count returns how many of n labels have rows of their own.
func (l *PerLabel) count(n int) int {
	switch {
	case l.All:
		return n
	case l.Names != nil:
		return len(l.Names)
	}
	return min(l.Limit, n)
}

// tooManySlices is the error for more slices than a report may have: it names the
// column with the most values.
func tooManySlices(most int, keys iter.Seq[string]) error {
	values := make(map[string]map[slice.Value]bool)
	for encoded := range keys {
		key, _, err := slice.Decode([]byte(encoded))
		if err != nil {
			return err
		}
		for _, v := range key {
			if values[v.Column] == nil {
				values[v.Column] = make(map[slice.Value]bool)
			}
			values[v.Column][v.Value] = true
		}
	}
	column := ""
	for name, of := range values {
		if n := len(of) - len(values[column]); n > 0 || n == 0 && name < column {
			column = name
		}
	}
	return fmt.Errorf("slices: more than %d slices: column %q alone has %d values or more; slice by a column of fewer values, list the values that matter, or set max_slices",
		most, quote.Short(column), len(values[column]))
}
