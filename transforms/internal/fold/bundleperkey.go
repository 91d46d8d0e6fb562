package fold

import (
	"context"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"

	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/ranges"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
	"github.com/beameval/beameval/transforms/lanes"
)

// PerKeyFn is Fn for inputs that arrive one by one, with one bundle for each task; see workers.BundlePerKey.
type PerKeyFn struct {
	Fn
	PerKey workers.BundlePerKey

	inputs workers.Elements[shuffle.TaskInput]
}

// OneByOne returns a PerKeyFn.
func (f *Fn) OneByOne() any { return &PerKeyFn{Fn: Fn{Job: f.Job}, PerKey: workers.NewBundlePerKey()} }

// StartBundle discards the remains of a failed bundle.
func (f *PerKeyFn) StartBundle(emit func([]byte, shuffle.Partial), emitScores func(int, ranges.Piece), emitRows func(int, shuffle.TaskInput)) {
	f.inputs = nil
	f.Fn.StartBundle(emit, emitScores, emitRows)
}

// ProcessElement keeps an input.
func (f *PerKeyFn) ProcessElement(_ state.Provider, _ int, in shuffle.TaskInput, _ func([]byte, shuffle.Partial), _ func(int, ranges.Piece), _ func(int, shuffle.TaskInput)) {
	f.inputs.Add(in)
}

// FinishBundle folds the task.
func (f *PerKeyFn) FinishBundle(ctx context.Context, emit func([]byte, shuffle.Partial), emitScores func(int, ranges.Piece), emitRows func(int, shuffle.TaskInput)) error {
	if err := f.Fn.ProcessElement(ctx, 0, f.inputs.Take(), emit, emitScores, emitRows); err != nil {
		return err
	}
	return f.Fn.FinishBundle(ctx, emit, emitScores, emitRows)
}

// ShardLaneFn assigns a shard to its lane.
type ShardLaneFn struct{ Division lanes.Division }

// ProcessElement returns the key of the lane, and the shard.
func (f *ShardLaneFn) ProcessElement(s input.Shard) (int, input.Shard) {
	return f.Division.Key(shuffle.TaskOf(shuffle.ShardName(&s)) % f.Division.Lanes), s
}

// ShardsPerKeyFn returns the shards of lanes, with one bundle for each lane, also for the steps that
// are fused with it; see workers.BundlePerKey.
type ShardsPerKeyFn struct{ PerKey workers.BundlePerKey }

// ProcessElement returns the shard.
func (f *ShardsPerKeyFn) ProcessElement(_ state.Provider, _ int, s input.Shard) input.Shard { return s }

func init() {
	beam.RegisterDoFn(reflect.TypeFor[PerKeyFn]())
	beam.RegisterDoFn(reflect.TypeFor[ShardLaneFn]())
	beam.RegisterDoFn(reflect.TypeFor[ShardsPerKeyFn]())
}
