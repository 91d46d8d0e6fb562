package examples

import (
	"context"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/rows"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// scatterer collects rows by the bucket of their example. It belongs to one goroutine.
type scatterer struct {
	*reader
	waiting  rows.Table
	buckets  []int32 // of each waiting row
	grouping batches.Grouping
	spill    element.Spill
	done     []element.RowChunk
}

// waitingBytes is how many bytes of rows a scatterer collects before it encodes them:
// the more, the fewer chunks a bucket has.
const waitingBytes = 16 << 20

func newScatterer(j *element.Job, ofTruth bool, counts *element.RowCounts) *scatterer {
	return &scatterer{reader: newReader(j, ofTruth, counts), spill: element.Spill{Dir: j.TempDir}}
}

// scatter collects the listed rows of a batch.
func (s *scatterer) scatter(b *batch, list []int32) error {
	if len(list) == 0 {
		return nil
	}
	if err := s.waiting.Append(b.columns, list); err != nil {
		return err
	}
	for _, r := range list {
		s.buckets = append(s.buckets, int32(element.Bucket(b.hashes[r])))
	}
	if s.waiting.Size() < waitingBytes {
		return nil
	}
	return s.Finish()
}

// Finish encodes the rows that wait, bucket by bucket.
func (s *scatterer) Finish() error {
	var piece rows.Table
	cols := refs(s.waiting.Columns)
	for bucket, list := range s.grouping.By(s.buckets, metrics.AllRows(nil, s.waiting.Rows)) {
		piece.Reset()
		if err := piece.Append(cols, list); err != nil {
			return err
		}
		encoded, err := piece.Encode()
		if err != nil {
			return err
		}
		data, err := s.spill.Write(encoded)
		if err != nil {
			return err
		}
		s.done = append(s.done, element.RowChunk{Bucket: int(bucket), Truth: s.ofTruth, Data: data})
	}
	s.waiting.Reset()
	s.buckets = s.buckets[:0]
	return nil
}

func refs(list []columns.Column) []*columns.Column {
	refs := make([]*columns.Column, len(list))
	for i := range list {
		refs[i] = &list[i]
	}
	return refs
}

// Emit emits the rows that were scattered, as the inputs of tasks.
func (s *scatterer) Emit(emit func(int, element.TaskInput)) error {
	for i := range s.done {
		emit(s.done[i].Bucket, element.TaskInput{Rows: &s.done[i]})
	}
	s.done = nil
	return s.spill.Close()
}

// Abandon removes rows that were not emitted.
func (s *scatterer) Abandon() { s.spill.Abandon() }

// ScatterFn divides the rows of shards, of predictions or of truth, into buckets: it emits
// them as inputs of tasks, and the counts of rows that were left out as a partial.
type ScatterFn struct {
	Job   element.Job
	Truth bool

	workers.Bundle[*scatterer]
}

// ProcessElement hands the row groups of a shard to the pool.
func (f *ScatterFn) ProcessElement(ctx context.Context, shard input.Shard, _ func(int, element.TaskInput), _ func([]byte, element.Partial)) error {
	newWorker := func() (*scatterer, error) { return newScatterer(&f.Job, f.Truth, new(element.RowCounts)), nil }
	return f.Do(ctx, f.Job.Goroutines, newWorker, func(p *workers.Pool[*scatterer]) error {
		return batches.ReadShard(ctx, p, shard, func(ctx context.Context, w *scatterer, s *batches.OpenShard, group int) error {
			return w.read(ctx, s, group, &f.Progress, func(b *batch) error { return w.scatter(b, b.good) })
		})
	})
}

// FinishBundle waits for the pool, and emits the rows and the counts of those that were
// left out.
func (f *ScatterFn) FinishBundle(_ context.Context, emitRows func(int, element.TaskInput), emit func([]byte, element.Partial)) error {
	return f.Finish(func(scatterers []*scatterer) error {
		skipped := element.NewPartial()
		for _, w := range scatterers {
			if err := w.Emit(emitRows); err != nil {
				return err
			}
			skipped.Counts.Merge(w.counts)
		}
		emit([]byte(element.Overall), skipped)
		return nil
	})
}

func init() { beam.RegisterDoFn(reflect.TypeFor[ScatterFn]()) }
