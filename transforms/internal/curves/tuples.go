package curves

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/runs"
)

// sliceTable says which slices the examples of each tuple are in; see batches.Slicer. Runs
// travel with the table of the tuples of their examples.
type sliceTable struct {
	Keys   []string  // of slices, ascending
	Tuples [][]int32 // by tuple, indices of Keys, ascending
}

// newSliceTable returns the table of tuples that are in the slices with these keys.
func newSliceTable(tuples [][]string) *sliceTable {
	t := &sliceTable{Keys: slices.Concat(tuples...), Tuples: make([][]int32, len(tuples))}
	slices.Sort(t.Keys)
	t.Keys = slices.Compact(t.Keys)
	for i, keys := range tuples {
		for _, key := range keys {
			k, _ := slices.BinarySearch(t.Keys, key)
			t.Tuples[i] = append(t.Tuples[i], int32(k))
		}
		slices.Sort(t.Tuples[i])
	}
	return t
}

func sliceTableFields(c *wire.Coder, t *sliceTable) {
	c.Strings(&t.Keys)
	wire.List(c, &t.Tuples, func(c *wire.Coder, tuple *[]int32) {
		wire.List(c, tuple, func(c *wire.Coder, k *int32) {
			if wire.Int(c, k); *k < 0 || int(*k) >= len(t.Keys) {
				c.Fail("there is no slice %d", *k)
			}
		})
	})
}

// tupleNumbers numbers the tuples of the examples from 0 on.
type tupleNumbers struct {
	keysOf  func(tuple int32) []string // the slices that a tuple of the worker is in
	numbers []uint32                   // by the worker's tuple, from 1 on; 0: not met
	met     [][]string                 // by number
}

// number returns the number of a tuple.
func (n *tupleNumbers) number(tuple int32) uint32 {
	for int(tuple) >= len(n.numbers) {
		n.numbers = append(n.numbers, 0)
	}
	if n.numbers[tuple] == 0 {
		n.met = append(n.met, n.keysOf(tuple))
		n.numbers[tuple] = uint32(len(n.met))
	}
	return n.numbers[tuple] - 1
}

// keys returns the keys of the slices that the tuple with a number is in.
func (n *tupleNumbers) keys(number int32) []string { return n.met[number] }

// table returns the table of the tuples met.
func (n *tupleNumbers) table() *sliceTable { return newSliceTable(n.met) }

// tagTable gives the tags of several runs common numbers: list·classes + class, where list
// is the number of a list of slices that a tuple is in.
type tagTable struct {
	keys    []string // of slices, ascending
	classes int
	lists   map[string]int // the numbers of lists, by their encoding
	tags    []runs.Tag
}

// newTagTable returns a table for examples of these slices and classes.
func newTagTable(keys []string, classes int) *tagTable {
	return &tagTable{keys: keys, classes: classes, lists: make(map[string]int)}
}

// common returns the common tags of the tags of a run with these tuples.
func (t *tagTable) common(tuples *sliceTable) ([]uint32, error) {
	places := placesOf(tuples.Keys, t.keys)
	if i := slices.Index(places, -1); i >= 0 {
		return nil, fmt.Errorf("no totals of slice %q", tuples.Keys[i])
	}
	common := make([]uint32, 0, len(tuples.Tuples)*t.classes)
	for _, tuple := range tuples.Tuples {
		list := t.list(tuple, places)
		for class := range t.classes {
			common = append(common, uint32(list*t.classes+class))
		}
	}
	return common, nil
}

// list returns the number of the list of a tuple's slices.
func (t *tagTable) list(tuple, places []int32) int {
	list := make([]int32, 0, len(tuple))
	var code []byte
	for _, key := range tuple {
		list = append(list, places[key]) // ascending, as both lists of keys are
		code = binary.AppendUvarint(code, uint64(places[key]))
	}
	number, met := t.lists[string(code)]
	if !met {
		number = len(t.lists)
		t.lists[string(code)] = number
		for class := range t.classes {
			t.tags = append(t.tags, runs.Tag{Class: int32(class), Slices: list})
		}
	}
	return number
}
