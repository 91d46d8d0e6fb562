package batches

import (
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/transforms/internal/groupby"
)

// valueTable gives each value of a slice column a code.
type valueTable struct {
	values []slice.Value
	codes  map[slice.Value]int32
	// How a value of the column is transformed: into one of bins, or by the function. If both are
	// nil, it remains unchanged.
	bins     bins
	function func(...slice.Value) slice.Value
	// Short cuts to codes: of the values of columns of the last type and dictionary, by the code of a
	// string, by 0 and 1, or by the number of an integer; by interval; and of null.
	byKey []int32 // or -1
	typ   columns.Type
	dict  *columns.Strings
	keys  groupby.Keys
	byBin []int32 // code + 1, or 0
	null  int32   // code + 1, or 0
}

// constant returns the code of a value, and adds the value if necessary.
func (t *valueTable) constant(v slice.Value) int32 {
	if t.function != nil {
		return t.number(t.function(v))
	}
	return t.number(t.bins.of(v))
}

// number returns the code of a transformed value, and adds it if necessary.
func (t *valueTable) number(v slice.Value) int32 {
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

// code returns the code of the value of row r.
func (t *valueTable) code(col *columns.Column, r int) int32 {
	if col.IsNull(r) {
		if t.null == 0 {
			t.null = t.constant(slice.Null()) + 1
		}
		return t.null - 1
	}
	if col.Type != t.typ || col.Dict != t.dict {
		t.typ, t.dict, t.byKey = col.Type, col.Dict, t.byKey[:0]
		t.keys.Reset()
	}
	var key int32
	switch col.Type {
	case columns.String:
		key = col.Codes[r]
	case columns.Bool:
		key = int32(col.Ints[r])
	case columns.Float:
		if t.bins != nil {
			return t.binned(col.Floats[r])
		}
		return t.constant(slice.Float(col.Floats[r]))
	case columns.Int:
		x := col.Ints[r]
		switch {
		case t.bins != nil:
			return t.binned(float64(x))
		case t.function != nil: // there may be many more integers than values
			return t.constant(slice.Int(x))
		}
		key = t.keys.Number(uint64(x))
	}
	for int(key) >= len(t.byKey) {
		t.byKey = append(t.byKey, -1)
	}
	if t.byKey[key] < 0 {
		t.byKey[key] = t.constant(Value(col, r))
	}
	return t.byKey[key]
}
