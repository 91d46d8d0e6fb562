package ingest

import (
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

// positives sets out to 1 for each positive row of a binary task and to 0 for all others, and
// records in met which labels there are.
func (c *Converter) positives(out []int32, s *source, met *Positives) {
	positive := c.spec.PositiveLabel
	for r := range out {
		out[r] = 0
		if s.IsNull(r) {
			c.rejectNull(s, r, r)
			continue
		}
		switch {
		case s.Type == columns.String:
			label := s.ofCode(s.Codes[r], s.Dict)
			if label == 1 {
				out[r] = 1
			} else if label == unknown && positive == "" {
				c.rejectValue(s, r, r, notBinary)
			}
		case positive == "":
			if x, whole := s.integer(r); whole && (x == 0 || x == 1) {
				out[r] = int32(x)
			} else {
				c.rejectValue(s, r, r, notBinary)
			}
		case c.positive.Is(s.value(r)):
			out[r] = 1
		}
		switch {
		case positive == "" || met.Positive:
		case out[r] == 1:
			met.positive()
		default:
			met.Meet(s.plain(r))
		}
	}
}

// classes sets out to the class of each row.
func (c *Converter) classes(out []int32, s *source) {
	for r := range out {
		out[r], _ = c.label(s, r, r)
	}
}

// rejectNull rejects row r because value v of s is null, unless that is a label and rows without one
// are kept.
func (c *Converter) rejectNull(s *source, r, v int) {
	if s == &c.by[roles.Label] && c.spec.KeepsUnlabelled() {
		c.withoutLabel[r] = true
		return
	}
	c.rejectValue(s, r, v, s.null)
}

// label returns the label that value v of s, in row r, stands for. If it stands for none, label
// rejects the row and returns 0.
func (c *Converter) label(s *source, r, v int) (int32, bool) {
	if s.IsNull(v) {
		c.rejectNull(s, r, v)
		return 0, false
	}
	label, why, ok := s.label(v)
	if !ok {
		c.rejectValue(s, r, v, why)
		return 0, false
	}
	return label, true
}

// sumTolerance is the largest accepted deviation of the sum of a true distribution from 1. Numbers
// of 32 bits, and even of 16 bits, stay within it.
const sumTolerance = 1e-3

// distributions reads true distributions over the classes unchanged. The true class is the most
// probable one, the first if there are several.
func (c *Converter) distributions(b *metrics.Batch) {
	b.Distribution = collections.Resize(b.Distribution, b.Rows*b.Labels)
	for r := range b.Rows {
		row := b.Distribution[r*b.Labels:][:b.Labels]
		if from, ok := c.vector(row, &c.by[roles.Label], r, "values"); ok {
			c.checkDistribution(row, r, from)
		}
		b.Class[r] = int32(metrics.TopLabel(row))
	}
}

// checkDistribution rejects row r if its values, from value from on, are not a distribution.
func (c *Converter) checkDistribution(row []float64, r, from int) {
	s, sum := &c.by[roles.Label], 0.0
	for i, p := range row {
		switch {
		case s.IsNull(from + i):
			c.rejectValue(s, r, from+i, s.null)
		case !isFinite(p):
			c.rejectValue(s, r, from+i, notFinite)
		case p < 0:
			c.rejectValue(s, r, from+i, negativeProbability)
		}
		sum += p
	}
	if !(math.Abs(sum-1) <= sumTolerance) {
		c.reject(s, r, "sum "+formatFloat(sum), wrongSum)
	}
}

// setBuilder builds the label sets of a batch.
type setBuilder struct{ metrics.Sets }

func (b *setBuilder) reset() {
	b.Offset = append(b.Offset[:0], 0)
	b.Label = b.Label[:0]
}

func (b *setBuilder) endRow() { b.Offset = append(b.Offset, int32(len(b.Label))) }

// sets returns the label sets of a column in any encoding. If labels is not nil, it lists labels,
// for which the column has a 0 or 1 each.
func (c *Converter) sets(out *setBuilder, s, labels *source, rows int) metrics.Sets {
	out.reset()
	for r := range rows {
		start := len(out.Label)
		switch {
		case labels.Column != nil:
			c.appendMembers(out, s, labels, r)
		case c.indicates(s):
			c.appendIndicated(out, s, r)
		case s.IsNullList(r):
			c.reject(s, r, "null", s.null)
		default:
			from, to := s.span(r)
			for v := from; v < to; v++ {
				if label, ok := c.label(s, r, v); ok {
					out.Label = append(out.Label, label)
				}
			}
		}
		if row := out.Label[start:]; !increasing(row) {
			slices.Sort(row)
			if labels.Column == nil {
				c.rejectTwice(s, r, row)
			}
		}
		out.endRow()
	}
	return out.Sets
}

// indicates reports whether lists have a 0 or 1 for every label. Lists of a prediction set do if they are of booleans, or
// made of several columns.
func (c *Converter) indicates(s *source) bool {
	if s == &c.by[roles.PredictionSet] {
		return s.Type == columns.Bool || c.spec.Columns.Wide[s.name] != nil
	}
	return c.spec.Encoding == input.Indicator
}

// increasing reports whether labels are in order without duplicates, as in most lists.
func increasing(labels []int32) bool {
	for i := 1; i < len(labels); i++ {
		if labels[i-1] >= labels[i] {
			return false
		}
	}
	return true
}

// rejectTwice rejects row r if two labels of its sorted set are equal.
func (c *Converter) rejectTwice(s *source, r int, set []int32) {
	for i := 1; i < len(set); i++ {
		if set[i] == set[i-1] {
			why := duplicateLabel
			if s.Type != columns.String && set[len(set)-1] <= 1 && s != &c.by[roles.PredictionSet] {
				why = duplicateIndex
			}
			c.reject(s, r, c.nameOf(s, set[i]), why)
		}
	}
}

func (c *Converter) nameOf(s *source, label int32) string {
	return quote.Value(s.vocab.Name(int(label)))
}

// appendIndicated appends the labels for which a list with a value for every label has a 1.
func (c *Converter) appendIndicated(out *setBuilder, s *source, r int) {
	from, ok := c.list(s, r, s.width, "values", wrongLength)
	if !ok {
		return
	}
	for v := from; v < from+s.width; v++ {
		if c.indicated(s, r, v) {
			out.Label = append(out.Label, int32(v-from))
		}
	}
}

// indicated reports whether value v of s, in row r, is 1. It rejects values other than 0 and 1.
func (c *Converter) indicated(s *source, r, v int) bool {
	x, whole := s.integer(v)
	if !whole || x != 0 && x != 1 || s.IsNull(v) {
		c.rejectValue(s, r, v, notIndicator)
		return false
	}
	return x == 1
}

// appendMembers appends the labels for which s has a 1. Truth from other files must have a value
// for every label, unless scores are sparse.
func (c *Converter) appendMembers(out *setBuilder, s, labels *source, r int) {
	from, to := labels.span(r)
	first, _ := s.span(r)
	c.labelled.reset()
	for i := range to - from {
		label, ok := c.label(labels, r, from+i)
		if ok {
			c.labelled.add(label, i)
		}
		switch {
		case s.IsNull(first + i):
			c.rejectValue(s, r, first+i, s.null)
		case c.indicated(s, r, first+i) && ok:
			out.Label = append(out.Label, label)
		}
	}
	c.distinct(labels, r)
	missing := labels.width - (to - from)
	if s.side == input.OfTruth && c.spec.Truth != nil && c.spec.Truth.Columns.Class != "" && !c.spec.Params.Sparse && missing > 0 {
		c.reject(labels, r, fmt.Sprintf("%d labels of %d", to-from, labels.width), NoTruth)
	}
}

// labelled holds the elements of a list about labels.
type labelled struct {
	elements  []labelElement
	ascending bool // whether the labels are in order without duplicates
}

// labelElement is a label and, in the lower half, its index in the list.
type labelElement uint64

func (e labelElement) label() int32 { return int32(e >> 32) }

func (e labelElement) place() int { return int(uint32(e)) }

func (l *labelled) reset() { l.elements, l.ascending = l.elements[:0], true }

func (l *labelled) add(label int32, i int) {
	if n := len(l.elements); n > 0 && l.elements[n-1].label() >= label {
		l.ascending = false
	}
	l.elements = append(l.elements, labelElement(label)<<32|labelElement(i))
}

// sorted returns the elements ordered by label and then by index.
func (l *labelled) sorted() []labelElement {
	if !l.ascending {
		slices.Sort(l.elements)
	}
	return l.elements
}

// distinct rejects row r of s if a label occurs twice, because of the first element that repeats a
// label.
func (c *Converter) distinct(s *source, r int) bool {
	if c.labelled.ascending {
		return true
	}
	list := c.labelled.sorted()
	again, label := math.MaxInt, int32(0)
	for i, e := range list[1:] {
		if e.label() == list[i].label() && e.place() < again {
			again, label = e.place(), e.label()
		}
	}
	if again == math.MaxInt {
		return true
	}
	c.rejectElement(s, r, again, c.nameOf(s, label), duplicateClass)
	return false
}
