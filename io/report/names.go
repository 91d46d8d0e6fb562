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
	r.eachPlace(n.Add)
	for i := range r.Confusion {
		n.addLabels(r.Confusion[i].True, r.Confusion[i].Predicted)
	}
	for i := range r.Moves {
		n.addLabels(r.Moves[i].Baseline, r.Moves[i].Predicted)
	}
	for i := range r.Worst {
		n.addLabels(r.Worst[i].True, r.Worst[i].Predicted)
		n.addID(r.Worst[i].ID, 1)
	}
	for i := range r.Changed {
		n.addLabels(r.Changed[i].True, r.Changed[i].Predicted, r.Changed[i].Baseline)
		n.addID(r.Changed[i].ID, 1)
	}
	for i := range r.LabelPairs {
		n.addLabels(r.LabelPairs[i].Label, r.LabelPairs[i].Predicted)
	}
	n.addLabels(r.Labels...)
	if r.Queries != nil {
		for _, q := range r.Queries.List {
			n.addID(q.ID, len(q.Values))
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

// eachPlace calls each with the slice, the label and the number of rows of every item that belongs to a
// slice.
func (r *Report) eachPlace(each func(s slice.Key, label *string, rows int)) {
	for i := range r.Metrics {
		m := &r.Metrics[i]
		each(m.Slice, m.Label, 1+len(m.Replicates)) // in metrics.parquet and in replicates.parquet
	}
	for i := range r.Differences {
		each(r.Differences[i].Slice, r.Differences[i].Label, 1)
	}
	for i := range r.Confusion {
		each(r.Confusion[i].Slice, r.Confusion[i].Label, 1)
	}
	for i := range r.Moves {
		each(r.Moves[i].Slice, r.Moves[i].Label, 1)
	}
	for i := range r.Curves {
		each(r.Curves[i].Slice, r.Curves[i].Label, len(r.Curves[i].Points))
	}
	for i := range r.ScoreHistograms {
		each(r.ScoreHistograms[i].Slice, r.ScoreHistograms[i].Label, len(r.ScoreHistograms[i].Bins))
	}
	for i := range r.Worst {
		each(r.Worst[i].Slice, r.Worst[i].Label, 1)
	}
	for i := range r.Changed {
		each(r.Changed[i].Slice, r.Changed[i].Label, 1)
	}
}
