// Package ranges collects, sorts and traces scores, for the metrics that need all scores in order.
//
//	SampleFn  ─► BoundsFn ─► bounds: where to divide the scores into ranges
//	                            │
//	fold: Scores, by range ◄────┘
//	  ├─► scores of range 0 ─┐
//	  ├─► scores of range 1 ─┤ GroupByKey ─► CollectFn: sort each range, trace its curves ─► partials
//	  └─► totals ─► TotalsFn ┘
//
// A sample of the scores ([SampleFn], [BoundsFn]) determines ranges, each with about as many scores
// as one goroutine sorts at a time. While examples are folded, their scores are collected by range
// ([Scores]). The ranges are then traced concurrently ([CollectFn]), each from its highest score to
// its lowest, starting from the totals of the examples above it. Packages metrics and
// metrics/curves determine what is computed at each score.
//
// [Scores] keeps nothing of a batch, whose memory its caller reuses. A worker reads the scores of one
// piece after another into one buffer, and sorts copies; what the sorter and the collector return is
// valid until they begin the next label or range.
package ranges

import (
	"math"
	"slices"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/scoreruns"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// Scores collects the scores whose curves the metrics need. It must be used by a single goroutine.
type Scores struct {
	params           *metrics.Params
	classes          uint32
	compares, pooled bool
	divided          func(slice string) bool // whether a slice has curves without each fold
	divider          *scoreruns.Divider
	ranges           []scoreruns.Builder
	tallies          tallies
	tuples           tupleNumbers
	totalled         membershipNumbers // the numbers of memberships in tallies
	numbers          []uint32          // of the tuples of the rows of a batch
	full             int               // the number of waiting scores at which a range is packed
	spill            shuffle.Spill
	pieces           [][]Piece                       // by range
	totals           map[string]*shuffle.ScoreTotals // by slice, of all scores
	buffer           []byte

	weights  []float64 // what the errors of the rows of a batch cost
	absolute []float64 // the absolute errors of the rows of a batch; see residuals
	all      []bool    // true for each of them
}

const (
	// waitingScores is the largest number of scores that wait to be packed, over all ranges, and
	// the largest number of scores in a piece.
	waitingScores = 1 << 18
	// fewestPacked is the smallest number of scores of a range that are packed at once: one block of
	// a run.
	fewestPacked = 512
)

// NewScores returns an empty Scores for metrics that need curves. membershipOf returns the membership of a
// tuple.
func NewScores(j *shuffle.Job, bounds *shuffle.Bounds, membershipOf shuffle.MembershipOf) (*Scores, error) {
	p := &j.Params
	s := &Scores{params: p, classes: uint32(p.CurveClasses()), compares: p.ComparesClasses(), divided: j.HasIntervals, spill: shuffle.Spill{Dir: j.TempDir}}
	s.tuples.membershipOf = membershipOf
	if j.Confidence != nil {
		without, err := p.WithoutFolds(p.Replicated)
		if err != nil {
			return nil, err
		}
		s.totalled.perFold = !without.Binned()
		if !without.Curving() {
			s.tuples.membershipOf = func(tuple int32) shuffle.Membership {
				return shuffle.Membership{Slices: membershipOf(tuple).Slices, Fold: shuffle.NoFold}
			}
		}
	}
	s.divider = scoreruns.NewDivider(bounds.Images)
	s.ranges, s.pieces = make([]scoreruns.Builder, s.divider.Ranges()), make([][]Piece, s.divider.Ranges())
	s.tallies = newTallies(p.ScoredLabels(), len(s.ranges))
	s.pooled = slices.Contains(p.CurveLabels(), metrics.PooledLabel)
	s.full = min(max(waitingScores/len(s.ranges), fewestPacked), scoresIn(j.RangeBytes))
	return s, nil
}

// Add adds the scores of the given rows of a batch. tuples has the tuple of each row of the batch.
func (s *Scores) Add(b *metrics.Batch, rows, tuples []int32) error {
	s.numbers = s.numbers[:0]
	for _, r := range rows {
		s.numbers = append(s.numbers, s.tuples.number(tuples[r]))
	}
	for _, label := range s.tallies.labels {
		of := b
		if label == metrics.CostLabel {
			costs := *b
			s.weights = b.CostWeights(s.weights)
			of, costs.Weight = &costs, s.weights
		}
		if err := s.addLabel(of, rows, label); err != nil {
			return err
		}
	}
	return nil
}

// addLabel adds the scores of one label, which may be metrics.TopClass or metrics.CostLabel.
func (s *Scores) addLabel(b *metrics.Batch, rows []int32, label int) error {
	from := s.columnOf(b, label)
	number := uint32(s.params.LabelNumber(label))
	for i, r := range rows {
		score, positive := from.read(r)
		tag := s.numbers[i] * s.classes
		switch {
		case s.compares && from.class != nil:
			tag += uint32(from.class[r])
		case positive:
			tag++
		}
		weight := 1.0
		if b.Weight != nil {
			weight = b.Weight[r]
		}
		image := scoreruns.Image(score)
		in := s.divider.Range(image)
		s.ranges[in].Add(image, number, tag, weight)
		if s.ranges[in].Len() >= s.full {
			if err := s.pack(in); err != nil {
				return err
			}
		}
	}
	return nil
}

// labelColumn gives access to the scores of one label in a batch, and to which examples are
// positive.
type labelColumn struct {
	scores        []float64 // the score of row r is scores[r*stride + first]
	stride, first int
	truth         []bool  // indexed in the same way
	class         []int32 // by row, instead of truth: an example is positive if its class is label
	label         int32
}

func (c *labelColumn) read(r int32) (score float64, positive bool) {
	i := int(r)*c.stride + c.first
	if c.class != nil {
		return c.scores[i], c.class[r] == c.label
	}
	return c.scores[i], c.truth[i]
}

func (s *Scores) columnOf(b *metrics.Batch, label int) labelColumn {
	switch {
	case label == metrics.TopClass:
		return labelColumn{scores: b.Confidence, truth: b.Correct, stride: 1}
	case label == metrics.CostLabel:
		return labelColumn{scores: b.Score, truth: b.Truth, stride: 1}
	case s.params.Task == metrics.Multiclass:
		return labelColumn{scores: b.CurveScores(metrics.Multiclass), class: b.Class, stride: b.Labels, first: label, label: int32(label)}
	case s.params.Task == metrics.Regression:
		return s.residuals(b)
	}
	return labelColumn{scores: b.Score, truth: b.Truth, stride: b.Labels, first: label}
}

// residuals returns the absolute errors of a regression; all examples count as positive.
func (s *Scores) residuals(b *metrics.Batch) labelColumn {
	s.absolute, s.all = s.absolute[:0], s.all[:0]
	for r := range b.Rows {
		s.absolute, s.all = append(s.absolute, math.Abs(b.Target[r]-b.Estimate[r])), append(s.all, true)
	}
	return labelColumn{scores: s.absolute, truth: s.all, stride: 1}
}

// Finish packs the waiting scores, and adds up the totals.
func (s *Scores) Finish() error {
	for at := range s.ranges {
		if s.ranges[at].Len() > 0 {
			if err := s.pack(at); err != nil {
				return err
			}
		}
	}
	tuples, err := shuffle.Pack(&s.spill, newSliceTable(s.tuples.met), sliceTableFields)
	if err != nil {
		return err
	}
	for _, list := range s.pieces {
		for i := range list {
			list[i].Tuples = tuples
		}
	}
	s.totals, err = packTotals(s.tallies.byCurve(s.totalled.membership, s.divided, s.pooled))
	return err
}

// Totals returns the totals of all scores of a slice by range, after Finish.
func (s *Scores) Totals(slice string) (t shuffle.ScoreTotals) {
	if of := s.totals[slice]; of != nil {
		t = *of
	}
	return t
}

// AddTotals adds the totals of from.
func (s *Scores) AddTotals(from *Scores) {
	for slice, of := range from.totals {
		if into := s.totals[slice]; into != nil {
			into.Merge(of)
		} else {
			s.totals[slice] = of
		}
	}
}

// tally counts the waiting examples of a range. Counting each example as it arrives would be
// slower, because the tallies of all ranges do not fit in the fastest cache.
func (s *Scores) tally(at int) {
	s.totalled.extend(s.tuples.met)
	last := len(s.tallies.labels) - 1
	for e := range s.ranges[at].Waiting() {
		tuple, class := e.Tag/s.classes, e.Tag%s.classes
		positive := class == 1
		if s.compares && int(e.Label) < s.params.Labels { // not for metrics.TopClass
			positive = class == e.Label
		}
		s.tallies.add(at, s.totalled.numbers[tuple], min(int(e.Label), last), positive, e.Weight) // metrics.TopClass or metrics.CostLabel comes last
	}
}

// pack packs the waiting scores of a range and appends them to its last piece, or to a new one.
func (s *Scores) pack(at int) error {
	s.tally(at)
	s.buffer = s.ranges[at].AppendRun(s.buffer[:0])
	n := scoreruns.Count(s.buffer)
	list := s.pieces[at]
	if len(list) == 0 || list[len(list)-1].Entries+n > waitingScores {
		list = append(list, Piece{Range: at, Labels: s.params.Labels})
	}
	last := &list[len(list)-1]
	last.Entries += n
	s.pieces[at] = list
	return s.spill.Extend(&last.Scores, s.buffer)
}

// Emit emits the pieces by range.
func (s *Scores) Emit(emit func(int, Piece)) error {
	for at, list := range s.pieces {
		for _, p := range list {
			emit(at, p)
		}
	}
	return s.spill.Close()
}

// Abandon removes the temporary data of pieces that were not emitted.
func (s *Scores) Abandon() { s.spill.Abandon() }
