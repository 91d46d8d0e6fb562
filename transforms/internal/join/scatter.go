package join

import (
	"context"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/groupby"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
	"github.com/beameval/beameval/transforms/lanes"
)

// scatterer collects rows by the bucket of their example. It must be used by a single goroutine.
type scatterer struct {
	*reader
	waiting  groupby.Table
	division *lanes.Division
	waitFor  [][]int32 // by bucket: its waiting rows
	piece    groupby.Table
	buckets  []int32 // by row of a batch
	order    []int32
	grouping batches.Grouping
	spill    shuffle.Spill
	done     []shuffle.RowChunk
}

// waitingBytes is the number of bytes of rows that a scatterer collects before it encodes them: the
// larger it is, the fewer chunks a bucket has.
const waitingBytes = 16 << 20

func newScatterer(j *shuffle.Job, side input.Side, counts *shuffle.RowCounts) *scatterer {
	return &scatterer{
		reader: newReader(j, side, counts), spill: shuffle.Spill{Dir: j.TempDir}, division: &j.Division, waitFor: make([][]int32, j.Division.BucketCount()),
		waiting: groupby.Table{Passing: true}, piece: groupby.Table{Passing: true},
	}
}

// scatter collects the listed rows of a batch bucket by bucket, while they are in the cache. So the
// rows that Finish reads for a bucket are in few places.
func (s *scatterer) scatter(b *batch, list []int32) error {
	if len(list) == 0 {
		return nil
	}
	s.buckets, s.order = s.buckets[:0], s.order[:0]
	for _, h := range b.hashes {
		s.buckets = append(s.buckets, int32(s.division.Bucket(h)))
	}
	for bucket, list := range s.grouping.By(s.buckets, list) {
		for i := range list {
			s.waitFor[bucket] = append(s.waitFor[bucket], int32(s.waiting.Rows+len(s.order)+i))
		}
		s.order = append(s.order, list...)
	}
	if err := s.waiting.Append(b.columns, s.order); err != nil {
		return err
	}
	if s.waiting.Size() < waitingBytes {
		return nil
	}
	return s.Finish()
}

// Finish encodes the waiting rows, bucket by bucket.
func (s *scatterer) Finish() error {
	cols := s.waiting.Refs()
	for bucket, list := range s.waitFor {
		if len(list) == 0 {
			continue
		}
		s.waitFor[bucket] = list[:0]
		s.piece.Reset()
		if err := s.piece.Append(cols, list); err != nil {
			return err
		}
		encoded, err := s.piece.Encode()
		if err != nil {
			return err
		}
		data, err := s.spill.Write(encoded)
		if err != nil {
			return err
		}
		s.done = append(s.done, shuffle.RowChunk{Bucket: bucket, Side: s.side, Data: data})
	}
	s.waiting.Reset()
	return nil
}

// Emit emits the scattered rows as the inputs of tasks.
func (s *scatterer) Emit(emit func(int, shuffle.TaskInput)) error {
	for i := range s.done {
		emit(s.done[i].Bucket, shuffle.TaskInput{Rows: &s.done[i]})
	}
	s.done = nil
	return s.spill.Close()
}

// Abandon removes rows that were not emitted.
func (s *scatterer) Abandon() { s.spill.Abandon() }

// ScatterFn divides the rows of shards of one side into buckets. It emits them as
// inputs of tasks, and the counts of skipped rows as a partial.
type ScatterFn struct {
	Job  shuffle.Job
	Side input.Side

	workers.Bundle[*scatterer]
}

// ProcessElement submits the row groups of a shard to the pool.
func (f *ScatterFn) ProcessElement(ctx context.Context, shard input.Shard, _ func(int, shuffle.TaskInput), _ func([]byte, shuffle.Partial)) error {
	newWorker := func() (*scatterer, error) { return newScatterer(&f.Job, f.Side, new(shuffle.RowCounts)), nil }
	return f.Do(ctx, f.Job.Goroutines, newWorker, func(p *workers.Pool[*scatterer]) error {
		return batches.ReadShard(ctx, p, shard, func(ctx context.Context, w *scatterer, s *batches.OpenShard, group int) error {
			return w.read(ctx, s, group, &f.Progress, func(b *batch) error { return w.scatter(b, b.good) })
		})
	})
}

// FinishBundle waits for the pool, and emits the rows and the counts of skipped rows.
func (f *ScatterFn) FinishBundle(_ context.Context, emitRows func(int, shuffle.TaskInput), emit func([]byte, shuffle.Partial)) error {
	return f.Finish(func(scatterers []*scatterer) error {
		skipped := shuffle.NewPartial()
		for _, w := range scatterers {
			if err := w.Emit(emitRows); err != nil {
				return err
			}
			skipped.Counts.Merge(w.counts)
		}
		emit([]byte(shuffle.Overall), skipped)
		return nil
	})
}

func init() { beam.RegisterDoFn(reflect.TypeFor[ScatterFn]()) }
