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
)

// ApartFn is Fn with one bundle for each task; see workers.Apart.
type ApartFn struct {
	Fn
	Apart workers.Apart
}

// NewApartFn returns the ApartFn of a job.
func NewApartFn(j element.Job) *ApartFn { return &ApartFn{Fn{Job: j}, workers.NewApart()} }

// ProcessElement submits a task to the pool.
func (f *ApartFn) ProcessElement(ctx context.Context, _ state.Provider, task int, inputs func(*element.TaskInput) bool,
	emit func([]byte, element.Partial), emitScores func(int, ranges.Piece), emitRows func(int, element.TaskInput)) error {
	return f.Fn.ProcessElement(ctx, task, inputs, emit, emitScores, emitRows)
}

// ShardLaneFn assigns a shard to the lane of its task.
type ShardLaneFn struct{ Lanes int }

// ProcessElement returns the lane and the shard.
func (f *ShardLaneFn) ProcessElement(s input.Shard) (int, input.Shard) { return Lane(&s, f.Lanes), s }

// Lane returns the lane of the task that reads a shard.
func Lane(s *input.Shard, lanes int) int { return element.TaskOf(element.ShardName(s)) % lanes }

// ShardsApartFn returns the shards of lanes, with one bundle for each lane, also for the steps that
// are fused with it; see workers.Apart.
type ShardsApartFn struct{ Apart workers.Apart }

// ProcessElement returns the shard.
func (f *ShardsApartFn) ProcessElement(_ state.Provider, _ int, s input.Shard) input.Shard { return s }

// CopiesApartFn passes each copy of labels, bounds or cuts on to further lanes: to every
// CopyLanes-th. Each lane is one bundle; see workers.Apart.
type CopiesApartFn struct {
	Lanes int
	Apart workers.Apart
}

// CopyLanes is the number of lanes that one bundle gives copies to if its output is limited.
const CopyLanes = 64

// ProcessElement emits the copies.
func (f *CopiesApartFn) ProcessElement(_ state.Provider, first int, in element.TaskInput, emit func(int, element.TaskInput)) {
	for lane := first; lane < f.Lanes; lane += CopyLanes {
		emit(lane, in)
	}
}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[ApartFn]())
	beam.RegisterDoFn(reflect.TypeFor[ShardLaneFn]())
	beam.RegisterDoFn(reflect.TypeFor[ShardsApartFn]())
	beam.RegisterDoFn(reflect.TypeFor[CopiesApartFn]())
}
