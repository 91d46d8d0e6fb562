package runs

import (
	"cmp"
	"slices"

	"github.com/beameval/beameval/metrics/exact"
)

// classes gathers the entries of a score by slice and class. It tallies them by
// tag first, so that memory does not grow with the entries.
type classes struct {
	tags    []Tag
	tallies []exact.Tally // by tag
	met     []uint32      // tags with entries
	cells   []cell        // not yet returned by next
	room    []cell
	list    []ClassWeight
	sum     exact.Tally
}

// cell says that a tag with entries is of a slice and a class.
type cell struct {
	slice, class int32
	tag          uint32
}

func newClasses(tags []Tag) *classes {
	return &classes{tags: tags, tallies: make([]exact.Tally, len(tags))}
}

// count counts an entry.
func (c *classes) count(e *Entry) {
	t := &c.tallies[e.Tag]
	if t.Empty() {
		c.met = append(c.met, e.Tag)
	}
	t.AddRows(e.Weight, int64(e.Count))
}

// gather prepares for next, once all entries of a score are counted.
func (c *classes) gather() {
	c.room = c.room[:0]
	for _, tag := range c.met {
		for _, slice := range c.tags[tag].Slices {
			c.room = append(c.room, cell{slice, c.tags[tag].Class, tag})
		}
	}
	slices.SortFunc(c.room, func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.slice, b.slice), cmp.Compare(a.class, b.class))
	})
	c.cells = c.room
}

// next returns the classes of a slice. Slices that have entries are asked for one
// after the other, ascending. The list is valid until the next call.
func (c *classes) next(slice int32) []ClassWeight {
	c.list = c.list[:0]
	for len(c.cells) > 0 && c.cells[0].slice == slice {
		class := c.cells[0].class
		c.sum.Reset()
		for len(c.cells) > 0 && c.cells[0].slice == slice && c.cells[0].class == class {
			c.sum.Merge(&c.tallies[c.cells[0].tag])
			c.cells = c.cells[1:]
		}
		c.list = append(c.list, ClassWeight{class, c.sum.Weight(), c.sum.Rows()})
	}
	return c.list
}

// reset forgets the entries.
func (c *classes) reset() {
	for _, tag := range c.met {
		c.tallies[tag].Reset()
	}
	c.met = c.met[:0]
}
