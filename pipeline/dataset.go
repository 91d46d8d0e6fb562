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
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/formats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/transforms/input"
)

// dataset is the files of the predictions or of the truth, known by their footers or, in formats
// without footers, by what planning found in them. [Make] opens it, and closes it when the plan is
// complete.
type dataset struct {
	files   []file
	kinds   []*kind // in the order of the first file of each kind
	options columns.Options
	// inferred means that types of columns were inferred from the values of files.
	inferred bool
	// recognized is the key of the format, if the ending of the first file does not say it, but its lines do.
	recognized string
}

// file is what is known about a file.
type file struct {
	*kind
	info   files.Info
	groups []int64     // number of rows of each row group
	whole  input.Shard // for opening it again
	shards []input.Shard
	opened *input.File // nil if the file must be opened again
	// inferred is the closed file if types of its columns were inferred from values.
	inferred *input.File
}

// kind is what the footers of several files, often all of them, have in common. It is stored and
// examined once.
type kind struct {
	file   string // name of the first of them
	schema columns.Schema
	// The values of the metadata keys "labels" and, for the attrs of a pandas DataFrame,
	// "PANDAS_ATTRS".
	labels, attrs string
	// Descriptions of the features of a Hugging Face data set: the value of the metadata key
	// "huggingface", and the content of dataset_info.json in the folder of the file.
	features, info string
	warning        string // what is odd about the files, see [columns.Doubtful]
}

// keptOpen is the number of files that stay open, so that their footers are read only once.
// Planning rarely reads values of files other than the first, and each open file takes some memory.
const keptOpen = 16

// open lists the files of a format and reads their footers. section is the section of the
// configuration that names them.
func open(ctx context.Context, section, format string, patterns []string, o columns.Options) (*dataset, error) {
	found, err := input.List(ctx, format, patterns...)
	if errors.Is(err, input.ErrFormats) {
		err = fmt.Errorf("%w, or set %s.format", err, section)
	}
	if err != nil {
		return nil, err
	}
	found, err = withoutEmpty(found, format)
	if err != nil {
		return nil, err
	}
	features, err := input.Features(ctx, found)
	if err != nil {
		return nil, err
	}
	d := &dataset{files: make([]file, len(found)), options: o}
	kinds := newKinds()
	know := func(i int, f *input.File) {
		d.files[i] = file{kinds.of(f, features[found[i].Name]), found[i], f.RowGroups(), f.Whole(found[i]), f.Shards(found[i]), f, nil}
		if _, closed := f.File.(columns.Inferred); closed {
			d.files[i].opened, d.files[i].inferred = nil, f
		} else if i >= keptOpen {
			d.files[i].close()
		}
	}
	inferred, err := input.EachFile(ctx, found, format, o, know)
	if err != nil {
		d.close()
		return nil, err
	}
	if d.inferred = inferred; format == "" && d.files[0].whole.Format != "" {
		d.recognized = section + ".format"
	}
	d.listKinds()
	return d, nil
}

// withoutEmpty leaves out text files of zero bytes, as Spark writes them for partitions without rows: they have no header.
func withoutEmpty(found []files.Info, format string) ([]files.Info, error) {
	left := slices.DeleteFunc(slices.Clone(found), func(f files.Info) bool {
		return f.Size == 0 && formats.IsText(cmp.Or(format, formats.Of(f.Name)))
	})
	switch {
	case len(found) == 1:
		return found, nil // reading it says what it lacks
	case len(left) == 0:
		return nil, fmt.Errorf("no rows: all files have zero bytes (files: %d, such as %s)", len(found), found[0].Name)
	}
	return left, nil
}

func (d *dataset) listKinds() {
	d.kinds = nil
	listed := make(map[*kind]bool)
	for _, f := range d.files {
		if !listed[f.kind] {
			listed[f.kind], f.kind.file = true, f.info.Name
			d.kinds = append(d.kinds, f.kind)
		}
	}
}

// asText makes a column text in the files in which its type was inferred, as far as they allow it.
func (d *dataset) asText(path string) {
	kinds := newKinds()
	for i := range d.files {
		if f := &d.files[i]; f.inferred != nil {
			f.inferred.File.(columns.Inferred).AsText(path)
			f.kind, f.whole, f.shards = kinds.of(f.inferred, f.kind.info), f.inferred.Whole(f.info), f.inferred.Shards(f.info)
		}
	}
	d.listKinds()
}

// kinds deduplicates the kinds of files by their contents.
type kinds struct {
	mu  sync.Mutex
	met map[string]*kind
}

func newKinds() *kinds { return &kinds{met: make(map[string]*kind)} }

// of returns the kind of a file. info describes the features of the data set to which it belongs.
func (k *kinds) of(f *input.File, info string) *kind {
	this := &kind{schema: f.Schema(), info: info}
	this.labels, _ = f.Metadata(labelsKey)
	this.attrs, _ = f.Metadata(attrsKey)
	this.features, _ = f.Metadata(featuresKey)
	if odd, ok := f.File.(columns.Doubtful); ok {
		this.warning = odd.Warning()
	}
	text := fmt.Sprintf("%+v", *this)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.met[text] == nil {
		k.met[text] = this
	}
	return k.met[text]
}

func (f *file) close() {
	if f.opened != nil {
		f.opened.Close()
		f.opened = nil
	}
}

func (d *dataset) close() {
	for i := range d.files {
		d.files[i].close()
	}
}

// names returns the names of the files.
func (d *dataset) names() []string {
	return collections.Map(d.files, func(f file) string { return f.info.Name })
}

// rows returns the numbers of rows and row groups.
func (d *dataset) rows() (rows int64, groups int) {
	for i := range d.files {
		rows += d.files[i].rows()
		groups += len(d.files[i].groups)
	}
	return rows, groups
}

func (f *file) rows() int64 { return sum(f.groups) }

func sum(list []int64) (total int64) {
	for _, n := range list {
		total += n
	}
	return total
}

// shards divides the files into shards.
func (d *dataset) shards() (shards []shard) {
	for _, f := range d.files {
		for _, s := range f.shards {
			shards = append(shards, shard{s, f.groups[s.First:][:s.RowGroups], f.info.Size / max(f.rows(), 1)})
		}
	}
	return shards
}

// shard is a shard with the number of rows of each row group, and the average size of a row in the
// file.
type shard struct {
	input.Shard
	groups   []int64
	rowBytes int64
}

func (s *shard) rows() int64 { return sum(s.groups) }

// part returns a part of the shard: its row groups from begin to end, counted from its first.
func (s *shard) part(begin, end int) shard {
	part := *s
	part.Row += sum(s.groups[:begin])
	part.First, part.RowGroups, part.groups = s.First+begin, end-begin, s.groups[begin:end]
	return part
}

// bytes returns the approximate size of the shard in its file.
func (s *shard) bytes() int64 { return s.rows() * max(s.rowBytes, 1) }

func shardsOf(list []shard) (shards []input.Shard) {
	for _, s := range list {
		shards = append(shards, s.Shard)
	}
	return shards
}

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
			if c.Null == nil || !c.Null[i] {
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
		return c.Dict.Values()[c.Codes[i]]
	case columns.Float:
		return strconv.FormatFloat(c.Floats[i], 'g', -1, 64)
	}
	return strconv.FormatInt(c.Ints[i], 10)
}

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
