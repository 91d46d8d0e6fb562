package transforms

import (
	"fmt"
	"maps"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/internal/ingest"
)

// folder folds batches of rows into the statistics of every slice. It belongs
// to one goroutine.
type folder struct {
	spec      Spec
	vocab     *Vocabulary
	converter *ingest.Converter
	slicer    *slicer
	dicts     dictionaries // of string columns
	counts    rowCounts
	first     *firstBad // of all folders of a pool

	slices    map[string]*metrics.Partial
	maxSlices int
	scores    *scores              // nil if no curves are wanted
	queries   *queries             // nil if single queries are not reported
	whole     *wholeExamples       // nil before rows of examples are read
	joined    *assembler           // nil before rows are put together to examples
	targets   [][]*metrics.Partial // of each cell, once met
	scratch   *metrics.Partial
	cells     []int32
	groups    grouping
}

// folders returns how the folders of a pool are made.
func folders(spec Spec, vocab *Vocabulary) func() (*folder, error) {
	vocab.Prepare()
	first := new(firstBad)
	return func() (*folder, error) {
		f, err := newFolder(spec, vocab)
		if f != nil {
			f.first = first
		}
		return f, err
	}
}

// emitFolded emits what the folders of a pool have folded or, if a bad row ends the
// run, which that is.
func emitFolded(folders []*folder, emit func([]byte, partial), emitScores func(int, scoreRun)) error {
	if folders[0].first.row.Load() != nil {
		failed := emptyPartial()
		for _, f := range folders {
			failed.counts.merge(&f.counts)
		}
		emit([]byte(overall), failed)
		return nil
	}
	for i, f := range folders {
		if i > 0 {
			if err := folders[0].merge(f); err != nil {
				return err
			}
		}
		if err := f.emitScores(emitScores); err != nil {
			return err
		}
	}
	return folders[0].emit(emit)
}

func newFolder(spec Spec, vocab *Vocabulary) (*folder, error) {
	spec = spec.with(vocab)
	if err := spec.Params.Complete(); err != nil { // and find the metrics but once
		return nil, err
	}
	_, judged := spec.sliceColumns()
	f := &folder{
		spec:      spec,
		vocab:     vocab,
		slicer:    newSlicer(spec.Slices, judged...),
		dicts:     make(dictionaries),
		slices:    make(map[string]*metrics.Partial),
		maxSlices: spec.maxSlices(),
		first:     new(firstBad),
	}
	f.converter = ingest.NewConverter(spec.ingest(), vocab, &f.counts.Found)
	var err error
	f.scores = newScores(&f.spec, f.keysOf)
	if f.queries, err = newQueries(&f.spec); err != nil {
		return nil, err
	}
	if f.scratch, err = spec.Params.New(); err != nil {
		return nil, err
	}
	_, err = f.slice(overall)
	return f, err
}

// slice returns the statistics of a slice, new if need be.
func (f *folder) slice(key string) (*metrics.Partial, error) {
	if p := f.slices[key]; p != nil {
		return p, nil
	}
	if len(f.slices) > f.maxSlices {
		f.slices[key] = nil // which is one too many
		return nil, tooManySlices(f.maxSlices, maps.Keys(f.slices))
	}
	p, err := f.spec.Params.New()
	if err != nil {
		return nil, err
	}
	f.slices[key] = p
	return p, nil
}

// dictionaries are the tables of the strings of columns, by name.
type dictionaries map[string]*columns.Strings

// of returns the table of a column, new if need be.
func (d dictionaries) of(name string) *columns.Strings {
	if d[name] == nil {
		d[name] = new(columns.Strings)
	}
	return d[name]
}

// wholeExamples returns what folds rows of examples, new if need be.
func (f *folder) wholeExamples() *wholeExamples {
	if f.whole == nil {
		f.whole = newWholeExamples(f)
	}
	return f.whole
}

// assembler returns what puts rows together to examples, new if need be.
func (f *folder) assembler() *assembler {
	if f.joined == nil {
		f.joined = newAssembler(f)
	}
	return f.joined
}

// batch is a batch of examples as they are read.
type batch struct {
	ingest.Input
	slices []*columns.Column // in the order of SliceColumns; nil: a hive-style key
	keys   []files.Key
	cells  []int32         // of the rows, where they are known
	ids    *columns.Column // of the queries, where each is reported
	// where returns the place of a bad row; of nil, that of any. Where the order of an
	// example's rows was lost, it puts what is wrong with the first of them into Bad.
	where func(*ingest.Bad) report.SkippedRow
}

// fold adds a batch.
func (f *folder) fold(b *batch) error {
	if err := f.converter.Check(&b.Input); err != nil {
		return fmt.Errorf("%s: %w", b.where(nil).File, err)
	}
	examples, rows, bad := f.converter.Convert(&b.Input)
	if err := f.vocab.Err(); err != nil {
		return err
	}
	f.counts.Read += int64(b.Rows)
	for i := range bad {
		at := b.where(&bad[i])
		f.counts.reject(&f.spec, &bad[i], at)
	}
	if f.counts.Failed != nil {
		f.first.add(f.counts.Failed)
		return nil // only what else is bad matters now
	}
	cells := b.cells
	if cells == nil { // each row is an example
		f.counts.Rows += int64(b.Rows)
		f.cells = f.slicer.cells(f.cells, b.Rows, b.slices, b.keys)
		cells = f.cells
	}
	if f.queries != nil {
		if err := f.queries.add(examples, rows, b.ids); err != nil {
			return err
		}
	}
	if f.scores != nil {
		if err := f.scores.add(examples, rows, cells); err != nil {
			return err
		}
	}
	for cell, rows := range f.groups.by(cells, rows) {
		targets, err := f.targetsOf(cell)
		if err != nil {
			return err
		}
		// Few rows are folded into each slice that they are in; many are folded
		// once, and merged into each.
		if len(targets) == 1 || len(rows) < 32 {
			for _, t := range targets {
				t.Fold(examples, rows)
			}
			continue
		}
		f.scratch.Reset()
		f.scratch.Fold(examples, rows)
		for _, t := range targets {
			t.Merge(f.scratch)
		}
	}
	return nil
}

// keysOf returns the slices that a cell is in.
func (f *folder) keysOf(cell int32) []string {
	keys := []string{overall}
	if len(f.slicer.columns) > 0 {
		keys = append(keys, f.slicer.slices(cell)...)
	}
	return keys
}

// targetsOf returns the statistics of the slices that a cell is in.
func (f *folder) targetsOf(cell int32) ([]*metrics.Partial, error) {
	for int(cell) >= len(f.targets) {
		f.targets = append(f.targets, nil)
	}
	if f.targets[cell] == nil {
		for _, key := range f.keysOf(cell) {
			p, err := f.slice(key)
			if err != nil {
				return nil, err
			}
			f.targets[cell] = append(f.targets[cell], p)
		}
	}
	return f.targets[cell], nil
}

// merge adds what another folder folded.
func (f *folder) merge(from *folder) error {
	f.counts.merge(&from.counts)
	for key, p := range from.slices {
		into, err := f.slice(key)
		if err != nil {
			return err
		}
		into.Merge(p)
	}
	if f.queries == nil {
		return nil
	}
	return f.queries.merge(from.queries)
}

// finish sorts and encodes what waits.
func (f *folder) finish() error {
	if f.whole != nil {
		if err := f.whole.finish(); err != nil {
			return err
		}
	}
	if f.scores == nil {
		return nil
	}
	return f.scores.sort()
}

// emitScores sends out the scores, sorted by label.
func (f *folder) emitScores(emit func(int, scoreRun)) error {
	if f.scores == nil {
		return nil
	}
	for _, run := range f.scores.runs {
		emit(run.Label, run)
	}
	return f.scores.spill.close()
}

// abandon removes the temporary data of a folder that emitted no scores.
func (f *folder) abandon() {
	if f.scores != nil {
		f.scores.spill.abandon()
	}
	if f.queries != nil {
		f.queries.spill.abandon()
	}
	if f.whole != nil {
		f.whole.abandon()
	}
}

// emit sends out the partial of every slice.
func (f *folder) emit(emit func([]byte, partial)) error {
	for key, p := range f.slices {
		out := partial{stats: p}
		if key == overall {
			out.counts = f.counts
			if f.queries != nil {
				var err error
				if out.queries, err = f.queries.finish(); err != nil {
					return err
				}
			}
		}
		emit([]byte(key), out)
	}
	return nil
}
