package transforms

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/workers"
	"github.com/beameval/beameval/transforms/lanes"
)

// How the partials of all slices are brought together with [Spec].BundlePerKey; see
// [workers.BundlePerKey]. There is no GroupByKey, because Flink makes one record of all values of a
// key, which in the end are all partials, and cannot sort a record that exceeds its sort buffer.
// The elements of a bundle remain separate records.

// mergeLanes is the number of lanes in which the partials of slices are merged, each in a bundle. Lanes
// without slices cost nothing.
const mergeLanes = 4096

// partialLimit returns the largest size of the partials that a bundle emits; 0 means any. Scores and rows of
// examples, whose bytes [lanes.Division].Bundles limits, need up to half of what it may emit.
func partialLimit(j *element.Job) int {
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
func (f *sliceLaneFn) ProcessElement(key []byte, p element.Partial, emit func(int, outcomeElement)) error {
	_, e, err := sliceOutcome(key, p)
	if err != nil {
		return workers.Mark(err)
	}
	if err := f.count(len(key) + len(e.Partial)); err != nil {
		return workers.Mark(err)
	}
	lane := element.Hash(string(key)) % mergeLanes
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

	slices map[string]*element.Partial
}

// StartBundle discards the remains of a failed bundle.
func (f *mergePerKeyFn) StartBundle(func([]byte, element.Partial), func(int, int)) {
	f.slices = make(map[string]*element.Partial)
}

// ProcessElement merges a partial into its slice.
func (f *mergePerKeyFn) ProcessElement(_ state.Provider, _ int, e outcomeElement, _ func([]byte, element.Partial), _ func(int, int)) error {
	p, err := element.DecodePartial(e.Partial)
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
func (f *mergePerKeyFn) FinishBundle(emit func([]byte, element.Partial), emitCount func(int, int)) {
	for _, key := range slices.Sorted(maps.Keys(f.slices)) {
		emit([]byte(key), *f.slices[key])
	}
	emitCount(0, len(f.slices))
	f.slices = nil
}

// countOutcome makes an outcomeElement of the total number of slices.
func countOutcome(_ int, counts func(*int) bool) (int, outcomeElement) {
	var sum, n int
	for counts(&n) {
		sum += n
	}
	return 0, outcomeElement{Slices: sum}
}

// gathered collects the elements of an outcome, which arrive one by one in a bundle.
type gathered []outcomeElement

// pass passes all elements on at once, if there are any, and forgets them.
func (g *gathered) pass(to func(elements func(*outcomeElement) bool) error) error {
	if len(*g) == 0 {
		return nil
	}
	elements, err := g.take()
	if err != nil {
		return workers.Mark(err)
	}
	return to(elements)
}

// take returns all elements and forgets them. In general a runner may divide a key into bundles,
// but the runners for which this is used do not: take returns an error if the bundle lacks a slice.
func (g *gathered) take() (next func(*outcomeElement) bool, err error) {
	all := *g
	*g = nil
	met, want := make(map[string]bool), 0
	for _, e := range all {
		switch {
		case e.Slices > 0:
			want = e.Slices
		case e.Labels == nil:
			met[string(e.Slice)] = true
		}
	}
	if len(met) != want {
		return nil, fmt.Errorf("the runner handed over %d of %d slices: it divides a key into bundles; run the job with another runner", len(met), want)
	}
	others := workers.Elements[outcomeElement](slices.DeleteFunc(all, func(e outcomeElement) bool { return e.Slices > 0 }))
	return others.Take(), nil
}

// writePerKeyFn is writeFn for elements that arrive one by one.
type writePerKeyFn struct {
	writeFn
	PerKey workers.BundlePerKey

	all gathered
}

// StartBundle discards the remains of a failed bundle.
func (f *writePerKeyFn) StartBundle(func(string)) { f.all = nil }

// ProcessElement collects an element.
func (f *writePerKeyFn) ProcessElement(_ state.Provider, _ int, e outcomeElement, _ func(string)) {
	f.all = append(f.all, e)
}

// FinishBundle writes the report.
func (f *writePerKeyFn) FinishBundle(ctx context.Context, emit func(string)) error {
	return f.all.pass(func(elements func(*outcomeElement) bool) error {
		return f.writeFn.ProcessElement(ctx, 0, elements, emit)
	})
}

// rowsPerKeyFn is rowsFn for elements that arrive one by one.
type rowsPerKeyFn struct {
	rowsFn
	PerKey workers.BundlePerKey

	all gathered
}

// StartBundle discards the remains of a failed bundle.
func (f *rowsPerKeyFn) StartBundle(func(report.Row)) { f.all = nil }

// ProcessElement collects an element.
func (f *rowsPerKeyFn) ProcessElement(_ state.Provider, _ int, e outcomeElement, _ func(report.Row)) {
	f.all = append(f.all, e)
}

// FinishBundle emits the rows.
func (f *rowsPerKeyFn) FinishBundle(ctx context.Context, emit func(report.Row)) error {
	return f.all.pass(func(elements func(*outcomeElement) bool) error {
		return f.rowsFn.ProcessElement(ctx, 0, elements, emit)
	})
}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[sliceLaneFn]())
	beam.RegisterDoFn(reflect.TypeFor[mergePerKeyFn]())
	beam.RegisterDoFn(reflect.TypeFor[writePerKeyFn]())
	beam.RegisterDoFn(reflect.TypeFor[rowsPerKeyFn]())
	register.Function2x2(countOutcome)
}
