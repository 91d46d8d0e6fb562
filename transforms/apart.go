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
)

// How the partials of all slices come together with [Spec].BundlePerKey; see [workers.Apart]. There
// is no GroupByKey: Flink makes one record of what a key has, in the end all partials, and cannot
// sort one that is larger than its sort buffer. Elements of a bundle stay records of their own.

// mergeLanes is in how many bundles partials are merged.
const mergeLanes = 256

// What a bundle puts out, which Beam sends in messages. Beam's job servers for Flink and Spark take
// 100 messages of a bundle before it ends; scores, and rows of examples, of which [Bundles] limits
// the bytes, need up to half of them. A message is sent when another element would make it larger
// than messageBytes.
const (
	messageBytes    = 4_000_000
	partialMessages = 90
	messagesBeside  = 45 // scores or rows
)

// sliceLaneFn gives partials to the lanes of their slices. It is fused with the steps that make
// them, so their bundles are its bundles. What a bundle has of partials cannot be divided, as every
// row group may have rows of every slice: a worker that puts out too many would wait for ever, and
// so it is an error.
type sliceLaneFn struct {
	Messages int // at most
	Names    settings.Names

	messages, size int // of the bundle; size is of the last message
}

// StartBundle begins to count.
func (f *sliceLaneFn) StartBundle(func(int, outcomeElement)) { f.messages, f.size = 0, 0 }

// ProcessElement emits the lane and the partial.
func (f *sliceLaneFn) ProcessElement(key []byte, p element.Partial, emit func(int, outcomeElement)) error {
	_, e, err := sliceOutcome(key, p)
	if err != nil {
		return workers.Mark(err)
	}
	if err := f.count(len(key) + len(e.Partial)); err != nil {
		return workers.Mark(err)
	}
	emit(element.TaskOf(string(key))%mergeLanes, e)
	return nil
}

// count adds a partial of so many bytes. It is an error if there are too many messages.
func (f *sliceLaneFn) count(bytes int) error {
	if f.size += bytes; f.messages == 0 || f.size > messageBytes {
		f.messages, f.size = f.messages+1, bytes
	}
	if f.messages <= f.Messages {
		return nil
	}
	return fmt.Errorf("the statistics of the slices that a worker has met come to more than about %d MB, and Beam's job server takes no more of a bundle: "+
		"slice by columns of fewer values, list the values that matter, set fewer %s or %s, or use another runner",
		f.Messages*messageBytes/1_000_000, f.Names.Of(settings.CurveBins), f.Names.Of(settings.Groups))
}

// mergeApartFn merges the partials of each slice of a lane. It also counts the slices.
type mergeApartFn struct {
	Apart workers.Apart

	slices map[string]*element.Partial
}

// StartBundle forgets what a failed bundle left.
func (f *mergeApartFn) StartBundle(func([]byte, element.Partial), func(int, int)) {
	f.slices = make(map[string]*element.Partial)
}

// ProcessElement merges a partial into its slice.
func (f *mergeApartFn) ProcessElement(_ state.Provider, _ int, e outcomeElement, _ func([]byte, element.Partial), _ func(int, int)) error {
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

// FinishBundle emits the slices, and how many they are.
func (f *mergeApartFn) FinishBundle(emit func([]byte, element.Partial), emitCount func(int, int)) {
	for _, key := range slices.Sorted(maps.Keys(f.slices)) {
		emit([]byte(key), *f.slices[key])
	}
	emitCount(0, len(f.slices))
	f.slices = nil
}

// countOutcome makes an outcomeElement of counts of slices.
func countOutcome(_ int, counts func(*int) bool) (int, outcomeElement) {
	var sum, n int
	for counts(&n) {
		sum += n
	}
	return 0, outcomeElement{Slices: sum}
}

// gathered is the elements of an outcome, which arrive one by one in a bundle.
type gathered []outcomeElement

// take returns all elements and forgets them. A runner may divide a key into bundles, though
// those with which this is used do not: it is an error if a bundle has not got every slice.
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
	i := 0
	return func(e *outcomeElement) bool {
		for i < len(all) && all[i].Slices > 0 {
			i++
		}
		if i == len(all) {
			return false
		}
		*e = all[i]
		i++
		return true
	}, nil
}

// writeApartFn is writeFn for elements that arrive one by one.
type writeApartFn struct {
	writeFn
	Apart workers.Apart

	all gathered
}

// StartBundle forgets what a failed bundle left.
func (f *writeApartFn) StartBundle(func(string)) { f.all = nil }

// ProcessElement waits for the others.
func (f *writeApartFn) ProcessElement(_ state.Provider, _ int, e outcomeElement, _ func(string)) {
	f.all = append(f.all, e)
}

// FinishBundle writes the report.
func (f *writeApartFn) FinishBundle(ctx context.Context, emit func(string)) error {
	if len(f.all) == 0 {
		return nil
	}
	elements, err := f.all.take()
	if err != nil {
		return workers.Mark(err)
	}
	return f.writeFn.ProcessElement(ctx, 0, elements, emit)
}

// rowsApartFn is rowsFn for elements that arrive one by one.
type rowsApartFn struct {
	rowsFn
	Apart workers.Apart

	all gathered
}

// StartBundle forgets what a failed bundle left.
func (f *rowsApartFn) StartBundle(func(report.Row)) { f.all = nil }

// ProcessElement waits for the others.
func (f *rowsApartFn) ProcessElement(_ state.Provider, _ int, e outcomeElement, _ func(report.Row)) {
	f.all = append(f.all, e)
}

// FinishBundle emits the rows.
func (f *rowsApartFn) FinishBundle(ctx context.Context, emit func(report.Row)) error {
	if len(f.all) == 0 {
		return nil
	}
	elements, err := f.all.take()
	if err != nil {
		return workers.Mark(err)
	}
	return f.rowsFn.ProcessElement(ctx, 0, elements, emit)
}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[sliceLaneFn]())
	beam.RegisterDoFn(reflect.TypeFor[mergeApartFn]())
	beam.RegisterDoFn(reflect.TypeFor[writeApartFn]())
	beam.RegisterDoFn(reflect.TypeFor[rowsApartFn]())
	register.Function2x2(countOutcome)
}
