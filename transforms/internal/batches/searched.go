package batches

import (
	"math"
	"slices"
	"strconv"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// SearchColumns numbers the values of each single column that is searched for the worst slices.
type SearchColumns struct {
	columns []string // of the slicer
	levels  []level
	losses  int // the index of the column with the losses, or -1
}

// NewSearchColumns returns the columns of a job's slicer that the job searches.
func NewSearchColumns(j *shuffle.Job, s *Slicer) *SearchColumns {
	all := &SearchColumns{columns: s.Columns, losses: -1}
	if j.Search.OfColumn {
		all.losses = slices.Index(s.Columns, j.Search.Measure)
	}
	for _, c := range j.Search.Columns {
		at := slices.Index(s.Columns, c.Column)
		all.levels = append(all.levels, level{of: []int{at}, values: valueTable{bins: c.Bins}})
	}
	return all
}

// Loss returns the loss of row r, if a column has them: NaN where it has no number.
func (s *SearchColumns) Loss(b *Batch, r int32) float64 {
	var value slice.Value
	switch {
	case b.Tuples != nil:
		value = b.Values[r][s.losses]
	case b.Slices[s.losses] != nil:
		value = Value(b.Slices[s.losses], int(r))
	default:
		value = hiveValue(b.Keys, s.columns[s.losses])
	}
	switch value.Kind() {
	case slice.KindInt, slice.KindFloat:
		return value.Float()
	case slice.KindString:
		if x, err := strconv.ParseFloat(value.Text(), 64); err == nil {
			return x
		}
	}
	return math.NaN()
}

// Name returns the name of column i.
func (s *SearchColumns) Name(i int) string { return s.columns[s.levels[i].of[0]] }

// Numbers sets out[r] to the number of the value of column i, for each r of the listed rows. Values
// are numbered from 0 in order of their first occurrence; Value returns them.
func (s *SearchColumns) Numbers(out []int32, i int, rows []int32, b *Batch) {
	l := &s.levels[i]
	at := l.of[0]
	if b.Tuples != nil {
		for _, r := range rows {
			out[r] = l.values.constant(b.Values[r][at])
		}
		return
	}
	col := b.Slices[at]
	if col == nil {
		number := l.values.constant(hiveValue(b.Keys, s.columns[at]))
		for _, r := range rows {
			out[r] = number
		}
		return
	}
	t := &l.values
	for _, r := range rows {
		if col.Type == columns.String && col.Null == nil && col.Dict == t.dict && int(col.Codes[r]) < len(t.byKey) && t.byKey[col.Codes[r]] >= 0 {
			out[r] = t.byKey[col.Codes[r]] // nearly always
			continue
		}
		out[r] = t.code(col, int(r))
	}
}

// Leave removes, from the names of the columns to read, columns that only the search needs, except
// the wanted ones. names must end with the slicer's columns; removed names become "".
func (s *SearchColumns) Leave(names []string, of *Slicer, wanted []int) {
	names = names[len(names)-len(of.Columns):]
	for i := range s.levels {
		at := s.levels[i].of[0]
		needed := slices.ContainsFunc(of.levels, func(l level) bool { return slices.Contains(l.of, at) })
		if !needed && at != s.losses && !slices.Contains(wanted, i) {
			names[at] = ""
		}
	}
}

// Values returns the number of values of column i so far, and Value one of them, encoded.
func (s *SearchColumns) Values(i int) int { return len(s.levels[i].values.values) }

// Forget frees the memory of the values of column i.
func (s *SearchColumns) Forget(i int) { s.levels[i].values = valueTable{} }

// Value returns the encoding of a value; see slice.Decode.
func (s *SearchColumns) Value(i int, number int32) string {
	return slice.Key{{Value: s.levels[i].values.values[number]}}.Encoded()
}
