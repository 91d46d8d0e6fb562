package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/transforms/input"
)

// eachGroup calls each for the row groups of the files until it returns false.
func (d *dataset) eachGroup(ctx context.Context, each func(columns.File, place) (more bool, err error)) error {
	for i := range d.files {
		more, err := d.eachGroupOf(ctx, &d.files[i], each)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

func (d *dataset) eachGroupOf(ctx context.Context, f *file, each func(columns.File, place) (more bool, err error)) (more bool, err error) {
	opened := f.opened
	if opened == nil {
		if opened, err = input.OpenFile(ctx, f.whole); err != nil {
			return false, err
		}
		defer opened.Close()
	}
	for g := range f.groups {
		if more, err := each(opened.File, place{f.info.Name, g}); err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

// scan calls each for batches of a column until it returns false. The place is where the row group
// of the batch is.
func (d *dataset) scan(ctx context.Context, path string, rows int, each func(place, *columns.Batch) (more bool)) error {
	return d.eachGroup(ctx, func(file columns.File, at place) (more bool, err error) {
		for batch, err := range file.Peek(at.group, []string{path}, nil, rows) {
			if err != nil {
				return false, err
			}
			if !each(at, batch) {
				return false, nil
			}
		}
		return true, nil
	})
}

// place is the place of a row group.
type place struct {
	file  string
	group int
}

// of describes the place of a row of a batch for messages.
func (p place) of(b *columns.Batch, r int) string {
	return fmt.Sprintf("%s: %s", p.file, b.Place(p.group, r))
}

// listLength returns the length of the first list in a column, in the order of files and rows, or 0
// if there are no rows.
func (d *dataset) listLength(ctx context.Context, path string) (n int, err error) {
	err = d.scan(ctx, path, 64, func(_ place, batch *columns.Batch) (more bool) {
		offsets := batch.Columns[0].Offsets
		for r := 0; r < batch.Rows && n == 0; r++ {
			n = int(offsets[r+1] - offsets[r])
		}
		return n == 0
	})
	return n, err
}

// firstRows is the number of rows that are read to find out what a column contains.
const firstRows = 1000

// firstValues returns the distinct values in the first rows of a column as text.
func (d *dataset) firstValues(ctx context.Context, path string) ([]string, error) {
	met := make(map[string]bool)
	err := d.scan(ctx, path, firstRows, func(_ place, batch *columns.Batch) (more bool) {
		c := &batch.Columns[0]
		for i := range c.Len() {
			if !c.IsNull(i) {
				met[textOf(c, i)] = true
			}
		}
		return len(met) == 0
	})
	return slices.Sorted(maps.Keys(met)), err
}

// openAtOnce is the number of files that planning reads at once: reading little is mostly waiting for storage.
const openAtOnce = 16

// distinct returns the hashes of the distinct values of a column in ascending order, or an error if they are more than most.
func (d *dataset) distinct(ctx context.Context, path string, most int) ([]uint64, error) {
	var values input.Distinct
	_, err := d.lookup(path)
	ofFolders := err != nil
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(openAtOnce)
	for i := range d.files {
		f := &d.files[i]
		if ofFolders {
			for _, k := range f.info.Keys {
				if k.Name == path && !k.Null && values.AddText(k.Value) > most {
					return nil, errTooMany
				}
			}
			continue
		}
		group.Go(func() error {
			_, err := d.eachGroupOf(ctx, f, func(file columns.File, at place) (more bool, err error) {
				n, err := values.AddGroup(file, at.group, path, most)
				if n > most {
					err = errTooMany
				}
				return true, cmp.Or(err, ctx.Err())
			})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return values.Hashes(), nil
}

// strata returns the strata that rows were drawn from; all rows are of one if the path of their column is "".
// Rows without a label were not drawn, if its path is not "".
func (d *dataset) strata(ctx context.Context, stratum, probability, by, label string) (*input.Strata, error) {
	found, paths := new(input.Strata), []string{probability, by}
	for _, path := range []string{stratum, label} {
		if path != "" {
			paths = append(paths, path)
		}
	}
	const rows = 8192
	return found, d.eachGroup(ctx, func(file columns.File, at place) (more bool, err error) {
		for batch, err := range file.Peek(at.group, paths, nil, rows) {
			if err != nil {
				return false, err
			}
			var of, labels *columns.Column
			if stratum != "" {
				of = &batch.Columns[2]
			}
			if label != "" {
				labels = &batch.Columns[len(paths)-1]
			}
			if r, err := found.Add(batch.Rows, of, &batch.Columns[0], &batch.Columns[1], labels); err != nil {
				return false, fmt.Errorf("%s: %w", at.of(batch, r), err)
			}
		}
		return true, ctx.Err()
	})
}

// errTooMany ends a count of distinct values.
var errTooMany = errors.New("too many values")

// someValues returns some of the first values of a column for messages. It returns "" if they
// cannot be read, which the run will report.
func (d *dataset) someValues(ctx context.Context, path string) string {
	const most = 5
	values, err := d.firstValues(ctx, path)
	if err != nil || len(values) == 0 {
		return ""
	}
	quoted := make([]string, min(len(values), most))
	for i := range quoted {
		quoted[i] = fmt.Sprintf("%.40q", values[i])
	}
	return ", such as " + strings.Join(quoted, ", ")
}

// textOf returns value i of a column as text.
func textOf(c *columns.Column, i int) string {
	switch c.Type {
	case columns.String:
		return c.Dict.At(c.Codes[i])
	case columns.Float:
		return strconv.FormatFloat(c.Floats[i], 'g', -1, 64)
	}
	return strconv.FormatInt(c.Ints[i], 10)
}
