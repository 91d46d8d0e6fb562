package ranges

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/runs"
	"github.com/beameval/beameval/transforms/internal/element"
)

// rangeTotals are what one Scores sends to a range: the totals of all of its examples.
type rangeTotals struct {
	Slices []string      // the keys of the slices, ascending
	Curves []curveTotals // ascending by slice, label and fold
}

// curveTotals are the totals of the examples of one label, slice and fold.
type curveTotals struct {
	Label int // also metrics.PooledLabel, metrics.TopClass or metrics.CostLabel
	Slice int32
	Fold  int32
	Above runs.Totals // of the examples with scores above the range
	All   runs.Totals // of all examples
}

// blockCurves is the number of curves whose totals are encoded together, in columns, where each number
// takes as many bits as the largest. Every range gets the totals of all curves, of which there may be
// millions.
const blockCurves = 128

func rangeTotalsFields(c *wire.Coder, t *rangeTotals) {
	c.Strings(&t.Slices)
	n := len(t.Curves)
	if wire.Int(c, &n); c.Reading() {
		t.Curves = nil
	}
	for from := 0; from < n && !c.Failed(); from += blockCurves {
		to := min(from+blockCurves, n)
		if c.Reading() {
			t.Curves = append(t.Curves, make([]curveTotals, to-from)...)
		}
		block := t.Curves[from:to]
		column(c, block, func(of *curveTotals) *int { return &of.Label })
		column(c, block, func(of *curveTotals) *int32 { return &of.Slice })
		column(c, block, func(of *curveTotals) *int32 { return &of.Fold })
		tallyColumn(c, block, func(of *curveTotals) *exact.Tally { return &of.Above.Positive })
		tallyColumn(c, block, func(of *curveTotals) *exact.Tally { return &of.Above.Negative })
		tallyColumn(c, block, func(of *curveTotals) *exact.Tally { return &of.All.Positive })
		tallyColumn(c, block, func(of *curveTotals) *exact.Tally { return &of.All.Negative })
		for i := range block {
			if of := &block[i]; of.Slice < 0 || int(of.Slice) >= len(t.Slices) {
				c.Fail("there is no slice %d", of.Slice)
			}
			element.CheckFold(c, block[i].Fold)
		}
	}
}

// column codes a number of each curve, which may be negative.
func column[T ~int | ~int32](c *wire.Coder, block []curveTotals, field func(*curveTotals) *T) {
	var room [blockCurves]uint64
	values := room[:len(block)]
	for i := range block {
		values[i] = uint64(int64(*field(&block[i])) - math.MinInt32)
	}
	c.Column(values)
	for i := range block {
		*field(&block[i]) = T(int64(values[i]) + math.MinInt32)
	}
}

// tallyColumn codes a tally of each curve. The column holds the number of examples + 1 if all weigh 1,
// and otherwise 0; these tallies follow it.
func tallyColumn(c *wire.Coder, block []curveTotals, field func(*curveTotals) *exact.Tally) {
	var room [blockCurves]uint64
	rows := room[:len(block)]
	for i := range block {
		if t := field(&block[i]); t.Ones() {
			rows[i] = uint64(t.Rows()) + 1
		}
	}
	c.Column(rows)
	for i := range block {
		t := field(&block[i])
		switch {
		case rows[i] == 0:
			c.Value(t)
		case c.Reading():
			if *t = (exact.Tally{}); rows[i] > math.MaxInt64 {
				c.Fail("a tally of %d examples", rows[i]-1)
			} else {
				t.AddOnes(int64(rows[i] - 1))
			}
		}
	}
}

// eachRange calls each for every range in turn with the totals that the range needs. They are valid
// only during the call: those of all ranges at once would fill the memory.
func eachRange(found map[curveKey][]runs.Totals, ranges int, each func(at int, told *rangeTotals) error) error {
	var told rangeTotals
	keys := make([]curveKey, 0, len(found))
	for key := range found {
		keys = append(keys, key)
		told.Slices = append(told.Slices, key.slice)
	}
	slices.Sort(told.Slices)
	told.Slices = slices.Compact(told.Slices)
	slices.SortFunc(keys, func(a, b curveKey) int {
		return cmp.Or(cmp.Compare(a.slice, b.slice), cmp.Compare(a.label, b.label), cmp.Compare(a.fold, b.fold))
	})
	told.Curves = make([]curveTotals, len(keys))
	at := int32(0)
	for i, key := range keys {
		if key.slice != told.Slices[at] {
			at++
		}
		told.Curves[i] = curveTotals{Label: key.label, Slice: at, Fold: key.fold}
		for k := range ranges {
			told.Curves[i].All.Merge(&found[key][k])
		}
	}
	for at := range ranges {
		if err := each(at, &told); err != nil {
			return err
		}
		for i, key := range keys {
			told.Curves[i].Above.Merge(&found[key][at])
		}
	}
	return nil
}

// curve identifies a curve: of all examples of a slice, or of all but those of one fold.
type curve struct {
	slice   string // its key
	without int32  // the fold that is left out; element.NoFold if none is
}

// rangeCurves holds the curves of a range, and their totals.
type rangeCurves struct {
	keys   []string  // of the slices, ascending
	folds  [][]int32 // by slice: the folds with examples; see metrics/curves.Tracer
	curves []curve   // for each slice, its curve and then those without each of its folds
	totals map[int]*labelTotals
}

// labelTotals are the totals of the curves of a label, by curve.
type labelTotals struct{ above, all []runs.Totals }

// curvesOf merges the totals that all workers sent to a range.
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
			if from := &t.Curves[k]; from.Fold != element.NoFold {
				list := &in.folds[places[i][from.Slice]]
				if at, found := slices.BinarySearch(*list, from.Fold); !found {
					*list = slices.Insert(*list, at, from.Fold)
				}
			}
		}
	}
	first := make([]int, len(in.keys)) // by slice: the index of its first curve
	for i, key := range in.keys {
		first[i] = len(in.curves)
		in.curves = append(in.curves, curve{key, element.NoFold})
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

// add adds examples of a slice to the totals of its curve. It also adds them to those of the curve
// without their fold. These therefore first hold the fold itself; when they are complete, curvesOf
// replaces them by what is left of the slice without them: see takeAway.
func (in *rangeCurves) add(from *curveTotals, first int, folds []int32) {
	into := in.totals[from.Label]
	if into == nil {
		into = &labelTotals{make([]runs.Totals, len(in.curves)), make([]runs.Totals, len(in.curves))}
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
func takeAway(part, all *runs.Totals) {
	var rest runs.Totals
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
