package curves

import (
	"math"
	"slices"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/runs"
	"github.com/beameval/beameval/transforms/internal/element"
)

// rangeTotals are what one worker tells a range of all of its examples.
type rangeTotals struct {
	Slices []string // their keys, ascending
	Curves []curveTotals
}

// curveTotals are the totals of the examples of a label that are in a slice and a group.
type curveTotals struct {
	Label int // or metrics.PooledLabel or metrics.TopClass
	Slice int32
	Group int32
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
		element.GroupField(c, &of.Group)
		c.Value(&of.Above)
		c.Value(&of.All)
	})
}

// tallies counts the examples of each range.
type tallies struct {
	labels []int         // of which there are scores
	ranges []rangeCounts // by range
}

// rangeCounts are by tuple, label and whether examples are positive. With many groups there are so many that
// they only fit in a cache if they are small.
type rangeCounts struct {
	ones   []uint32      // examples of weight 1
	others []exact.Tally // all others; none if all weigh 1
}

// newTallies returns tallies without examples.
func newTallies(labels []int, ranges int) tallies {
	return tallies{labels, make([]rangeCounts, ranges)}
}

// add counts an example with a score of labels[label] in a range.
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

// add makes room for what is counted.
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

// grown returns a list of n or more elements, of which the first are those of list.
func grown[T any](list []T, n int) []T {
	list = slices.Grow(list, n-len(list))
	return list[:cap(list)]
}

// addTo adds the examples with number i to a tally.
func (c *rangeCounts) addTo(to *exact.Tally, i int) {
	if i < len(c.ones) {
		to.AddOnes(int64(c.ones[i]))
	}
	if i < len(c.others) {
		to.Merge(&c.others[i])
	}
}

// curveKey identifies the examples of a label that are in a slice and a group.
type curveKey struct {
	label int
	slice string
	group int32
}

// byCurve returns the totals of what has examples, by range. cellOf returns what a tuple is in;
// pooled asks for the curve of all labels.
func (t *tallies) byCurve(cellOf func(tuple int32) element.Cell, pooled bool) map[curveKey][]runs.Totals {
	found := make(map[curveKey][]runs.Totals)
	width, end := 2*len(t.labels), 0
	for i := range t.ranges {
		end = max(end, len(t.ranges[i].ones), len(t.ranges[i].others))
	}
	for start := 0; start < end; start += width {
		var cell element.Cell // of the tuple, found once
		for k, label := range t.labels {
			i := start + 2*k
			if !t.counted(i) {
				continue
			}
			if cell.Slices == nil {
				cell = cellOf(int32(start / width))
			}
			for _, slice := range cell.Slices {
				t.addTo(found, curveKey{label, slice, cell.Group}, i)
				if pooled && label != metrics.TopClass {
					t.addTo(found, curveKey{metrics.PooledLabel, slice, cell.Group}, i)
				}
			}
		}
	}
	return found
}

// counted says whether a range has examples whose negatives are number i.
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

// addTo adds the examples of each range whose negatives are number i to a curve.
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

// eachRange calls each for every range in turn, with what it is told of the totals of curves, which is
// valid until each returns: of all ranges together, it would fill the memory.
func eachRange(found map[curveKey][]runs.Totals, ranges int, each func(at int, told *rangeTotals) error) error {
	var told rangeTotals
	for key := range found {
		told.Slices = append(told.Slices, key.slice)
	}
	slices.Sort(told.Slices)
	told.Slices = slices.Compact(told.Slices)
	told.Curves = make([]curveTotals, 0, len(found))
	var lists [][]runs.Totals // by curve
	for key, list := range found {
		slice, _ := slices.BinarySearch(told.Slices, key.slice)
		of := curveTotals{Label: key.label, Slice: int32(slice), Group: key.group}
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

// curve is what a curve is of: a slice, all of it or without a group.
type curve struct {
	slice   string // its key
	without int32  // element.NoGroup: all of it
}

// rangeCurves are the curves of a range, and their totals.
type rangeCurves struct {
	keys   []string  // of the slices, ascending
	groups [][]int32 // by slice, those with examples; see metrics/curves.Sweep
	curves []curve   // of each slice, then of it without each of its groups
	totals map[int]*labelTotals
}

// labelTotals are the totals of a label, by curve.
type labelTotals struct{ above, all []runs.Totals }

// curvesOf merges what a range was told.
func curvesOf(told []*rangeTotals) *rangeCurves {
	in := &rangeCurves{totals: make(map[int]*labelTotals)}
	for _, t := range told {
		in.keys = append(in.keys, t.Slices...)
	}
	slices.Sort(in.keys)
	in.keys = slices.Compact(in.keys)
	places := make([][]int32, len(told))
	in.groups = make([][]int32, len(in.keys))
	for i, t := range told {
		places[i] = placesOf(t.Slices, in.keys)
		for k := range t.Curves {
			if from := &t.Curves[k]; from.Group != element.NoGroup {
				list := &in.groups[places[i][from.Slice]]
				if at, found := slices.BinarySearch(*list, from.Group); !found {
					*list = slices.Insert(*list, at, from.Group)
				}
			}
		}
	}
	first := make([]int, len(in.keys)) // curve of each slice
	for i, key := range in.keys {
		first[i] = len(in.curves)
		in.curves = append(in.curves, curve{key, element.NoGroup})
		for _, group := range in.groups[i] {
			in.curves = append(in.curves, curve{key, group})
		}
	}
	for i, t := range told {
		for k := range t.Curves {
			from := &t.Curves[k]
			slice := places[i][from.Slice]
			in.add(from, first[slice], in.groups[slice])
		}
	}
	for _, of := range in.totals {
		for i, groups := range in.groups {
			for k := range groups {
				takeAway(&of.above[first[i]+1+k], &of.above[first[i]])
				takeAway(&of.all[first[i]+1+k], &of.all[first[i]])
			}
		}
	}
	return in
}

// add adds examples of a slice to its curve and, for now, to the one without their group.
func (in *rangeCurves) add(from *curveTotals, first int, groups []int32) {
	into := in.totals[from.Label]
	if into == nil {
		into = &labelTotals{make([]runs.Totals, len(in.curves)), make([]runs.Totals, len(in.curves))}
		in.totals[from.Label] = into
	}
	into.above[first].Merge(&from.Above)
	into.all[first].Merge(&from.All)
	if i, found := slices.BinarySearch(groups, from.Group); found {
		into.above[first+1+i].Merge(&from.Above)
		into.all[first+1+i].Merge(&from.All)
	}
}

// takeAway sets part to what is in all but not in it.
func takeAway(part, all *runs.Totals) {
	var rest runs.Totals
	rest.Merge(all)
	rest.Positive.Subtract(&part.Positive)
	rest.Negative.Subtract(&part.Negative)
	*part = rest
}

// placesOf returns the places of keys among all of them, which are sorted; -1 for those that
// are not there.
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
