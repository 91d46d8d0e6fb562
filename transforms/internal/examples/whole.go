// Package examples puts rows together to examples, where an example has several rows or its
// true labels are in other files. Most data are written example by example: examples that
// a row group has whole are folded where they are read, and only the rows of others cross
// a shuffle, in buckets. Batches with a row for each example come out.
package examples

import (
	"context"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/ingest"
	"github.com/beameval/beameval/transforms/internal/rows"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// Examples folds the examples that row groups have whole, and scatters the rows of others.
// It belongs to one goroutine.
type Examples struct {
	*scatterer
	*assembler
	// pending are rows of whole examples, in order; of the last there may be more.
	pending, next *rows.Table
	whole, apart  []int32
}

// New returns what gives batches of the examples of a job to fold, with tuples of the
// slicer, and adds to counts.
func New(j *element.Job, vocab *ingest.Vocabulary, slicer *batches.Slicer, counts *element.RowCounts, fold func(*batches.Batch) error) *Examples {
	return &Examples{
		scatterer: newScatterer(j, false, counts), assembler: newAssembler(j, vocab, slicer, counts, fold),
		pending: new(rows.Table), next: new(rows.Table),
	}
}

// ReadGroup reads a row group. Examples in elsewhere have rows in other row groups too; nil
// is none.
func (w *Examples) ReadGroup(ctx context.Context, shard *batches.OpenShard, group int, elsewhere *KeySet, progress *workers.Progress) error {
	if elsewhere == nil {
		elsewhere = new(KeySet)
	}
	w.pending.Reset()
	enough := batches.Values // rows to fold at a time
	err := w.scatterer.read(ctx, shard, group, progress, func(cols []*columns.Column, good []int32) error {
		w.whole, w.apart = w.whole[:0], w.apart[:0]
		last, has := uint64(0), false
		for i, r := range good {
			if h := w.hashes[r]; i == 0 || h != last {
				last, has = h, elsewhere.Has(h)
			}
			if has {
				w.apart = append(w.apart, r)
			} else {
				w.whole = append(w.whole, r)
			}
		}
		if err := w.scatter(cols, w.apart); err != nil {
			return err
		}
		if len(w.whole) > 0 {
			if err := w.pending.Append(cols, w.whole); err != nil {
				return err
			}
		}
		if w.pending.Rows < enough {
			return nil
		}
		rest, err := w.assemble(w.pending, nil, true)
		if err != nil {
			return err
		}
		if len(rest) == w.pending.Rows { // one example, and a large one
			enough *= 2
			return nil
		}
		w.next.Reset()
		if err := w.next.Append(refs(w.pending.Columns), rest); err != nil {
			return err
		}
		w.pending, w.next, enough = w.next, w.pending, batches.Values
		return nil
	})
	if err != nil || w.pending.Rows == 0 {
		return err
	}
	_, err = w.assemble(w.pending, nil, false)
	return err
}

// Assemble folds the examples of all rows of a bucket.
func (w *Examples) Assemble(ctx context.Context, chunks []*element.RowChunk) error {
	predictions, truth := new(rows.Table), new(rows.Table)
	for _, c := range chunks {
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := c.Data.Read()
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
	if w.assembler.job.Truth == nil {
		truth = nil
	}
	_, err := w.assemble(predictions, truth, false)
	return err
}

// Emit emits the rows of scattered examples, as the inputs of other tasks.
func (w *Examples) Emit(emit func(int, element.TaskInput)) error { return w.emit(emit) }

func refs(list []columns.Column) []*columns.Column {
	refs := make([]*columns.Column, len(list))
	for i := range list {
		refs[i] = &list[i]
	}
	return refs
}
