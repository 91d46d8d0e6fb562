// Package curves computes metrics that need the scores of a label in order. Workers collect
// and sort scores ([Scores]) into runs; runs are cut into ranges of as many scores as one
// worker holds ([CutFn]); ranges are swept from the highest score to the lowest ([SweepFn]),
// all at once, each from the totals of those above it. Packages metrics and metrics/curves know
// what is computed at each score.
package curves

import (
	"fmt"
	"math"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/runs"
	"github.com/beameval/beameval/transforms/internal/element"
)

// Run is the scores of a label, or of all labels pooled, that one worker met: sorted, each
// with a tag for the slices and the class of its example.
type Run struct {
	Label  int // or metrics.PooledLabel or metrics.TopClass
	Labels int // how many there are
	// Tags are tuple·Classes + class. The examples of class Positive are positive, all
	// others negative.
	Classes, Positive int
	Knots             []runs.Knot     // see runs.Bounds
	Tuples            element.Spilled // a sliceTable
	Data              element.Spilled
}

func runFields(c *wire.Coder, r *Run) {
	wire.Int(c, &r.Label)
	wire.Int(c, &r.Labels)
	wire.Int(c, &r.Classes)
	wire.Int(c, &r.Positive)
	wire.List(c, &r.Knots, func(c *wire.Coder, k *runs.Knot) {
		c.Fixed(&k.Image)
		wire.Int(c, &k.Entries)
	})
	element.SpilledFields(c, &r.Tuples)
	element.SpilledFields(c, &r.Data)
}

// slices reads the table of the run's tuples.
func (r *Run) slices() (*sliceTable, error) {
	data, err := r.Tuples.Read()
	if err != nil {
		return nil, err
	}
	if r.Classes < 1 {
		return nil, fmt.Errorf("a run with %d classes", r.Classes)
	}
	t := new(sliceTable)
	return t, wire.Decode(data, t, sliceTableFields)
}

// Scores collects the scores whose curves the metrics need. It belongs to one goroutine.
type Scores struct {
	params  *metrics.Params
	sorters []sorter
	tuples  tupleNumbers
	numbers []uint32 // of the tuples of a batch's rows
	waiting int      // how many scores wait to be sorted, limit at most
	limit   int
	spill   element.Spill
	runs    []Run
	buffer  []byte
}

const (
	// workerKnots is how many knots stand for the scores that a worker holds: with more,
	// labels are divided more evenly.
	workerKnots = 128
	// runScores is how many scores a run has at least, except the last: every run
	// travels, with its knots, and is read by itself.
	runScores = 1024
)

// NewScores returns nil if the metrics need no curves. keysOf returns the keys of the
// slices that a tuple is in.
func NewScores(j *element.Job, keysOf func(tuple int32) []string) *Scores {
	p := &j.Params
	if !p.Curving() {
		return nil
	}
	s := &Scores{params: p, tuples: tupleNumbers{keysOf: keysOf}, spill: element.Spill{Dir: j.TempDir}}
	for _, label := range p.CurveLabels() {
		s.sorters = append(s.sorters, sorter{label: label, classes: p.CurveClasses(label), positive: p.CurvePositive(label)})
	}
	s.limit = max(j.WorkerScores/4, min(j.WorkerScores, runScores*len(s.sorters)), 1)
	return s
}

// sorter sorts the scores of a label, or of a pseudo-label such as metrics.PooledLabel.
type sorter struct {
	runs.Builder
	label, classes, positive int
}

// Add adds the scores of rows of a batch. tuples has the tuple of each row.
func (s *Scores) Add(b *metrics.Batch, rows, tuples []int32) error {
	s.numbers = s.numbers[:0]
	for _, r := range rows {
		s.numbers = append(s.numbers, s.tuples.number(tuples[r]))
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
	if s.waiting < s.limit {
		return nil
	}
	return s.Sort()
}

// addLabel adds the scores of a label, or of the top class.
func (s *Scores) addLabel(to *sorter, b *metrics.Batch, rows []int32, label int) {
	classes, several := uint32(to.classes), to.classes != 2 || to.positive != 1
	for i, r := range rows {
		score, positive := s.score(b, int(r), label)
		class := uint32(0)
		switch {
		case several:
			class = uint32(b.Class[r])
		case positive:
			class = 1
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

// score returns the score of a label for a row, and whether the row is positive.
func (s *Scores) score(b *metrics.Batch, r, label int) (float64, bool) {
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

// Sort makes runs of the scores that wait.
func (s *Scores) Sort() error {
	if s.waiting == 0 {
		return nil
	}
	s.waiting = 0
	table, err := wire.Encode(s.tuples.table(), sliceTableFields)
	if err != nil {
		return err
	}
	tuples, err := s.spill.Write(table)
	if err != nil {
		return err
	}
	for i := range s.sorters {
		from := &s.sorters[i]
		n := from.Len()
		s.buffer = from.AppendRun(s.buffer[:0])
		run := Run{Label: from.label, Labels: s.params.Labels, Classes: from.classes, Positive: from.positive, Tuples: tuples}
		if run.Knots, err = runs.Knots(s.buffer, 1+n*workerKnots/s.limit); err != nil {
			return err
		}
		if run.Data, err = s.spill.Write(s.buffer); err != nil {
			return err
		}
		s.runs = append(s.runs, run)
	}
	return nil
}

// Emit emits the runs, by label.
func (s *Scores) Emit(emit func(int, Run)) error {
	for _, run := range s.runs {
		emit(run.Label, run)
	}
	return s.spill.Close()
}

// Abandon removes the temporary data of runs that were not emitted.
func (s *Scores) Abandon() { s.spill.Abandon() }

func init() {
	element.Register(runFields)
	register.Emitter2[int, Run]()
}
