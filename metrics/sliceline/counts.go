package sliceline

import (
	"maps"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/wire"
)

// Limits of Counts. MostCells bounds the memory: if the pairs of values have more cells, only single
// values are counted.
const (
	MostColumns = 1000
	MostValues  = 1000
	MostCells   = 1 << 19
)

// Counts has a cell for each value of each column and, unless these are too many, for each pair of
// values of two columns. A column with too many values is left out, with all of its cells. Counts are
// merged exactly, and neither the order of examples nor the numbers of values matter.
type Counts struct {
	All       Cell
	Undefined int64 // examples whose error is undefined or infinite; they are in no cell

	most    int // values of a column
	columns []column
	cells   [][]Cell // of single columns, by value
	pairs   []pairCells
	single  bool // pairs are not counted, because they are too many
}

// pairCells has the cells of a pair of columns, by first·stride + second value.
type pairCells struct {
	cells  []Cell
	stride int
}

// column numbers the values of a column in the order of their first occurrence.
type column struct {
	numbers map[string]int32
	full    bool // it has too many values and is left out; among pairs, it counts as a column with most values
}

// NewCounts returns empty counts of columns with at most mostValues values each.
func NewCounts(columns, mostValues int) *Counts {
	return &Counts{
		most: mostValues, columns: make([]column, columns), cells: make([][]Cell, columns), pairs: make([]pairCells, columns*(columns-1)/2),
	}
}

// Passes returns how often examples are searched: once to count the values of columns and pairs of
// them, and again if there are slices of higher levels, or if there may be too many pairs.
func Passes(level, columns, mostValues int) int {
	if paired := columns*(columns-1)/2*mostValues*mostValues <= MostCells; level > 2 || level > 1 && !paired {
		return 2
	}
	return 1
}

// Slices returns the largest number of slices of up to level of so many columns with so many values.
func Slices(level, columns, mostValues int) (n float64) {
	ways := 1.0 // of choosing columns, and a value of each
	for l := range min(level, columns) {
		ways = float64(ways * (float64(columns-l) / float64(l+1) * float64(mostValues))) // rounded on every processor
		n += ways
	}
	return math.Round(n)
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
	c.limit()
	return number, true
}

// limit ends counting pairs if the values have too many. As values only become more, that does not
// depend on the order of examples.
func (c *Counts) limit() {
	values, pairs := 0, 0
	for i := range c.columns {
		n := len(c.columns[i].numbers)
		if c.columns[i].full {
			n = c.most
		}
		pairs += n * values
		values += n
	}
	if pairs > MostCells {
		c.single = true
		clear(c.pairs)
	}
}

func (c *Counts) leaveOut(of int) {
	c.columns[of], c.cells[of] = column{full: true}, nil
	for a := range c.columns {
		if a != of {
			c.pairs[pair(min(a, of), max(a, of))] = pairCells{}
		}
	}
	c.limit()
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

// addTo adds the example of a row to a cell.
func (e *Examples) addTo(cell *Cell, row int32) {
	if e.Weights == nil {
		cell.add(e.Errors[row])
	} else {
		cell.addWeighted(e.Errors[row], e.Weights[row])
	}
}

// addPairs adds the examples to the cells of pairs of values.
func (e *Examples) addPairs(cells []Cell, first, second []int32, stride int) {
	if e.Weights == nil {
		for _, r := range e.Rows {
			cells[int(first[r])*stride+int(second[r])].add(e.Errors[r])
		}
		return
	}
	for _, r := range e.Rows {
		cells[int(first[r])*stride+int(second[r])].addWeighted(e.Errors[r], e.Weights[r])
	}
}

// Add counts examples.
func (c *Counts) Add(e *Examples) {
	for _, r := range e.Rows {
		e.addTo(&c.All, r)
	}
	for b := range c.columns {
		if c.columns[b].full {
			continue
		}
		e.addPairs(c.cells[b], e.Numbers[b], e.Numbers[b], 0)
		for a := 0; a < b && !c.single; a++ {
			if !c.columns[a].full {
				of := c.pairOf(a, b)
				e.addPairs(of.cells, e.Numbers[a], e.Numbers[b], of.stride)
			}
		}
	}
}

// pairOf returns the cells of a pair of columns, with room for all of their values.
func (c *Counts) pairOf(a, b int) *pairCells {
	of := &c.pairs[pair(a, b)]
	first, second := len(c.columns[a].numbers), len(c.columns[b].numbers)
	if second <= of.stride && first*of.stride <= len(of.cells) {
		return of
	}
	const room = 8 // so that not every new value moves all cells
	grown := pairCells{stride: (second + room - 1) / room * room}
	grown.cells = make([]Cell, (first+room-1)/room*room*grown.stride)
	for at := 0; at < len(of.cells); at += of.stride {
		copy(grown.cells[at/of.stride*grown.stride:], of.cells[at:at+of.stride])
	}
	*of = grown
	return of
}

// at returns the cell of a pair of values, or an empty one if there has been no room for it.
func (p *pairCells) at(first, second int32) *Cell {
	if at := int(first)*p.stride + int(second); int(second) < p.stride && at < len(p.cells) {
		return &p.cells[at]
	}
	return new(Cell)
}

// Clone returns a copy.
func (c *Counts) Clone() *Counts {
	same := NewCounts(len(c.columns), c.most)
	same.Merge(c)
	return same
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
	if from.single {
		c.single = true
		clear(c.pairs)
	}
	for b := range c.columns {
		for a := 0; a < b && !c.single; a++ {
			if numbers[a] != nil && numbers[b] != nil && from.pairs[pair(a, b)].cells != nil {
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
	into, cells := c.pairOf(a, b), &from.pairs[pair(a, b)]
	for i, x := range first {
		for j, y := range second {
			if cell := cells.at(int32(i), int32(j)); cell.Rows() > 0 {
				into.at(x, y).Merge(cell)
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
	c.Bool(&counts.single)
	numbers := make([][]int32, columns)
	for b := range counts.columns {
		numbers[b] = columnFields(c, counts, b)
		for a := 0; a < b && !counts.single && !c.Failed(); a++ {
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
	if of := &counts.pairs[pair(a, b)]; !c.Reading() {
		for i, x := range numbers[a] {
			for j, y := range numbers[b] {
				if cell := of.at(x, y); cell.Rows() > 0 {
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
			p.cell = counts.pairOf(a, b).at(numbers[a][i], numbers[b][j])
		}
		cellFields(c, p.cell)
	})
}
