package fold

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/sliceline"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/ingest"
	"github.com/beameval/beameval/transforms/internal/join"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// folder folds batches into the statistics of every slice. It must be used by a single goroutine.
type folder struct {
	job       shuffle.Job
	vocab     *input.Vocabulary
	converter *ingest.Converter
	scored    *ingest.Converter // for predictions with scores where others have decisions; nil until it is needed
	slicer    *batches.Slicer
	dicts     batches.Dictionaries // of string columns
	counts    shuffle.RowCounts
	first     *firstBad // shared by all folders of a pool

	model     *model
	baseline  *model           // nil if the model is not compared with a baseline
	spread    *metrics.Partial // for the histograms of the report, over all examples; nil if there are none
	queries   *queries         // nil if single queries are not reported
	listed    []*worst         // the lists of examples
	search    *search          // nil if there is no search for the worst slices
	ids       *ids             // nil if ids are not counted
	met       *met             // nil if ids are not kept
	examples  *join.Examples   // nil if every row is an example
	positions columns.Column   // of the rows of a batch
	tuples    []int32
	estimated []int32 // the tuples of copies of rows without a label
	allRows   []int32 // of these copies
}

// folders returns a function that makes the folders of a pool. packed has the labels, unless the
// job has them; bounds divide the scores; plan has the plan of a search.
func folders(j shuffle.Job, packed *shuffle.Spilled, bounds *shuffle.Bounds, plan *shuffle.Spilled) func() (*folder, error) {
	first := new(firstBad)
	planned := sync.OnceValues(func() (*sliceline.Plan, error) { return readPlan(plan) })
	vocab := sync.OnceValues(func() (*input.Vocabulary, error) {
		vocab := j.Labels
		if packed == nil {
			vocab.Prepare()
			return &vocab, nil
		}
		return shuffle.ReadVocabulary(packed)
	})
	return func() (*folder, error) {
		v, err := vocab()
		if err != nil {
			return nil, err
		}
		f, err := newFolder(j, v, bounds, first)
		if err != nil || j.Search == nil || !j.Pass.First() {
			return f, err
		}
		p, err := planned()
		if err != nil {
			return nil, err
		}
		f.search, err = newSearch(&f.job, f.slicer, p)
		return f, err
	}
}

func newFolder(j shuffle.Job, vocab *input.Vocabulary, bounds *shuffle.Bounds, first *firstBad) (*folder, error) {
	j = j.With(vocab)
	if err := j.Complete(); err != nil { // complete now, so that the metrics are looked up only once
		return nil, err
	}
	f := &folder{
		job:    j,
		vocab:  vocab,
		slicer: batches.NewSlicer(&j),
		dicts:  make(batches.Dictionaries),
		first:  first,
	}
	var err error
	same := func(slice string) string { return slice }
	if f.model, err = newModel(&f.job, &f.job.Params, f.slicer, bounds, same); err != nil {
		return nil, err
	}
	if of := f.job.OfBaseline(); of != nil {
		if f.baseline, err = newModel(&f.job, of, f.slicer, bounds, shuffle.OfBaseline); err != nil {
			return nil, err
		}
	}
	if j.Spreads() && j.Pass.First() {
		if f.spread, err = f.job.Params.NewSpread(); err != nil {
			return nil, err
		}
	}
	f.ids, f.met = newIDs(&f.job), newMet(&f.job)
	f.converter = ingest.NewConverter(&f.job.Spec, vocab, &f.counts.Found)
	if j.ByExample() {
		f.examples = join.New(&f.job, vocab, f.slicer, &f.counts, f.fold)
		if f.met != nil {
			f.examples.OnSkipped(f.met.all.Add)
		}
	}
	if f.queries, err = newQueries(&f.job); err != nil {
		return nil, err
	}
	f.listed, err = listsOf(&f.job, vocab, j.Pass.Memberships(f.slicer.Membership))
	return f, err
}

// readGroup folds a row group. Each row is an example, unless examples have several rows: then
// elsewhere has the keys of the examples that also have rows in other row groups.
func (f *folder) readGroup(ctx context.Context, pool *workers.Pool[*folder], s *batches.OpenShard, group int, elsewhere *join.KeySet, progress *workers.Progress) error {
	if f.search.idle() {
		return nil
	}
	if f.examples != nil {
		return f.examples.ReadGroup(ctx, s, group, elsewhere, progress)
	}
	columnsOf := &f.job.Columns
	reader := batches.Reader{
		Names: s.Columns(columnsOf, f.slicer.Columns), Constants: f.job.Constants, Wide: columnsOf.Wide, Dicts: f.dicts, Rows: batches.Rows(&f.job, len(f.model.partials.stats)), Progress: progress,
		Limit: f.job.NameLimit(), Others: append([]string{columnsOf.Example}, f.slicer.Columns...),
	}
	if f.first.passed(s.File, group) {
		return nil
	}
	if g := f.job.Confidence; g != nil {
		delete(f.dicts, g.By) // ids are so many that their dictionary would grow with every row group
	}
	delete(f.dicts, columnsOf.Example)
	if f.search != nil {
		f.search.prepare(reader.Names, f.dicts)
	}
	err := reader.Read(ctx, s, group, func(numbers *columns.Numbers, rows int, cols []*columns.Column) error {
		if f.first.passed(s.File, group) {
			return errPassed
		}
		if g := f.job.Confidence; g != nil && g.Position {
			s.Positions(&f.positions, group, numbers, rows)
			cols[len(cols)-1] = &f.positions // the slicer's last column is of the folds
		}
		at := func(row int) report.SkippedRow { return s.Row(group, numbers, row) }
		if !pool.Wanting() {
			return f.foldRows(s.Keys, rows, cols, at)
		}
		part, kept := batches.CopyOf(cols), numbers.Clone()
		numbers = &kept
		return pool.Share(f, s.What(group), func(_ context.Context, f *folder) error {
			defer part.Release()
			return f.foldRows(s.Keys, rows, part.Columns, at)
		})
	})
	if errors.Is(err, errPassed) {
		return nil
	}
	return err
}

// foldRows folds rows of files, each of which is an example.
func (f *folder) foldRows(keys []files.Key, rows int, cols []*columns.Column, at func(row int) report.SkippedRow) error {
	b := &batches.Batch{Keys: keys, Input: ingest.Input{Rows: rows, Of: ingest.Columns(cols)}, Slices: cols[roles.Count:], IDs: cols[roles.Example], At: at}
	b.Place = func(bad *ingest.Bad) report.SkippedRow {
		if bad == nil {
			return at(0)
		}
		return at(bad.Row)
	}
	return f.fold(b)
}

// fold adds a batch to the statistics.
func (f *folder) fold(b *batches.Batch) error { return f.foldBy(f.converter, b) }

// foldBy adds a batch that by converts.
func (f *folder) foldBy(by *ingest.Converter, b *batches.Batch) error {
	tuples := b.Tuples
	if tuples == nil { // each row is an example
		f.tuples = f.slicer.Tuples(f.tuples, b.Rows, b.Slices, b.Keys)
		tuples, b.Hashes = f.tuples, f.slicer.Hashes()
	}
	b.Clusterless = f.slicer.Clusterless(tuples)
	examples, rows, err := f.converted(by, b)
	if err != nil {
		return err
	}
	examples.Key = b.Hashes
	f.counts.Read += int64(b.Rows)
	if f.counts.Failed != nil {
		return nil // from now on, only further bad rows matter
	}
	if b.Tuples == nil {
		f.counts.Rows += int64(b.Rows)
	}
	if f.ids != nil {
		f.ids.add(b, rows)
	}
	if f.met != nil {
		for _, r := range rows {
			f.met.add("", int(r))
		}
	}
	if f.search != nil {
		if err := f.search.add(b, examples, rows, tuples); err != nil || f.job.Searches() {
			return err
		}
	}
	if err := f.model.fold(examples, rows, tuples, f.spread); err != nil {
		return err
	}
	var before *metrics.Batch
	if f.baseline != nil || f.job.Changed != nil {
		before = by.OfBaseline()
	}
	if f.baseline != nil {
		if err := f.baseline.fold(before, rows, tuples, nil); err != nil {
			return err
		}
	}
	if err := f.foldUnlabelled(by, examples, tuples); err != nil {
		return err
	}
	if f.queries != nil { // the run has already failed if a measure panics
		if err := f.queries.add(examples, rows, b.IDs); err != nil {
			return err
		}
	}
	for _, w := range f.listed {
		if err := w.add(&judged{b, examples, before}, rows, tuples); err != nil {
			return err
		}
	}
	return nil
}

// foldUnlabelled adds the rows without a label to the statistics that need none, or copies of them with
// labels to those of slices of their own.
func (f *folder) foldUnlabelled(by *ingest.Converter, examples *metrics.Batch, tuples []int32) error {
	switch {
	case f.job.EstimateUnlabelled:
		return f.foldEstimates(by, tuples)
	case f.job.Params.Judged:
		return f.model.partials.foldUnlabelled(examples, by.Unlabelled(), tuples)
	}
	return nil
}

// foldEstimates adds copies of the rows without a label to the statistics of slices of their own.
func (f *folder) foldEstimates(by *ingest.Converter, tuples []int32) error {
	return by.Estimates(func(copies *metrics.Batch, of []int32) error {
		f.estimated = f.slicer.Estimated(f.estimated, tuples, of)
		f.allRows = metrics.AllRows(f.allRows, copies.Rows)
		return f.model.fold(copies, f.allRows, f.estimated, nil)
	})
}

// converted converts a batch and counts its bad rows.
func (f *folder) converted(by *ingest.Converter, b *batches.Batch) (*metrics.Batch, []int32, error) {
	if err := by.Check(&b.Input); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", b.Place(nil).File, err)
	}
	examples, rows, bad := by.Convert(&b.Input)
	if err := f.vocab.Err(); err != nil {
		return nil, nil, err
	}
	if f.met != nil {
		f.met.start(b)
	}
	for i := range bad {
		row := bad[i].Row
		at := b.Place(&bad[i]) // which may find another reason
		if f.met != nil {
			f.met.add(bad[i].Reason.String(), row)
		}
		f.counts.Reject(&f.job, &bad[i], at)
	}
	if f.counts.Failed != nil {
		f.first.add(f.counts.Failed)
	}
	return examples, rows, nil
}

// merge adds the statistics of another folder.
func (f *folder) merge(from *folder) error {
	f.counts.Merge(&from.counts)
	if f.spread != nil {
		f.spread.Merge(from.spread)
	}
	for i, m := range f.models() {
		if err := m.merge(from.models()[i]); err != nil {
			return err
		}
	}
	for i, w := range f.listed {
		if err := w.merge(from.listed[i]); err != nil {
			return err
		}
	}
	if f.search != nil {
		f.search.done.Merge(&from.search.done)
	}
	if f.ids != nil {
		f.ids.merge(from.ids)
	}
	if f.met != nil {
		f.met.all.Merge(&from.met.all)
	}
	if f.queries == nil {
		return nil
	}
	return f.queries.merge(from.queries)
}

// Finish packs whatever still waits.
func (f *folder) Finish() error {
	if f.examples != nil {
		if err := f.examples.Finish(); err != nil {
			return err
		}
	}
	for _, m := range f.models() {
		if err := m.finish(); err != nil {
			return err
		}
	}
	return nil
}

// Abandon removes the temporary data that were not emitted.
func (f *folder) Abandon() {
	for _, m := range f.models() {
		if m.scores != nil {
			m.scores.Abandon()
		}
	}
	if f.queries != nil {
		f.queries.spill.Abandon()
	}
	if f.examples != nil {
		f.examples.Abandon()
	}
}
