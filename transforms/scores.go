package transforms

import (
	"math"
	"slices"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/runs"
)

// scoreRun is the scores of a label, or of all labels pooled, that one worker
// met: sorted, with a tag for the slices and the class of each example.
type scoreRun struct {
	Label  int // or metrics.PooledLabel
	Labels int // how many there are
	// Tags are numbered cell·Classes + class. Cells are the keys of the slices
	// that the examples of a cell are in.
	Classes int
	Cells   [][]string
	// Positive is the class of the positive examples of a pooled run.
	Positive int
	Knots    []runs.Knot // see runs.Bounds
	Data     spilled
}

// scores collects the scores of a folder, whose curves the metrics need.
type scores struct {
	params   *metrics.Params
	classes  int
	most     int            // scores that wait until they are sorted
	builders []runs.Builder // by label
	waiting  int
	spill    *spill
	runs     []scoreRun
	buffer   []byte
}

// knotsOfWorker is how many knots stand for the scores that a worker holds: the
// more, the better are labels divided.
const knotsOfWorker = 128

// newScores returns nil if the metrics need no curves.
func newScores(spec *Spec) *scores {
	p := &spec.Params
	if !p.Curving() {
		return nil
	}
	s := &scores{params: p, classes: 2, most: max(spec.workerScores()/4, 1), builders: make([]runs.Builder, 1), spill: &spill{dir: spec.TempDir}}
	switch p.Task {
	case metrics.Multiclass:
		// The last builder is for the top class.
		s.classes, s.builders = max(p.Labels, 2), make([]runs.Builder, p.Labels)
		if slices.Contains(p.CurveLabels(), metrics.TopClass) {
			s.builders = append(s.builders, runs.Builder{})
		}
	case metrics.Multilabel:
		s.builders = make([]runs.Builder, p.Labels)
	}
	return s
}

// add adds the scores of the rows of a batch, which are in these cells.
func (s *scores) add(b *metrics.Batch, rows, cells []int32) error {
	for label := range s.builders {
		builder := &s.builders[label]
		for _, r := range rows {
			score, class := s.score(b, int(r), label)
			weight := 1.0
			if b.Weight != nil {
				weight = b.Weight[r]
			}
			builder.Add(score, uint32(int(cells[r])*s.classes+class), weight)
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
		if label == b.Labels {
			return b.Confidence[r], correct(b.Correct[r])
		}
		return b.CurveScores(metrics.Multiclass)[r*b.Labels+label], int(b.Class[r])
	case metrics.Regression:
		return math.Abs(b.Target[r] - b.Estimate[r]), 1
	}
	return b.Score[r*b.Labels+label], correct(b.Truth[r*b.Labels+label])
}

// correct is the class of what is true, 1, or false, 0.
func correct(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sort makes runs of what waits.
func (s *scores) sort() error {
	for label := range s.builders {
		n := s.builders[label].Len()
		if n == 0 {
			continue
		}
		s.buffer = s.builders[label].AppendRun(s.buffer[:0])
		knots, err := runs.Knots(s.buffer, 1+n*knotsOfWorker/s.most)
		if err != nil {
			return err
		}
		data, err := s.spill.write(s.buffer)
		if err != nil {
			return err
		}
		s.runs = append(s.runs, scoreRun{Label: label, Labels: s.params.Labels, Classes: s.classes, Positive: 1, Knots: knots, Data: data})
	}
	s.waiting = 0
	return nil
}

// finish returns the runs of every label whose curve is needed; cells are the keys
// of the slices that each cell is in.
func (s *scores) finish(cells [][]string) ([]scoreRun, error) {
	if err := s.sort(); err != nil {
		return nil, err
	}
	each, all := false, false
	for _, label := range s.params.CurveLabels() {
		all = all || label == metrics.PooledLabel
		each = each || label >= 0
	}
	var list []scoreRun
	for _, run := range s.runs {
		run.Cells = cells
		if run.Label == run.Labels && s.params.Task == metrics.Multiclass {
			run.Label = metrics.TopClass
			list = append(list, run)
			continue
		}
		if each {
			list = append(list, run)
		}
		if all {
			list = append(list, s.pooled(run))
		}
	}
	return list, s.spill.close()
}

// pooled returns the run of a label as a part of that of all labels. In
// multiclass tasks the positive examples are those of the label's class.
func (s *scores) pooled(run scoreRun) scoreRun {
	if s.params.Task == metrics.Multiclass {
		run.Positive = run.Label
	}
	run.Label = metrics.PooledLabel
	return run
}
