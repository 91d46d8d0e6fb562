package ingest

import (
	"math"
	"slices"

	"github.com/beameval/beameval/metrics"
)

// Spread has the distinct scores of good rows, or predicted numbers, as long as they are few.
type Spread struct {
	Distinct []uint64 `json:",omitempty"` // their bits, ascending
	Many     bool     `json:",omitempty"` // there are more than mostDistinct; Distinct is then empty
}

// mostDistinct is the largest number of distinct scores that are few.
const mostDistinct = 10

// Value returns the distinct score i.
func (s *Spread) Value(i int) float64 { return math.Float64frombits(s.Distinct[i]) }

func (s *Spread) meet(x uint64) {
	at, found := slices.BinarySearch(s.Distinct, x)
	if found || s.Many {
		return
	}
	if s.Distinct = slices.Insert(s.Distinct, at, x); len(s.Distinct) > mostDistinct {
		s.Distinct, s.Many = nil, true
	}
}

// meetAll meets numbers. Many in a row may be equal.
func (s *Spread) meetAll(list []float64) {
	last := math.NaN()
	for _, x := range list {
		if s.Many {
			return
		}
		if x != last {
			s.meet(math.Float64bits(x + 0)) // -0 is 0
			last = x
		}
	}
}

func (s *Spread) merge(from *Spread) {
	if s.Many = s.Many || from.Many; s.Many {
		s.Distinct = nil
		return
	}
	for _, x := range from.Distinct {
		s.meet(x)
	}
}

// Sums says how far the probabilities of classes of good rows add up to 1.
type Sums struct {
	Rows int64   `json:",omitempty"`
	Off  int64   `json:",omitempty"` // those whose sum differs from 1 by more than offBy
	Most float64 `json:",omitempty"` // the largest difference of these
}

// offBy is the largest difference from 1 that rounding explains.
const offBy = 0.001

func (s *Sums) meet(probabilities []float64) {
	sum := 0.0
	for _, p := range probabilities {
		sum += p
	}
	s.Rows++
	if off := math.Abs(sum - 1); off > offBy {
		s.Off, s.Most = s.Off+1, max(s.Most, off)
	}
}

func (s *Sums) merge(from *Sums) {
	s.Rows, s.Off, s.Most = s.Rows+from.Rows, s.Off+from.Off, max(s.Most, from.Most)
}

// spread looks at the scores, or predicted numbers, of the good rows of a batch.
func (c *Converter) spread(b *metrics.Batch) {
	task, width := c.spec.Params.Task, max(b.Labels, 1)
	if task&(metrics.Binary|metrics.Multiclass|metrics.Multilabel|metrics.Regression) == 0 {
		return
	}
	scores := b.Score
	if task == metrics.Regression {
		scores, width = b.Estimate, 1
	}
	if task == metrics.Binary {
		width = 1
	}
	if len(scores) == 0 {
		return
	}
	sums := task == metrics.Multiclass && b.Probability != nil && b.Candidates.Offset == nil
	for _, r := range c.rows {
		if c.found.Scores.Many && !sums {
			return
		}
		from, to := int(r)*width, int(r)*width+width
		if b.Candidates.Offset != nil {
			from, to = int(b.Candidates.Offset[r]), int(b.Candidates.Offset[r+1])
		}
		c.found.Scores.meetAll(scores[from:to])
		if sums {
			c.found.Sums.meet(b.Probability[from:to])
		}
	}
}

// UnknownLabels are the reasons of rows that name a label that is not one of the labels.
func UnknownLabels() []string { return namesOf(unknownName, outOfRange) }

// MissingScores are the reasons of rows without a score.
func MissingScores() []string { return namesOf(nullScore, nullScores, nanScore, noScores) }

// namesOf returns the names of reasons. Some reasons have the same name.
func namesOf(reasons ...Reason) (names []string) {
	for _, why := range reasons {
		names = append(names, why.String())
	}
	slices.Sort(names)
	return slices.Compact(names)
}
