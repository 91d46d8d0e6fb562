package fold

import (
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"

	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
	"github.com/beameval/beameval/transforms/lanes"
)

// copiesOfBundle is the largest number of copies that a step emits in a bundle, if its output is limited. Up to six
// steps emit copies of the labels in the same bundle, and a large copy is a message of its own. Beam's job servers for
// Flink and Spark accept 100.
const copiesOfBundle = 12

// CopyLevels returns the steps that give copies to each of n lanes. If the output of a bundle is limited, the first
// lanes pass copies on to others, and these to others again:
//
//	CopyFn ─► lanes 0 … 11 ─► CopyPerKeyFn ─► lanes 0 … 143 ─► CopyPerKeyFn ─► lanes 0 … 1727
func CopyLevels(d *lanes.Division, n int) (levels []CopyFn) {
	most := n
	if d.Bundles || d.BundlePerKey {
		most = copiesOfBundle
	}
	for have := 1; have < n || len(levels) == 0; have *= most {
		levels = append(levels, CopyFn{Lanes: min(have*most, n), Step: have})
	}
	levels[len(levels)-1].Hashing = d.Hashing
	return levels
}

// CopyFn gives labels, bounds, cuts or the plan of a search to lanes: to every Step-th, from the first.
//
// They are an input of every task instead of a side input, because prism keeps a core busy while a
// bundle of a stage with a side input runs, and has started stages before their side inputs were
// available (Beam issue 36563).
type CopyFn struct {
	Lanes, Step int
	Hashing     lanes.Hashing
}

// ProcessElement emits the copies.
func (f *CopyFn) ProcessElement(in shuffle.TaskInput, emit func(int, shuffle.TaskInput)) {
	f.copy(0, in, emit)
}

func (f *CopyFn) copy(first int, in shuffle.TaskInput, emit func(int, shuffle.TaskInput)) {
	for lane := first; lane < f.Lanes; lane += f.Step {
		emit(f.Hashing.Key(lane), in)
	}
}

// CopyPerKeyFn is CopyFn for lanes that pass their copies on to others, with one bundle for each; see
// workers.BundlePerKey.
type CopyPerKeyFn struct {
	CopyFn
	PerKey workers.BundlePerKey
}

// ProcessElement emits the copies of a lane: to every Step-th, from itself.
func (f *CopyPerKeyFn) ProcessElement(_ state.Provider, lane int, in shuffle.TaskInput, emit func(int, shuffle.TaskInput)) {
	f.copy(lane, in, emit)
}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[CopyFn]())
	beam.RegisterDoFn(reflect.TypeFor[CopyPerKeyFn]())
}
