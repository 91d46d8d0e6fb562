package transforms

import (
	"fmt"

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
	dicts     map[string]*columns.Strings // of string columns, by name
	counts    rowCounts

	slices  map[string]*metrics.Partial
	scores  *scores              // nil if no curves are wanted
	targets [][]*metrics.Partial // of each cell, once met
	scratch *metrics.Partial
	cells   []int32
	groups  grouping
}

func newFolder(spec Spec, vocab *Vocabulary) (*folder, error) {
	spec = spec.with(vocab)
	f := &folder{
		spec:      spec,
		vocab:     vocab,
		converter: ingest.NewConverter(spec.ingest(), vocab),
		slicer:    newSlicer(spec.Slices),
		dicts:     make(map[string]*columns.Strings),
		slices:    make(map[string]*metrics.Partial),
	}
	var err error
	f.scores = newScores(&f.spec, f.keysOf)
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
	p, err := f.spec.Params.New()
	if err != nil {
		return nil, err
	}
	f.slices[key] = p
	return p, nil
}

// batch is a batch of rows as they are read.
type batch struct {
	ingest.Input
	slices []*columns.Column // in the order of SliceColumns; nil: a hive-style key
	keys   []files.Key
	// where describes a row for messages.
	where func(row int) report.SkippedRow
}

// fold adds a batch.
func (f *folder) fold(b *batch) error {
	if err := f.converter.Check(&b.Input); err != nil {
		return fmt.Errorf("%s: %w", b.where(0).File, err)
	}
	examples, rows, bad := f.converter.Convert(&b.Input)
	if err := f.vocab.Err(); err != nil {
		return err
	}
	f.counts.Read += int64(b.Rows)
	for i := range bad {
		row := b.where(bad[i].Row)
		row.Column, row.Value, row.Reason = bad[i].Column, bad[i].Value, bad[i].Reason.String()
		if !f.spec.SkipBadRows {
			return &rowError{row, &bad[i]}
		}
		f.counts.skip(row)
	}
	f.cells = f.slicer.cells(f.cells, b.Rows, b.slices, b.keys)
	if f.scores != nil {
		if err := f.scores.add(examples, rows, f.cells); err != nil {
			return err
		}
	}
	for cell, rows := range f.groups.by(f.cells, rows) {
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
	return nil
}

// emitScores sends out the scores, sorted by label.
func (f *folder) emitScores(emit func(int, scoreRun)) error {
	if f.scores == nil {
		return nil
	}
	list, err := f.scores.finish()
	if err != nil {
		return err
	}
	for _, run := range list {
		emit(run.Label, run)
	}
	return nil
}

// abandon removes the temporary data of a folder that emitted no scores.
func (f *folder) abandon() {
	if f.scores != nil {
		f.scores.spill.abandon()
	}
}

// emit sends out the partial of every slice.
func (f *folder) emit(emit func([]byte, partial)) {
	for key, p := range f.slices {
		out := partial{stats: p}
		if key == overall {
			out.counts = f.counts
		}
		emit([]byte(key), out)
	}
}

// rowError is the error for a row that cannot be evaluated.
type rowError struct {
	at  report.SkippedRow
	bad *ingest.Bad
}

// Error names the file, row group, row, column and value, and what is wrong.
func (e *rowError) Error() string {
	place := fmt.Sprintf("%s: row group %d, row %d", e.at.File, e.at.RowGroup, e.at.Row)
	if e.at.RowGroup < 0 {
		place = e.at.File
	}
	return fmt.Sprintf("%s: %v (bad_rows: skip would count such rows and go on)", place, e.bad)
}
