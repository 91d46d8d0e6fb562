package ranges

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/scoreruns"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// tallies counts the examples of each range.
type tallies struct {
	labels []int         // the labels that have scores
	ranges []rangeCounts // by range
}

// rangeCounts holds counts by membership (see membershipNumbers), label and whether examples are positive; see
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

// add counts an example with a score of labels[label] in range at. tuple is the number of its membership.
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

// grown returns a list of at least n elements that begins with the elements of list.
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

// byCurve returns the totals of each range, for every curve that has examples. membershipOf returns the
// membership with a number. pooled says whether to include the curve of all labels together.
func (t *tallies) byCurve(membershipOf shuffle.MembershipOf, divided func(slice string) bool, pooled bool) map[curveKey][]scoreruns.Totals {
	found := make(map[curveKey][]scoreruns.Totals)
	width, end := 2*len(t.labels), 0
	for i := range t.ranges {
		end = max(end, len(t.ranges[i].ones), len(t.ranges[i].others))
	}
	for start := 0; start < end; start += width {
		var membership shuffle.Membership // of these counts; looked up only once
		for k, label := range t.labels {
			i := start + 2*k
			if !t.counted(i) {
				continue
			}
			if membership.Slices == nil {
				membership = membershipOf(int32(start / width))
			}
			for _, slice := range membership.Slices {
				fold := membership.Fold
				if fold != shuffle.NoFold && !divided(slice) {
					fold = shuffle.NoFold
				}
				t.addTo(found, curveKey{label, slice, fold}, i)
				if pooled && label != metrics.TopClass {
					t.addTo(found, curveKey{metrics.PooledLabel, slice, fold}, i)
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
func (t *tallies) addTo(found map[curveKey][]scoreruns.Totals, key curveKey, i int) {
	into := found[key]
	if into == nil {
		into = make([]scoreruns.Totals, len(t.ranges))
		found[key] = into
	}
	for at := range t.ranges {
		t.ranges[at].addTo(&into[at].Negative, i)
		t.ranges[at].addTo(&into[at].Positive, i+1)
	}
}

// packTotals returns the totals of each slice, encoded, and empties found.
func packTotals(found map[curveKey][]scoreruns.Totals) (map[string]*shuffle.ScoreTotals, error) {
	bySlice := make(map[string][]curveKey)
	for key := range found {
		bySlice[key.slice] = append(bySlice[key.slice], key)
	}
	packed := make(map[string]*shuffle.ScoreTotals, len(bySlice))
	var list []shuffle.RangeTotals
	for slice, keys := range bySlice {
		slices.SortFunc(keys, func(a, b curveKey) int { return cmp.Or(cmp.Compare(a.label, b.label), cmp.Compare(a.fold, b.fold)) })
		list = list[:0]
		for _, key := range keys {
			for at, of := range found[key] {
				if !of.Positive.Empty() || !of.Negative.Empty() {
					list = append(list, shuffle.RangeTotals{Label: key.label, Fold: key.fold, Range: int32(at), Totals: of})
				}
			}
			delete(found, key)
		}
		data, err := shuffle.PackTotals(list)
		if err != nil {
			return nil, err
		}
		packed[slice] = new(shuffle.ScoreTotals)
		packed[slice].Add(data)
	}
	return packed, nil
}
