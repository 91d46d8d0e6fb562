package transforms

import (
	"context"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/transforms/internal/rows"
)

// byExample folds examples whose rows may be anywhere. truth is not valid if true
// labels are beside the predictions; for labels see foldTasks.
func byExample(s beam.Scope, spec Spec, shards, truth, labels beam.PCollection) (partials, scores beam.PCollection) {
	s = s.Scope("by example")
	if truth.IsValid() {
		// Whose rows are never those of a prediction.
		predictions, skipped := beam.ParDo2(s, &scatterFn{Spec: spec}, shards)
		judged, nameless := beam.ParDo2(s, &scatterFn{Spec: spec, Truth: true}, truth)
		partials, scores, _ = foldTasks(s, spec, labels, predictions, judged)
		return beam.Flatten(s, partials, skipped, nameless), scores
	}
	partials, scores, rest := foldTasks(s, spec, labels, beam.ParDo(s, shardToTask, shards), scattered(s, &spec, shards))
	others, otherScores, _ := foldTasks(s, spec, labels, rest)
	return beam.Flatten(s, partials, others), beam.Flatten(s, scores, otherScores)
}

// scatterFn divides the rows of shards, of predictions or of truth, into parts.
type scatterFn struct {
	Spec  Spec
	Truth bool

	bundled[*scatterer]
}

// ProcessElement hands the row groups of a shard to the pool.
func (f *scatterFn) ProcessElement(ctx context.Context, shard Shard, _ func(int, taskPart), _ func([]byte, partial)) error {
	newWorker := func() (*scatterer, error) { return newScatterer(&f.Spec, f.Truth, new(rowCounts)), nil }
	return f.do(ctx, newWorker, func(p *pool[*scatterer]) error {
		return readShard(ctx, p, shard, func(ctx context.Context, w *scatterer, s *openShard, group int) error {
			return w.read(ctx, s, group, &f.progress, w.scatter)
		})
	})
}

// FinishBundle waits for the pool, and emits the rows and the counts of those that
// were left out.
func (f *scatterFn) FinishBundle(_ context.Context, emitRows func(int, taskPart), emit func([]byte, partial)) error {
	return f.finish(func(workers []*scatterer) error {
		skipped := emptyPartial()
		for _, w := range workers {
			if err := w.emit(emitRows); err != nil {
				return err
			}
			skipped.counts.merge(w.counts)
		}
		emit([]byte(overall), skipped)
		return nil
	})
}

// foldPart folds the examples of all rows of a part.
func (f *folder) foldPart(ctx context.Context, chunks []rowChunk) error {
	predictions, truth := new(rows.Table), new(rows.Table)
	for _, c := range chunks {
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := c.Data.read()
		if err != nil {
			return err
		}
		t, err := rows.Decode(data)
		if err != nil {
			return err
		}
		into := predictions
		if c.Truth {
			into = truth
		}
		if err := into.AppendTable(t); err != nil {
			return err
		}
	}
	if f.spec.truth == nil {
		truth = nil
	}
	_, err := f.assembler().fold(predictions, truth, false)
	return err
}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[scatterFn]())
}
