package sliceline

import (
	"cmp"
	"slices"

	"github.com/beameval/beameval/internal/wire"
)

// Sums has a cell for each of a list of slices, and one for all examples, by group of examples: the
// fold, or 0 if all are in one group. Sums are merged exactly.
type Sums struct{ groups []group }

type group struct {
	number int32
	cells  []Cell // of the slices and, at the end, of all examples
}

// Group returns the cells of the slices in a group; none if it has no examples.
func (s *Sums) Group(number int32) []Cell {
	if i, found := s.find(number); found {
		cells := s.groups[i].cells
		return cells[:len(cells)-1]
	}
	return nil
}

// Examples returns the number of examples of all groups.
func (s *Sums) Examples() (n int64) {
	for _, g := range s.groups {
		n += g.cells[len(g.cells)-1].Rows()
	}
	return n
}

func (s *Sums) find(number int32) (int, bool) {
	return slices.BinarySearchFunc(s.groups, number, func(g group, n int32) int { return cmp.Compare(g.number, n) })
}

// cells returns the cells of a group, and makes them if necessary.
func (s *Sums) cells(number int32, n int) []Cell {
	i, found := s.find(number)
	if !found {
		s.groups = slices.Insert(s.groups, i, group{number, make([]Cell, n)})
	}
	return s.groups[i].cells
}

// Merge adds the examples of from, which has the same slices, and leaves from unchanged.
func (s *Sums) Merge(from *Sums) {
	for _, g := range from.groups {
		into := s.cells(g.number, len(g.cells))
		for i := range g.cells {
			into[i].Merge(&g.cells[i])
		}
	}
}

// SumsFields lists the fields of sums of the tracked slices of a plan for a coder.
func SumsFields(c *wire.Coder, s *Sums, p *Plan) {
	before := int32(-1)
	wire.List(c, &s.groups, func(c *wire.Coder, g *group) {
		if wire.Int(c, &g.number); g.number <= before {
			c.Fail("group %d after group %d", g.number, before)
		}
		before = g.number
		wire.List(c, &g.cells, cellFields)
		if len(g.cells) != len(p.Tracked)+1 {
			c.Fail("sums of %d slices: expected %d", len(g.cells)-1, len(p.Tracked))
		}
	})
}

// Tracker finds which tracked slices examples belong to.
type Tracker struct {
	slices int
	sets   []columnSet
	byKey  map[string]int     // the index of a set, by its columns
	codes  []map[string]int32 // by column: the codes of the values that occur in tracked slices, from 1
}

// columnSet has the slices of the same columns. The codes of the values are the digits of a number
// that identifies the slice.
type columnSet struct {
	columns []int
	radix   []int
	dense   []int32          // by number: the index of the slice + 1; 0 if it is not tracked; nil if there would be too many
	sparse  map[uint64]int32 // instead of dense
}

// mostDense is the size up to which slices are looked up in a table.
const mostDense = 1 << 16

// NewTracker returns a tracker of the tracked slices of a plan.
func NewTracker(p *Plan) *Tracker {
	t := &Tracker{slices: len(p.Tracked), byKey: make(map[string]int), codes: make([]map[string]int32, len(p.Values))}
	code := func(term Term) int32 {
		codes := &t.codes[term.Column]
		if *codes == nil {
			*codes = make(map[string]int32)
		}
		value := p.Values[term.Column][term.Value]
		if (*codes)[value] == 0 {
			(*codes)[value] = int32(len(*codes)) + 1
		}
		return (*codes)[value]
	}
	for _, s := range p.Tracked {
		for _, term := range s {
			code(term)
		}
	}
	for i, s := range p.Tracked {
		set, number := t.setOf(s), uint64(0)
		for k, term := range s {
			number = number*uint64(set.radix[k]) + uint64(code(term))
		}
		if set.dense != nil {
			set.dense[number] = int32(i) + 1
		} else {
			set.sparse[number] = int32(i) + 1
		}
	}
	return t
}

// setOf returns the set of the columns of a slice, and makes it if necessary.
func (t *Tracker) setOf(s Slice) *columnSet {
	var key []byte
	for _, term := range s {
		key = wire.AppendUint(key, uint64(term.Column))
	}
	if i, known := t.byKey[string(key)]; known {
		return &t.sets[i]
	}
	t.byKey[string(key)] = len(t.sets)
	var set columnSet
	size := 1
	for _, term := range s {
		c := int(term.Column)
		set.columns = append(set.columns, c)
		set.radix = append(set.radix, len(t.codes[c])+1)
		size *= min(len(t.codes[c])+1, mostDense) // at most MostValues+1 each, so it does not overflow
		size = min(size, mostDense+1)
	}
	if size <= mostDense {
		set.dense = make([]int32, size)
	} else {
		set.sparse = make(map[uint64]int32)
	}
	t.sets = append(t.sets, set)
	return &t.sets[len(t.sets)-1]
}

// Columns returns the columns of tracked slices.
func (t *Tracker) Columns() []int {
	var columns []int
	for c := range t.codes {
		if t.codes[c] != nil {
			columns = append(columns, c)
		}
	}
	return columns
}

// Code returns the code of a value of a column, which is what Add expects: 0 if no tracked slice has
// the value.
func (t *Tracker) Code(column int, value string) int32 { return t.codes[column][value] }

// Add adds examples of a group to the sums. Numbers has codes, of the columns of tracked slices. It
// calls each, unless that is nil, with the rows of each tracked slice.
func (t *Tracker) Add(to *Sums, group int32, e *Examples, each func(slice int, row int32)) {
	cells := to.cells(group, t.slices+1)
	for _, r := range e.Rows {
		e.addTo(&cells[t.slices], r)
	}
	for i := range t.sets {
		set := &t.sets[i]
		for _, r := range e.Rows {
			if at := set.find(e.Numbers, r); at > 0 {
				e.addTo(&cells[at-1], r)
				if each != nil {
					each(int(at-1), r)
				}
			}
		}
	}
}

// find returns the index of the slice of a row + 1, or 0 if it is not tracked.
func (s *columnSet) find(codes [][]int32, r int32) int32 {
	number := uint64(0)
	for k, c := range s.columns {
		code := codes[c][r]
		if code == 0 {
			return 0
		}
		number = number*uint64(s.radix[k]) + uint64(code)
	}
	if s.dense != nil {
		return s.dense[number]
	}
	return s.sparse[number]
}
