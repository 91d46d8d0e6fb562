package pipeline

import (
	"context"
	"fmt"
	"slices"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/transforms/input"
)

// Input is the files of predictions, for commands that read rows without evaluating them.
type Input struct{ of *dataset }

// OpenInput lists the files that the patterns name, as an evaluation does, and reads what they say about their columns.
func OpenInput(ctx context.Context, o columns.Options, patterns ...string) (*Input, error) {
	d, err := open(ctx, "input", "", patterns, o)
	if err != nil {
		return nil, err
	}
	d.close()
	return &Input{d}, nil
}

// Rows returns the number of rows.
func (in *Input) Rows() int64 {
	rows, _ := in.of.rows()
	return rows
}

// Names returns the names of the files.
func (in *Input) Names() []string { return in.of.names() }

// Shards returns the shards of the files.
func (in *Input) Shards() []input.Shard { return shardsOf(in.of.shards()) }

// Lookup returns a column that all files must have, with a single value in each row.
func (in *Input) Lookup(path string) (columns.Field, error) {
	field, err := in.of.lookup(path)
	if err == nil && field.List {
		err = fmt.Errorf("column %q is %s: expected one value a row", path, field.Physical)
	}
	return field, err
}

// Folder reports whether a name is no column, but a key in the hive-style folders of all files. It explains why it is
// neither.
func (in *Input) Folder(name string) (bool, error) {
	_, err := in.of.lookup(name)
	return err != nil, in.of.sliceColumn(name)
}

// Find returns the column with one of the usual names of a role, in any spelling, or "". All files have it.
func (in *Input) Find(r roles.Role) string {
	return in.of.findAs(roles.Same, r.UsualNames(roles.OfInput), func(f columns.Field) bool { return !f.List }, nil)
}

// Columns returns all columns that can be read, in the order in which files have them, and says which cannot. Files
// may lack columns of others.
func (in *Input) Columns() (all []columns.Field, left []string, err error) {
	met := map[string]bool{}
	for _, k := range in.of.kinds {
		for _, f := range k.schema.Unreadable {
			if !met[f.Path] {
				met[f.Path] = true
				left = append(left, fmt.Sprintf("column %q of %s is left out: %s", quote.Short(f.Path), k.file, f.Reason))
			}
		}
		for _, f := range k.schema.Fields {
			if met[f.Path] {
				continue
			}
			met[f.Path] = true
			with := dataset{kinds: slices.DeleteFunc(slices.Clone(in.of.kinds), func(k *kind) bool { return !k.has(f.Path) })}
			if f, err = with.lookup(f.Path); err != nil {
				return nil, nil, err
			}
			all = append(all, f)
		}
	}
	return all, left, nil
}

// Folders returns the keys in the hive-style folders of all files that are no columns.
func (in *Input) Folders() (names []string) {
	for _, k := range in.of.files[0].info.Keys {
		if folder, err := in.Folder(k.Name); folder && err == nil {
			names = append(names, k.Name)
		}
	}
	return names
}
