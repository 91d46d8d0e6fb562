package ingest

import (
	"fmt"
	"slices"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
)

// labelSet is a set of labels that is emptied often.
type labelSet struct {
	met []int32 // of each of the first labels, the set that it was added to last
	now int32
	far map[int32]bool // the others: memory is for labels met
}

// nearLabels is how many labels are the first.
const nearLabels = 1 << 20

func (s *labelSet) reset(labels int) {
	labels = min(labels, nearLabels)
	if s.now++; len(s.met) < labels || s.now < 0 {
		s.met, s.now = make([]int32, labels), 1
	}
	clear(s.far)
}

// add adds a label, and says whether it is new.
func (s *labelSet) add(label int32) bool {
	if label >= nearLabels {
		if s.far == nil {
			s.far = make(map[int32]bool)
		}
		is := !s.far[label]
		s.far[label] = true
		return is
	}
	is := s.met[label] != s.now
	s.met[label] = s.now
	return is
}

// classOf returns the label of element i of row r, which is value v of a column
// of labels.
func (c *Converter) classOf(l *lookup, col *columns.Column, v, r, i int, name string) (int32, bool) {
	if col.Null != nil && col.Null[v] {
		c.rejectAt(r, i, name, "null", nullClass)
		return 0, false
	}
	label, reason, ok := l.label(col, v)
	if !ok {
		c.rejectAt(r, i, name, text(col, v), reason)
		return 0, false
	}
	if !c.seen.add(label) {
		c.rejectAt(r, i, name, quote.Value(l.vocab.Name(int(label))), Reason{kind: duplicateClass})
		return 0, false
	}
	return label, true
}

// setsByClass builds label sets of columns that say, label by label, whether it is
// in the set.
func (c *Converter) setsByClass(out *setBuilder, class, member *columns.Column, l *lookup, className, name string, null Reason) {
	out.reset()
	for r := range len(class.Offsets) - 1 {
		from, to := span(class, r)
		first, _ := span(member, r)
		start := len(out.sets.Label)
		c.seen.reset(l.index.count)
		for i := range to - from {
			label, ok := c.classOf(l, class, from+i, r, i, className)
			v := first + i
			x, whole := integer(member, v)
			switch {
			case member.Null != nil && member.Null[v]:
				c.rejectAt(r, i, name, "null", null)
			case !whole || x != 0 && x != 1:
				c.rejectAt(r, i, name, text(member, v), Reason{kind: notIndicator})
			case x == 1 && ok:
				out.sets.Label = append(out.sets.Label, label)
			}
		}
		slices.Sort(out.sets.Label[start:])
		out.endRow()
		if missing := l.index.count - (to - from); c.labelling && c.spec.Truth.Class != "" && !c.spec.Params.Sparse && missing > 0 {
			c.reject(r, className, fmt.Sprintf("%d labels of %d", to-from, l.index.count), NoTruth)
		}
	}
}

// labelled returns the scores as a matrix, of columns that say which labels the
// scores are of. It rejects rows without a score for every label.
func (c *Converter) labelled(in *Input, width int) []float64 {
	c.scores = resize(c.scores, in.Rows*width)
	for r := range in.Rows {
		row := c.scores[r*width:][:width]
		if !c.labelledRow(row, in, r) {
			clear(row)
		}
	}
	return c.scores
}

func (c *Converter) labelledRow(out []float64, in *Input, r int) bool {
	names := &c.spec.Columns
	from, to := span(in.ScoreLabel, r)
	first, _ := span(in.Score, r)
	c.seen.reset(len(out))
	good := true
	for i := range to - from {
		label, ok := c.classOf(c.scoreLabels, in.ScoreLabel, from+i, r, i, names.Class)
		score, legal := c.sparseScore(in.Score, first+i, r, i)
		if good = good && ok && legal; good {
			out[label] = score
		}
	}
	switch {
	case !good:
		return false
	case to-from < len(out):
		c.reject(r, names.Class, fmt.Sprintf("%d labels", to-from), Reason{kind: wrongLength, want: len(out)})
		return false
	}
	return true
}
