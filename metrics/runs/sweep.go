package runs

import (
	"fmt"

	"github.com/beameval/beameval/metrics/exact"
)

// Tag is what an entry's tag stands for.
type Tag struct {
	Class  int32
	Slices []int32 // ascending
}

// Totals are the rows of a slice and their weights, by whether they are positive.
type Totals struct{ Positive, Negative exact.Tally }

// Sweep goes through entries from the highest score to the lowest and finds the
// points of the curves of every slice.
type Sweep struct {
	Tags []Tag // what the tags of the entries stand for
	// Positive is the class of the positive examples; all others are negative.
	Positive int32
	// Totals holds, by slice, the examples with higher scores than those swept, and
	// afterwards also those swept.
	Totals []Totals
	// Classes makes points tell the classes of the examples of their score.
	Classes bool
}

// Add adds examples of a tag to the totals of its slices: some with higher scores
// than all that will be swept.
func (s *Sweep) Add(tag uint32, rows *exact.Tally) error {
	if err := s.check(tag); err != nil {
		return err
	}
	t := &s.Tags[tag]
	for _, slice := range t.Slices {
		if t.Class == s.Positive {
			s.Totals[slice].Positive.Merge(rows)
		} else {
			s.Totals[slice].Negative.Merge(rows)
		}
	}
	return nil
}

// check checks that there is a tag, and its slices.
func (s *Sweep) check(tag uint32) error {
	if int(tag) >= len(s.Tags) {
		return fmt.Errorf("tag %d of %d", tag, len(s.Tags))
	}
	before := int32(-1)
	for _, slice := range s.Tags[tag].Slices {
		if slice <= before || int(slice) >= len(s.Totals) {
			return fmt.Errorf("tag %d: slices %d are not ascending or not of %d", tag, s.Tags[tag].Slices, len(s.Totals))
		}
		before = slice
	}
	return nil
}
