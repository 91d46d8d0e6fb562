package report

import (
	"fmt"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
)

// NameBytes are the bytes that names add to a report: the size of each name, times the rows that
// repeat it. The zero value has none.
type NameBytes struct {
	slices      map[string]int64 // of columns and values of slices, by column
	labels, ids int64            // ids of examples and queries
}

// NameBytes returns the bytes that names add to the tables of r.
func (r *Report) NameBytes() NameBytes {
	var n NameBytes
	n.addLabels(r.Labels...)
	for _, t := range tables {
		if t.places != nil {
			t.places(r, n.Add)
		}
		if t.names != nil {
			t.names(r, &n)
		}
	}
	return n
}

// Add adds the names of rows of a slice and label, which may be nil.
func (n *NameBytes) Add(s slice.Key, label *string, rows int) {
	if n.slices == nil {
		n.slices = make(map[string]int64)
	}
	for _, p := range s {
		n.slices[p.Column] += int64(len(p.Column)+len(p.Value.Text())) * int64(rows)
	}
	if label != nil {
		n.labels += int64(len(*label)) * int64(rows)
	}
}

func (n *NameBytes) addLabels(names ...string) {
	for _, name := range names {
		n.labels += int64(len(name))
	}
}

func (n *NameBytes) addID(v slice.Value, rows int) { n.ids += int64(len(v.Text())) * int64(rows) }

// Total returns the sum.
func (n *NameBytes) Total() int64 {
	sum := n.labels + n.ids
	for _, size := range n.slices {
		sum += size
	}
	return sum
}

// Most describes the names that add most.
func (n *NameBytes) Most() string {
	most, which := n.labels, "names of labels"
	if n.ids > most {
		most, which = n.ids, "ids of examples or queries"
	}
	column, first := "", true
	for name, size := range n.slices {
		if size > most || size == most && !first && name < column {
			most, column, first = size, name, false
		}
	}
	if !first {
		which = fmt.Sprintf("values of column %q", quote.Short(column))
	}
	return which
}
