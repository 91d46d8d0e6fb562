package ranges

import (
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/scoreruns"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
	"github.com/beameval/beameval/transforms/lanes"
)

// rangeTotals are the totals of curves that have scores in a range.
type rangeTotals struct {
	Slices []string // the keys of slices
	Curves []curveTotals
}

// curveTotals are the totals of the examples of one label, slice and fold.
type curveTotals struct {
	Label int // also metrics.PooledLabel, metrics.TopClass or metrics.CostLabel
	Slice int32
	Fold  int32
	Above scoreruns.Totals // of the examples with scores above the range
	All   scoreruns.Totals // of all examples
}

func rangeTotalsFields(c *wire.Coder, t *rangeTotals) {
	c.Strings(&t.Slices)
	shuffle.Table(c, &t.Curves, func(block []curveTotals) {
		shuffle.IntColumn(c, block, func(of *curveTotals) *int { return &of.Label })
		shuffle.IntColumn(c, block, func(of *curveTotals) *int32 { return &of.Slice })
		shuffle.IntColumn(c, block, func(of *curveTotals) *int32 { return &of.Fold })
		shuffle.TallyColumn(c, block, func(of *curveTotals) *exact.Tally { return &of.Above.Positive })
		shuffle.TallyColumn(c, block, func(of *curveTotals) *exact.Tally { return &of.Above.Negative })
		shuffle.TallyColumn(c, block, func(of *curveTotals) *exact.Tally { return &of.All.Positive })
		shuffle.TallyColumn(c, block, func(of *curveTotals) *exact.Tally { return &of.All.Negative })
		for i := range block {
			of := &block[i]
			if of.Slice < 0 || int(of.Slice) >= len(t.Slices) {
				c.Fail("there is no slice %d", of.Slice)
			}
			shuffle.CheckFold(c, of.Fold)
		}
	})
}

// TotalsFn passes the partials of slices on without the totals of scores, and tells each range the totals of the
// curves that have scores in it.
type TotalsFn struct {
	Division lanes.Division
	Spill    shuffle.Spill
	Windowed bool // see shuffle.Job

	told   map[int]*rangeTotals // by range
	curves int                  // in told
}

// toldCurves is the number of curves whose totals wait to be emitted.
const toldCurves = 1 << 16

// StartBundle discards the remains of a failed bundle.
func (f *TotalsFn) StartBundle(func([]byte, shuffle.Partial), func(int, Piece)) {
	f.told, f.curves = make(map[int]*rangeTotals), 0
}

// ProcessElement tells the ranges the totals of a slice.
func (f *TotalsFn) ProcessElement(key []byte, p shuffle.Partial, emit func([]byte, shuffle.Partial), tell func(int, Piece)) error {
	totals, err := p.Totals.List()
	if err != nil {
		return workers.Mark(err)
	}
	p.Totals = shuffle.ScoreTotals{}
	emit(key, p)
	folds := foldsOf(totals)
	for len(totals) > 0 {
		n := 1
		for n < len(totals) && totals[n].Label == totals[0].Label {
			n++
		}
		f.add(string(key), folds, totals[:n])
		totals = totals[n:]
	}
	if f.Windowed || f.curves > toldCurves {
		return f.FinishBundle(emit, tell)
	}
	return nil
}

// foldsOf returns the folds that a slice has scores of, ascending.
func foldsOf(totals []shuffle.RangeTotals) (folds []int32) {
	for i := range totals {
		folds = withFold(folds, totals[i].Fold)
	}
	return folds
}

// withFold adds a fold to ascending ones, unless it is among them.
func withFold(folds []int32, fold int32) []int32 {
	at, found := slices.BinarySearch(folds, fold)
	if found {
		return folds
	}
	return slices.Insert(folds, at, fold)
}

// add tells the totals of a slice and label to every range that has scores of both. A range is also told the totals
// of the slice's other folds, because it traces the curves without each fold.
func (f *TotalsFn) add(slice string, folds []int32, totals []shuffle.RangeTotals) {
	curves := make([]curveTotals, len(folds))
	for i, fold := range folds {
		curves[i].Label, curves[i].Fold = totals[0].Label, fold
	}
	of := func(t *shuffle.RangeTotals) *curveTotals {
		i, _ := slices.BinarySearch(folds, t.Fold)
		return &curves[i]
	}
	for i := range totals {
		of(&totals[i]).All.Merge(&totals[i].Totals)
	}
	for len(totals) > 0 {
		at := totals[0].Range
		told := f.told[int(at)]
		if told == nil {
			told = new(rangeTotals)
			f.told[int(at)] = told
		}
		if last := len(told.Slices) - 1; last < 0 || told.Slices[last] != slice {
			told.Slices = append(told.Slices, slice)
		}
		for _, curve := range curves {
			var above scoreruns.Totals // a copy, because curve.Above grows
			above.Merge(&curve.Above)
			curve.Slice, curve.Above = int32(len(told.Slices)-1), above
			told.Curves = append(told.Curves, curve)
		}
		f.curves += len(curves)
		for ; len(totals) > 0 && totals[0].Range == at; totals = totals[1:] {
			of(&totals[0]).Above.Merge(&totals[0].Totals)
		}
	}
}

// FinishBundle emits the totals that wait.
func (f *TotalsFn) FinishBundle(_ func([]byte, shuffle.Partial), tell func(int, Piece)) error {
	for at, told := range f.told {
		totals, err := shuffle.Pack(&f.Spill, told, rangeTotalsFields)
		if err != nil {
			return workers.Mark(err)
		}
		tell(f.Division.RangeKey(at), Piece{Range: at, Totals: totals})
	}
	clear(f.told)
	f.curves = 0
	return workers.Mark(f.Spill.Close())
}

// Teardown removes the remains of a failed bundle, if it was the last one.
func (f *TotalsFn) Teardown() { f.Spill.Abandon() }

// curve identifies a curve: of all examples of a slice, or of all examples but one fold.
type curve struct {
	slice   string // its key
	without int32  // the fold that is left out; shuffle.NoFold if none is
}

// rangeCurves holds the curves of a range, and their totals.
type rangeCurves struct {
	keys   []string  // of the slices, ascending
	folds  [][]int32 // by slice: the folds with examples; see metrics/curves.Tracer
	curves []curve   // for each slice, its curve and then its curves without each of its folds
	totals map[int]*labelTotals
}

// labelTotals are the totals of the curves of a label, by curve.
type labelTotals struct{ above, all []scoreruns.Totals }

// curvesOf merges the totals that a range was told.
func curvesOf(told []*rangeTotals) *rangeCurves {
	in := &rangeCurves{totals: make(map[int]*labelTotals)}
	for _, t := range told {
		in.keys = append(in.keys, t.Slices...)
	}
	slices.Sort(in.keys)
	in.keys = slices.Compact(in.keys)
	places := make([][]int32, len(told))
	in.folds = make([][]int32, len(in.keys))
	for i, t := range told {
		places[i] = placesOf(t.Slices, in.keys)
		for k := range t.Curves {
			if from := &t.Curves[k]; from.Fold != shuffle.NoFold {
				slice := places[i][from.Slice]
				in.folds[slice] = withFold(in.folds[slice], from.Fold)
			}
		}
	}
	first := make([]int, len(in.keys)) // by slice: the index of its first curve
	for i, key := range in.keys {
		first[i] = len(in.curves)
		in.curves = append(in.curves, curve{key, shuffle.NoFold})
		for _, fold := range in.folds[i] {
			in.curves = append(in.curves, curve{key, fold})
		}
	}
	for i, t := range told {
		for k := range t.Curves {
			from := &t.Curves[k]
			slice := places[i][from.Slice]
			in.add(from, first[slice], in.folds[slice])
		}
	}
	for _, of := range in.totals {
		for i, folds := range in.folds {
			for k := range folds {
				takeAway(&of.above[first[i]+1+k], &of.above[first[i]])
				takeAway(&of.all[first[i]+1+k], &of.all[first[i]])
			}
		}
	}
	return in
}

// add adds examples of a slice to the totals of the slice's curve, and to the totals of the curve
// without their fold. The totals of a curve without a fold therefore hold the fold itself at first;
// when they are complete, curvesOf takes them away from the totals of the slice: see takeAway.
func (in *rangeCurves) add(from *curveTotals, first int, folds []int32) {
	into := in.totals[from.Label]
	if into == nil {
		into = &labelTotals{make([]scoreruns.Totals, len(in.curves)), make([]scoreruns.Totals, len(in.curves))}
		in.totals[from.Label] = into
	}
	into.above[first].Merge(&from.Above)
	into.all[first].Merge(&from.All)
	if i, found := slices.BinarySearch(folds, from.Fold); found {
		into.above[first+1+i].Merge(&from.Above)
		into.all[first+1+i].Merge(&from.All)
	}
}

// takeAway replaces part by the examples that are in all but not in part.
func takeAway(part, all *scoreruns.Totals) {
	var rest scoreruns.Totals
	rest.Merge(all)
	rest.Positive.Subtract(&part.Positive)
	rest.Negative.Subtract(&part.Negative)
	*part = rest
}

// placesOf returns the index of each key in all, which must be sorted; -1 for keys that are
// missing.
func placesOf(keys, all []string) []int32 {
	places := make([]int32, len(keys))
	for i, key := range keys {
		k, found := slices.BinarySearch(all, key)
		if !found {
			k = -1
		}
		places[i] = int32(k)
	}
	return places
}

func init() { beam.RegisterDoFn(reflect.TypeFor[TotalsFn]()) }
