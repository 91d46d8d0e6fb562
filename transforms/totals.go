package transforms

import (
	"fmt"
	"maps"
	"slices"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/runs"
)

// totalsBySlice are the examples of some scores, by slice.
type totalsBySlice map[string]*runs.Totals

// of returns the totals of a slice, new if need be.
func (t totalsBySlice) of(slice string) *runs.Totals {
	if t[slice] == nil {
		t[slice] = new(runs.Totals)
	}
	return t[slice]
}

// add adds the examples of a run, or of a piece of it, whose table is cells.
func (t totalsBySlice) add(run *scoreRun, cells *cellTable, data []byte) error {
	byTag := make([]exact.Tally, len(cells.Cells)*run.Classes)
	if err := runs.AddTotals(byTag, data); err != nil {
		return err
	}
	for tag := range byTag {
		rows := &byTag[tag]
		if rows.Empty() {
			continue
		}
		for _, place := range cells.Cells[tag/run.Classes] {
			into := t.of(cells.Keys[place])
			if tag%run.Classes == run.Positive {
				into.Positive.Merge(rows)
			} else {
				into.Negative.Merge(rows)
			}
		}
	}
	return nil
}

// sliceTotals are the examples of a slice that a range of scores needs.
type sliceTotals struct {
	Slice string
	Above runs.Totals // with higher scores than the range's
	All   runs.Totals // of all scores
}

// perRange returns, by range, the totals of the slices with examples in it, by
// key. Other slices the range does not need, and they may be most.
func perRange(ranges []totalsBySlice) [][]sliceTotals {
	all, above := make(totalsBySlice), make(totalsBySlice)
	for _, t := range ranges {
		all.merge(t)
	}
	lists := make([][]sliceTotals, len(ranges))
	for i, t := range ranges {
		for _, slice := range slices.Sorted(maps.Keys(t)) {
			s := sliceTotals{Slice: slice}
			addTotals(&s.Above, above.of(slice)) // copies, as above goes on
			addTotals(&s.All, all[slice])
			lists[i] = append(lists[i], s)
		}
		above.merge(t)
	}
	return lists
}

func (t totalsBySlice) merge(from totalsBySlice) {
	for slice, totals := range from {
		addTotals(t.of(slice), totals)
	}
}

func addTotals(into, from *runs.Totals) {
	into.Positive.Merge(&from.Positive)
	into.Negative.Merge(&from.Negative)
}

// table reads the table of a run's cells.
func (r *scoreRun) table() (*cellTable, error) {
	data, err := r.Cells.read()
	if err != nil {
		return nil, err
	}
	if r.Classes < 1 {
		return nil, fmt.Errorf("a run of %d classes", r.Classes)
	}
	return decodeCells(data)
}
