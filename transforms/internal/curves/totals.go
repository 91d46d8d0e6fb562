package curves

import (
	"slices"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/runs"
)

// rangeTotals are what one worker tells a range of all of its examples.
type rangeTotals struct {
	Slices []string // their keys, ascending
	Curves []curveTotals
}

// curveTotals are the totals of the curve of a label and a slice.
type curveTotals struct {
	Label int // or metrics.PooledLabel or metrics.TopClass
	Slice int32
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
		for _, totals := range []*runs.Totals{&of.Above, &of.All} {
			c.Embed(func([]byte) ([]byte, error) { return totals.Append(nil), nil }, totals.Decode)
		}
	})
}

// tallies counts the examples of each range.
type tallies struct {
	labels []int           // of which there are scores
	ranges [][]exact.Tally // by range, then by tuple, label and whether they are positive
}

// newTallies returns tallies without examples.
func newTallies(labels []int, ranges int) tallies {
	return tallies{labels, make([][]exact.Tally, ranges)}
}

// add counts an example with a score of labels[label] in a range.
func (t *tallies) add(at int, tuple int32, label int, positive bool, weight float64) {
	i := 2 * (int(tuple)*len(t.labels) + label)
	if positive {
		i++
	}
	of := t.ranges[at]
	if i >= len(of) {
		of = t.grow(at, i)
	}
	of[i].Add(weight)
}

func (t *tallies) grow(at, i int) []exact.Tally {
	of := slices.Grow(t.ranges[at], i+1-len(t.ranges[at]))
	t.ranges[at] = of[:cap(of)]
	return t.ranges[at]
}

// curveKey identifies the curve of a label and a slice.
type curveKey struct {
	label int
	slice string
}

// byCurve returns the totals of each curve that has examples, by range. keysOf returns the
// keys of the slices of a tuple; pooled asks for the curve of all labels.
func (t *tallies) byCurve(keysOf func(tuple int32) []string, pooled bool) map[curveKey][]runs.Totals {
	found := make(map[curveKey][]runs.Totals)
	width, end := 2*len(t.labels), 0
	for _, list := range t.ranges {
		end = max(end, len(list))
	}
	for start := 0; start < end; start += width {
		var keys []string // of the slices of the tuple, found once
		for at, list := range t.ranges {
			for i := start; i < min(start+width, len(list)); i++ {
				if list[i].Empty() {
					continue
				}
				if keys == nil {
					keys = keysOf(int32(start / width))
				}
				t.addToSlices(found, keys, t.labels[i/2%len(t.labels)], pooled, at, i%2 == 1, &list[i])
			}
		}
	}
	return found
}

// addToSlices adds examples of a label to the curves of slices and, if pooled, to those of all
// labels.
func (t *tallies) addToSlices(found map[curveKey][]runs.Totals, keys []string, label int, pooled bool, at int, positive bool, examples *exact.Tally) {
	for _, slice := range keys {
		t.addTo(found, curveKey{label, slice}, at, positive, examples)
		if pooled && label != metrics.TopClass {
			t.addTo(found, curveKey{metrics.PooledLabel, slice}, at, positive, examples)
		}
	}
}

func (t *tallies) addTo(found map[curveKey][]runs.Totals, key curveKey, at int, positive bool, examples *exact.Tally) {
	if found[key] == nil {
		found[key] = make([]runs.Totals, len(t.ranges))
	}
	if into := &found[key][at]; positive {
		into.Positive.Merge(examples)
	} else {
		into.Negative.Merge(examples)
	}
}

// perRange returns what each range is told of the totals of curves.
func perRange(found map[curveKey][]runs.Totals, ranges int) []rangeTotals {
	var keys []string
	for key := range found {
		keys = append(keys, key.slice)
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	told := make([]rangeTotals, ranges)
	for i := range told {
		told[i].Slices = keys
	}
	for key, list := range found {
		var above, all runs.Totals
		for i := range list {
			all.Merge(&list[i])
		}
		slice, _ := slices.BinarySearch(keys, key.slice)
		for i := range told {
			of := curveTotals{Label: key.label, Slice: int32(slice)}
			of.Above.Merge(&above) // copies, as above goes on
			of.All.Merge(&all)
			told[i].Curves = append(told[i].Curves, of)
			above.Merge(&list[i])
		}
	}
	return told
}

// labelTotals are the totals of the curves of a label, by slice.
type labelTotals struct{ above, all []runs.Totals }

// totalsOf merges what a range was told. It returns the keys of all slices, ascending, and
// the totals by label.
func totalsOf(told []*rangeTotals) ([]string, map[int]*labelTotals) {
	var keys []string
	for _, t := range told {
		keys = append(keys, t.Slices...)
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	labels := make(map[int]*labelTotals)
	for _, t := range told {
		places := placesOf(t.Slices, keys)
		for i := range t.Curves {
			from := &t.Curves[i]
			into := labels[from.Label]
			if into == nil {
				into = &labelTotals{make([]runs.Totals, len(keys)), make([]runs.Totals, len(keys))}
				labels[from.Label] = into
			}
			into.above[places[from.Slice]].Merge(&from.Above)
			into.all[places[from.Slice]].Merge(&from.All)
		}
	}
	return keys, labels
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
