package conformance

import (
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/formats"
)

// role is a way in which a run reads a column.
type role struct {
	name  string
	rows  int  // of a batch
	plain bool // values of text files stay texts, as the file spells them
	// dictionary asks for the dictionary of each row group first.
	dictionary bool
	// table returns the table for the texts of a column.
	table func() *columns.Strings
}

// newRoles returns the roles for a file. Slice columns share a table.
func newRoles() []role {
	own := func() *columns.Strings { return new(columns.Strings) }
	shared := columns.StringsOf([]string{"a value", "of another column"})
	return []role{
		{"score", 1000, false, false, own},
		{"label", 100_000, true, true, own},
		{"slice", 64, true, false, func() *columns.Strings { return shared }},
		{"id", 999, true, false, func() *columns.Strings { return columns.Loose(nil, nil) }},
	}
}

// source is a file in memory.
type source struct {
	*bytes.Reader
	name string
}

func (s source) Name() string { return s.name }

func sourceOf(path, name string) (columns.Source, error) {
	data, err := os.ReadFile(path)
	return source{bytes.NewReader(data), name}, err
}

// crash is a panic of a reader.
type crash struct{ what string }

func (c crash) Error() string { return c.what }

// contained calls f, and returns a panic as an error.
func contained(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = crash{fmt.Sprintf("%v\n%s", p, debug.Stack())}
		}
	}()
	return f()
}

// opener opens a file; it is formats.Open but in tests.
type opener func(src columns.Source, format string, o columns.Options, plan []byte) (columns.File, error)

var openFile opener = formats.Open

// open opens a file as planning does or, for other roles than score, as workers do: with the plan.
func (r *role) open(src columns.Source, format string) (f columns.File, err error) {
	options := columns.Options{RoundDecimals: true}
	err = contained(func() error {
		if f, err = openFile(src, format, options, nil); err != nil || !r.plain {
			return err
		}
		if inferred, is := f.(columns.Inferred); is {
			for _, field := range f.Schema().Fields {
				inferred.AsText(field.Path)
			}
		}
		planned, is := f.(columns.Planned)
		if !is {
			return nil
		}
		if plan := planned.Plan(0, len(f.RowGroups())); plan != nil {
			f, err = openFile(src, format, options, plan)
		}
		return err
	})
	return f, err
}

// read returns the values of a column by row: nil, an int64, a float64, a string, or a list of these.
func (r *role) read(f columns.File, field columns.Field) (values []any, err error) {
	err = contained(func() error {
		table := r.table()
		for group := range f.RowGroups() {
			complete := false
			if r.dictionary && field.Type != columns.Float {
				if complete, err = f.Dictionary(group, field.Path, table); err != nil {
					return err
				}
			}
			size, first := table.Len(), len(values)
			for batch, err := range f.Read(group, []string{field.Path}, []*columns.Strings{table}, r.rows) {
				if err != nil {
					return err
				}
				values = appendRows(values, &batch.Columns[0])
			}
			if err := inDictionary(values[first:], table, size, complete); err != nil {
				return err
			}
		}
		return nil
	})
	return values, err
}

// inDictionary returns an error if a dictionary that was called complete lacks values of the row group.
func inDictionary(values []any, table *columns.Strings, size int, complete bool) error {
	if !complete {
		return nil
	}
	if table.Len() > size {
		return wrongDictionary{table.At(int32(size))}
	}
	for _, v := range values {
		if n, is := v.(int64); is {
			if _, found := table.Find(strconv.FormatInt(n, 10)); !found {
				return wrongDictionary{strconv.FormatInt(n, 10)}
			}
		}
	}
	return nil
}

// wrongDictionary is the error for a value that a complete dictionary lacks.
type wrongDictionary struct{ value string }

func (e wrongDictionary) Error() string {
	return fmt.Sprintf("the dictionary was complete without %q", e.value)
}

// appendRows appends the rows of a column.
func appendRows(rows []any, c *columns.Column) []any {
	for i := range c.Rows() {
		switch {
		case c.Offsets == nil:
			rows = append(rows, valueOf(c, i))
		case c.IsNullList(i):
			rows = append(rows, nil)
		default:
			list := []any{}
			for j := c.Offsets[i]; j < c.Offsets[i+1]; j++ {
				list = append(list, valueOf(c, int(j)))
			}
			rows = append(rows, list)
		}
	}
	return rows
}

func valueOf(c *columns.Column, i int) any {
	switch {
	case c.IsNull(i):
		return nil
	case c.Type == columns.Float:
		return c.Floats[i]
	case c.Type == columns.String:
		return c.Dict.At(c.Codes[i])
	}
	return c.Ints[i]
}
