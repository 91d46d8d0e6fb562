package ingest

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
)

// Vocabulary is the set of labels.
type Vocabulary struct {
	// Names are the names of the labels, by index.
	Names []string
	// Numbers says that integers in label columns are names, because the labels
	// were found in the data; otherwise they are indices.
	Numbers bool
}

// NumberedLabels returns the vocabulary of n labels without names.
func NumberedLabels(n int) Vocabulary {
	v := Vocabulary{Names: make([]string, n)}
	for i := range v.Names {
		v.Names[i] = strconv.Itoa(i)
	}
	return v
}

// BinaryLabels returns the vocabulary of a binary task: what is not the
// positive label, and that label, which is 1 if it is "".
func BinaryLabels(positive string) Vocabulary {
	if positive == "" || positive == "1" {
		return NumberedLabels(2)
	}
	return Vocabulary{Names: []string{"not " + positive, positive}}
}

// lookup translates the values of one column to labels.
type lookup struct {
	names   []string
	byName  map[string]int32
	numbers bool
	byCode  []int32 // string columns: the label of each code, once met
}

const (
	unknown   = -1
	notLooked = -2
)

func newLookup(v *Vocabulary) *lookup {
	l := &lookup{names: v.Names, numbers: v.Numbers, byName: make(map[string]int32, len(v.Names))}
	for i, name := range v.Names {
		l.byName[name] = int32(i)
	}
	return l
}

// code returns the label of a string, by its code, or unknown.
func (l *lookup) code(code int32, dict *columns.Strings) int32 {
	for len(l.byCode) <= int(code) {
		l.byCode = append(l.byCode, notLooked)
	}
	label := l.byCode[code]
	if label == notLooked {
		var ok bool
		if label, ok = l.byName[dict.Values()[code]]; !ok {
			label = unknown
		}
		l.byCode[code] = label
	}
	return label
}

// label returns the label of value i of a column; if there is none, why.
func (l *lookup) label(col *columns.Column, i int) (int32, Reason, bool) {
	if col.Type == columns.String {
		label := l.code(col.Codes[i], col.Dict)
		return label, Reason{kind: unknownName, want: len(l.names)}, label != unknown
	}
	x, whole := integer(col, i)
	if l.numbers {
		label, ok := l.byName[strconv.FormatInt(x, 10)]
		return label, Reason{kind: unknownName, want: len(l.names)}, ok && whole
	}
	ok := whole && x >= 0 && x < int64(len(l.names))
	return int32(x), Reason{kind: outOfRange, want: len(l.names)}, ok
}

// integer returns value i of a number column if it is whole.
func integer(col *columns.Column, i int) (int64, bool) {
	if col.Type != columns.Float {
		return col.Ints[i], true
	}
	x := col.Floats[i]
	return int64(x), x == float64(int64(x))
}

// text is value i of a column, for messages.
func text(col *columns.Column, i int) string {
	switch {
	case col.Null != nil && col.Null[i]:
		return "null"
	case col.Type == columns.String:
		return strconv.Quote(col.Dict.Values()[col.Codes[i]])
	case col.Type == columns.Float:
		return number(col.Floats[i])
	}
	return strconv.FormatInt(col.Ints[i], 10)
}

// classes sets out to the class of each row.
func (l *lookup) classes(c *Converter, out []int32, col *columns.Column, name string, null Reason) {
	for r := range out {
		if col.Null != nil && col.Null[r] {
			c.reject(r, name, "null", null)
			out[r] = 0
			continue
		}
		label, reason, ok := l.label(col, r)
		if !ok {
			c.reject(r, name, text(col, r), reason)
			label = 0
		}
		out[r] = label
	}
}

// binary sets out to 1 for each row that is positive, else 0.
func (l *lookup) binary(c *Converter, out []int32, col *columns.Column, name string, null Reason) {
	positive := c.spec.PositiveLabel
	for r := range out {
		out[r] = 0
		if col.Null != nil && col.Null[r] {
			c.reject(r, name, "null", null)
			continue
		}
		switch {
		case col.Type == columns.String:
			switch label := l.code(col.Codes[r], col.Dict); {
			case label == 1:
				out[r] = 1
			case label == unknown && positive == "":
				c.reject(r, name, text(col, r), Reason{kind: notBinary})
			}
		case positive != "":
			if plain(col, r) == positive {
				out[r] = 1
			}
		default:
			x, whole := integer(col, r)
			if !whole || x != 0 && x != 1 {
				c.reject(r, name, text(col, r), Reason{kind: notBinary})
				continue
			}
			out[r] = int32(x)
		}
	}
}

// plain is a number or truth value as users write it in positive_label.
func plain(col *columns.Column, i int) string {
	if col.Type == columns.Bool {
		return strconv.FormatBool(col.Ints[i] != 0)
	}
	return text(col, i)
}

// setBuilder builds the label sets of a batch.
type setBuilder struct{ sets metrics.Sets }

func (s *setBuilder) reset() {
	s.sets.Offset = append(s.sets.Offset[:0], 0)
	s.sets.Label = s.sets.Label[:0]
}

func (s *setBuilder) endRow() { s.sets.Offset = append(s.sets.Offset, int32(len(s.sets.Label))) }

// sets builds the label sets of a column, whatever its encoding.
func (l *lookup) sets(c *Converter, out *setBuilder, col *columns.Column, rows int, name string, null Reason) {
	out.reset()
	for r := range rows {
		start := len(out.sets.Label)
		from, to := span(col, r)
		switch {
		case nullList(col, r):
			c.reject(r, name, "null", null)
		case c.spec.Encoding == Indicator:
			l.indicator(c, out, col, r, from, to, name)
		default:
			l.list(c, out, col, r, from, to, name, null)
		}
		row := out.sets.Label[start:]
		slices.Sort(row)
		for i := 1; i < len(row); i++ {
			if row[i] == row[i-1] {
				c.reject(r, name, strconv.Quote(l.names[row[i]]), Reason{kind: duplicateLabel})
			}
		}
		out.endRow()
	}
}

func (l *lookup) list(c *Converter, out *setBuilder, col *columns.Column, r, from, to int, name string, null Reason) {
	for i := from; i < to; i++ {
		if col.Null != nil && col.Null[i] {
			c.reject(r, name, at("null", col, i-from), null)
			continue
		}
		label, reason, ok := l.label(col, i)
		if !ok {
			c.reject(r, name, at(text(col, i), col, i-from), reason)
			continue
		}
		out.sets.Label = append(out.sets.Label, label)
	}
}

func (l *lookup) indicator(c *Converter, out *setBuilder, col *columns.Column, r, from, to int, name string) {
	if to-from != len(l.names) {
		c.reject(r, name, fmt.Sprintf("%d values", to-from), Reason{kind: wrongLength, want: len(l.names)})
		return
	}
	for i := from; i < to; i++ {
		x, whole := integer(col, i)
		if !whole || x != 0 && x != 1 || col.Null != nil && col.Null[i] {
			c.reject(r, name, at(text(col, i), col, i-from), Reason{kind: notIndicator})
			continue
		}
		if x == 1 {
			out.sets.Label = append(out.sets.Label, int32(i-from))
		}
	}
}

// aboveThreshold predicts the labels whose score reaches their threshold.
func (c *Converter) aboveThreshold(scores []float64, rows, labels int) {
	out := &c.predicted
	out.reset()
	for r := range rows {
		for label, s := range scores[r*labels:][:labels] {
			if s >= c.thresholds[label] {
				out.sets.Label = append(out.sets.Label, int32(label))
			}
		}
		out.endRow()
	}
}

// topK predicts the k labels with the highest scores; of equal scores, the
// first labels.
func (c *Converter) topK(scores []float64, rows, labels int) {
	out := &c.predicted
	out.reset()
	for r := range rows {
		row := scores[r*labels:][:labels]
		c.order = c.order[:0]
		for label := range row {
			c.order = append(c.order, int32(label))
		}
		slices.SortStableFunc(c.order, func(a, b int32) int {
			switch {
			case row[a] > row[b]:
				return -1
			case row[a] < row[b]:
				return 1
			}
			return 0
		})
		start := len(out.sets.Label)
		out.sets.Label = append(out.sets.Label, c.order[:min(c.spec.Decision.TopK, labels)]...)
		slices.Sort(out.sets.Label[start:])
		out.endRow()
	}
}
