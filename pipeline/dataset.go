package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/formats"
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
