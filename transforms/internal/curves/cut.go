package curves

import (
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/runs"
	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// Range is a range of the scores of a label: range 0 has the highest.
type Range struct{ Label, Range int }

func rangeFields(c *wire.Coder, r *Range) {
	wire.Int(c, &r.Label)
	wire.Int(c, &r.Range)
}

// Piece is some of what a range of a label needs: scores, or the totals of a label that
// has several ranges.
type Piece struct {
	Run    Run
	Totals []sliceTotals
}

func pieceFields(c *wire.Coder, p *Piece) {
	wire.List(c, &p.Totals, sliceTotalsFields)
	runFields(c, &p.Run)
}

// OnlyKnots returns a run of a label with no more than its knots.
func OnlyKnots(label int, run Run) (int, Run) { return label, Run{Label: label, Knots: run.Knots} }

// CutFn cuts the runs of labels into ranges with as many scores as a worker holds.
type CutFn struct {
	WorkerScores int
	Spill        element.Spill
}

// ProcessElement emits the pieces of each range of a label. It reads the runs twice: first
// without their data.
func (f *CutFn) ProcessElement(label int, knots, labelRuns func(*Run) bool, emit func(Range, Piece)) error {
	bounds := f.bounds(knots)
	totals := make([]totalsBySlice, len(bounds)+1)
	for i := range totals {
		totals[i] = make(totalsBySlice)
	}
	var run Run
	for labelRuns(&run) {
		run.Knots = nil
		if len(bounds) == 0 {
			emit(Range{label, 0}, Piece{Run: run})
			continue
		}
		if err := f.cut(&run, bounds, totals, emit); err != nil {
			f.Spill.Abandon()
			return workers.Mark(err)
		}
	}
	for i, list := range perRange(totals) {
		if len(list) > 0 {
			emit(Range{label, i}, Piece{Totals: list})
		}
	}
	return nil
}

// bounds returns the scores at which a label is cut; see runs.Bounds.
func (f *CutFn) bounds(next func(*Run) bool) []uint64 {
	var knots []runs.Knot
	var run Run
	entries := 0
	for next(&run) {
		knots = append(knots, run.Knots...)
		for _, k := range run.Knots {
			entries += k.Entries
		}
	}
	return runs.Bounds(knots, (entries+f.WorkerScores-1)/f.WorkerScores)
}

// cut emits the pieces of a run, and adds their examples to the totals of their ranges.
func (f *CutFn) cut(run *Run, bounds []uint64, totals []totalsBySlice, emit func(Range, Piece)) error {
	data, err := run.Data.Read()
	if err != nil {
		return err
	}
	slices, err := run.slices()
	if err != nil {
		return err
	}
	ranges, err := runs.Cut(data, bounds)
	if err != nil {
		return err
	}
	for i, scores := range ranges {
		if len(scores) == 0 {
			continue
		}
		if err := totals[i].add(run, slices, scores); err != nil {
			return err
		}
		cut := *run
		if cut.Data, err = f.Spill.Write(scores); err != nil {
			return err
		}
		emit(Range{run.Label, i}, Piece{Run: cut})
	}
	return nil
}

// FinishBundle closes the file of the pieces.
func (f *CutFn) FinishBundle(_ func(Range, Piece)) error { return workers.Mark(f.Spill.Close()) }

// Teardown removes what a failed bundle left, if it was the last.
func (f *CutFn) Teardown() { f.Spill.Abandon() }

func init() {
	beam.RegisterDoFn(reflect.TypeFor[CutFn]())
	element.Register(rangeFields)
	element.Register(pieceFields)
	register.Function2x2(OnlyKnots)
	register.Iter1[Run]()
	register.Emitter2[Range, Piece]()
}
