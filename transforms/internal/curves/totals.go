package curves

import (
	"maps"
	"slices"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/runs"
)

// totalsBySlice are the examples of some scores, by slice.
type totalsBySlice map[string]*runs.Totals

// totals returns the totals of a slice, new if need be.
func (t totalsBySlice) totals(slice string) *runs.Totals {
	if t[slice] == nil {
		t[slice] = new(runs.Totals)
	}
	return t[slice]
}

// add adds the examples of data, scores of a run whose tuples are in slices.
func (t totalsBySlice) add(run *Run, slices *sliceTable, data []byte) error {
	byTag := make([]exact.Tally, len(slices.Tuples)*run.Classes)
	if err := runs.AddTotals(byTag, data); err != nil {
		return err
	}
	for tag := range byTag {
		examples := &byTag[tag]
		if examples.Empty() {
			continue
		}
		for _, key := range slices.Tuples[tag/run.Classes] {
			into := t.totals(slices.Keys[key])
			if tag%run.Classes == run.Positive {
				into.Positive.Merge(examples)
			} else {
				into.Negative.Merge(examples)
			}
		}
	}
	return nil
}

// sliceTotals are the totals of a slice that the sweep of a range needs.
type sliceTotals struct {
	Slice string
	Above runs.Totals // of the examples with scores above the range
	All   runs.Totals // of all examples
}

func sliceTotalsFields(c *wire.Coder, t *sliceTotals) {
	wire.String(c, &t.Slice)
	for _, totals := range []*runs.Totals{&t.Above, &t.All} {
		c.Embed(func([]byte) ([]byte, error) { return totals.Append(nil), nil }, totals.Decode)
	}
}

// perRange returns, by range, the totals of the slices with examples in it, by key. The
// range does not need other slices, which may be most.
func perRange(ranges []totalsBySlice) [][]sliceTotals {
	all, above := make(totalsBySlice), make(totalsBySlice)
	for _, t := range ranges {
		all.merge(t)
	}
	lists := make([][]sliceTotals, len(ranges))
	for i, t := range ranges {
		for _, slice := range slices.Sorted(maps.Keys(t)) {
			s := sliceTotals{Slice: slice}
			addTotals(&s.Above, above.totals(slice)) // copies, as above goes on
			addTotals(&s.All, all[slice])
			lists[i] = append(lists[i], s)
		}
		above.merge(t)
	}
	return lists
}

func (t totalsBySlice) merge(from totalsBySlice) {
	for slice, totals := range from {
		addTotals(t.totals(slice), totals)
	}
}

func addTotals(into, from *runs.Totals) {
	into.Positive.Merge(&from.Positive)
	into.Negative.Merge(&from.Negative)
}
