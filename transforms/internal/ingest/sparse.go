package ingest

import (
	"fmt"
	"slices"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/metrics"
)

// sparse sets the scores of a batch to those of two columns, which say of each
// row which labels have scores and which. It rejects rows whose lists are null or
// unequal, that name a label twice, and bad labels and scores.
func (c *Converter) sparse(b *metrics.Batch, in *Input) {
	c.candidates.reset()
	c.scores = c.scores[:0]
	for r := range in.Rows {
		start := len(c.scores)
		if !c.sparseRow(in, r) {
			c.candidates.sets.Label = c.candidates.sets.Label[:start]
			c.scores = c.scores[:start]
		}
		c.candidates.endRow()
	}
	b.Candidates, b.Score = c.candidates.sets, c.scores
}

// sparseRow adds the scores of a row, by label, unless the row is bad.
func (c *Converter) sparseRow(in *Input, r int) bool {
	names := &c.spec.Columns
	for _, list := range [...]struct {
		column *columns.Column
		name   string
	}{{in.ScoreLabel, names.ScoreLabel}, {in.Score, names.Score}} {
		if nullList(list.column, r) {
			c.reject(r, list.name, "null", nullScores)
			return false
		}
	}
	from, to := span(in.Score, r)
	first, end := span(in.ScoreLabel, r)
	if end-first != to-from {
		c.reject(r, names.Score, fmt.Sprintf("%d labels and %d scores", end-first, to-from), Reason{kind: unequalLists})
		return false
	}
	c.met = c.met[:0]
	good := true
	for i := range to - from {
		label, ok := c.sparseLabel(in.ScoreLabel, first+i, r, i)
		score, legal := c.sparseScore(in.Score, from+i, r, i)
		good = good && ok && legal
		// By label, and among equals by place.
		c.met = append(c.met, uint64(label)<<32|uint64(i))
		c.unordered = append(c.unordered[:i], score)
	}
	if !good {
		return false
	}
	if !slices.IsSorted(c.met) {
		slices.Sort(c.met)
	}
	for i, pair := range c.met {
		label := int32(pair >> 32)
		if i > 0 && label == int32(c.met[i-1]>>32) {
			c.reject(r, names.ScoreLabel, quote.Value(c.scoreLabels.vocab.Name(int(label))), Reason{kind: duplicateLabel})
			return false
		}
		c.candidates.sets.Label = append(c.candidates.sets.Label, label)
		c.scores = append(c.scores, c.unordered[uint32(pair)])
	}
	return true
}

// sparseLabel returns value v of a column of labels, which is element i of row r.
func (c *Converter) sparseLabel(col *columns.Column, v, r, i int) (int32, bool) {
	name := c.spec.Columns.ScoreLabel
	if col.Null != nil && col.Null[v] {
		c.rejectAt(r, element(col, i), name, "null", nullLabel)
		return 0, false
	}
	label, reason, ok := c.scoreLabels.label(col, v)
	if !ok {
		c.rejectAt(r, element(col, i), name, text(col, v), reason)
	}
	return label, ok
}

// sparseScore likewise returns a score.
func (c *Converter) sparseScore(col *columns.Column, v, r, i int) (float64, bool) {
	name := c.spec.Columns.Score
	if col.Null != nil && col.Null[v] {
		c.rejectAt(r, element(col, i), name, "null", nullScore)
		return 0, false
	}
	var s [1]float64
	copyFloats(s[:], col, v)
	return c.legal(s[0], r, element(col, i))
}
