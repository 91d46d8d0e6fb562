package sliceline

import (
	"maps"
	"slices"

	"github.com/beameval/beameval/internal/wire"
)

// Limits of Counts. MostCells bounds the memory: if the pairs of columns might have more cells, only
// single columns are counted.
const (
	MostColumns = 1000
	MostValues  = 1000
	MostCells   = 1 << 19
)

// Counts has a cell for each value of each column and, unless there are too many columns, for each
// pair of values of two columns. A column with too many values is left out, with all of its cells.
// Counts are merged exactly, and neither the order of examples nor the numbers of values matter.
type Counts struct {
	All       Cell
	Undefined int64 // examples whose error is undefined or infinite; they are in no cell

	most    int // values of a column
	columns []column
	cells   [][]Cell // of single columns, by value
	pairs   [][]Cell // of pairs of columns, by first·most + second value; nil until they occur; empty if pairs are not counted
}

// column numbers the values of a column in the order of their first occurrence.
type column struct {
	numbers map[string]int32
	full    bool // it is left out
}

// NewCounts returns empty counts of columns with at most mostValues values each.
func NewCounts(columns, mostValues int) *Counts {
	c := &Counts{most: mostValues, columns: make([]column, columns), cells: make([][]Cell, columns)}
	if pairs := columns * (columns - 1) / 2; pairs*mostValues*mostValues <= MostCells {
		c.pairs = make([][]Cell, pairs)
	}
	return c
}

// pair returns the index of the pair of columns a < b.
func pair(a, b int) int { return b*(b-1)/2 + a }

// Number returns the number of a value of a column. Values get the numbers 0, 1, … as they occur;
// ok is false if the column is left out, as it is from its first value too many.
func (c *Counts) Number(of int, value string) (number int32, ok bool) {
	col := &c.columns[of]
	if col.full {
		return 0, false
	}
	if number, ok := col.numbers[value]; ok {
		return number, true
	}
	if len(col.numbers) == c.most {
		c.leaveOut(of)
		return 0, false
	}
	if col.numbers == nil {
		col.numbers = make(map[string]int32)
	}
	number = int32(len(col.numbers))
	col.numbers[value] = number
	c.cells[of] = append(c.cells[of], Cell{})
	return number, true
}

func (c *Counts) leaveOut(of int) {
	c.columns[of], c.cells[of] = column{full: true}, nil
	for a := 0; a < len(c.columns) && len(c.pairs) > 0; a++ {
		if a != of {
			c.pairs[pair(min(a, of), max(a, of))] = nil
		}
	}
}

// LeftOut reports whether a column has too many values.
func (c *Counts) LeftOut(of int) bool { return c.columns[of].full }

// Examples are examples to count: the rows with these indices. Numbers has the number of each row's
// value by column, which does not matter if the column is left out. Errors are finite and not
// negative. Weights may be nil.
type Examples struct {
	Rows            []int32
	Numbers         [][]int32
	Errors, Weights []float64
}

func (e *Examples) weight(row int32) float64 {
	if e.Weights == nil {
		return 1
	}
	return e.Weights[row]
}

// Add counts examples.
func (c *Counts) Add(e *Examples) {
	for _, r := range e.Rows {
		c.All.add(e.Errors[r], e.weight(r))
	}
	for b := range c.columns {
		if c.columns[b].full {
			continue
		}
		second := e.Numbers[b]
		for _, r := range e.Rows {
			c.cells[b][second[r]].add(e.Errors[r], e.weight(r))
		}
		for a := 0; a < b && len(c.pairs) > 0; a++ {
			if c.columns[a].full {
				continue
			}
			first, cells := e.Numbers[a], c.cellsOf(a, b)
			for _, r := range e.Rows {
				cells[int(first[r])*c.most+int(second[r])].add(e.Errors[r], e.weight(r))
			}
		}
	}
}

// cellsOf returns the cells of a pair of columns, and makes them if necessary.
func (c *Counts) cellsOf(a, b int) []Cell {
	of := &c.pairs[pair(a, b)]
	if *of == nil {
		*of = make([]Cell, c.most*c.most)
	}
	return *of
}

// Merge adds the examples of from, which has the same columns, and leaves from unchanged.
func (c *Counts) Merge(from *Counts) {
	c.All.Merge(&from.All)
	c.Undefined += from.Undefined
	numbers := make([][]int32, len(c.columns))
	for b := range from.columns {
		if from.columns[b].full {
			c.leaveOut(b)
		}
		numbers[b] = c.numbersOf(b, from)
		for i := range numbers[b] {
			c.cells[b][numbers[b][i]].Merge(&from.cells[b][i])
		}
	}
	for b := range c.columns {
		for a := 0; a < b && len(c.pairs) > 0; a++ {
			if numbers[a] != nil && numbers[b] != nil && from.pairs[pair(a, b)] != nil {
				c.mergePair(a, b, from, numbers[a], numbers[b])
			}
		}
	}
}

// numbersOf returns the numbers of the values of a column of from, by their numbers there. It is nil
// if the column is left out.
func (c *Counts) numbersOf(of int, from *Counts) []int32 {
	numbers := make([]int32, len(from.columns[of].numbers))
	for value, i := range from.columns[of].numbers {
		var ok bool
		if numbers[i], ok = c.Number(of, value); !ok {
			return nil
		}
	}
	if c.columns[of].full {
		return nil
	}
	return numbers
}

func (c *Counts) mergePair(a, b int, from *Counts, first, second []int32) {
	into, cells := c.cellsOf(a, b), from.pairs[pair(a, b)]
	for i, x := range first {
		for j, y := range second {
			if cell := &cells[i*from.most+j]; cell.Rows() > 0 {
				into[int(x)*c.most+int(y)].Merge(cell)
			}
		}
	}
}

// values returns the values of a column, sorted, and the numbers of these values.
func (c *Counts) values(of int) (values []string, numbers []int32) {
	col := &c.columns[of]
	values = slices.Sorted(maps.Keys(col.numbers))
	for _, v := range values {
		numbers = append(numbers, col.numbers[v])
	}
	return values, numbers
}

// CountsFields lists the fields of counts for a coder. Counts of the same examples have the same
// encoding.
func CountsFields(c *wire.Coder, counts *Counts) {
	columns, most := len(counts.columns), counts.most
	wire.Int(c, &columns)
	wire.Int(c, &most)
	if columns < 0 || columns > MostColumns || most < 1 || most > MostValues {
		c.Fail("counts of %d columns with up to %d values", columns, most)
	}
	if c.Failed() {
		return
	}
	if c.Reading() {
		*counts = *NewCounts(columns, most)
	}
	cellFields(c, &counts.All)
	wire.Int(c, &counts.Undefined)
	numbers := make([][]int32, columns)
	for b := range counts.columns {
		numbers[b] = columnFields(c, counts, b)
		for a := 0; a < b && len(counts.pairs) > 0 && !c.Failed(); a++ {
			pairFields(c, counts, a, b, numbers)
		}
	}
}

// columnFields codes a column, and returns the numbers of its values in the order of the values.
func columnFields(c *wire.Coder, counts *Counts, of int) []int32 {
	full := counts.columns[of].full
	if c.Bool(&full); full && c.Reading() {
		counts.leaveOut(of)
	}
	values, numbers := counts.values(of)
	c.Strings(&values)
	if len(values) > counts.most || full && len(values) > 0 {
		c.Fail("%d values of a column", len(values))
	}
	if c.Failed() {
		return nil
	}
	if c.Reading() {
		for _, v := range values {
			n, _ := counts.Number(of, v)
			numbers = append(numbers, n)
		}
		if len(counts.columns[of].numbers) != len(values) {
			c.Fail("a value that occurs twice")
			return nil
		}
	}
	for _, n := range numbers {
		cellFields(c, &counts.cells[of][n])
	}
	return numbers
}

// pairFields codes the cells of a pair of columns that are not empty, each after its place.
func pairFields(c *wire.Coder, counts *Counts, a, b int, numbers [][]int32) {
	type placed struct {
		at   int
		cell *Cell
	}
	var list []placed
	if cells := counts.pairs[pair(a, b)]; cells != nil && !c.Reading() {
		for i, x := range numbers[a] {
			for j, y := range numbers[b] {
				if cell := &cells[int(x)*counts.most+int(y)]; cell.Rows() > 0 {
					list = append(list, placed{i*len(numbers[b]) + j, cell})
				}
			}
		}
	}
	before := 0
	wire.List(c, &list, func(c *wire.Coder, p *placed) {
		wire.Int(c, &p.at)
		if p.at < before || p.at >= len(numbers[a])*len(numbers[b]) {
			c.Fail("cell %d of a pair of columns", p.at)
		}
		if c.Failed() {
			return
		}
		before = p.at + 1
		if c.Reading() {
			i, j := p.at/len(numbers[b]), p.at%len(numbers[b])
			p.cell = &counts.cellsOf(a, b)[int(numbers[a][i])*counts.most+int(numbers[b][j])]
		}
		cellFields(c, p.cell)
	})
}
