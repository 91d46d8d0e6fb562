package transforms

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/beameval/beameval/metrics/runs"
)

// tagTable numbers the tags of several runs in common: list·classes + class,
// where a list is one of the lists of slices that cells are in.
type tagTable struct {
	keys    []string // of slices, ascending
	classes int
	lists   map[string]int // encoded, by number
	tags    []runs.Tag
}

// noTag is the tag of examples that the runs do not have.
const noTag = math.MaxUint32

// newTagTable returns a table for examples of these slices and so many classes.
func newTagTable(keys []string, classes int) *tagTable {
	return &tagTable{keys: keys, classes: classes, lists: make(map[string]int)}
}

// of returns the common tags of the tags of a run.
func (t *tagTable) of(run *scoreRun, cells *cellTable) []uint32 {
	places := t.places(cells.Keys)
	common := make([]uint32, 0, len(cells.Cells)*run.Classes)
	for _, cell := range cells.Cells {
		list, met := t.list(cell, places)
		for class := range run.Classes {
			if met {
				common = append(common, uint32(list*t.classes+class))
			} else {
				common = append(common, noTag)
			}
		}
	}
	return common
}

// places returns the slices that keys stand for, -1 for those without examples.
func (t *tagTable) places(keys []string) []int32 {
	places := make([]int32, len(keys))
	for i, key := range keys {
		place, found := slices.BinarySearch(t.keys, key)
		if !found {
			place = -1
		}
		places[i] = int32(place)
	}
	return places
}

// list returns the number of a cell's slices; there is none if the cell has no
// examples here, and so some slice of it may have none.
func (t *tagTable) list(cell, places []int32) (number int, met bool) {
	list := make([]int32, 0, len(cell))
	var code []byte
	for _, key := range cell {
		if places[key] < 0 {
			return 0, false
		}
		list = append(list, places[key]) // ascending, as both lists of keys are
		code = binary.AppendUvarint(code, uint64(places[key]))
	}
	number, met = t.lists[string(code)]
	if !met {
		number = len(t.lists)
		t.lists[string(code)] = number
		for class := range t.classes {
			t.tags = append(t.tags, runs.Tag{Class: int32(class), Slices: list})
		}
	}
	return number, true
}
