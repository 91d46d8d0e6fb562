package report

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/parquet"
	"github.com/beameval/beameval/io/quote"
)

// ReadFile hands a file of the report or comparison in a directory to read, if it is there.
func ReadFile(ctx context.Context, dir, name string, read func(columns.Source) error) error {
	f, err := files.Open(ctx, files.Join(dir, name))
	switch {
	case errors.Is(err, fs.ErrNotExist): // it was not asked for, or there is nothing to write
		return nil
	case err != nil:
		return err
	}
	defer f.Close()
	if err := read(f); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	return nil
}

// parquetColumn is a column that a file must have.
type parquetColumn struct {
	name string
	of   columns.Type
}

// readParquet calls add with each row of a file, in their order: row i of a batch of the wanted
// columns.
func readParquet(source columns.Source, wanted []parquetColumn, add func(batch []columns.Column, i int) error) error {
	file, err := parquet.Open(source, columns.Options{})
	if err != nil {
		return err
	}
	var names []string
	for _, c := range wanted {
		if f, err := file.Schema().Lookup(c.name); err != nil {
			return err
		} else if f.Type != c.of || f.List {
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
				if err := add(batch.Columns, i); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// textAt returns the text in row i, nil for null.
func textAt(c *columns.Column, i int) *string {
	if c.Null != nil && c.Null[i] {
		return nil
	}
	return &c.Dict.Values()[c.Codes[i]]
}

// numberAt returns the number in row i, NaN for null.
func numberAt(c *columns.Column, i int) float64 {
	if c.Null != nil && c.Null[i] {
		return nan
	}
	return c.Floats[i]
}

// nameAt returns the name in row i, nil for null.
func nameAt(c *columns.Column, i int) *string {
	text := textAt(c, i)
	if text == nil {
		return nil
	}
	return new(quote.Unescape(*text))
}
