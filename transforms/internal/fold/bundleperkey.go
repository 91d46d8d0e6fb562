package fold

import (
	"context"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"

	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/ranges"
	"github.com/beameval/beameval/transforms/internal/workers"
	"github.com/beameval/beameval/transforms/lanes"
)

// PerKeyFn is Fn with one bundle for each task; see workers.BundlePerKey.
type PerKeyFn struct {
	Fn
	PerKey workers.BundlePerKey
}

// NewPerKeyFn returns the PerKeyFn of a job.
func NewPerKeyFn(j element.Job) *PerKeyFn { return &PerKeyFn{Fn{Job: j}, workers.NewBundlePerKey()} }

// ProcessElement submits a task to the pool.
func (f *PerKeyFn) ProcessElement(ctx context.Context, _ state.Provider, task int, inputs func(*element.TaskInput) bool,
	emit func([]byte, element.Partial), emitScores func(int, ranges.Piece), emitRows func(int, element.TaskInput)) error {
	return f.Fn.ProcessElement(ctx, task, inputs, emit, emitScores, emitRows)
}

// ShardLaneFn assigns a shard to its lane.
type ShardLaneFn struct{ Division lanes.Division }

// ProcessElement returns the key of the lane, and the shard.
func (f *ShardLaneFn) ProcessElement(s input.Shard) (int, input.Shard) {
	return f.Division.Key(element.TaskOf(element.ShardName(&s)) % f.Division.Lanes), s
}

// ShardsPerKeyFn returns the shards of lanes, with one bundle for each lane, also for the steps that
// are fused with it; see workers.BundlePerKey.
type ShardsPerKeyFn struct{ PerKey workers.BundlePerKey }

// ProcessElement returns the shard.
func (f *ShardsPerKeyFn) ProcessElement(_ state.Provider, _ int, s input.Shard) input.Shard { return s }

// CopyPerKeyFn passes each copy of labels, bounds or cuts on to further lanes: to every Step-th, from
// the one that is the key. Each key is one bundle; see workers.BundlePerKey.
type CopyPerKeyFn struct {
	Lanes, Step int
	Hashing     lanes.Hashing
	PerKey      workers.BundlePerKey
}

// ProcessElement emits the copies.
func (f *CopyPerKeyFn) ProcessElement(_ state.Provider, first int, in element.TaskInput, emit func(int, element.TaskInput)) {
	for lane := first; lane < f.Lanes; lane += f.Step {
		emit(f.Hashing.Key(lane), in)
	}
}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[PerKeyFn]())
	beam.RegisterDoFn(reflect.TypeFor[ShardLaneFn]())
	beam.RegisterDoFn(reflect.TypeFor[ShardsPerKeyFn]())
	beam.RegisterDoFn(reflect.TypeFor[CopyPerKeyFn]())
}
