// Package fold folds tasks into the statistics of slices. A task consists of shards, rows of
// examples that were scattered over shards, or predictions in memory. A single DoFn, [Fn], folds
// all of them, with one [folder] for each core.
//
//	task ─► batches ─► converter: rows to examples, bad rows counted
//	                       │
//	                       ├─► partial of each slice, also through cells of tuples (see partials)
//	                       ├─► scores, by range (see ranges.Scores)
//	                       └─► rows of scattered examples (see join.Examples) ─► other tasks
//
// A folder is used by a single goroutine, so folding needs no locks. At the end of a bundle, the
// folders are merged into the first.
package fold

import (
	"context"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/join"
	"github.com/beameval/beameval/transforms/internal/ranges"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
	"github.com/beameval/beameval/transforms/lanes"
)

// Tasks that need labels, bounds or cuts which a run finds itself are joined into lanes, and each
// lane gets a copy. These are the numbers of lanes: fewer with labels, of which there may be
// millions.
const (
	LabelLanes = 64
	BoundLanes = 256
)

// LaneFn assigns the input of a task to the lane of the task.
type LaneFn struct {
	Lanes   int
	Hashing lanes.Hashing
}

// ProcessElement replaces the task by the key of its lane.
func (f *LaneFn) ProcessElement(task int, in shuffle.TaskInput) (int, shuffle.TaskInput) {
	in.Lane = task % f.Lanes
	return f.Hashing.Key(in.Lane), in
}

// LabelsInput makes packed labels an input of tasks.
func LabelsInput(labels shuffle.Spilled) shuffle.TaskInput { return shuffle.TaskInput{Labels: &labels} }

// ShardTask makes a task of a shard.
func ShardTask(s input.Shard) (int, shuffle.TaskInput) {
	return shuffle.TaskOf(shuffle.ShardName(&s)), shuffle.TaskInput{Shard: &s}
}

// PackFn makes tasks of predictions in memory: each task is a packed batch.
type PackFn struct {
	Spill shuffle.Spill

	batches int
	waiting []input.Prediction
}

// ProcessElement collects predictions.
func (f *PackFn) ProcessElement(p input.Prediction, emit func(int, shuffle.TaskInput)) error {
	if f.waiting = append(f.waiting, p); len(f.waiting) < batches.Predictions {
		return nil
	}
	return workers.Mark(f.pack(emit))
}

// FinishBundle packs the rest.
func (f *PackFn) FinishBundle(emit func(int, shuffle.TaskInput)) error {
	if len(f.waiting) > 0 {
		if err := f.pack(emit); err != nil {
			return workers.Mark(err)
		}
	}
	return workers.Mark(f.Spill.Close())
}

// Teardown removes the remains of a failed bundle, if it was the last one.
func (f *PackFn) Teardown() { f.Spill.Abandon() }

func (f *PackFn) pack(emit func(int, shuffle.TaskInput)) error {
	packed, err := shuffle.Pack(&f.Spill, &f.waiting, batches.PredictionsFields)
	if err != nil {
		return err
	}
	emit(f.batches, shuffle.TaskInput{Predictions: &packed})
	f.batches++
	f.waiting = f.waiting[:0]
	return nil
}

// Fn is the DoFn that folds tasks into one partial for each slice and bundle.
type Fn struct {
	Job shuffle.Job

	workers.Bundle[*folder]
	kept kept
}

// Setup creates the counters. Which of them count is settled before goroutines do.
func (f *Fn) Setup() {
	f.Bundle.Setup()
	f.Progress.Search = f.Job.Searches()
}

// StartBundle discards the remains of a failed bundle.
func (f *Fn) StartBundle(func([]byte, shuffle.Partial), func(int, ranges.Piece), func(int, shuffle.TaskInput)) {
	f.kept = kept{}
}

// ProcessElement submits a task to the pool. A task of a further pass has a pool of its own.
func (f *Fn) ProcessElement(ctx context.Context, _ int, inputs func(*shuffle.TaskInput) bool,
	emit func([]byte, shuffle.Partial), emitScores func(int, ranges.Piece), emitRows func(int, shuffle.TaskInput)) error {
	t, err := f.newTask(inputs)
	if err != nil {
		return workers.Mark(err)
	}
	if t.idle() {
		return nil
	}
	progress := &f.Progress
	if !t.pass.First() {
		progress = nil // the first pass has counted the rows
		if err := f.FinishBundle(ctx, emit, emitScores, emitRows); err != nil {
			return err
		}
	}
	j := f.Job.WithCuts(t.cuts)
	j.Pass = t.pass
	err = f.Do(ctx, f.Job.Goroutines, folders(j, t.labels, t.bounds, t.plan), func(p *workers.Pool[*folder]) error { return t.submit(ctx, p, progress) })
	if err != nil {
		return err
	}
	if f.Job.Windowed || !t.pass.First() {
		return f.FinishBundle(ctx, emit, emitScores, emitRows)
	}
	return workers.Mark(f.kept.add(t, &f.Job.Division))
}

// FinishBundle waits for the pool, and emits the partials, the scores and the rows of scattered
// examples.
func (f *Fn) FinishBundle(_ context.Context, emit func([]byte, shuffle.Partial), emitScores func(int, ranges.Piece), emitRows func(int, shuffle.TaskInput)) error {
	inputs := f.kept
	f.kept = kept{}
	return f.Finish(func(folders []*folder) error {
		return emitFolded(folders, &inputs, emit, emitScores, emitRows)
	})
}

// task holds the inputs of a task.
type task struct {
	lane        int
	pass        shuffle.Pass
	inputs      []shuffle.TaskInput // all of them, if further passes may need them
	shards      []*input.Shard
	elsewhere   map[string]*join.KeySet     // by the name of the shard
	rows        map[int][]*shuffle.RowChunk // by bucket
	predictions []*shuffle.Spilled
	labels      *shuffle.Spilled
	bounds      *shuffle.Bounds
	cuts        *shuffle.Cuts
	plan        *shuffle.Spilled
}

func (f *Fn) newTask(inputs func(*shuffle.TaskInput) bool) (*task, error) {
	t := &task{elsewhere: make(map[string]*join.KeySet), rows: make(map[int][]*shuffle.RowChunk)}
	keep := f.Job.InPasses()
	var in shuffle.TaskInput
	for inputs(&in) {
		t.lane = max(t.lane, in.Lane) // copies of labels, bounds and cuts have none
		switch {
		case t.pass.First():
			t.pass = in.Pass
		case in.Pass != t.pass: // cannot happen below billions of lanes; the statistics of one would be lost
			return nil, fmt.Errorf("inputs of passes %d and %d arrived together", t.pass.Number, in.Pass.Number)
		}
		if keep {
			t.inputs = append(t.inputs, in)
		}
		switch {
		case in.Shard != nil:
			t.shards = append(t.shards, in.Shard)
		case in.Scattered != nil:
			set := t.elsewhere[in.Scattered.Shard]
			if set == nil {
				set = join.NewKeySet(&f.Job.Division)
				t.elsewhere[in.Scattered.Shard] = set
			}
			set.Add(in.Scattered)
		case in.Rows != nil:
			t.rows[in.Rows.Bucket] = append(t.rows[in.Rows.Bucket], in.Rows)
		case in.Predictions != nil:
			t.predictions = append(t.predictions, in.Predictions)
		case in.Labels != nil:
			t.labels = in.Labels
		case in.Bounds != nil:
			t.bounds = in.Bounds
		case in.Cuts != nil:
			t.cuts = in.Cuts
		case in.Plan != nil:
			t.plan = in.Plan
		}
	}
	return t, nil
}

// idle reports whether there is nothing to fold. That happens because every lane gets a copy of the
// labels, bounds, cuts and the plan, even if it has no tasks.
func (t *task) idle() bool { return len(t.shards)+len(t.rows)+len(t.predictions) == 0 }

// submit submits the work of the task to a pool.
func (t *task) submit(ctx context.Context, p *workers.Pool[*folder], progress *workers.Progress) error {
	for _, shard := range t.shards {
		elsewhere := t.elsewhere[shuffle.ShardName(shard)]
		err := batches.ReadShard(ctx, p, *shard, func(ctx context.Context, into *folder, s *batches.OpenShard, group int) error {
			return into.readGroup(ctx, p, s, group, elsewhere, progress)
		})
		if err != nil {
			return err
		}
	}
	for bucket, chunks := range t.rows {
		err := p.Submit(fmt.Sprintf("bucket %d of the examples", bucket), func(ctx context.Context, into *folder) error {
			return into.examples.Assemble(ctx, chunks)
		})
		if err != nil {
			return err
		}
	}
	for _, packed := range t.predictions {
		err := p.Submit("predictions in memory", func(ctx context.Context, into *folder) error {
			return into.foldPredictions(ctx, packed, progress)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[Fn]())
	beam.RegisterDoFn(reflect.TypeFor[PackFn]())
	beam.RegisterDoFn(reflect.TypeFor[LaneFn]())
	register.Function1x2(ShardTask)
	register.Function1x1(LabelsInput)
}
