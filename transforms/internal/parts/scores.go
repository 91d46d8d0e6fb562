package parts

import (
	"errors"
	"fmt"
	"slices"

	"github.com/beameval/beameval/transforms/internal/ranges"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// scoresOf reads the scores that are kept in a part.
type scoresOf struct {
	fn   *ReadFn
	part *Part
	all  *ranges.Restored // nil until the table is met
}

// start receives the table of what scores belong to.
func (s *scoresOf) start(table []byte) (err error) {
	job := s.fn.Job
	switch job.Params.Labels = s.fn.Labels; {
	case !job.Params.Curving() || s.all != nil:
		return errors.New("scores that nothing asks for")
	case s.part.Relabel != nil:
		return errors.New("it has scores of other labels than other reports: name the labels")
	}
	if err := job.Complete(); err != nil {
		return err
	}
	s.all, err = ranges.Restore(&job, s.fn.Bounds, table, s.become)
	return err
}

// become makes what examples of a part belong to what they belong to in all parts.
func (s *scoresOf) become(to *shuffle.Membership) error {
	for _, key := range to.Slices {
		if _, _, err := shuffle.Key([]byte(key)); err != nil {
			return err
		}
	}
	whole := slices.Contains(to.Slices, shuffle.Overall)
	to.Slices = slices.DeleteFunc(to.Slices, func(key string) bool {
		_, left := slices.BinarySearch(s.fn.Suppressed, KeyHash([]byte(key)))
		return left
	})
	if whole && len(s.part.Slice) > 0 {
		to.Slices = append(to.Slices, string(s.part.Slice.AppendBinary(nil)))
	}
	c := s.fn.Job.Confidence
	switch {
	case c == nil:
		to.Fold = shuffle.NoFold
	case to.Fold == shuffle.NoFold:
	case s.part.Refold == nil && int(to.Fold) >= c.FineFolds() || s.part.Refold != nil && int(to.Fold) >= len(s.part.Refold):
		return fmt.Errorf("there is no fold %d", to.Fold)
	case s.part.Refold != nil:
		to.Fold = s.part.Refold[to.Fold]
	}
	return nil
}

// add receives a run of scores.
func (s *scoresOf) add(run []byte) error {
	if s.all == nil {
		return errors.New("scores that belong to nothing")
	}
	return s.all.AddRun(run)
}

// emit emits the scores by range, and their totals by slice.
func (s *scoresOf) emit(emit func([]byte, shuffle.Partial), emitScores func(int, ranges.Piece)) error {
	if s.all == nil {
		if s.fn.Job.Params.Curving() {
			return errors.New("it has no scores")
		}
		return nil
	}
	if err := s.all.Finish(); err != nil {
		return err
	}
	for _, key := range s.all.Slices() {
		own := shuffle.NewPartial()
		own.Totals = s.all.Totals(key)
		emit([]byte(key), own)
	}
	return s.all.Emit(func(at int, p ranges.Piece) { emitScores(s.fn.Job.Division.RangeKey(at), p) })
}
