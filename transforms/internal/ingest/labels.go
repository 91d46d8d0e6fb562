package ingest

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/metrics"
)

// lookup translates the values of one column to labels.
type lookup struct {
	vocab  *Vocabulary
	index  *index
	byCode []int32 // string columns: the label of each code, once met
	dict   *columns.Strings
}

const (
	unknown   = -1
	notLooked = -2
)

func newLookup(v *Vocabulary) *lookup { return &lookup{vocab: v, index: v.indexed()} }

// code returns the label of a string, by its code, or unknown.
func (l *lookup) code(code int32, dict *columns.Strings) int32 {
	if dict != l.dict {
		l.dict, l.byCode = dict, l.byCode[:0]
	}
	for len(l.byCode) <= int(code) {
		l.byCode = append(l.byCode, notLooked)
	}
	label := l.byCode[code]
	if label == notLooked {
		var ok bool
		if label, ok = l.index.byName(dict.Values()[code]); !ok {
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
		return label, Reason{kind: unknownName, want: l.index.count}, label != unknown
	}
	x, whole := integer(col, i)
	label, reason, ok := l.index.byNumber(x)
	return label, reason, ok && whole
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
		return quote.Value(col.Dict.Values()[col.Codes[i]])
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
	positive, met := c.spec.PositiveLabel, &c.found.Predicted
	if c.labelling {
		met = &c.found.Positives
	}
	for r := range out {
		out[r] = 0
		if col.Null != nil && col.Null[r] {
			c.reject(r, name, "null", null)
			continue
		}
		switch {
		case col.Type == columns.String:
			label := l.code(col.Codes[r], col.Dict)
			if positive != "" && !met.Positive {
				met.meet(label == 1, col, r)
			}
			switch {
			case label == 1:
				out[r] = 1
			case label == unknown && positive == "":
				c.reject(r, name, text(col, r), Reason{kind: notBinary})
			}
		case positive != "":
			if plain(col, r) == positive {
				out[r] = 1
			}
			if !met.Positive {
				met.meet(out[r] == 1, col, r)
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

// meet notes the true label of row r.
func (f *Positives) meet(positive bool, col *columns.Column, r int) {
	switch {
	case positive:
		f.positive()
	case col.Type == columns.String:
		f.Meet(col.Dict.Values()[col.Codes[r]])
	default:
		f.Meet(plain(col, r))
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
				reason := Reason{kind: duplicateLabel}
				if col.Type != columns.String && row[len(row)-1] <= 1 {
					reason.kind = duplicateIndex
				}
				c.reject(r, name, quote.Value(l.vocab.Name(int(row[i]))), reason)
			}
		}
		out.endRow()
	}
}

func (l *lookup) list(c *Converter, out *setBuilder, col *columns.Column, r, from, to int, name string, null Reason) {
	for i := from; i < to; i++ {
		if col.Null != nil && col.Null[i] {
			c.rejectAt(r, element(col, i-from), name, "null", null)
			continue
		}
		label, reason, ok := l.label(col, i)
		if !ok {
			c.rejectAt(r, element(col, i-from), name, text(col, i), reason)
			continue
		}
		out.sets.Label = append(out.sets.Label, label)
	}
}

func (l *lookup) indicator(c *Converter, out *setBuilder, col *columns.Column, r, from, to int, name string) {
	if to-from != l.index.count {
		c.reject(r, name, fmt.Sprintf("%d values", to-from), Reason{kind: wrongLength, want: l.index.count})
		return
	}
	for i := from; i < to; i++ {
		x, whole := integer(col, i)
		if !whole || x != 0 && x != 1 || col.Null != nil && col.Null[i] {
			c.rejectAt(r, element(col, i-from), name, text(col, i), Reason{kind: notIndicator})
			continue
		}
		if x == 1 {
			out.sets.Label = append(out.sets.Label, int32(i-from))
		}
	}
}
