package rows

import "github.com/beameval/beameval/io/columns"

// Gather sets a column to rows of another, with codes of the same dictionary. It
// uses the memory of the column again, which no other column may share.
func Gather(to, from *columns.Column, rows []int32) {
	spans := spansOf(nil, nil, rows, 0)
	offsets, rowNull := to.Offsets, to.RowNull
	to.Type, to.Dict, to.Offsets, to.RowNull = from.Type, from.Dict, nil, nil
	if from.Offsets != nil {
		if from.RowNull != nil {
			to.RowNull = appendSpans(rowNull[:0], from.RowNull, spans)
		}
		to.Offsets = appendOffsets(append(offsets[:0], 0), from.Offsets, spans)
		spans = spansOf(nil, from.Offsets, rows, 0)
	}
	null := to.Null
	if to.Null = nil; from.Null != nil {
		to.Null = appendSpans(null[:0], from.Null, spans)
	}
	to.Ints, to.Floats, to.Codes = to.Ints[:0], to.Floats[:0], to.Codes[:0]
	switch from.Type {
	case columns.String:
		to.Codes = appendSpans(to.Codes, from.Codes, spans)
	case columns.Float:
		to.Floats = appendSpans(to.Floats, from.Floats, spans)
	default:
		to.Ints = appendSpans(to.Ints, from.Ints, spans)
	}
}
