package transforms

import (
	"slices"
	"strconv"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/slice"
)

// slicer tells which slices each row belongs to. Rows with the same values in
// all slice columns share a cell, so that this is found out once a cell.
type slicer struct {
	columns []string // the slice columns, sorted, each once
	truth   []string // those that the truth has, not the predictions
	specs   []sliceSpec
	levels  []level // of each column
}

// level extends the cells of the columns before it by one column: a cell is a
// cell of the level before and a value.
type level struct {
	values valueTable
	cells  map[uint64]int32
	pairs  []uint64 // of each cell, from which it was made
}

func (l *level) cell(before, value int32) int32 {
	pair := uint64(uint32(before))<<32 | uint64(uint32(value))
	cell, ok := l.cells[pair]
	if !ok {
		cell = int32(len(l.pairs))
		l.cells[pair] = cell
		l.pairs = append(l.pairs, pair)
	}
	return cell
}

// sliceSpec is a Slice with its columns in order.
type sliceSpec struct {
	columns []int                  // indices of slicer.columns
	allowed []map[slice.Value]bool // nil: every value
}

// SliceColumns returns the columns that slices need, sorted, each once.
func SliceColumns(specs []Slice) []string {
	var names []string
	for _, s := range specs {
		for _, c := range s {
			names = append(names, c.Column)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// newSlicer returns the slicer of slices, for whose columns in truth the truth has the
// values.
func newSlicer(specs []Slice, truth ...string) *slicer {
	s := newDescriber(SliceColumns(specs))
	s.truth = truth
	for _, spec := range specs {
		s.specs = append(s.specs, sliceSpec{})
		last := &s.specs[len(s.specs)-1]
		for i, name := range s.columns {
			for _, c := range spec {
				if c.Column == name {
					last.columns = append(last.columns, i)
					last.allowed = append(last.allowed, allowed(c.Values))
				}
			}
		}
	}
	return s
}

// newDescriber returns a slicer without slices, which only describes cells.
func newDescriber(names []string) *slicer {
	s := &slicer{columns: names, levels: make([]level, len(names))}
	for i := range s.levels {
		s.levels[i].cells = make(map[uint64]int32)
	}
	return s
}

// allowed returns the set of the values' texts; see textOf.
func allowed(values []SliceValue) map[slice.Value]bool {
	if len(values) == 0 {
		return nil
	}
	set := make(map[slice.Value]bool, len(values))
	for _, v := range values {
		if v.Null {
			set[slice.Null()] = true
		} else {
			set[slice.String(v.Text)] = true
		}
	}
	return set
}

// textOf is a value as configurations write it: its text, or null.
func textOf(v slice.Value) slice.Value {
	switch v.Kind() {
	case slice.KindNull, slice.KindString:
		return v
	case slice.KindBool:
		return slice.String(strconv.FormatBool(v.Bool()))
	case slice.KindInt:
		return slice.String(strconv.FormatInt(v.Int(), 10))
	}
	return slice.String(strconv.FormatFloat(v.Float(), 'g', -1, 64))
}

// tuple returns the values of a cell, by slice column.
func (s *slicer) tuple(cell int32) []slice.Value {
	tuple := make([]slice.Value, len(s.columns))
	for i := len(s.columns) - 1; i >= 0; i-- {
		l := &s.levels[i]
		pair := l.pairs[cell]
		tuple[i] = l.values.values[uint32(pair)]
		cell = int32(pair >> 32)
	}
	return tuple
}

// describe returns a cell in a form that other slicers can read.
func (s *slicer) describe(cell int32) []byte {
	key := make(slice.Key, len(s.columns))
	for i, v := range s.tuple(cell) {
		key[i].Value = v
	}
	return key.AppendBinary(nil)
}

// described returns the cell that other slicers have described, one of predictions and
// one of truth.
func (s *slicer) described(predicted, judged string) (int32, error) {
	ofPrediction, _, err := slice.Decode([]byte(predicted))
	if err != nil {
		return 0, err
	}
	ofTruth, _, err := slice.Decode([]byte(judged))
	if err == nil && (len(ofTruth) != len(s.truth) || len(ofPrediction)+len(ofTruth) != len(s.columns)) {
		err = errTruncated
	}
	if err != nil {
		return 0, err
	}
	cell := int32(0)
	for i, name := range s.columns {
		from := &ofPrediction
		if slices.Contains(s.truth, name) {
			from = &ofTruth
		}
		l := &s.levels[i]
		cell = l.cell(cell, l.values.constant((*from)[0].Value))
		*from = (*from)[1:]
	}
	return cell, nil
}

// slices returns the keys of the slices that a cell is in, besides the overall
// one, each once.
func (s *slicer) slices(cell int32) []string {
	tuple := s.tuple(cell)
	var keys []string
	for _, spec := range s.specs {
		if key, ok := spec.key(s.columns, tuple); ok && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// key returns the key of the slice that a row with these values is in, if any.
func (s *sliceSpec) key(names []string, tuple []slice.Value) (string, bool) {
	key := make(slice.Key, len(s.columns))
	for i, column := range s.columns {
		v := tuple[column]
		if s.allowed[i] != nil && !s.allowed[i][textOf(v)] {
			return "", false
		}
		key[i] = slice.Pair{Column: names[column], Value: v}
	}
	return string(key.AppendBinary(nil)), true
}

// overall is the key of the slice of all rows.
var overall = string(slice.Key{}.AppendBinary(nil))

// cells sets out to the cell of each row. cols are the slice columns in order;
// nil for those that keys, a file's hive-style folders, give.
func (s *slicer) cells(out []int32, rows int, cols []*columns.Column, keys []files.Key) []int32 {
	out = append(out[:0], make([]int32, rows)...)
	for i := range s.columns {
		l := &s.levels[i]
		if cols[i] == nil {
			value := l.values.constant(hiveValue(keys, s.columns[i]))
			for r := range rows {
				out[r] = l.cell(out[r], value)
			}
			continue
		}
		for r := range rows {
			out[r] = l.cell(out[r], l.values.code(cols[i], r))
		}
	}
	return out
}

func hiveValue(keys []files.Key, column string) slice.Value {
	for _, k := range keys {
		if k.Name == column && !k.Null {
			return slice.String(k.Value)
		}
	}
	return slice.Null()
}

// valueTable gives each value of a slice column a code.
type valueTable struct {
	values []slice.Value
	codes  map[slice.Value]int32
	// byString and byInt are shortcuts: the code of a string's code, in the table of
	// the last column, or of an integer, and those of null, false and true.
	byString []int32
	dict     *columns.Strings
	byInt    map[int64]int32
	null     int32    // code + 1, or 0
	bools    [2]int32 // code + 1, or 0
}

func (t *valueTable) constant(v slice.Value) int32 {
	if code, ok := t.codes[v]; ok {
		return code
	}
	if t.codes == nil {
		t.codes = make(map[slice.Value]int32)
	}
	code := int32(len(t.values))
	t.values = append(t.values, v)
	t.codes[v] = code
	return code
}

// code returns the code of row r's value.
func (t *valueTable) code(col *columns.Column, r int) int32 {
	if col.Null != nil && col.Null[r] {
		if t.null == 0 {
			t.null = t.constant(slice.Null()) + 1
		}
		return t.null - 1
	}
	switch col.Type {
	case columns.String:
		if col.Dict != t.dict {
			t.dict, t.byString = col.Dict, t.byString[:0]
		}
		s := col.Codes[r]
		for int(s) >= len(t.byString) {
			t.byString = append(t.byString, -1)
		}
		if t.byString[s] < 0 {
			t.byString[s] = t.constant(slice.String(col.Dict.Values()[s]))
		}
		return t.byString[s]
	case columns.Float:
		return t.constant(slice.Float(col.Floats[r]))
	case columns.Bool:
		x := col.Ints[r]
		if t.bools[x] == 0 {
			t.bools[x] = t.constant(slice.Bool(x != 0)) + 1
		}
		return t.bools[x] - 1
	}
	x := col.Ints[r]
	code, ok := t.byInt[x]
	if !ok {
		code = t.constant(slice.Int(x))
		if t.byInt == nil {
			t.byInt = make(map[int64]int32)
		}
		t.byInt[x] = code
	}
	return code
}
