// Package join joins rows into examples, if an example has several rows or its true labels come
// from other files. It passes batches with one row for each example to a fold.
//
// Most data are written example by example. Examples that are whole within a row group are folded
// where they are read; only the rows of the others cross a shuffle, in buckets. A pass over the ids
// finds out which examples are whole (keys.go), unless rows are known to be in random order.
//
//	row group ─► whole examples ──────────────────────────────► fold
//	          └► rows of scattered ones ─► bucket ─► examples ─► fold
//
// Package ingest knows what values mean.
//
// A batch that is passed to a fold is made of the assembler's memory, which the next batch reuses:
// the fold must not keep it.
package join

import (
	"context"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/groupby"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// Examples folds the examples that are whole within row groups and scatters the rows of the others,
// or folds all examples of a bucket. It must be used by a single goroutine.
type Examples struct {
	*scatterer
	assembler *assembler
	// pending holds rows of whole examples, in order; the last example may get more rows.
	pending, next    *groupby.Table
	enough           int // the number of rows of pending at which to fold
	whole, scattered []int32

	sides [input.Sides]groupby.Table // of a bucket
	chunk groupby.Table
}

// New returns the Examples of a job. They pass batches to fold, with tuples of the slicer, and add
// to counts. A batch is valid only during the call of fold.
func New(j *shuffle.Job, vocab *input.Vocabulary, slicer *batches.Slicer, counts *shuffle.RowCounts, fold func(*batches.Batch) error) *Examples {
	return &Examples{
		scatterer: newScatterer(j, input.OfPredictions, counts), assembler: newAssembler(j, vocab, slicer, counts, fold),
		pending: new(groupby.Table), next: new(groupby.Table),
	}
}

// OnSkipped has the hash of the id of each example that is skipped passed on, with the reason.
func (e *Examples) OnSkipped(do func(reason string, hashes ...uint64)) { e.assembler.skipped = do }

// ReadGroup reads a row group. elsewhere has the examples with rows in other row groups as well; it
// may be nil.
func (e *Examples) ReadGroup(ctx context.Context, shard *batches.OpenShard, group int, elsewhere *KeySet, progress *workers.Progress) error {
	if elsewhere == nil {
		elsewhere = NewKeySet(&e.job.Division)
	}
	e.pending.Reset()
	e.enough = batches.Values
	err := e.read(ctx, shard, group, progress, func(b *batch) error {
		e.divide(b, elsewhere)
		if err := e.scatter(b, e.scattered); err != nil {
			return err
		}
		if len(e.whole) > 0 {
			if err := e.pending.Append(b.columns, e.whole); err != nil {
				return err
			}
		}
		if e.pending.Rows < e.enough {
			return nil
		}
		return e.foldPending()
	})
	if err != nil || e.pending.Rows == 0 {
		return err
	}
	_, err = e.assembler.assemble([input.Sides]*groupby.Table{e.pending}, false)
	return err
}

// divide divides the rows of a batch into rows of whole examples and rows to scatter.
func (e *Examples) divide(b *batch, elsewhere *KeySet) {
	e.whole, e.scattered = e.whole[:0], e.scattered[:0]
	var to *[]int32
	last := uint64(0)
	for _, r := range b.good {
		if h := b.hashes[r]; to == nil || h != last {
			last, to = h, &e.whole
			if elsewhere.Has(h) {
				to = &e.scattered
			}
		}
		*to = append(*to, r)
	}
}

// foldPending folds the pending examples except the last, which may have more rows.
func (e *Examples) foldPending() error {
	rest, err := e.assembler.assemble([input.Sides]*groupby.Table{e.pending}, true)
	if err != nil {
		return err
	}
	if err := e.assembler.checkRows(&e.assembler.predictions, rest); err != nil {
		return err
	}
	if len(rest) == e.pending.Rows { // a single large example
		e.enough *= 2
		return nil
	}
	e.next.Reset()
	if err := e.next.Append(e.pending.Refs(), rest); err != nil {
		return err
	}
	e.pending, e.next, e.enough = e.next, e.pending, batches.Values
	return nil
}

// Assemble folds the examples of a bucket. chunks must have all of its rows.
func (e *Examples) Assemble(ctx context.Context, chunks []*shuffle.RowChunk) error {
	tables := e.emptySides()
	var checkAt [input.Sides]int // how many rows there may be until those of an example are counted
	for i := range checkAt {
		checkAt[i] = 4 * e.job.MaxExampleRows
	}
	for _, c := range chunks {
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := c.Data.Read()
		if err != nil {
			return err
		}
		if err := e.chunk.Decode(data); err != nil {
			return err
		}
		if err := e.sides[c.Side].AppendTable(&e.chunk); err != nil {
			return err
		}
		if n := e.sides[c.Side].Rows; n > checkAt[c.Side] {
			checkAt[c.Side] = 2 * n
			if err := e.assembler.checkTable(c.Side, &e.sides[c.Side]); err != nil {
				return err
			}
		}
	}
	_, err := e.assembler.assemble(tables, false)
	return err
}

// emptySides returns empty tables for the rows of a bucket. Ids of all sides get codes of one dictionary, and
// so do items.
func (e *Examples) emptySides() (tables [input.Sides]*groupby.Table) {
	ids, items := new(columns.Strings), new(columns.Strings)
	for i, has := range [input.Sides]bool{true, e.job.Truth != nil, e.job.Baseline != nil} {
		table, side := &e.sides[i], e.assembler.all()[i]
		table.Reset()
		if !has {
			continue
		}
		table.CodeBy(idColumn, ids)
		if item := side.place[roles.Item]; item > 0 {
			table.CodeBy(item, items)
		}
		tables[i] = table
	}
	return tables
}
