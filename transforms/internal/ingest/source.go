package ingest

import (
	"math/bits"
	"strconv"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/transforms/input"
)

// source is a column in one role: its values in a batch, their meaning, and its description in
// messages.
type source struct {
	*columns.Column        // nil if the batch lacks it
	role            string // in messages
	name            string // of the column
	side            input.Side
	null            Reason // the reason for null values
	width           int    // the length of lists with a value for each label
	lookup
}

// span returns the range of the values of row r.
func (s *source) span(r int) (from, to int) {
	if s.Offsets == nil {
		return r, r + 1
	}
	return int(s.Offsets[r]), int(s.Offsets[r+1])
}

// element returns the index of value v in the list of row r, or -1 if rows have no lists.
func (s *source) element(r, v int) int {
	if s.Offsets == nil {
		return -1
	}
	return v - int(s.Offsets[r])
}

// copyFloats copies len(dst) numbers, starting at value v.
func (s *source) copyFloats(dst []float64, v int) {
	if s.Type == columns.Float {
		copy(dst, s.Floats[v:])
		return
	}
	columns.Convert(dst[:0], s.Ints[v:v+len(dst)])
}

// rounded reports whether value v is an integer that float64 cannot represent.
func (s *source) rounded(v int) bool {
	if s.Type == columns.Float {
		return false
	}
	size := uint64(max(s.Ints[v], -s.Ints[v])) // correct for the least integer, too
	return bits.Len64(size)-bits.TrailingZeros64(size) > 53 && size != 0
}

// unfit reports whether value v, which is x, is not a finite number that float64 holds, and why.
func (s *source) unfit(v int, x float64) (why Reason, unfit bool) {
	switch {
	case s.IsNull(v):
		return s.null, true
	case !isFinite(x):
		return notFinite, true
	case s.rounded(v):
		return inexact, true
	}
	return 0, false
}

// integer returns value v, which must be a number, and whether it is whole.
func (s *source) integer(v int) (x int64, whole bool) {
	if s.Type != columns.Float {
		return s.Ints[v], true
	}
	f := s.Floats[v]
	return int64(f), f == float64(int64(f))
}

// text returns value v for messages.
func (s *source) text(v int) string {
	switch {
	case s.IsNull(v):
		return "null"
	case s.Type == columns.String:
		return quote.Value(s.word(v))
	case s.Type == columns.Float:
		return formatFloat(s.Floats[v])
	}
	return strconv.FormatInt(s.Ints[v], 10)
}

// value returns value v, a number or a boolean.
func (s *source) value(v int) slice.Value {
	switch s.Type {
	case columns.Float:
		return slice.Float(s.Floats[v])
	case columns.Bool:
		return slice.Bool(s.Ints[v] != 0)
	}
	return slice.Int(s.Ints[v])
}

// plain returns value v as users would write it in positive_label.
func (s *source) plain(v int) string {
	switch s.Type {
	case columns.String:
		return s.word(v)
	case columns.Bool:
		return strconv.FormatBool(s.Ints[v] != 0)
	}
	return s.text(v)
}

// word returns value v, a string.
func (s *source) word(v int) string { return s.Dict.At(s.Codes[v]) }

// label returns the label that value v stands for or, if there is none, the reason.
func (s *source) label(v int) (label int32, why Reason, ok bool) {
	if s.Type == columns.String {
		label := s.ofCode(s.Codes[v], s.Dict)
		return label, unknownName, label != unknown
	}
	if why = outOfRange; s.vocab.Numbers {
		why = unknownName
	}
	x, whole := s.integer(v)
	l, ok := s.vocab.Integer(x)
	return int32(l), why, ok && whole
}

// lookup finds the labels of strings. It caches the labels of the last dictionary.
type lookup struct {
	vocab  *input.Vocabulary
	dict   *columns.Strings
	byCode []int32
}

// The values of byCode that are not labels.
const (
	unknown   = -1
	notLooked = -2
)

// ofCode returns the label that a string of a dictionary stands for, or unknown.
func (l *lookup) ofCode(code int32, dict *columns.Strings) int32 {
	if dict != l.dict {
		l.dict, l.byCode = dict, l.byCode[:0]
	}
	for len(l.byCode) <= int(code) {
		l.byCode = append(l.byCode, notLooked)
	}
	label := l.byCode[code]
	if label == notLooked {
		label = unknown
		if known, ok := l.vocab.Label(dict.At(code)); ok {
			label = int32(known)
		}
		l.byCode[code] = label
	}
	return label
}

func formatFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func isFinite(x float64) bool { return x-x == 0 }
