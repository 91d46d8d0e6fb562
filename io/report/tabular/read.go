package tabular

import (
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/parquet"
	"github.com/beameval/beameval/io/quote"
)

// ReadRows calls add for each row of a file, in order: row i of a batch with the columns of P.
// Errors begin with what, a description of the file.
func ReadRows[P any](source columns.Source, what string, add func(batch []columns.Column, i int) error) error {
	if err := readRows[P](source, add); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func readRows[P any](source columns.Source, add func(batch []columns.Column, i int) error) error {
	file, err := parquet.Open(source, columns.Options{MaxName: math.MaxInt})
	if err != nil {
		return err
	}
	var names []string
	for _, wanted := range fieldsOf[P]() {
		name := wanted.Name()
		if f, err := file.Schema().Lookup(name); err != nil {
			return err
		} else if f.Type != readAs[wanted.Type().Kind()] || f.List != wanted.Repeated() {
			return fmt.Errorf("column %q is %s: the file is not of a report", name, f.Physical)
		}
		names = append(names, name)
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

// TextAt returns the string in row i, or nil for null.
func TextAt(c *columns.Column, i int) *string {
	if c.Null != nil && c.Null[i] {
		return nil
	}
	return &c.Dict.Values()[c.Codes[i]]
}

// NumberAt returns the number in row i, or NaN for null.
func NumberAt(c *columns.Column, i int) float64 {
	if c.Null != nil && c.Null[i] {
		return math.NaN()
	}
	return c.Floats[i]
}

// NumbersAt returns the list of numbers in row i, with NaN for null.
func NumbersAt(c *columns.Column, i int) []float64 {
	from, to := c.Offsets[i], c.Offsets[i+1]
	if from == to {
		return nil
	}
	list := slices.Clone(c.Floats[from:to])
	for j := range list {
		if c.Null != nil && c.Null[int(from)+j] {
			list[j] = math.NaN()
		}
	}
	return list
}

// NameAt returns the unescaped name in row i, or nil for null.
func NameAt(c *columns.Column, i int) *string {
	text := TextAt(c, i)
	if text == nil {
		return nil
	}
	return new(quote.Unescape(*text))
}
