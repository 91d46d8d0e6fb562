package transforms

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/transforms/internal/rows"
)

// byExample folds examples whose rows may be anywhere. truth is not valid if true
// labels are beside the predictions.
func byExample(s beam.Scope, spec Spec, shards, truth beam.PCollection, vocab ...beam.SideInput) (partials, scores beam.PCollection) {
	s = s.Scope("by example")
	if truth.IsValid() {
		// Whose rows are never those of a prediction.
		predictions, skipped := beam.ParDo2(s, &scatterFn{Spec: spec}, shards)
		labels, nameless := beam.ParDo2(s, &scatterFn{Spec: spec, Truth: true}, truth)
		partials, scores = foldParts(s, spec, beam.Flatten(s, predictions, labels), vocab)
		return beam.Flatten(s, partials, skipped, nameless), scores
	}
	read := withScattered(s, &spec, shards)
	var rest beam.PCollection
	if len(vocab) == 0 {
		partials, scores, rest = beam.ParDo3(s, &foldWholeFn{Spec: spec}, read)
	} else {
		partials, scores, rest = beam.ParDo3(s, &foldFoundWholeFn{foldWholeFn{Spec: spec}}, read, vocab[0])
	}
	others, otherScores := foldParts(s, spec, rest, vocab)
	return beam.Flatten(s, partials, others), beam.Flatten(s, scores, otherScores)
}

// foldParts folds the examples of rows that were shuffled, a KV<int, rowChunk> by
// part.
func foldParts(s beam.Scope, spec Spec, chunks beam.PCollection, vocab []beam.SideInput) (partials, scores beam.PCollection) {
	grouped := beam.GroupByKey(s, chunks)
	if len(vocab) == 0 {
		return beam.ParDo2(s, &foldPartFn{Spec: spec}, grouped)
	}
	return beam.ParDo2(s, &foldFoundPartFn{foldPartFn{Spec: spec}}, grouped, vocab[0])
}

// scatterFn divides the rows of shards, of predictions or of truth, into parts.
type scatterFn struct {
	Spec  Spec
	Truth bool

	bundled[*scatterer]
}

// ProcessElement hands the row groups of a shard to the pool.
func (f *scatterFn) ProcessElement(ctx context.Context, shard Shard, _ func(int, rowChunk), _ func([]byte, partial)) error {
	newWorker := func() (*scatterer, error) { return newScatterer(&f.Spec, f.Truth, new(rowCounts)), nil }
	return f.do(ctx, newWorker, func(p *pool[*scatterer]) error {
		return readShard(ctx, p, shard, func(ctx context.Context, w *scatterer, s *openShard, group int) error {
			return w.read(ctx, s, group, &f.progress, w.scatter)
		})
	})
}

// FinishBundle waits for the pool, and emits the rows and the counts of those that
// were left out.
func (f *scatterFn) FinishBundle(_ context.Context, emitRows func(int, rowChunk), emit func([]byte, partial)) error {
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

// foldWholeFn folds the examples that lie whole in a row group where they are read,
// and divides the rows of others into parts. It is given each shard with the
// examples that have rows elsewhere.
type foldWholeFn struct {
	Spec Spec

	bundled[*folder]
}

// ProcessElement hands the row groups of a shard to the pool.
func (f *foldWholeFn) ProcessElement(ctx context.Context, _ string, of func(*shardOrKeys) bool,
	_ func([]byte, partial), _ func(int, scoreRun), _ func(int, rowChunk)) error {
	vocab := f.Spec.labels()
	return f.fold(ctx, &vocab, of)
}

func (f *foldWholeFn) fold(ctx context.Context, vocab *Vocabulary, of func(*shardOrKeys) bool) error {
	var shard Shard
	elsewhere := new(keySet)
	var next shardOrKeys
	for of(&next) {
		if next.Groups > 0 {
			shard = next.Shard
		} else {
			elsewhere[next.Keys.Part] = next.Keys
		}
	}
	return f.do(ctx, folders(f.Spec, vocab), func(p *pool[*folder]) error {
		return readShard(ctx, p, shard, func(ctx context.Context, into *folder, s *openShard, group int) error {
			return into.wholeExamples().readGroup(ctx, s, group, elsewhere, &f.progress)
		})
	})
}

// FinishBundle waits for the pool and emits what it folded, and the other rows.
func (f *foldWholeFn) FinishBundle(_ context.Context, emit func([]byte, partial), emitScores func(int, scoreRun), emitRows func(int, rowChunk)) error {
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

// foldFoundWholeFn is foldWholeFn for labels that are a side input.
type foldFoundWholeFn struct{ foldWholeFn }

// ProcessElement hands the row groups of a shard to the pool.
func (f *foldFoundWholeFn) ProcessElement(ctx context.Context, _ string, of func(*shardOrKeys) bool, vocab Vocabulary,
	_ func([]byte, partial), _ func(int, scoreRun), _ func(int, rowChunk)) error {
	return f.fold(ctx, &vocab, of)
}

// FinishBundle waits for the pool and emits what it folded, and the other rows.
func (f *foldFoundWholeFn) FinishBundle(ctx context.Context, _ Vocabulary, emit func([]byte, partial), emitScores func(int, scoreRun), emitRows func(int, rowChunk)) error {
	return f.foldWholeFn.FinishBundle(ctx, emit, emitScores, emitRows)
}

// foldPartFn folds the examples of a part, which has all of their rows.
type foldPartFn struct {
	Spec Spec

	bundled[*folder]
}

// ProcessElement hands a part to the pool.
func (f *foldPartFn) ProcessElement(ctx context.Context, part int, chunks func(*rowChunk) bool, _ func([]byte, partial), _ func(int, scoreRun)) error {
	vocab := f.Spec.labels()
	return f.fold(ctx, &vocab, part, chunks)
}

func (f *foldPartFn) fold(ctx context.Context, vocab *Vocabulary, part int, chunks func(*rowChunk) bool) error {
	var list []rowChunk
	var c rowChunk
	for chunks(&c) {
		list = append(list, c)
	}
	return f.do(ctx, folders(f.Spec, vocab), func(p *pool[*folder]) error {
		_, err := p.submit(func(ctx context.Context, into *folder) (err error) {
			defer contain(ctx, fmt.Sprintf("part %d of the examples", part), &err)
			return into.foldPart(ctx, list)
		})
		return err
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
	if f.spec.Truth == nil {
		truth = nil
	}
	_, err := f.assembler().fold(predictions, truth, false)
	return err
}

// FinishBundle waits for the pool and emits what it folded.
func (f *foldPartFn) FinishBundle(_ context.Context, emit func([]byte, partial), emitScores func(int, scoreRun)) error {
	return f.finish(func(folders []*folder) error { return emitFolded(folders, emit, emitScores) })
}

// foldFoundPartFn is foldPartFn for labels that are a side input.
type foldFoundPartFn struct{ foldPartFn }

// ProcessElement hands a part to the pool.
func (f *foldFoundPartFn) ProcessElement(ctx context.Context, part int, chunks func(*rowChunk) bool, vocab Vocabulary, _ func([]byte, partial), _ func(int, scoreRun)) error {
	return f.fold(ctx, &vocab, part, chunks)
}

// FinishBundle waits for the pool and emits what it folded.
func (f *foldFoundPartFn) FinishBundle(ctx context.Context, _ Vocabulary, emit func([]byte, partial), emitScores func(int, scoreRun)) error {
	return f.foldPartFn.FinishBundle(ctx, emit, emitScores)
}

func init() {
	register.DoFn4x1[context.Context, Shard, func(int, rowChunk), func([]byte, partial), error](&scatterFn{})
	register.DoFn6x1[context.Context, string, func(*shardOrKeys) bool, func([]byte, partial), func(int, scoreRun), func(int, rowChunk), error](&foldWholeFn{})
	register.DoFn7x1[context.Context, string, func(*shardOrKeys) bool, Vocabulary, func([]byte, partial), func(int, scoreRun), func(int, rowChunk), error](&foldFoundWholeFn{})
	register.DoFn5x1[context.Context, int, func(*rowChunk) bool, func([]byte, partial), func(int, scoreRun), error](&foldPartFn{})
	register.DoFn6x1[context.Context, int, func(*rowChunk) bool, Vocabulary, func([]byte, partial), func(int, scoreRun), error](&foldFoundPartFn{})
	register.Iter1[shardOrKeys]()
	register.Iter1[rowChunk]()
	register.Emitter2[int, rowChunk]()
}
