package pipeline

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/quote"
)

// lookup returns the column at a path. All files must have it with compatible types; of floats it
// returns the widest.
func (d *dataset) lookup(path string) (columns.Field, error) {
	return d.agreed(path, "files of one run must agree", func(a, b columns.Field) bool {
		return a.List == b.List && (a.Type == b.Type || numeric(a) && numeric(b))
	})
}

// lookupID returns a column of ids, whose type must be the same in all files.
func (d *dataset) lookupID(path string) (columns.Field, error) {
	return d.agreed(path, `ids must be of one type, as 1 and "1" are not the same`, func(a, b columns.Field) bool {
		return a.List == b.List && a.Type == b.Type
	})
}

// agreed returns the column of all files. One whose values are all null agrees with every type, and with lists.
func (d *dataset) agreed(path, rule string, agree func(a, b columns.Field) bool) (all columns.Field, err error) {
	first := "" // the file of all
	for _, k := range d.kinds {
		field, err := k.schema.Lookup(path)
		switch {
		case err != nil:
			return field, fmt.Errorf("%s: %w", k.file, err)
		case first == "" || all.NullAs(field.List):
			all, first = field, k.file
		case field.NullAs(all.List):
		case !agree(field, all):
			return field, fmt.Errorf("column %q is %s in %s but %s in %s: %s", path, all.Physical, first, field.Physical, k.file, rule)
		case field.Type == columns.Float && (all.Type != columns.Float || field.Bits > all.Bits):
			all = field
		}
	}
	return all, nil
}

func numeric(f columns.Field) bool { return f.Type == columns.Int || f.Type == columns.Float }

// isText returns a file in which a column is text, if there is one, and whether it is text in all
// files.
func (d *dataset) isText(path string) (in string, everywhere bool) {
	everywhere = true
	for _, k := range d.kinds {
		if f, err := k.schema.Lookup(path); err == nil && f.Type == columns.String {
			in = cmp.Or(in, k.file)
		} else {
			everywhere = false
		}
	}
	return in, everywhere
}

// everywhere reports whether all files have a readable column of this name.
func (d *dataset) everywhere(path string) bool {
	return !slices.ContainsFunc(d.kinds, func(k *kind) bool { return !k.has(path) })
}

// somewhere reports whether any file has a readable column of this name.
func (d *dataset) somewhere(path string) bool {
	return slices.ContainsFunc(d.kinds, func(k *kind) bool { return k.has(path) })
}

func (k *kind) has(path string) bool {
	_, err := k.schema.Lookup(path)
	return err == nil
}

// find returns the first column with one of the names that all files have, that is not taken and
// that fits; if none fits, the first that does not.
func (d *dataset) find(names []string, fits func(columns.Field) bool, taken ...string) string {
	return d.findAs(strings.EqualFold, names, fits, taken)
}

// findAs is find with another comparison of names, same.
func (d *dataset) findAs(same func(a, b string) bool, names []string, fits func(columns.Field) bool, taken []string) string {
	first := ""
	for _, name := range names {
		for _, f := range d.files[0].schema.Fields {
			if !same(f.Path, name) || slices.Contains(taken, f.Path) || !d.everywhere(f.Path) {
				continue
			}
			if fits(f) {
				return f.Path
			}
			first = cmp.Or(first, f.Path)
		}
	}
	return first
}

// absent explains, by the example of a file, why not all files have a column with one of the names.
func (d *dataset) absent(names []string) error {
	column := names[0]
	named := func(path string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, path) })
	}
	for _, path := range d.files[0].paths() {
		if named(path) {
			column = path
		}
	}
	if _, err := d.lookup(column); err != nil {
		return err
	}
	return fmt.Errorf("column %q has another role, or does not fit", column)
}

// paths returns the paths of all columns, including those that cannot be read.
func (k *kind) paths() (paths []string) {
	for _, field := range k.schema.Fields {
		paths = append(paths, field.Path)
	}
	for _, u := range k.schema.Unreadable {
		paths = append(paths, u.Path)
	}
	return paths
}

// below returns the columns in a group of columns.
func (d *dataset) below(group string) []string {
	var paths []string
	for _, f := range d.files[0].schema.Fields {
		if strings.HasPrefix(f.Path, group+".") {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// sliceColumn explains why a column cannot be a slice column. A slice column has one value in each
// row, or is a key in the hive-style folders of all files.
func (d *dataset) sliceColumn(name string) error {
	field, err := d.lookup(name)
	switch {
	case err == nil && field.List:
		return fmt.Errorf("column %q is %s: a slice column must hold one value a row", name, field.Physical)
	case err == nil:
		return nil
	}
	with, without := "", ""
	for _, f := range d.files {
		if slices.ContainsFunc(f.info.Keys, func(k files.Key) bool { return k.Name == name }) {
			with = f.info.Name
		} else {
			without = f.info.Name
		}
	}
	switch {
	case without == "":
		return nil
	case with == "":
		return d.exceptFolders(err)
	}
	return fmt.Errorf("%s is in a folder %s=…, but %s is not: all files must be, or have a column %q", with, name, without, name)
}

// exceptFolders adds the keys of the folders to an error about a missing column.
func (d *dataset) exceptFolders(err error) error {
	var keys []string
	for _, k := range d.files[0].info.Keys {
		keys = append(keys, quote.Short(k.Name))
	}
	if len(keys) == 0 {
		return err
	}
	return fmt.Errorf("%w; its folders have %s", err, strings.Join(keys, ", "))
}

// numbers explains why a slice column has no numbers that can be divided into intervals.
func (d *dataset) numbers(name string) error {
	const divided = "bins and quantiles divide numbers"
	if field, err := d.lookup(name); err == nil {
		if field.Type != columns.Int && field.Type != columns.Float {
			return fmt.Errorf("column %q is %s: %s; list the column without them for each of its values", name, field.Physical, divided)
		}
		return nil
	}
	for _, f := range d.files {
		for _, k := range f.info.Keys {
			if _, err := strconv.ParseFloat(k.Value, 64); k.Name == name && !k.Null && err != nil {
				return fmt.Errorf("%s is in a folder %s=%s: %s", f.info.Name, name, quote.Value(k.Value), divided)
			}
		}
	}
	return nil
}
