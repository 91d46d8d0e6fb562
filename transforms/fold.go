package transforms

import (
	"context"
	"errors"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/internal/ingest"
)

// foldTasks folds tasks, each a KV<int, taskPart>. labels are those of the tasks,
// packed; not valid if the spec has them. rest are the rows of examples with rows in
// several shards, again as tasks.
func foldTasks(s beam.Scope, spec Spec, labels beam.PCollection, tasks ...beam.PCollection) (partials, scores, rest beam.PCollection) {
	if labels.IsValid() {
		for i := range tasks {
			tasks[i] = beam.ParDo(s, toLane, tasks[i])
		}
		tasks = append(tasks, beam.ParDo(s, copyLabels, labels))
	}
	return beam.ParDo3(s, &foldFn{Spec: spec}, beam.GroupByKey(s, beam.Flatten(s, tasks...)))
}

// foldFn folds tasks into one partial for each slice and bundle.
type foldFn struct {
	Spec Spec

	bundled[*folder]
}

// ProcessElement hands a task to the pool.
func (f *foldFn) ProcessElement(ctx context.Context, _ int, of func(*taskPart) bool,
	_ func([]byte, partial), _ func(int, scoreRun), _ func(int, taskPart)) error {
	t := task{elsewhere: make(map[string]*keySet), rows: make(map[int][]rowChunk)}
	var next taskPart
	for of(&next) {
		t.add(next)
	}
	if t.idle() {
		return nil
	}
	var newFolder func() (*folder, error)
	if f.pool == nil {
		vocab, err := t.vocabulary(&f.Spec)
		if err != nil {
			return marked(err)
		}
		newFolder = folders(f.Spec, vocab)
	}
	return f.do(ctx, newFolder, func(p *pool[*folder]) error { return t.submit(ctx, p, &f.progress) })
}

// FinishBundle waits for the pool and emits what it folded, and the rows of
// scattered examples.
func (f *foldFn) FinishBundle(_ context.Context, emit func([]byte, partial), emitScores func(int, scoreRun), emitRows func(int, taskPart)) error {
	return f.finish(func(folders []*folder) error {
		for _, into := range folders {
			if into.whole == nil {
				continue
			}
			if err := into.whole.emit(emitRows); err != nil {
				return err
			}
		}
		return emitFolded(folders, emit, emitScores)
	})
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
	case s.Params.Sparse, !s.Params.Scores && s.Encoding != Indicator && s.Encoding != Distribution:
		values = min(values, listed)
	case s.Params.Task == metrics.Ranking:
		values = listed
	}
	return max(batchValues/max(values, 1), 64)
}

// readGroup folds one row group, of rows that are an example each.
func (f *folder) readGroup(ctx context.Context, s *openShard, group int, progress *progress) error {
	if f.first.passed(s.File, group) {
		return nil
	}
	names := columnsOf(&f.spec.Columns, f.slicer, s)
	b := &batch{keys: s.Keys}
	err := readRoles(ctx, &f.spec.Columns, s, group, names, f.dicts.of, f.spec.batchRows(), progress, func(first int64, rows int, cols []*columns.Column) error {
		if f.first.passed(s.File, group) {
			return errPassed
		}
		b.Input = ingest.Input{Rows: rows}
		assign(&b.Input, cols)
		b.slices = cols[roles:]
		b.where = func(bad *ingest.Bad) report.SkippedRow {
			if bad == nil {
				return s.row(group, first)
			}
			return s.row(group, first+int64(bad.Row))
		}
		return f.fold(b)
	})
	if errors.Is(err, errPassed) {
		return nil
	}
	return err
}

// readShardGroup folds a row group: of rows that are an example each, or of rows of
// examples of which those in elsewhere have others in other row groups.
func (f *folder) readShardGroup(ctx context.Context, s *openShard, group int, elsewhere *keySet, progress *progress) error {
	if !f.spec.byExample() {
		return f.readGroup(ctx, s, group, progress)
	}
	if elsewhere == nil {
		elsewhere = new(keySet)
	}
	return f.wholeExamples().readGroup(ctx, s, group, elsewhere, progress)
}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[foldFn]())
	register.Iter1[taskPart]()
	register.Emitter2[[]byte, partial]()
	register.Emitter2[int, scoreRun]()
}
