package transforms

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
	"github.com/beameval/beameval/transforms/lanes"
)

// mergeSlices merges partials, KV<[]byte, shuffle.Partial>, into one for each slice, in a PCollection of the same
// type. If each key has its own bundle, it also returns numbers of slices, KV<int, int>, whose sum is the number of
// all slices; otherwise, counts is invalid.
func mergeSlices(s beam.Scope, j shuffle.Job, partials beam.PCollection) (slices, counts beam.PCollection) {
	if !j.Division.BundlePerKey {
		return beam.CombinePerKey(s, &shuffle.MergeFn{}, partials), counts
	}
	byLane := beam.ParDo(s, &sliceLaneFn{Limit: j.Division.PartialBytes, Names: j.Params.Names, Hashing: j.Division.Hashing}, partials)
	return beam.ParDo2(s, &mergePerKeyFn{PerKey: workers.NewBundlePerKey()}, byLane)
}

// mergePartials is mergeSlices for partials of a few slices, and of none if there are no rows.
func mergePartials(s beam.Scope, j shuffle.Job, partials beam.PCollection) beam.PCollection {
	return beam.CombinePerKey(s, &shuffle.MergeFn{}, orNone(s, j, noRows, partials))
}

// orNone flattens PCollections of one type, and adds the element that none, a function of []byte, emits for no
// rows, so that an input without rows is evaluated too. It adds nothing for windows: a window without rows does not
// exist.
func orNone(s beam.Scope, j shuffle.Job, none any, of ...beam.PCollection) beam.PCollection {
	if !j.Windowed {
		of = append(of, beam.ParDo(s, none, beam.Impulse(s)))
	}
	return beam.Flatten(s, of...)
}

// noRows emits the partial of no rows.
func noRows([]byte) ([]byte, shuffle.Partial) { return []byte(shuffle.Overall), shuffle.NewPartial() }

// If each key has its own bundle, slices are assigned to lanes, and the partials of a lane are merged as they arrive, one
// by one, in its bundle; see [workers.BundlePerKey].
//
//	KV<[]byte, shuffle.Partial> ─ sliceLaneFn ─► KV<int, outcomeElement>, by lane ─ mergePerKeyFn ─► KV<[]byte, shuffle.Partial>

// mergeLanes is the number of lanes in which the partials of slices are merged, each in a bundle. Lanes
// without slices cost nothing.
const mergeLanes = 4096

// partialLimit returns the largest size of the partials that a bundle emits; 0 means any. Scores and rows of
// examples, whose bytes [lanes.Division].Bundles limits, need up to half of what it may emit.
func partialLimit(j *shuffle.Job) int {
	switch d := &j.Division; {
	case d.PartialBytes > 0 || !d.BundlePerKey:
		return d.PartialBytes
	case j.Params.Curving() || j.ByExample() && !j.Scatters():
		return workers.BundleBytes / 2
	}
	return workers.BundleBytes
}

// sliceLaneFn assigns partials to the lanes of their slices. It is fused with the steps that emit
// them, so it shares their bundles. A worker that emits too much would block forever, so that is
// an error instead, for example if the inputs of a bundle are too large for several passes over them.
type sliceLaneFn struct {
	Limit   int // the largest size of the partials of a bundle
	Names   settings.Names
	Hashing lanes.Hashing

	output workers.Messages // of the bundle
}

// StartBundle resets the size.
func (f *sliceLaneFn) StartBundle(func(int, outcomeElement)) { f.output = workers.Messages{} }

// ProcessElement emits the partial with its lane.
func (f *sliceLaneFn) ProcessElement(key []byte, p shuffle.Partial, emit func(int, outcomeElement)) error {
	_, e, err := sliceOutcome(key, p)
	if err != nil {
		return workers.Mark(err)
	}
	if err := f.count(len(key) + len(e.Partial)); err != nil {
		return workers.Mark(err)
	}
	lane := shuffle.Hash(string(key)) % mergeLanes
	if len(p.Again) > 0 { // those of a further pass are many: they get a bundle of their own
		lane = mergeLanes + p.Again[0].Lane
	}
	emit(f.Hashing.Key(lane), e)
	return nil
}

// count adds a partial of the given size. It returns an error if the partials of the bundle are too large.
func (f *sliceLaneFn) count(bytes int) error {
	if f.output.Add(bytes) <= f.Limit {
		return nil
	}
	return fmt.Errorf("the statistics of the slices that a worker has met come to more than about %d MB, and Beam's job server takes no more of a bundle: "+
		"slice by columns of fewer values, list the values that matter, set fewer %s or %s, or use another runner",
		f.Limit/1_000_000, f.Names.Of(settings.CurveBins), f.Names.Of(settings.Groups))
}

// mergePerKeyFn merges the partials of each slice of a lane, and counts the slices.
type mergePerKeyFn struct {
	PerKey workers.BundlePerKey

	slices map[string]*shuffle.Partial
}

// StartBundle discards the remains of a failed bundle.
func (f *mergePerKeyFn) StartBundle(func([]byte, shuffle.Partial), func(int, int)) {
	f.slices = make(map[string]*shuffle.Partial)
}

// ProcessElement merges a partial into its slice.
func (f *mergePerKeyFn) ProcessElement(_ state.Provider, _ int, e outcomeElement, _ func([]byte, shuffle.Partial), _ func(int, int)) error {
	p, err := shuffle.DecodePartial(e.Partial)
	if err != nil {
		return workers.Mark(err)
	}
	if into := f.slices[string(e.Slice)]; into != nil {
		into.Merge(&p)
	} else {
		f.slices[string(e.Slice)] = &p
	}
	return nil
}

// FinishBundle emits the slices, and their number.
func (f *mergePerKeyFn) FinishBundle(emit func([]byte, shuffle.Partial), emitCount func(int, int)) {
	for _, key := range slices.Sorted(maps.Keys(f.slices)) {
		emit([]byte(key), *f.slices[key])
	}
	emitCount(0, len(f.slices))
	f.slices = nil
}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[sliceLaneFn]())
	beam.RegisterDoFn(reflect.TypeFor[mergePerKeyFn]())
	register.Function1x2(noRows)
}
