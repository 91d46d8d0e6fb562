package tabular

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/parquet"
)

// Read calls add for each row of a Parquet file of a table, in order; the next call overwrites the row.
// If keep is not nil, it is asked first, when only the name, slice and label of the row have been read;
// rows that it does not keep are left out. Errors begin with what, a description of the file, and the
// number of the row.
func Read[T any](source columns.Source, what string, table []Column[T], keep func(*T) bool, add func(*T) error) error {
	r := reader[T]{keep: keep, add: add, table: slices.DeleteFunc(inFiles(table), func(c Column[T]) bool { return c.read == nil })}
	if err := r.read(source); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// ReadAll returns the rows that [Read] keeps; the list is never nil.
func ReadAll[T any](source columns.Source, what string, table []Column[T], keep func(*T) bool) ([]T, error) {
	list := []T{}
	err := Read(source, what, table, keep, func(row *T) error { list = append(list, *row); return nil })
	return list, err
}

type reader[T any] struct {
	table []Column[T]
	keep  func(*T) bool
	add   func(*T) error
	place place
	last  T
	rows  int
}

func (r *reader[T]) read(source columns.Source) error {
	file, err := parquet.Open(source, columns.Options{MaxName: math.MaxInt})
	if err != nil {
		return err
	}
	var names []string
	for _, c := range r.table {
		f, err := file.Schema().Lookup(c.name)
		if err != nil {
			return err
		}
		if f.Type != readAs[c.node.Type().Kind()] || f.List != c.node.Repeated() {
			return fmt.Errorf("column %q is %s: the file is not of a report", c.name, f.Physical)
		}
		names = append(names, c.name)
	}
	for group := range file.RowGroups() {
		for batch, err := range file.Read(group, names, nil, 1<<14) {
			if err != nil {
				return err
			}
			for i := range batch.Rows {
				r.rows++
				if err := r.row(batch.Columns, i); err != nil {
					return fmt.Errorf("row %d: %w", r.rows, err)
				}
			}
		}
	}
	return nil
}

// row reads row i of a batch.
func (r *reader[T]) row(batch []columns.Column, i int) error {
	row, v, kept := &r.last, cell{place: &r.place}, r.keep == nil
	*row = *new(T)
	for j := range r.table {
		c := &r.table[j]
		if !kept && !c.place {
			if !r.keep(row) {
				return nil
			}
			kept = true
		}
		v.load(&batch[j], i)
		if err := c.set(row, &v); err != nil {
			return err
		}
	}
	return r.add(row)
}

// set stores a value in a row. A flag that is missing is false: an older version may not have had it.
func (c *Column[T]) set(row *T, v *cell) error {
	if v.null && c.node.Required() && c.json != flag {
		return fmt.Errorf("%s is null or missing", cmp.Or(c.member, c.name))
	}
	return c.read(row, v)
}

// load loads the value in row i.
func (v *cell) load(c *columns.Column, i int) {
	if c.Offsets != nil {
		v.loadList(c, i)
		return
	}
	*v = cell{null: c.IsNull(i), number: math.NaN(), place: v.place}
	switch {
	case v.null:
	case c.Type == columns.String:
		v.text = c.Dict.At(c.Codes[i])
	case c.Type == columns.Float:
		v.number = c.Floats[i]
	default:
		v.whole = c.Ints[i]
	}
}

func (v *cell) loadList(c *columns.Column, i int) {
	from, to := c.Offsets[i], c.Offsets[i+1]
	v.null, v.list = false, slices.Clone(c.Floats[from:to])
	for j := range v.list {
		if c.IsNull(int(from) + j) {
			v.list[j] = math.NaN()
		}
	}
}
