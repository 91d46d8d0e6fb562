package transforms

import "github.com/beameval/beameval/metrics/runs"

// rangeData is the data of a range of a label, read into memory.
type rangeData struct {
	pieces []scoreRun
	data   [][]byte
	cells  []*cellTable
}

// readRange reads the data of pieces.
func readRange(pieces []scoreRun) (*rangeData, error) {
	in := &rangeData{pieces, make([][]byte, len(pieces)), make([]*cellTable, len(pieces))}
	var err error
	for i := range pieces {
		if in.data[i], err = pieces[i].Data.read(); err != nil {
			return nil, err
		}
		if in.cells[i], err = pieces[i].table(); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// totals returns the totals of the slices of a label with one range.
func (in *rangeData) totals() ([]sliceTotals, error) {
	only := make(totalsBySlice)
	for i := range in.pieces {
		if err := only.add(&in.pieces[i], in.cells[i], in.data[i]); err != nil {
			return nil, err
		}
	}
	return perRange([]totalsBySlice{only})[0], nil
}

// merge merges the runs of the pieces, with tags for the slices of these keys.
func (in *rangeData) merge(keys []string) ([]runs.Tag, *runs.Merge) {
	tags := newTagTable(keys, in.pieces[0].Classes)
	list := make([]runs.Run, len(in.pieces))
	for i := range in.pieces {
		list[i] = runs.Run{Data: in.data[i], Tags: tags.of(&in.pieces[i], in.cells[i])}
	}
	return tags.tags, runs.NewMerge(list)
}
