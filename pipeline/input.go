package pipeline

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms"
)

// input is the footers of all input files.
type input struct {
	files   []inputFile
	options columns.Options
	wide    map[string][]config.WideColumn // see widen
}

// inputFile is what the footer of a file says.
type inputFile struct {
	info   files.Info
	schema columns.Schema
	groups []int64 // rows of each row group
	// The key-value metadata "labels" and those of a pandas DataFrame's attrs, if any.
	labels, attrs string
}

// open lists the files and reads their footers.
func open(ctx context.Context, patterns []string, o columns.Options) (*input, error) {
	found, err := files.List(ctx, patterns...)
	if err != nil {
		return nil, err
	}
	in := &input{files: make([]inputFile, len(found)), options: o, wide: make(map[string][]config.WideColumn)}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8 * runtime.GOMAXPROCS(0)) // footers wait for storage, not for processors
	for i, info := range found {
		group.Go(func() error {
			f, err := footer(ctx, info, o)
			in.files[i] = f
			return err
		})
	}
	return in, group.Wait()
}

func footer(ctx context.Context, info files.Info, o columns.Options) (inputFile, error) {
	f, err := transforms.OpenFile(ctx, info.Name, info.Version, o)
	if err != nil {
		return inputFile{}, err
	}
	defer f.Close()
	labels, _ := f.Metadata(labelsKey)
	attrs, _ := f.Metadata(attrsKey)
	return inputFile{info, f.Schema(), f.RowGroups(), labels, attrs}, nil
}

// field returns a column that all files must have, in a form that fits all: of
// floats the widest. Types that don't fit together are an error.
func (in *input) field(path string) (columns.Field, error) {
	if in.wide[path] != nil {
		return in.wideField(path)
	}
	var all columns.Field
	for i := range in.files {
		f := &in.files[i]
		field, err := f.schema.Lookup(path)
		if err != nil {
			return field, fmt.Errorf("%s: %w", f.info.Name, err)
		}
		if i == 0 {
			all = field
			continue
		}
		if field.List != all.List || field.Type != all.Type && !(numeric(field) && numeric(all)) {
			return field, fmt.Errorf("column %q is %s in %s but %s in %s: files of one run must agree",
				path, all.Physical, in.files[0].info.Name, field.Physical, f.info.Name)
		}
		if field.Type == columns.Float && (all.Type != columns.Float || field.Bits > all.Bits) {
			all = field
		}
	}
	return all, nil
}

func numeric(f columns.Field) bool { return f.Type == columns.Int || f.Type == columns.Float }

// everywhere says whether all files have a readable column of this name.
func (in *input) everywhere(path string) bool {
	for i := range in.files {
		if _, err := in.files[i].schema.Lookup(path); err != nil {
			return false
		}
	}
	return true
}

// hiveKey says whether all files lie in hive-style folders with this key.
func (in *input) hiveKey(name string) bool {
	for _, f := range in.files {
		found := false
		for _, k := range f.info.Keys {
			found = found || k.Name == name
		}
		if !found {
			return false
		}
	}
	return true
}

// partly explains the error for a slice column that is missing: some of the
// files may lie in hive-style folders with this key.
func (in *input) partly(name string, err error) error {
	with, without := "", ""
	for _, f := range in.files {
		if slices.ContainsFunc(f.info.Keys, func(k files.Key) bool { return k.Name == name }) {
			with = f.info.Name
		} else {
			without = f.info.Name
		}
	}
	if with == "" {
		return err
	}
	return fmt.Errorf("%s is in a folder %s=…, but %s is not: all files must be, or have a column %q", with, name, without, name)
}

// listLength returns the length of the first list of a column, in the order of
// files and rows: how many labels there are where nothing else says so.
func (in *input) listLength(ctx context.Context, path string) (int, error) {
	n := len(in.wide[path])
	if n > 0 {
		return n, nil
	}
	err := in.scan(ctx, path, 64, func(_ place, batch *columns.Batch) (more bool) {
		offsets := batch.Columns[0].Offsets
		for r := 0; r < batch.Rows && n == 0; r++ {
			n = int(offsets[r+1] - offsets[r])
		}
		return n == 0
	})
	if err == nil && n == 0 {
		err = fmt.Errorf("column %q: no row has a list, so that the number of labels is unknown: set labels or num_labels", path)
	}
	return n, err
}

// firstRows is how many rows are looked at to tell what a column is.
const firstRows = 1000

// firstValues returns the values of the first rows of a column, as text, each once.
func (in *input) firstValues(ctx context.Context, path string) ([]string, error) {
	met := make(map[string]bool)
	err := in.scan(ctx, path, firstRows, func(_ place, batch *columns.Batch) (more bool) {
		c := &batch.Columns[0]
		for i := range c.Len() {
			if c.Null == nil || !c.Null[i] {
				met[textOf(c, i)] = true
			}
		}
		return len(met) == 0
	})
	return slices.Sorted(maps.Keys(met)), err
}

// suchAs returns some of the first values of a column, for messages; none if they
// cannot be read, which is another matter.
func (in *input) suchAs(ctx context.Context, path string) string {
	const most = 5
	values, err := in.firstValues(ctx, path)
	if err != nil || len(values) == 0 {
		return ""
	}
	quoted := make([]string, min(len(values), most))
	for i := range quoted {
		quoted[i] = fmt.Sprintf("%.40q", values[i])
	}
	return ", such as " + strings.Join(quoted, ", ")
}

// textOf is value i of a column as text.
func textOf(c *columns.Column, i int) string {
	switch c.Type {
	case columns.String:
		return c.Dict.Values()[c.Codes[i]]
	case columns.Float:
		return strconv.FormatFloat(c.Floats[i], 'g', -1, 64)
	}
	return strconv.FormatInt(c.Ints[i], 10)
}

// place is where a row is.
type place struct {
	file  string
	group int
	row   int64 // in the row group
}

func (p place) String() string {
	return fmt.Sprintf("%s: row group %d, row %d", p.file, p.group, p.row)
}

// scan reads a column, some rows at a time, as long as each asks for more. The place is
// that of the first of them.
func (in *input) scan(ctx context.Context, path string, rows int, each func(place, *columns.Batch) (more bool)) error {
	return in.eachGroup(ctx, func(file *columns.File, at place) (more bool, err error) {
		return scanGroup(file, at, path, rows, each)
	})
}

// eachGroup opens the files and goes through their row groups, as long as each asks
// for more.
func (in *input) eachGroup(ctx context.Context, each func(*columns.File, place) (more bool, err error)) error {
	for i := range in.files {
		more, err := in.files[i].eachGroup(ctx, in.options, each)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

func (f *inputFile) eachGroup(ctx context.Context, o columns.Options, each func(*columns.File, place) (more bool, err error)) (more bool, err error) {
	parquet, err := transforms.OpenFile(ctx, f.info.Name, f.info.Version, o)
	if err != nil {
		return false, err
	}
	defer parquet.Close()
	for g := range f.groups {
		if more, err := each(parquet.File, place{f.info.Name, g, 0}); err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

func scanGroup(file *columns.File, at place, path string, rows int, each func(place, *columns.Batch) (more bool)) (more bool, err error) {
	for batch, err := range file.Read(at.group, []string{path}, nil, rows) {
		if err != nil {
			return false, err
		}
		if at.row = batch.First; !each(at, batch) {
			return false, nil
		}
	}
	return true, nil
}
