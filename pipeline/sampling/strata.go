package sampling

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics/allocation"
	"github.com/beameval/beameval/metrics/curves"
)

// mostCombinations limits the combinations of the values of columns: people do not label two rows of each of more.
const mostCombinations = 10_000

// divided is a column that divides the rows.
type divided struct {
	name   string
	folder bool // a key in the folders of files, with no column
	field  columns.Field
	bins   *bins // of numbers
}

// numbers reports whether the column has numbers, which are divided into bins.
func (d *divided) numbers() bool {
	return !d.folder && (d.field.Type == columns.Int || d.field.Type == columns.Float)
}

// all returns the columns that divide the rows, the judge's last.
func (t *task) all() []*divided {
	var all []*divided
	for i := range t.by {
		all = append(all, &t.by[i])
	}
	return append(all, &t.judge)
}

// paths returns the columns to read that divide the rows.
func (t *task) paths() []string {
	read := slices.DeleteFunc(t.all(), func(d *divided) bool { return d.folder })
	return collections.Map(read, func(d *divided) string { return d.name })
}

// divide finds the bins of numbers, and checks the judge's grades.
func (t *task) divide(ctx context.Context) error {
	binned := slices.DeleteFunc(t.all(), func(d *divided) bool { return !d.numbers() && d != &t.judge })
	total := distributions(len(binned))
	err := scan(ctx, t.shards, collections.Map(binned, func(d *divided) string { return d.name }),
		func(int) ([]curves.Histogram, []*columns.Strings) { return distributions(len(binned)), nil },
		func(w []curves.Histogram, b *columns.Batch, a at) error {
			for j := range w {
				for i := range b.Rows {
					x, known := numberAt(&b.Columns[j], i)
					if j == len(w)-1 {
						if err := t.check(x, known); err != nil {
							return fmt.Errorf("%s: column %q: %w", a.of(b, i), t.Judge, err)
						}
					}
					if known {
						w[j].Add(x, true, 1)
					}
				}
			}
			return nil
		},
		func(w []curves.Histogram) {
			for j := range w {
				_ = total[j].Merge(&w[j]) // both have the same bound
			}
		})
	for j, d := range binned {
		d.bins = divide(&total[j], t.Bins, valueOf(d.field))
	}
	return err
}

// valueOf returns what makes a value of a slice of a number in a column.
func valueOf(field columns.Field) func(float64) slice.Value {
	switch field.Type {
	case columns.Bool:
		return func(x float64) slice.Value { return slice.Bool(x != 0) }
	case columns.Int:
		return func(x float64) slice.Value { return slice.Int(int64(x)) }
	}
	return slice.Float
}

// check checks a grade of the judge.
func (t *task) check(x float64, known bool) error {
	switch {
	case !known:
		return fmt.Errorf("the grade is missing, and every row must have one: let the judge grade the row, or leave it out of the input")
	case math.Abs(x) > math.MaxFloat64:
		return fmt.Errorf("the grade is %v: expected a finite number", x)
	case t.For == Accuracy && !(x >= 0 && x <= 1):
		return fmt.Errorf("the grade is %v: --for %s takes it for the probability that the row is right, from 0 to 1; --for %s takes any numbers", x, Accuracy, Mean)
	}
	return nil
}

// numberAt returns value i of a column of numbers or booleans; known is false for null and NaN.
func numberAt(c *columns.Column, i int) (x float64, known bool) {
	if c.IsNull(i) {
		return 0, false
	}
	x = c.Number(i)
	return x, !math.IsNaN(x)
}

// cell is the rows of a combination of values, before small ones are merged.
type cell struct {
	key     slice.Key // the judge's bin last
	bin     int
	moments *allocation.Moments
}

// count sums up the judge's grades in each cell, in the order of their keys.
func (t *task) count(ctx context.Context) ([]*cell, error) {
	type counter struct {
		*combinations
		moments []allocation.Moments
	}
	total := map[string]*cell{}
	judge := len(t.paths()) - 1
	var tooMany error
	err := scan(ctx, t.shards, t.paths(),
		func(i int) (*counter, []*columns.Strings) {
			c := &counter{combinations: t.combinations(i)}
			return c, c.tables
		},
		func(w *counter, b *columns.Batch, _ at) error {
			for i := range b.Rows {
				at, err := w.of(b, i)
				if err != nil {
					return err
				}
				if at == len(w.moments) {
					w.moments = append(w.moments, allocation.Moments{})
				}
				x, _ := numberAt(&b.Columns[judge], i)
				w.moments[at].Add(x - t.judge.bins.near[w.bins[at]])
			}
			return nil
		},
		func(w *counter) {
			for i, key := range w.keys {
				encoded := key.Encoded()
				if total[encoded] == nil {
					total[encoded] = &cell{key, w.bins[i], new(allocation.Moments)}
				}
				total[encoded].moments.Merge(&w.moments[i])
			}
			if len(total) > mostCombinations {
				tooMany = t.tooMany()
			}
		})
	if err == nil {
		err = tooMany
	}
	return slices.SortedFunc(maps.Values(total), func(a, b *cell) int { return a.key.Compare(b.key) }), err
}

func (t *task) tooMany() error {
	return fmt.Errorf("--strata: %s and bins of %s have more than %d combinations: leave out columns with many values, such as ids",
		quote.List(t.By, 5, "%d more"), quote.Value(t.Judge), mostCombinations)
}

// combinations finds the cells of the rows of a shard.
type combinations struct {
	task    *task
	columns []*divided
	folders []slice.Value      // of the columns that are folders
	tables  []*columns.Strings // of the columns that are read
	met     map[string]int
	keys    []slice.Key
	bins    []int // the judge's
	code    []byte
}

func (t *task) combinations(shard int) *combinations {
	c := &combinations{task: t, columns: t.all(), met: map[string]int{}}
	for range t.paths() {
		c.tables = append(c.tables, new(columns.Strings))
	}
	for _, d := range c.columns {
		value := slice.Null()
		for _, k := range t.shards[shard].Keys {
			if d.folder && k.Name == d.name {
				value = folderValue(k)
			}
		}
		c.folders = append(c.folders, value)
	}
	return c
}

func folderValue(k files.Key) slice.Value {
	if k.Null {
		return slice.Null()
	}
	return slice.String(k.Value)
}

// of returns the number of the cell of row i of a batch, which may be new.
func (c *combinations) of(b *columns.Batch, i int) (int, error) {
	c.code = c.code[:0]
	read := 0
	for _, d := range c.columns {
		if !d.folder {
			c.code = binary.AppendUvarint(c.code, d.codeAt(&b.Columns[read], i))
			read++
		}
	}
	if at, met := c.met[string(c.code)]; met {
		return at, nil
	}
	if len(c.keys) == mostCombinations {
		return 0, c.task.tooMany()
	}
	key := make(slice.Key, len(c.columns))
	read = 0
	for j, d := range c.columns {
		value := c.folders[j]
		if !d.folder {
			value = d.valueAt(&b.Columns[read], i)
			read++
		}
		key[j] = slice.Pair{Column: strings.Clone(d.name), Value: value}
	}
	x, _ := numberAt(&b.Columns[read-1], i)
	at := len(c.keys)
	c.met[string(c.code)] = at
	c.keys, c.bins = append(c.keys, key), append(c.bins, c.task.judge.bins.of(x))
	return at, nil
}

// codeAt returns a number for value i of the column, the same for values that are not divided; 0 for null.
func (d *divided) codeAt(c *columns.Column, i int) uint64 {
	switch {
	case c.IsNull(i):
		return 0
	case d.bins != nil:
		x, known := numberAt(c, i)
		if !known {
			return 0
		}
		return 1 + uint64(d.bins.of(x))
	case c.Type == columns.String:
		return 1 + uint64(c.Codes[i])
	}
	return 1 + uint64(c.Ints[i])
}

// valueAt returns what identifies value i of the column in keys.
func (d *divided) valueAt(c *columns.Column, i int) slice.Value {
	switch code := d.codeAt(c, i); {
	case code == 0:
		return slice.Null()
	case d.bins != nil:
		return d.bins.names[code-1]
	case c.Type == columns.String:
		return slice.String(c.Dict.At(c.Codes[i]))
	}
	return slice.Bool(c.Ints[i] != 0)
}

// appendText appends value i of a column as text, the same in all formats of files; known is false for null and NaN.
func appendText(b []byte, c *columns.Column, i int) (text []byte, known bool) {
	switch {
	case c.IsNull(i):
		return b, false
	case c.Type == columns.String:
		return append(b, c.Dict.At(c.Codes[i])...), true
	case c.Type == columns.Float:
		return strconv.AppendFloat(b, c.Floats[i]+0, 'f', -1, 64), !math.IsNaN(c.Floats[i])
	}
	return strconv.AppendInt(b, c.Ints[i], 10), true
}
