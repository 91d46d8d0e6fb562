package examples

import (
	"context"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/ingest"
	"github.com/beameval/beameval/transforms/internal/rows"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// rowShape says which columns the rows of examples have while they wait for each
// other: first those named here, then those with a role.
type rowShape struct {
	roles ingest.Roles
	long  bool                   // an example has several rows
	place [batches.RoleCount]int // of each role; 0: none
	width int
}

const (
	idColumn     = iota // the example's
	sourceColumn        // file and row group
	rowColumn           // in the row group
	slicesColumn        // the values of slice columns; see Slicer.Describe
	firstRole
)

// shapes returns the shapes of the rows of predictions and of truth.
func shapes(j *element.Job) (predictions, truth rowShape) {
	predictions = newRowShape(&j.Columns, j.Long)
	if j.Truth != nil {
		truth = newRowShape(j.Truth, j.LongTruth)
	}
	return predictions, truth
}

func newRowShape(c *ingest.Roles, long bool) rowShape {
	shape := rowShape{roles: *c, long: long, width: firstRole}
	for role, name := range batches.NamesByRole(c) {
		if name != "" && role != batches.ExampleRole {
			shape.place[role] = shape.width
			shape.width++
		}
	}
	return shape
}

// check says whether columns, by role, are of values where rows are put together.
func (s *rowShape) check(cols []*columns.Column) error {
	names := batches.NamesByRole(&s.roles)
	for role, col := range cols {
		if col != nil && col.Offsets != nil && (s.long || role == batches.ExampleRole) {
			return fmt.Errorf("column %q is %s: expected one value a row", names[role], col.Shape())
		}
	}
	return nil
}

// scatterer collects rows by the bucket of their example. It belongs to one
// goroutine.
type scatterer struct {
	job    *element.Job
	truth  bool // the rows are of true labels, not predictions
	shape  rowShape
	slicer *batches.Slicer
	counts *element.RowCounts
	dicts  batches.Dictionaries
	tuples []int32

	hasher rows.Hasher
	hashes []uint64
	taken  []*columns.Column
	source columns.Column
	number columns.Column
	slices columns.Column
	codes  []int32 // of each tuple that was met

	waiting  rows.Table
	buckets  []int32 // of each waiting row
	grouping batches.Grouping
	spill    element.Spill
	done     []element.RowChunk
}

// waitingBytes is how many bytes of rows a goroutine collects before it sends them
// out: with more, a bucket has fewer chunks.
const waitingBytes = 16 << 20

func newScatterer(j *element.Job, truth bool, counts *element.RowCounts) *scatterer {
	s := &scatterer{job: j, truth: truth, counts: counts, dicts: make(batches.Dictionaries), spill: element.Spill{Dir: j.TempDir}}
	predictions, judged := shapes(j)
	own, others := j.SliceColumns()
	s.shape, s.slicer = predictions, batches.NewDescriber(own)
	if truth {
		s.shape, s.slicer = judged, batches.NewDescriber(others)
	}
	s.slices = columns.Column{Type: columns.String, Dict: new(columns.Strings)}
	return s
}

// read reads a row group and gives each the columns of a batch's rows, as tables
// have them, and the hashes of their ids. Rows without an id are counted and left
// out of good.
func (s *scatterer) read(ctx context.Context, shard *batches.OpenShard, group int, progress *workers.Progress, each func(cols []*columns.Column, good []int32) error) error {
	// Ids are many: their tables would grow with every row group.
	delete(s.dicts, s.shape.roles.Example)
	delete(s.dicts, s.shape.roles.Item)
	s.source = columns.Column{Type: columns.String, Dict: new(columns.Strings)}
	source := s.source.Dict.CodeOf(sourceOf(shard.File, group))
	s.number = columns.Column{Type: columns.Int}
	var good []int32
	reader := batches.Reader{
		Names: shard.Columns(&s.shape.roles, s.slicer.Columns), Wide: s.shape.roles.Wide, Dicts: s.dicts, Rows: batches.Rows(s.job), Progress: progress,
	}
	return reader.Read(ctx, shard, group, func(first int64, n int, cols []*columns.Column) error {
		if err := s.shape.check(cols[:batches.RoleCount]); err != nil {
			return fmt.Errorf("%s: %w", shard.File, err)
		}
		s.counts.Rows += int64(n)
		ids := cols[batches.ExampleRole]
		s.source.Codes, s.number.Ints, good = s.source.Codes[:0], s.number.Ints[:0], good[:0]
		for r := range n {
			s.source.Codes = append(s.source.Codes, source)
			s.number.Ints = append(s.number.Ints, first+int64(r))
			if ids.Null == nil || !ids.Null[r] {
				good = append(good, int32(r))
				continue
			}
			s.anonymous(shard.Row(group, first+int64(r)))
		}
		s.describe(n, cols[batches.RoleCount:], shard)
		s.taken = append(s.taken[:0], ids, &s.source, &s.number, &s.slices)
		for role, col := range cols[:batches.RoleCount] {
			if s.shape.place[role] > 0 {
				s.taken = append(s.taken, col)
			}
		}
		s.hashes = s.hasher.Hash(s.hashes, ids)
		return each(s.taken, good)
	})
}

// anonymous counts a row without an id.
func (s *scatterer) anonymous(at report.SkippedRow) {
	bad := ingest.Bad{Element: -1, OfLabel: s.truth, Column: s.shape.roles.Example, Value: "null", Reason: ingest.NullExample}
	if s.truth && s.job.Skips(bad.Reason) { // only rows of predictions are listed
		s.counts.TruthRead++
		s.counts.Unmatched++
		return
	}
	s.counts.Read++
	s.counts.Reject(s.job, &bad, at)
}

// describe fills the column of the values of slice columns.
func (s *scatterer) describe(n int, cols []*columns.Column, shard *batches.OpenShard) {
	s.tuples = s.slicer.Tuples(s.tuples, n, cols, shard.Keys)
	s.slices.Codes = s.slices.Codes[:0]
	for _, tuple := range s.tuples {
		for int(tuple) >= len(s.codes) {
			s.codes = append(s.codes, s.slices.Dict.Code(s.slicer.Describe(int32(len(s.codes)))))
		}
		s.slices.Codes = append(s.slices.Codes, s.codes[tuple])
	}
}

// scatter collects rows of a batch that read gave.
func (s *scatterer) scatter(cols []*columns.Column, list []int32) error {
	if len(list) == 0 {
		return nil
	}
	if err := s.waiting.Append(cols, list); err != nil {
		return err
	}
	for _, r := range list {
		s.buckets = append(s.buckets, int32(element.Bucket(s.hashes[r])))
	}
	if s.waiting.Size() < waitingBytes {
		return nil
	}
	return s.put()
}

// put encodes the rows that wait, bucket by bucket.
func (s *scatterer) put() error {
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
		s.done = append(s.done, element.RowChunk{Bucket: int(bucket), Truth: s.truth, Data: data})
	}
	s.waiting.Reset()
	s.buckets = s.buckets[:0]
	return nil
}

// Finish encodes the rest.
func (s *scatterer) Finish() error { return s.put() }

// emit sends out what was collected.
func (s *scatterer) emit(emit func(int, element.TaskInput)) error {
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
			return w.read(ctx, s, group, &f.Progress, w.scatter)
		})
	})
}

// FinishBundle waits for the pool, and emits the rows and the counts of those that were
// left out.
func (f *ScatterFn) FinishBundle(_ context.Context, emitRows func(int, element.TaskInput), emit func([]byte, element.Partial)) error {
	return f.Finish(func(scatterers []*scatterer) error {
		skipped := element.NewPartial()
		for _, w := range scatterers {
			if err := w.emit(emitRows); err != nil {
				return err
			}
			skipped.Counts.Merge(w.counts)
		}
		emit([]byte(element.Overall), skipped)
		return nil
	})
}

func init() { beam.RegisterDoFn(reflect.TypeFor[ScatterFn]()) }
