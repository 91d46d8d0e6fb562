package transforms

import (
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"reflect"

	"github.com/beameval/beameval/metrics/runs"
)

// labelRange is a range of the scores of a label: range 0 has the highest.
type labelRange struct{ Label, Range int }

// withoutData are the runs of a label with no more than their knots.
func withoutData(label int, run scoreRun) (int, scoreRun) {
	return label, scoreRun{Label: label, Knots: run.Knots}
}

// labelCuts are the scores at which a label is cut into ranges; see runs.Cut.
type labelCuts struct{ Bounds []uint64 }

// cutsFn cuts labels into ranges with as many scores as a worker holds.
type cutsFn struct{ WorkerScores int }

// ProcessElement returns the cuts of a label.
func (f *cutsFn) ProcessElement(label int, labelRuns func(*scoreRun) bool) (int, labelCuts) {
	var knots []runs.Knot
	var run scoreRun
	entries := 0
	for labelRuns(&run) {
		knots = append(knots, run.Knots...)
		for _, k := range run.Knots {
			entries += k.Entries
		}
	}
	return label, labelCuts{runs.Bounds(knots, (entries+f.WorkerScores-1)/f.WorkerScores)}
}

// piece is a part of what a range of a label needs: scores or, if it is one of
// several ranges, Totals.
type piece struct {
	Run    scoreRun
	Totals []sliceTotals
}

// cutFn cuts the runs of labels into ranges.
type cutFn struct {
	TempDir string

	bundleSpill
}

// ProcessElement emits the pieces of each range of a label.
func (f *cutFn) ProcessElement(label int, cuts func(*labelCuts) bool, labelRuns func(*scoreRun) bool, emit func(labelRange, piece)) error {
	into := f.into(f.TempDir)
	var at labelCuts
	cuts(&at)
	totals := make([]totalsBySlice, len(at.Bounds)+1)
	for i := range totals {
		totals[i] = make(totalsBySlice)
	}
	var run scoreRun
	for labelRuns(&run) {
		run.Knots = nil
		if len(at.Bounds) == 0 {
			emit(labelRange{label, 0}, piece{Run: run})
			continue
		}
		if err := f.cut(&run, at.Bounds, totals, emit); err != nil {
			into.abandon()
			return marked(err)
		}
	}
	for number, list := range perRange(totals) {
		if len(list) > 0 {
			emit(labelRange{label, number}, piece{Totals: list})
		}
	}
	return nil
}

// cut emits the pieces of a run, and adds their examples to the totals of their
// ranges.
func (f *cutFn) cut(run *scoreRun, bounds []uint64, totals []totalsBySlice, emit func(labelRange, piece)) error {
	data, err := run.Data.read()
	if err != nil {
		return err
	}
	cells, err := run.table()
	if err != nil {
		return err
	}
	parts, err := runs.Cut(data, bounds)
	if err != nil {
		return err
	}
	for number, part := range parts {
		if len(part) == 0 {
			continue
		}
		if err := totals[number].add(run, cells, part); err != nil {
			return err
		}
		of := *run
		if of.Data, err = f.spill.write(part); err != nil {
			return err
		}
		emit(labelRange{run.Label, number}, piece{Run: of})
	}
	return nil
}

// FinishBundle closes the file of the pieces.
func (f *cutFn) FinishBundle(_ func(labelRange, piece)) error { return f.close() }

func init() {
	beam.RegisterDoFn(reflect.TypeFor[cutFn]())
	beam.RegisterDoFn(reflect.TypeFor[cutsFn]())
	register.Function2x2(withoutData)
	register.Iter1[labelCuts]()
	register.Iter1[scoreRun]()
	register.Emitter2[labelRange, piece]()
}
