package ranges

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/scoreruns"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// sliceTable says which slices and which fold the examples of each tuple belong to; see
// batches.Slicer. Every run is accompanied by the table of the tuples of its examples.
type sliceTable struct {
	Keys   []string // the keys of the slices, ascending
	Tuples []tableRow
}

// tableRow says what the examples of one tuple belong to.
type tableRow struct {
	Slices []int32 // indices into Keys, ascending
	Fold   int32
}

// newSliceTable returns the table of tuples with these cells.
func newSliceTable(tuples []shuffle.Membership) *sliceTable {
	t := &sliceTable{Tuples: make([]tableRow, len(tuples))}
	places := make(map[string]int32)
	for _, cell := range tuples {
		for _, key := range cell.Slices {
			places[key] = 0
		}
	}
	t.Keys = slices.Sorted(maps.Keys(places))
	for i, key := range t.Keys {
		places[key] = int32(i)
	}
	for i, cell := range tuples {
		row := &t.Tuples[i]
		row.Slices = collections.Map(cell.Slices, func(key string) int32 { return places[key] })
		slices.Sort(row.Slices)
		row.Fold = cell.Fold
	}
	return t
}

func sliceTableFields(c *wire.Coder, t *sliceTable) {
	c.Strings(&t.Keys)
	wire.List(c, &t.Tuples, func(c *wire.Coder, row *tableRow) {
		shuffle.FoldField(c, &row.Fold)
		wire.List(c, &row.Slices, func(c *wire.Coder, k *int32) {
			if wire.Int(c, k); *k < 0 || int(*k) >= len(t.Keys) {
				c.Fail("there is no slice %d", *k)
			}
		})
	})
}

// tupleNumbers numbers the tuples that examples have, from 0, in order of their first occurrence.
type tupleNumbers struct {
	cellOf  func(tuple int32) shuffle.Membership // returns the cell of a tuple of the worker
	numbers []uint32                             // by tuple of the worker: its number + 1, or 0 if it has not occurred
	met     []shuffle.Membership                 // the cells of the tuples, by number
}

// number returns the number of a tuple.
func (n *tupleNumbers) number(tuple int32) uint32 {
	for int(tuple) >= len(n.numbers) {
		n.numbers = append(n.numbers, 0)
	}
	if n.numbers[tuple] == 0 {
		n.met = append(n.met, n.cellOf(tuple))
		n.numbers[tuple] = uint32(len(n.met))
	}
	return n.numbers[tuple] - 1
}

// cellNumbers numbers the cells that are counted separately. Tuples with the same slices have the
// same number unless perFold is set: with many folds, separate totals of each tuple would not fit
// in a cache.
type cellNumbers struct {
	perFold bool                 // whether tuples of different folds get different numbers
	numbers []int32              // by the number of the tuple
	cells   []shuffle.Membership // by number; without a fold unless perFold
	byKey   map[string]int32     // the number of each cell, by its encoding
	code    []byte               // reused for encodings
}

// extend numbers the tuples that are new since the last call.
func (c *cellNumbers) extend(met []shuffle.Membership) {
	if c.byKey == nil {
		c.byKey = make(map[string]int32)
	}
	for _, cell := range met[len(c.numbers):] {
		if !c.perFold {
			cell.Fold = shuffle.NoFold
		}
		c.code = binary.AppendVarint(c.code[:0], int64(cell.Fold))
		for _, slice := range cell.Slices {
			c.code = append(binary.AppendUvarint(c.code, uint64(len(slice))), slice...)
		}
		number, met := c.byKey[string(c.code)]
		if !met {
			number = int32(len(c.cells))
			c.byKey[string(c.code)], c.cells = number, append(c.cells, cell)
		}
		c.numbers = append(c.numbers, number)
	}
}

// cell returns the cell with the given number.
func (c *cellNumbers) cell(number int32) shuffle.Membership { return c.cells[number] }

// tagTable maps the tags of several runs to common tags: cell·classes + class, where cell is the
// number of a list of slices and a fold. Ranges with the same slices can share it: nearly all of them have scores
// of every slice, and where tuples are many, mapping them takes longer than tracing their scores.
type tagTable struct {
	keys    []string // the keys of the slices, ascending
	classes int
	cells   map[string]int // the number of each cell, by its encoding
	tags    []scoreruns.Tag
	mapped  []mappedTuples
	code    []byte // reused for encodings
}

// mappedTuples has the common tag of each tag of the runs that a table of tuples accompanies.
type mappedTuples struct {
	tuples shuffle.Spilled // a sliceTable
	common []uint32
}

// newTagTable returns an empty table for examples of these slices and classes.
func newTagTable(keys []string, classes int) *tagTable {
	return &tagTable{keys: keys, classes: classes, cells: make(map[string]int)}
}

// fits reports whether the table is for examples of these slices and classes.
func (t *tagTable) fits(keys []string, classes int) bool {
	return t.classes == classes && slices.Equal(t.keys, keys)
}

// of returns the common tag of each tag of the run of a piece.
func (t *tagTable) of(p *Piece) ([]uint32, error) {
	for i := range t.mapped {
		if m := &t.mapped[i]; m.tuples.Same(&p.Tuples) { // they come from the same worker
			return m.common, nil
		}
	}
	tuples, err := p.tuples()
	if err != nil {
		return nil, err
	}
	common := t.common(tuples)
	t.mapped = append(t.mapped, mappedTuples{p.Tuples, common})
	return common, nil
}

// common returns the common tag of each tag of a run, given the table of its tuples. The range may have no
// scores of a tuple, and then no totals of its slices: its tags are scoreruns.NoTag.
func (t *tagTable) common(tuples *sliceTable) []uint32 {
	places := placesOf(tuples.Keys, t.keys)
	common := make([]uint32, 0, len(tuples.Tuples)*t.classes)
	for i := range tuples.Tuples {
		row := &tuples.Tuples[i]
		if slices.ContainsFunc(row.Slices, func(key int32) bool { return places[key] < 0 }) {
			common = append(common, slices.Repeat([]uint32{scoreruns.NoTag}, t.classes)...)
			continue
		}
		cell := t.cell(row, places)
		for class := range t.classes {
			common = append(common, uint32(cell*t.classes+class))
		}
	}
	return common
}

// cell returns the number of the cell of a tuple.
func (t *tagTable) cell(tuple *tableRow, places []int32) int {
	t.code = binary.AppendVarint(t.code[:0], int64(tuple.Fold))
	for _, key := range tuple.Slices {
		t.code = binary.AppendUvarint(t.code, uint64(places[key]))
	}
	number, met := t.cells[string(t.code)]
	if met {
		return number
	}
	number = len(t.cells)
	t.cells[string(t.code)] = number
	// The places are ascending, because the keys of both tables are.
	list := collections.Map(tuple.Slices, func(key int32) int32 { return places[key] })
	for class := range t.classes {
		t.tags = append(t.tags, scoreruns.Tag{Class: int32(class), Fold: tuple.Fold, Slices: list})
	}
	return number
}
