package batches

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// Slicer says which slices and which fold each row belongs to. Rows of one fold with the same
// values in all slice columns have the same tuple, a small number, so that slices have to be found
// only once for each tuple. A tuple is built level by level:
//
//	country  DE ───┐
//	age      ≥ 30 ─┴─► tuple of two levels ─┐
//	fold    7 ─────────────────────────────┴─► tuple of the row
//
// Each join is a look-up in the Pairs of a level. A Slicer remembers all values and tuples that it
// has met, and must be used by a single goroutine.
type Slicer struct {
	// Columns are the slice columns, sorted and without duplicates, followed by the column that
	// determines folds, if there are folds, and by the column of their strata, if these are of strata.
	Columns []string
	Truth   []string // the slice columns whose values are in the truth instead of the predictions
	sets    []sliceSet
	levels  []level  // the last one is the level of the folds, if there are any
	status  int      // the index of the level that says whether metrics are estimated; -1 if none are
	divider *divider // nil if there are no folds
}

// level extends the tuples of the previous levels by one value: of a column, of a division of its
// numbers, or of a function of columns.
type level struct {
	of     []int // indices of Slicer.Columns
	values valueTable
	tuples Pairs         // a tuple of the previous levels and a value
	row    []slice.Value // the values of the columns; reused
}

// sliceSet is an input.Slice with its columns ordered by name.
type sliceSet struct {
	columns []int              // indices of Slicer.levels
	names   []string           // by column: its name in reports
	allowed [][]slice.Constant // by column: the allowed values; nil if all are allowed
}

// NewSlicer returns the slicer of the examples of a job.
func NewSlicer(j *shuffle.Job) *Slicer {
	s := &Slicer{status: -1}
	own, truth := j.SliceColumns()
	s.Columns, s.Truth = slices.Sorted(slices.Values(slices.Concat(own, truth))), truth
	levels := slices.SortedFunc(slices.Values(slices.Concat(j.Slices...)), compareLevels)
	levels = slices.CompactFunc(levels, func(a, b input.SliceColumn) bool { return compareLevels(a, b) == 0 })
	for _, c := range levels {
		l := level{values: valueTable{bins: c.Bins, function: functionOf(c)}}
		for _, name := range c.Columns() {
			i, _ := slices.BinarySearch(s.Columns, name)
			l.of = append(l.of, i)
		}
		s.levels = append(s.levels, l)
	}
	for _, set := range j.Slices {
		var to sliceSet
		for _, c := range slices.SortedFunc(slices.Values(set), compareNames) {
			i, _ := slices.BinarySearchFunc(levels, c, compareLevels)
			to.columns = append(to.columns, i)
			to.names = append(to.names, c.Name())
			to.allowed = append(to.allowed, constants(c.Values))
		}
		s.sets = append(s.sets, to)
	}
	if j.EstimateUnlabelled {
		s.status = len(s.levels)
		s.levels = append(s.levels, level{values: valueTable{function: labelled}})
	}
	if s.fold(j.Confidence); j.Confidence.OfTruth(j.Truth) {
		s.Truth = append(s.Truth, j.Confidence.By)
	}
	return s
}

// described returns the Columns that a describer describes: folds show the strata.
func (s *Slicer) described() []string {
	if s.divider != nil && s.divider.of.HasStrata() {
		return s.Columns[:len(s.Columns)-1]
	}
	return s.Columns
}

// labelled is the status of all rows, unless Estimated changes it.
func labelled(...slice.Value) slice.Value { return slice.Bool(false) }

// Estimated returns, in the memory of out, the tuples of rows that are like others but have no
// label. rows lists the others, and tuples has their tuples.
func (s *Slicer) Estimated(out, tuples, rows []int32) []int32 {
	status, folds := &s.levels[s.status], &s.levels[len(s.levels)-1]
	out = collections.Resize(out, len(rows))
	for i, r := range rows {
		tuple, fold := tuples[r], int32(0)
		if s.divider != nil {
			tuple, fold = folds.tuples.Pair(tuple)
		}
		before, _ := status.tuples.Pair(tuple)
		tuple = status.tuples.Number(before, status.values.number(slice.Bool(true)))
		if s.divider != nil {
			tuple = folds.tuples.Number(tuple, fold)
		}
		out[i] = tuple
	}
	return out
}

// compareLevels orders columns by name, by the division of their numbers, and by function.
func compareLevels(a, b input.SliceColumn) int {
	return cmp.Or(slices.Compare(a.Columns(), b.Columns()), slices.Compare(a.Bins, b.Bins), strings.Compare(a.Function, b.Function))
}

// compareNames orders columns as reports do.
func compareNames(a, b input.SliceColumn) int { return strings.Compare(a.Name(), b.Name()) }

// NewDescriber returns a slicer without slices, which only describes tuples of columns and, if g is
// not nil, of folds. It does not divide the numbers of columns.
func NewDescriber(columns []string, g *input.Confidence) *Slicer {
	s := &Slicer{Columns: slices.Clone(columns), status: -1}
	for i := range columns {
		s.levels = append(s.levels, level{of: []int{i}})
	}
	s.fold(g)
	return s
}

// fold adds the level of the folds, if there are any.
func (s *Slicer) fold(g *input.Confidence) {
	if g != nil {
		s.levels = append(s.levels, level{of: []int{len(s.Columns)}})
		s.Columns, s.divider = append(s.Columns, g.By), newDivider(g)
		if g.HasStrata() {
			s.Columns = append(s.Columns, g.Stratum)
		}
	}
}

// isFold reports whether the values of a level are the folds.
func (s *Slicer) isFold(level int) bool { return s.divider != nil && level == len(s.levels)-1 }

// constants returns values in the form that is compared with rows, or nil if there are none.
func constants(values []input.SliceValue) (all []slice.Constant) {
	for _, v := range values {
		all = append(all, v.Constant())
	}
	return all
}

// values returns, in a new list, the values of a tuple of the first levels.
func (s *Slicer) values(tuple int32, levels int) []slice.Value {
	values := make([]slice.Value, levels)
	for i := levels - 1; i >= 0; i-- {
		l := &s.levels[i]
		before, value := l.tuples.Pair(tuple)
		values[i], tuple = l.values.values[value], before
	}
	return values
}

// Describe returns a tuple of a describer in a form that other slicers can decode.
func (s *Slicer) Describe(tuple int32) []byte {
	key := make(slice.Key, len(s.levels))
	for i, v := range s.values(tuple, len(s.levels)) {
		key[i].Value = v
	}
	return key.AppendBinary(nil)
}

// Described returns the tuple of the values that two describers have described, one of the
// predictions and one of the truth. It also returns the values of Columns, in a new list.
func (s *Slicer) Described(predictions, truth string) (tuple int32, values []slice.Value, err error) {
	own, _, err := slice.Decode([]byte(predictions))
	if err != nil {
		return 0, nil, err
	}
	others, _, err := slice.Decode([]byte(truth))
	if err != nil {
		return 0, nil, err
	}
	columns := s.described()
	if n := len(columns); len(others) != len(s.Truth) || len(own)+len(others) != n {
		return 0, nil, fmt.Errorf("%d and %d values of slice columns and folds: expected %d, %d of them from the truth", len(own), len(others), n, len(s.Truth))
	}
	values = make([]slice.Value, len(columns))
	for i, name := range columns {
		from := &own
		if slices.Contains(s.Truth, name) {
			from = &others
		}
		values[i], *from = (*from)[0].Value, (*from)[1:]
	}
	for i := range s.levels {
		l := &s.levels[i]
		tuple = l.tuples.Number(tuple, l.constant(func(column int) slice.Value { return values[column] }))
	}
	return tuple, values, nil
}

// Membership returns the keys of the slices of a tuple, without duplicates and with the overall slice
// first, and its fold.
func (s *Slicer) Membership(tuple int32) shuffle.Membership {
	values := s.values(tuple, len(s.levels))
	return shuffle.Membership{Slices: s.keys(values), Fold: s.Fold(tuple)}
}

// keys returns the keys of the slices that values belong to. If the metrics of these are estimated,
// the slices are others.
func (s *Slicer) keys(values []slice.Value) []string {
	var status slice.Key
	if s.status >= 0 && values[s.status] == slice.Bool(true) {
		status = slice.Key{{Column: report.Estimated, Value: values[s.status]}}
	}
	keys := []string{status.Encoded()}
	for _, set := range s.sets {
		if key, in := set.key(values); in {
			if encoded := append(key, status...).Encoded(); !slices.Contains(keys, encoded) {
				keys = append(keys, encoded)
			}
		}
	}
	return keys
}

// WithoutFolds returns, in the memory of out, tuples with the same slices but without folds;
// Foldless returns their memberships.
func (s *Slicer) WithoutFolds(out, tuples []int32) []int32 {
	l := &s.levels[len(s.levels)-1]
	out = collections.Resize(out, len(tuples))
	for r, tuple := range tuples {
		out[r], _ = l.tuples.Pair(tuple)
	}
	return out
}

// Fold returns the fold of a tuple, or NoFold.
func (s *Slicer) Fold(tuple int32) int32 {
	if s.divider == nil {
		return shuffle.NoFold
	}
	l := &s.levels[len(s.levels)-1]
	_, value := l.tuples.Pair(tuple)
	if fold := l.values.values[value]; fold.Kind() == slice.KindInt {
		return int32(fold.Int())
	}
	return shuffle.NoFold
}

// Foldless is Membership for a tuple without a fold.
func (s *Slicer) Foldless(tuple int32) shuffle.Membership {
	return shuffle.Membership{Slices: s.keys(s.values(tuple, len(s.levels)-1)), Fold: shuffle.NoFold}
}

// Clusterless returns, in a new list, for each row whether the column that determines folds has no
// value. It is nil if all rows have one.
func (s *Slicer) Clusterless(tuples []int32) []bool {
	if s.divider == nil {
		return nil
	}
	l := &s.levels[len(s.levels)-1]
	null, met := l.values.codes[slice.Null()]
	if !met {
		return nil
	}
	none := make([]bool, len(tuples))
	for r, tuple := range tuples {
		_, fold := l.tuples.Pair(tuple)
		none[r] = fold == null
	}
	return none
}

// Hashes returns the hashes of the values that determine folds, for the rows of the last call of
// Tuples. The list is the slicer's, and valid until the next call of Tuples.
func (s *Slicer) Hashes() []uint64 {
	if s.divider == nil {
		return nil
	}
	return s.divider.hashes
}

// key returns the key of the slice of the set that rows with these values belong to. It returns
// false if there is none.
func (s *sliceSet) key(values []slice.Value) (slice.Key, bool) {
	key := make(slice.Key, len(s.columns))
	for i, column := range s.columns {
		v := values[column]
		if s.allowed[i] != nil && !slices.ContainsFunc(s.allowed[i], func(c slice.Constant) bool { return c.Is(v) }) {
			return nil, false
		}
		key[i] = slice.Pair{Column: s.names[i], Value: v}
	}
	return key, true
}

// Tuples returns the tuple of each row, in the memory of out. cols are the Columns; nil for columns
// whose values are in keys, the hive-style folders of a file.
func (s *Slicer) Tuples(out []int32, rows int, cols []*columns.Column, keys []files.Key) []int32 {
	out = append(out[:0], make([]int32, rows)...)
	for i := range s.levels {
		l := &s.levels[i]
		folder := func(column int) slice.Value { return hiveValue(keys, s.Columns[column]) }
		switch {
		case s.isFold(i):
			if s.divider.of.HasStrata() {
				s.divider.hashStrata(cols[len(s.Columns)-1])
			}
			s.addFolds(out, cols[l.of[0]], folder(l.of[0]))
		case !slices.ContainsFunc(l.of, func(column int) bool { return cols[column] != nil }):
			value := l.constant(folder)
			for r := range rows {
				out[r] = l.tuples.Number(out[r], value)
			}
		case len(l.of) == 1:
			l.extend(out, cols[l.of[0]])
		default:
			for r := range rows {
				out[r] = l.tuples.Number(out[r], l.constant(func(column int) slice.Value {
					if cols[column] == nil {
						return folder(column)
					}
					return Value(cols[column], r)
				}))
			}
		}
	}
	return out
}

// constant returns the code of the value of a level that is the same in all rows, given the values
// of its columns.
func (l *level) constant(of func(column int) slice.Value) int32 {
	if len(l.of) == 1 {
		return l.values.constant(of(l.of[0]))
	}
	l.row = l.row[:0]
	for _, column := range l.of {
		l.row = append(l.row, of(column))
	}
	return l.values.number(l.values.function(l.row...))
}

// addFolds extends the tuples of the rows by their folds, which the values of a column determine
// or, if that is nil, one value.
func (s *Slicer) addFolds(out []int32, col *columns.Column, value slice.Value) {
	l, g := &s.levels[len(s.levels)-1], s.divider
	g.hash(len(out), col, value.Text())
	for r, h := range g.hashes {
		if col == nil && value.Kind() == slice.KindNull || col != nil && col.IsNull(r) {
			out[r] = l.tuples.Number(out[r], l.values.constant(slice.Null()))
			continue
		}
		fold := g.fold(r, h)
		if g.codes[fold] == 0 {
			g.codes[fold] = 1 + l.values.constant(slice.Int(int64(fold)))
		}
		out[r] = l.tuples.Number(out[r], g.codes[fold]-1)
	}
}

// extend extends the tuples of the rows by the values of a column.
func (l *level) extend(out []int32, col *columns.Column) {
	t := &l.values
	for r, before := range out {
		var value int32
		if col.Type == columns.String && col.Null == nil && col.Dict == t.dict && int(col.Codes[r]) < len(t.byKey) && t.byKey[col.Codes[r]] >= 0 {
			value = t.byKey[col.Codes[r]] // nearly always
		} else {
			value = t.code(col, r)
		}
		out[r] = l.tuples.Number(before, value)
	}
}

func hiveValue(keys []files.Key, column string) slice.Value {
	for _, k := range keys {
		if k.Name == column && !k.Null {
			return slice.String(k.Value)
		}
	}
	return slice.Null()
}
