package transforms

import (
	"math"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/runs"
)

// scoreRun is the scores of a label, or of all labels pooled, that one worker
// met: sorted, with a tag for the slices and the class of each example.
type scoreRun struct {
	Label  int // or metrics.PooledLabel
	Labels int // how many there are
	// Tags are numbered cell·Classes + class. The examples of class Positive are
	// positive, all others negative.
	Classes, Positive int
	Knots             []runs.Knot // see runs.Bounds
	Cells             spilled     // a cellTable
	Data              spilled
}

// scores collects the scores of a folder, whose curves the metrics need.
type scores struct {
	params   *metrics.Params
	classes  int
	most     int            // scores that wait until they are sorted
	builders []runs.Builder // by label
	cells    cellNumbers
	tags     []uint32 // of the rows of a batch, but for the class
	waiting  int
	spill    *spill
	runs     []scoreRun
	buffer   []byte
}

// knotsOfWorker is how many knots stand for the scores that a worker holds: the
// more, the better are labels divided.
const knotsOfWorker = 128

// newScores returns nil if the metrics need no curves. keysOf returns the slices
// that a cell is in.
func newScores(spec *Spec, keysOf func(cell int32) []string) *scores {
	p := &spec.Params
	if !p.Curving() {
		return nil
	}
	s := &scores{
		params: p, classes: 2, most: max(spec.workerScores()/4, 1), builders: make([]runs.Builder, 1),
		cells: cellNumbers{keysOf: keysOf}, spill: &spill{dir: spec.TempDir},
	}
	switch p.Task {
	case metrics.Multiclass:
		s.classes, s.builders = p.Labels, make([]runs.Builder, p.Labels)
	case metrics.Multilabel:
		s.builders = make([]runs.Builder, p.Labels)
	}
	return s
}

// add adds the scores of the rows of a batch, which are in these cells.
func (s *scores) add(b *metrics.Batch, rows, cells []int32) error {
	s.tags = s.tags[:0]
	for _, r := range rows {
		s.tags = append(s.tags, s.cells.of(cells[r])*uint32(s.classes))
	}
	for label := range s.builders {
		builder := &s.builders[label]
		for i, r := range rows {
			score, class := s.score(b, int(r), label)
			weight := 1.0
			if b.Weight != nil {
				weight = b.Weight[r]
			}
			builder.Add(score, s.tags[i]+uint32(class), weight)
		}
	}
	if s.waiting += len(rows) * len(s.builders); s.waiting < s.most {
		return nil
	}
	return s.sort()
}

// score returns the score of a label for a row, and the class of the row.
func (s *scores) score(b *metrics.Batch, r, label int) (float64, int) {
	switch s.params.Task {
	case metrics.Binary:
		return b.Score[r], int(b.Class[r])
	case metrics.Multiclass:
		return b.Score[r*b.Labels+label], int(b.Class[r])
	case metrics.Regression:
		return math.Abs(b.Target[r] - b.Estimate[r]), 1
	}
	class := 0
	if b.Truth[r*b.Labels+label] {
		class = 1
	}
	return b.Score[r*b.Labels+label], class
}

// sort makes runs of what waits.
func (s *scores) sort() error {
	if s.waiting == 0 {
		return nil
	}
	s.waiting = 0
	cells, err := s.spill.write(encodeCells(s.cells.table()))
	if err != nil {
		return err
	}
	for label := range s.builders {
		n := s.builders[label].Len()
		s.buffer = s.builders[label].AppendRun(s.buffer[:0])
		run := scoreRun{Label: label, Labels: s.params.Labels, Classes: s.classes, Positive: 1, Cells: cells}
		if s.params.Task == metrics.Multiclass {
			run.Positive = label
		}
		if run.Knots, err = runs.Knots(s.buffer, 1+n*knotsOfWorker/s.most); err != nil {
			return err
		}
		if run.Data, err = s.spill.write(s.buffer); err != nil {
			return err
		}
		s.runs = append(s.runs, run)
	}
	return nil
}

// finish returns the runs of every label whose curve is needed. Those of all labels
// pooled are the same data.
func (s *scores) finish() ([]scoreRun, error) {
	if err := s.sort(); err != nil {
		return nil, err
	}
	each, all := false, false
	for _, label := range s.params.CurveLabels() {
		all = all || label == metrics.PooledLabel
		each = each || label != metrics.PooledLabel
	}
	var list []scoreRun
	for _, run := range s.runs {
		if each {
			list = append(list, run)
		}
		if all {
			run.Label = metrics.PooledLabel
			list = append(list, run)
		}
	}
	return list, s.spill.close()
}
