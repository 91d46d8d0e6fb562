package transforms

import (
	"context"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/internal/ingest"
)

// foldFn folds shards into one partial for each slice and bundle.
//
// It has no side input: while a bundle of a stage with one runs, prism keeps a
// core busy waiting. Where labels are found in the data it is foldFoundFn.
type foldFn struct {
	Spec Spec

	bundled[*folder]
}

// ProcessElement hands the row groups of a shard to the pool.
func (f *foldFn) ProcessElement(ctx context.Context, shard Shard, _ func([]byte, partial), _ func(int, scoreRun)) error {
	vocab := f.Spec.labels()
	return f.fold(ctx, shard, &vocab)
}

func (f *foldFn) fold(ctx context.Context, shard Shard, vocab *Vocabulary) error {
	return f.do(ctx, folders(f.Spec, vocab), func(p *pool[*folder]) error {
		return readShard(ctx, p, shard, func(ctx context.Context, into *folder, s *openShard, group int) error {
			return into.readGroup(ctx, s, group, &f.progress)
		})
	})
}

// FinishBundle waits for the pool and emits what it folded.
func (f *foldFn) FinishBundle(_ context.Context, emit func([]byte, partial), emitScores func(int, scoreRun)) error {
	return f.finish(func(folders []*folder) error { return emitFolded(folders, emit, emitScores) })
}

// foldFoundFn is foldFn for labels that are a side input. There is no StartBundle:
// it would read that before a Flink runner is ready to give it.
type foldFoundFn struct{ foldFn }

// ProcessElement hands the row groups of a shard to the pool.
func (f *foldFoundFn) ProcessElement(ctx context.Context, shard Shard, vocab Vocabulary, _ func([]byte, partial), _ func(int, scoreRun)) error {
	return f.fold(ctx, shard, &vocab)
}

// FinishBundle waits for the pool and emits what it folded.
func (f *foldFoundFn) FinishBundle(ctx context.Context, _ Vocabulary, emit func([]byte, partial), emitScores func(int, scoreRun)) error {
	return f.foldFn.FinishBundle(ctx, emit, emitScores)
}

// batchValues is how many scores a batch holds, roughly: few enough to stay in
// the cache.
const batchValues = 32 << 10

// listed is of how many values a list is taken to be, where nothing says so.
const listed = 100

// batchRows is how many rows a batch has.
func (s *Spec) batchRows() int {
	values := s.Params.Labels // that a row has, or so
	switch {
	case s.Long:
		values = 1
	case s.Params.Sparse:
		values = min(values, listed)
	case s.Params.Task == metrics.Ranking:
		values = listed
	}
	return max(batchValues/max(values, 1), 64)
}

// readGroup folds one row group, of rows that are an example each.
func (f *folder) readGroup(ctx context.Context, s *openShard, group int, progress *progress) error {
	names := columnsOf(&f.spec.Columns, f.slicer, s)
	b := &batch{keys: s.Keys}
	return readGroup(ctx, s, group, names, f.dicts.of, f.spec.batchRows(), progress, func(first int64, rows int, cols []*columns.Column) error {
		b.Input = ingest.Input{Rows: rows}
		assign(&b.Input, cols)
		b.slices = cols[roles:]
		b.where = func(bad *ingest.Bad) report.SkippedRow { return s.row(group, first+int64(bad.Row)) }
		return f.fold(b)
	})
}

func init() {
	register.DoFn4x1[context.Context, Shard, func([]byte, partial), func(int, scoreRun), error](&foldFn{})
	register.DoFn5x1[context.Context, Shard, Vocabulary, func([]byte, partial), func(int, scoreRun), error](&foldFoundFn{})
	register.Emitter2[[]byte, partial]()
	register.Emitter2[int, scoreRun]()
}
