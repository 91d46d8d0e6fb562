package transforms

import "slices"

// cellTable says which slices the examples of each cell are in. Runs are folded
// and sent with the table of their own cells, which are at most as many as their
// examples: a table of all would outweigh the scores where labels are many.
type cellTable struct {
	Keys  []string  // of slices, ascending
	Cells [][]int32 // places in Keys, ascending, by cell
}

// newCellTable returns the table of cells that are in these slices.
func newCellTable(cells [][]string) *cellTable {
	t := &cellTable{Keys: slices.Concat(cells...), Cells: make([][]int32, len(cells))}
	slices.Sort(t.Keys)
	t.Keys = slices.Compact(t.Keys)
	for i, keys := range cells {
		for _, key := range keys {
			place, _ := slices.BinarySearch(t.Keys, key)
			t.Cells[i] = append(t.Cells[i], int32(place))
		}
		slices.Sort(t.Cells[i])
	}
	return t
}

// cellNumbers numbers the cells of the examples that wait in a folder from 0 on.
type cellNumbers struct {
	keysOf  func(cell int32) []string // the slices that a cell of the folder is in
	numbers []uint32                  // by the folder's cell, from 1 on; 0 is none yet
	met     [][]string                // by number
}

// of returns the number of a cell.
func (c *cellNumbers) of(cell int32) uint32 {
	for int(cell) >= len(c.numbers) {
		c.numbers = append(c.numbers, 0)
	}
	if c.numbers[cell] == 0 {
		c.met = append(c.met, c.keysOf(cell))
		c.numbers[cell] = uint32(len(c.met))
	}
	return c.numbers[cell] - 1
}

// table returns the table of the cells met, and starts anew.
func (c *cellNumbers) table() *cellTable {
	t := newCellTable(c.met)
	clear(c.numbers)
	c.met = nil
	return t
}

func encodeCells(t *cellTable) []byte {
	var w writer
	writeList(&w, t.Keys, w.string)
	writeList(&w, t.Cells, func(places []int32) { writeList(&w, places, func(p int32) { w.int(int(p)) }) })
	return w.buf
}

func decodeCells(data []byte) (*cellTable, error) {
	r := reader{buf: data}
	t := &cellTable{Keys: readList(&r, r.string)}
	t.Cells = readList(&r, func() []int32 {
		return readList(&r, func() int32 {
			place := r.int()
			if place < 0 || place >= len(t.Keys) {
				r.fail()
			}
			return int32(place)
		})
	})
	return t, r.err
}
