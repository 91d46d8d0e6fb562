package fold

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/curves"
	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/examples"
	"github.com/beameval/beameval/transforms/internal/ingest"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// folder folds batches into the statistics of every slice. It belongs to one goroutine.
type folder struct {
	job       element.Job
	vocab     *input.Vocabulary
	converter *ingest.Converter
	slicer    *batches.Slicer
	dicts     batches.Dictionaries // of string columns
	counts    element.RowCounts
	first     *firstBad // of all folders of a pool

	slices     map[string]*metrics.Partial
	sliceLimit int
	scores     *curves.Scores       // nil if no curves are wanted
	queries    *queries             // nil if single queries are not reported
	examples   *examples.Examples   // nil if every row is an example
	targets    [][]*metrics.Partial // the slices that a tuple is in, once it was met
	scratch    *metrics.Partial
	tuples     []int32
	groups     batches.Grouping
}

// folders returns how the folders of a pool are made; packed are the labels unless the job
// has them.
func folders(j element.Job, packed *element.Spilled) func() (*folder, error) {
	first := new(firstBad)
	vocab := sync.OnceValues(func() (*input.Vocabulary, error) {
		vocab := j.Labels
		if packed == nil {
			vocab.Prepare()
			return &vocab, nil
		}
		return element.ReadVocabulary(packed)
	})
	return func() (*folder, error) {
		v, err := vocab()
		if err != nil {
			return nil, err
		}
		return newFolder(j, v, first)
	}
}

func newFolder(j element.Job, vocab *input.Vocabulary, first *firstBad) (*folder, error) {
	j = j.With(vocab)
	if err := j.Params.Complete(); err != nil { // now, so that the metrics are found only once
		return nil, err
	}
	f := &folder{
		job:        j,
		vocab:      vocab,
		slicer:     batches.NewSlicer(&j),
		dicts:      make(batches.Dictionaries),
		slices:     make(map[string]*metrics.Partial),
		sliceLimit: j.SliceLimit(),
		first:      first,
	}
	f.converter = ingest.NewConverter(f.job.Ingest(), vocab, &f.counts.Found)
	f.scores = curves.NewScores(&f.job, f.slicer.Keys)
	if j.ByExample() {
		f.examples = examples.New(&f.job, vocab, f.slicer, &f.counts, f.fold)
	}
	var err error
	if f.queries, err = newQueries(&f.job); err != nil {
		return nil, err
	}
	if f.scratch, err = j.Params.New(); err != nil {
		return nil, err
	}
	_, err = f.slice(element.Overall)
	return f, err
}

// slice returns the statistics of a slice, new if need be.
func (f *folder) slice(key string) (*metrics.Partial, error) {
	if p := f.slices[key]; p != nil {
		return p, nil
	}
	if len(f.slices) > f.sliceLimit {
		f.slices[key] = nil // one too many
		return nil, element.TooManySlices(f.sliceLimit, maps.Keys(f.slices))
	}
	p, err := f.job.Params.New()
	if err != nil {
		return nil, err
	}
	f.slices[key] = p
	return p, nil
}

// readGroup folds a row group: of rows that are an example each, or of rows of examples of
// which those in elsewhere have rows in other row groups.
func (f *folder) readGroup(ctx context.Context, s *batches.OpenShard, group int, elsewhere *examples.KeySet, progress *workers.Progress) error {
	if f.examples != nil {
		return f.examples.ReadGroup(ctx, s, group, elsewhere, progress)
	}
	if f.first.passed(s.File, group) {
		return nil
	}
	b := &batches.Batch{Keys: s.Keys}
	columnsOf := &f.job.Columns
	reader := batches.Reader{
		Names: s.Columns(columnsOf, f.slicer.Columns), Wide: columnsOf.Wide, Dicts: f.dicts, Rows: batches.Rows(&f.job), Progress: progress,
	}
	err := reader.Read(ctx, s, group, func(first int64, rows int, cols []*columns.Column) error {
		if f.first.passed(s.File, group) {
			return errPassed
		}
		b.Input = ingest.Input{Rows: rows}
		batches.Assign(&b.Input, cols)
		b.Slices = cols[batches.RoleCount:]
		b.Place = func(bad *ingest.Bad) report.SkippedRow {
			if bad == nil {
				return s.Row(group, first)
			}
			return s.Row(group, first+int64(bad.Row))
		}
		return f.fold(b)
	})
	if errors.Is(err, errPassed) {
		return nil
	}
	return err
}

// foldPredictions folds packed predictions.
func (f *folder) foldPredictions(ctx context.Context, packed *element.Spilled, progress *workers.Progress) error {
	data, err := packed.Read()
	if err != nil {
		return err
	}
	var list []input.Prediction
	if err := wire.Decode(data, &list, batches.PredictionsFields); err != nil {
		return err
	}
	progress.Rows(ctx, len(list))
	return f.fold(batches.OfPredictions(&f.job, f.slicer.Columns, f.dicts, list))
}

// fold adds a batch.
func (f *folder) fold(b *batches.Batch) error {
	if err := f.converter.Check(&b.Input); err != nil {
		return fmt.Errorf("%s: %w", b.Place(nil).File, err)
	}
	examples, rows, bad := f.converter.Convert(&b.Input)
	if err := f.vocab.Err(); err != nil {
		return err
	}
	f.counts.Read += int64(b.Rows)
	for i := range bad {
		at := b.Place(&bad[i])
		f.counts.Reject(&f.job, &bad[i], at)
	}
	if f.counts.Failed != nil {
		f.first.add(f.counts.Failed)
		return nil // only what else is bad matters now
	}
	tuples := b.Tuples
	if tuples == nil { // each row is an example
		f.counts.Rows += int64(b.Rows)
		f.tuples = f.slicer.Tuples(f.tuples, b.Rows, b.Slices, b.Keys)
		tuples = f.tuples
	}
	if f.queries != nil {
		if err := f.queries.add(examples, rows, b.IDs); err != nil {
			return err
		}
	}
	if f.scores != nil {
		if err := f.scores.Add(examples, rows, tuples); err != nil {
			return err
		}
	}
	for tuple, rows := range f.groups.By(tuples, rows) {
		targets, err := f.targetsOf(tuple)
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

// targetsOf returns the statistics of the slices that a tuple is in.
func (f *folder) targetsOf(tuple int32) ([]*metrics.Partial, error) {
	for int(tuple) >= len(f.targets) {
		f.targets = append(f.targets, nil)
	}
	if f.targets[tuple] == nil {
		for _, key := range f.slicer.Keys(tuple) {
			p, err := f.slice(key)
			if err != nil {
				return nil, err
			}
			f.targets[tuple] = append(f.targets[tuple], p)
		}
	}
	return f.targets[tuple], nil
}

// merge adds what another folder has folded.
func (f *folder) merge(from *folder) error {
	f.counts.Merge(&from.counts)
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

// Finish sorts and encodes what waits.
func (f *folder) Finish() error {
	if f.examples != nil {
		if err := f.examples.Finish(); err != nil {
			return err
		}
	}
	if f.scores == nil {
		return nil
	}
	return f.scores.Sort()
}

// Abandon removes the temporary data that were not emitted.
func (f *folder) Abandon() {
	if f.scores != nil {
		f.scores.Abandon()
	}
	if f.queries != nil {
		f.queries.spill.Abandon()
	}
	if f.examples != nil {
		f.examples.Abandon()
	}
}

// emitFolded emits what the folders of a pool have folded or, if a bad row ends the run,
// which row that is.
func emitFolded(folders []*folder, emit func([]byte, element.Partial), emitRun func(int, curves.Run), emitRows func(int, element.TaskInput)) error {
	all := folders[0]
	for _, f := range folders {
		if f.examples != nil {
			if err := f.examples.Emit(emitRows); err != nil {
				return err
			}
		}
	}
	if all.first.row.Load() != nil {
		failed := element.NewPartial()
		for _, f := range folders {
			failed.Counts.Merge(&f.counts)
		}
		emit([]byte(element.Overall), failed)
		return nil
	}
	for i, f := range folders {
		if i > 0 {
			if err := all.merge(f); err != nil {
				return err
			}
		}
		if f.scores != nil {
			if err := f.scores.Emit(emitRun); err != nil {
				return err
			}
		}
	}
	return all.emit(emit)
}

// emit emits the partial of every slice.
func (f *folder) emit(emit func([]byte, element.Partial)) error {
	for key, p := range f.slices {
		out := element.Partial{Stats: p}
		if key == element.Overall {
			out.Counts = f.counts
			if f.queries != nil {
				var err error
				if out.Queries, err = f.queries.finish(); err != nil {
					return err
				}
			}
		}
		emit([]byte(key), out)
	}
	return nil
}

// firstBad is the first row that ends the run of those that the folders of a pool have
// met: row groups after it need not be read.
type firstBad struct {
	row atomic.Pointer[element.BadRow]
}

func (f *firstBad) add(row *element.BadRow) {
	for {
		old := f.row.Load()
		if old != nil && !row.Before(old) || f.row.CompareAndSwap(old, row) {
			return
		}
	}
}

// passed says whether a row group, or what is left of it, comes after the row.
func (f *firstBad) passed(file string, group int) bool {
	row := f.row.Load()
	return row != nil && element.ComparePlaces(row.At, report.SkippedRow{File: file, RowGroup: group + 1}) < 0
}

var errPassed = errors.New("the rest of the row group does not matter")
