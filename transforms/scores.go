package transforms

import (
	"math"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/runs"
)

// scoreRun is the scores of a label, or of all labels pooled, that one worker
// met: sorted, with a tag for the slices and the class of each example.
type scoreRun struct {
	Label  int // or metrics.PooledLabel or metrics.TopClass
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
	params  *metrics.Params
	sorters []sorter
	most    int // scores that wait until they are sorted
	cells   cellNumbers
	numbers []uint32 // of the cells of a batch's rows
	waiting int
	spill   *spill
	runs    []scoreRun
	buffer  []byte
}

const (
	// knotsOfWorker is how many knots stand for the scores that a worker holds: the
	// more, the better are labels divided.
	knotsOfWorker = 128
	// scoresOfRun is how many scores a run has at least, but for the last: merging
	// takes longer, and more memory, the more runs there are.
	scoresOfRun = 1024
)

// newScores returns nil if the metrics need no curves. keysOf returns the slices
// that a cell is in.
func newScores(spec *Spec, keysOf func(cell int32) []string) *scores {
	p := &spec.Params
	if !p.Curving() {
		return nil
	}
	s := &scores{params: p, cells: cellNumbers{keysOf: keysOf}, spill: &spill{dir: spec.TempDir}}
	for _, label := range p.CurveLabels() {
		s.sorters = append(s.sorters, sorter{label: label, classes: p.CurveClasses(label), positive: p.CurvePositive(label)})
	}
	s.most = max(spec.workerScores()/4, min(spec.workerScores(), scoresOfRun*len(s.sorters)), 1)
	return s
}

// sorter sorts the scores of a label whose curve is needed, such as
// metrics.PooledLabel.
type sorter struct {
	runs.Builder
	label, classes, positive int
}

// add adds the scores of the rows of a batch, which are in these cells.
func (s *scores) add(b *metrics.Batch, rows, cells []int32) error {
	s.numbers = s.numbers[:0]
	for _, r := range rows {
		s.numbers = append(s.numbers, s.cells.of(cells[r]))
	}
	for i := range s.sorters {
		sorter := &s.sorters[i]
		if sorter.label != metrics.PooledLabel {
			s.addLabel(sorter, b, rows, sorter.label)
			continue
		}
		for label := range b.Labels {
			s.addLabel(sorter, b, rows, label)
		}
	}
	if s.waiting < s.most {
		return nil
	}
	return s.sort()
}

// addLabel adds the scores of a label, or of the top class.
func (s *scores) addLabel(to *sorter, b *metrics.Batch, rows []int32, label int) {
	classes, compared := uint32(to.classes), to.classes != 2 || to.positive != 1
	for i, r := range rows {
		score, positive := s.score(b, int(r), label)
		class := number(positive)
		if compared {
			class = uint32(b.Class[r])
		}
		to.Add(score, s.numbers[i]*classes+class, weightOf(b, r))
	}
	s.waiting += len(rows)
}

func weightOf(b *metrics.Batch, r int32) float64 {
	if b.Weight == nil {
		return 1
	}
	return b.Weight[r]
}

// number is 1 if b is true, else 0.
func number(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// score returns the score of a label for a row, and whether the row is positive.
func (s *scores) score(b *metrics.Batch, r, label int) (float64, bool) {
	switch s.params.Task {
	case metrics.Binary:
		return b.Score[r], b.Truth[r]
	case metrics.Multiclass:
		if label == metrics.TopClass {
			return b.Confidence[r], b.Correct[r]
		}
		return b.CurveScores(metrics.Multiclass)[r*b.Labels+label], int(b.Class[r]) == label
	case metrics.Regression:
		return math.Abs(b.Target[r] - b.Estimate[r]), true
	}
	return b.Score[r*b.Labels+label], b.Truth[r*b.Labels+label]
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
	for i := range s.sorters {
		from := &s.sorters[i]
		n := from.Len()
		s.buffer = from.AppendRun(s.buffer[:0])
		run := scoreRun{Label: from.label, Labels: s.params.Labels, Classes: from.classes, Positive: from.positive, Cells: cells}
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
