package ranges

import (
	"math"
	"slices"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/runs"
	"github.com/beameval/beameval/transforms/internal/element"
)

// rangeTotals are what one Scores sends to a range: the totals of all of its examples.
type rangeTotals struct {
	Slices []string // the keys of the slices, ascending
	Curves []curveTotals
}

// curveTotals are the totals of the examples of one label, slice and fold.
type curveTotals struct {
	Label int // also metrics.PooledLabel, metrics.TopClass or metrics.CostLabel
	Slice int32
	Fold  int32
	Above runs.Totals // of the examples with scores above the range
	All   runs.Totals // of all examples
}

func rangeTotalsFields(c *wire.Coder, t *rangeTotals) {
	c.Strings(&t.Slices)
	wire.List(c, &t.Curves, func(c *wire.Coder, of *curveTotals) {
		wire.Int(c, &of.Label)
		if wire.Int(c, &of.Slice); of.Slice < 0 || int(of.Slice) >= len(t.Slices) {
			c.Fail("there is no slice %d", of.Slice)
		}
		element.FoldField(c, &of.Fold)
		c.Value(&of.Above)
		c.Value(&of.All)
	})
}

// tallies counts the examples of each range.
type tallies struct {
	labels []int         // the labels that have scores
	ranges []rangeCounts // by range
}

// rangeCounts holds counts by cell (see cellNumbers), label and whether examples are positive; see
// tallies.add for the index. With many folds there are so many counts that they only fit in a cache
// if they are small.
type rangeCounts struct {
	ones   []uint32      // the number of examples of weight 1
	others []exact.Tally // all other examples; empty if there are none
}

// newTallies returns empty tallies.
func newTallies(labels []int, ranges int) tallies {
	return tallies{labels, make([]rangeCounts, ranges)}
}

// add counts an example with a score of labels[label] in range at. tuple is the number of its cell.
func (t *tallies) add(at int, tuple int32, label int, positive bool, weight float64) {
	i := 2 * (int(tuple)*len(t.labels) + label)
	if positive {
		i++
	}
	of := &t.ranges[at]
	if weight == 1 && i < len(of.ones) && of.ones[i] < math.MaxUint32 {
		of.ones[i]++
		return
	}
	of.add(i, weight)
}

// add counts an example in the slow way, which may grow the lists.
func (c *rangeCounts) add(i int, weight float64) {
	if weight == 1 && i >= len(c.ones) {
		c.ones = grown(c.ones, i+1)
		c.ones[i]++
		return
	}
	if i >= len(c.others) {
		c.others = grown(c.others, i+1)
	}
	c.others[i].Add(weight)
}

// grown returns a list of at least n elements that begins with those of list.
func grown[T any](list []T, n int) []T {
	list = slices.Grow(list, n-len(list))
	return list[:cap(list)]
}

// addTo adds the examples with index i to a tally.
func (c *rangeCounts) addTo(to *exact.Tally, i int) {
	if i < len(c.ones) {
		to.AddOnes(int64(c.ones[i]))
	}
	if i < len(c.others) {
		to.Merge(&c.others[i])
	}
}

// curveKey identifies the examples of one label, slice and fold.
type curveKey struct {
	label int
	slice string
	fold  int32
}

// byCurve returns the totals of each range, for every curve that has examples. cellOf returns the
// cell with a number. pooled says whether to include the curve of all labels together.
func (t *tallies) byCurve(cellOf func(tuple int32) element.Cell, pooled bool) map[curveKey][]runs.Totals {
	found := make(map[curveKey][]runs.Totals)
	width, end := 2*len(t.labels), 0
	for i := range t.ranges {
		end = max(end, len(t.ranges[i].ones), len(t.ranges[i].others))
	}
	for start := 0; start < end; start += width {
		var cell element.Cell // of these counts; looked up only once
		for k, label := range t.labels {
			i := start + 2*k
			if !t.counted(i) {
				continue
			}
			if cell.Slices == nil {
				cell = cellOf(int32(start / width))
			}
			for _, slice := range cell.Slices {
				t.addTo(found, curveKey{label, slice, cell.Fold}, i)
				if pooled && label != metrics.TopClass {
					t.addTo(found, curveKey{metrics.PooledLabel, slice, cell.Fold}, i)
				}
			}
		}
	}
	return found
}

// counted reports whether any range has examples with index i (negatives) or i+1 (positives).
func (t *tallies) counted(i int) bool {
	var all exact.Tally
	for at := range t.ranges {
		t.ranges[at].addTo(&all, i)
		t.ranges[at].addTo(&all, i+1)
		if !all.Empty() {
			return true
		}
	}
	return false
}

// addTo adds the examples with index i (negatives) and i+1 (positives) of each range to a curve.
func (t *tallies) addTo(found map[curveKey][]runs.Totals, key curveKey, i int) {
	into := found[key]
	if into == nil {
		into = make([]runs.Totals, len(t.ranges))
		found[key] = into
	}
	for at := range t.ranges {
		t.ranges[at].addTo(&into[at].Negative, i)
		t.ranges[at].addTo(&into[at].Positive, i+1)
	}
}

// eachRange calls each for every range in turn with the totals that the range needs. They are valid
// only during the call: those of all ranges at once would fill the memory.
func eachRange(found map[curveKey][]runs.Totals, ranges int, each func(at int, told *rangeTotals) error) error {
	var told rangeTotals
	for key := range found {
		told.Slices = append(told.Slices, key.slice)
	}
	slices.Sort(told.Slices)
	told.Slices = slices.Compact(told.Slices)
	told.Curves = make([]curveTotals, 0, len(found))
	var lists [][]runs.Totals // the totals by range, for each curve
	for key, list := range found {
		slice, _ := slices.BinarySearch(told.Slices, key.slice)
		of := curveTotals{Label: key.label, Slice: int32(slice), Fold: key.fold}
		for i := range list {
			of.All.Merge(&list[i])
		}
		told.Curves, lists = append(told.Curves, of), append(lists, list)
	}
	for at := range ranges {
		if err := each(at, &told); err != nil {
			return err
		}
		for i, list := range lists {
			told.Curves[i].Above.Merge(&list[at])
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
