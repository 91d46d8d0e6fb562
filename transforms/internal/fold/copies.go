package fold

import (
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"

	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/workers"
	"github.com/beameval/beameval/transforms/lanes"
)

// copiesOfBundle is the largest number of copies that a bundle emits, if its output is limited.
const copiesOfBundle = 16

// CopyLevels returns the steps that give copies to each of n lanes. If the output of a bundle is limited, the first
// lanes pass copies on to others, and these to others again:
//
//	CopyFn ─► lanes 0 … 15 ─► CopyPerKeyFn ─► lanes 0 … 255 ─► CopyPerKeyFn ─► lanes 0 … 4095
func CopyLevels(d *lanes.Division, n int) (levels []CopyFn) {
	most := n
	if d.Bundles || d.BundlePerKey {
		most = copiesOfBundle
	}
	for have := 1; have < n || len(levels) == 0; have *= most {
		levels = append(levels, CopyFn{Lanes: min(have*most, n), Step: have, Limited: d.BundlePerKey})
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
	Limited     bool // whether the output of a bundle is limited to workers.BundleBytes
	Hashing     lanes.Hashing

	output workers.Messages // of the bundle
	buf    []byte
}

// StartBundle resets the size of the output.
func (f *CopyFn) StartBundle(func(int, element.TaskInput)) { f.output = workers.Messages{} }

// ProcessElement emits the copies.
func (f *CopyFn) ProcessElement(in element.TaskInput, emit func(int, element.TaskInput)) error {
	return workers.Mark(f.copy(0, &in, emit))
}

func (f *CopyFn) copy(first int, in *element.TaskInput, emit func(int, element.TaskInput)) (err error) {
	if f.buf, err = in.Append(f.buf[:0]); err != nil {
		return err
	}
	for lane := first; lane < f.Lanes; lane += f.Step {
		if f.output.Add(len(f.buf)) > workers.BundleBytes && f.Limited {
			return fmt.Errorf("the labels, or what else every task needs, take %d MB, and Beam's job server takes at most %d MB of copies from a worker: use another runner", len(f.buf)/1_000_000, workers.BundleBytes/1_000_000)
		}
		emit(f.Hashing.Key(lane), *in)
	}
	return nil
}

// CopyPerKeyFn is CopyFn for lanes that pass their copies on to others, with one bundle for each; see
// workers.BundlePerKey.
type CopyPerKeyFn struct {
	CopyFn
	PerKey workers.BundlePerKey
}

// ProcessElement emits the copies of a lane: to every Step-th, from itself.
func (f *CopyPerKeyFn) ProcessElement(_ state.Provider, lane int, in element.TaskInput, emit func(int, element.TaskInput)) error {
	return workers.Mark(f.copy(lane, &in, emit))
}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[CopyFn]())
	beam.RegisterDoFn(reflect.TypeFor[CopyPerKeyFn]())
}
