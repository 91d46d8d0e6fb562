package batches

import (
	"math"

	"github.com/beameval/beameval/io/columns"
)

// meeting has the constants that the values of a column meet, as the column rounds them: a value of 32 bits
// that is 0.7 is not the 0.7 of 64 bits, which a configuration has. Where a value is a rounded constant, it
// becomes the constant; other files may have the same column in other bits.
type meeting []struct{ rounded, constant float64 }

// meeting returns, by column of a widener, what its values meet in this file. Most columns meet nothing.
func (s *OpenShard) meeting(w *widener, constants [][]float64) []meeting {
	all := make([]meeting, len(w.names))
	next := 0
	for i, width := range w.width {
		for range max(width, 1) {
			if i < len(constants) && constants[i] != nil {
				all[next] = s.meetingOf(w.names[next], constants[i])
			}
			next++
		}
	}
	return all
}

func (s *OpenShard) meetingOf(name string, constants []float64) (m meeting) {
	field, err := s.file.Schema().Lookup(name)
	if err != nil || field.Type != columns.Float || field.Bits > 32 {
		return nil
	}
	for _, c := range constants {
		if r := columns.Round(c, field.Bits); r != c && !math.IsInf(r, 0) {
			m = append(m, struct{ rounded, constant float64 }{r, c})
		}
	}
	return m
}

// meet replaces values of a column, in place, by the constants that they are.
func (m meeting) meet(c *columns.Column) {
	if len(m) == 0 || c == nil {
		return
	}
	for i, x := range c.Floats {
		for _, one := range m {
			if x == one.rounded {
				c.Floats[i] = one.constant
			}
		}
	}
}
