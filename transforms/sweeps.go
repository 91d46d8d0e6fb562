package transforms

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"golang.org/x/sync/errgroup"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/runs"
)

// curves turns the sorted scores of labels into partials of the slices: large
// labels are cut into ranges of scores, whose runs are merged and swept from the
// highest to the lowest.
func curves(s beam.Scope, spec Spec, scoreRuns beam.PCollection) beam.PCollection {
	s = s.Scope("curves")
	// None of these has a side input: see foldFn.
	cuts := beam.ParDo(s, &cutsFn{spec.workerScores()}, beam.GroupByKey(s, beam.ParDo(s, withoutData, scoreRuns)))
	pieces := beam.ParDo(s, &cutFn{TempDir: spec.TempDir}, beam.CoGroupByKey(s, cuts, scoreRuns))
	return beam.ParDo(s, &sweepFn{Params: spec.Params}, beam.GroupByKey(s, pieces))
}

// sweepFn sweeps the ranges of labels, and merges what it finds of each slice.
type sweepFn struct {
	Params metrics.Params

	pool  *errgroup.Group
	mutex sync.Mutex
	found map[string]*metrics.Partial
}

// ProcessElement sweeps a range, in a goroutine.
func (f *sweepFn) ProcessElement(ctx context.Context, at labelRange, pieces func(*piece) bool, _ func([]byte, partial)) error {
	if f.pool == nil {
		f.pool = new(errgroup.Group)
		f.pool.SetLimit(runtime.GOMAXPROCS(0))
		f.found = make(map[string]*metrics.Partial)
	}
	var list []scoreRun
	var totals []rangeTotals
	var p piece
	for pieces(&p) {
		if p.Totals != nil {
			totals = p.Totals
		} else {
			list = append(list, p.Run)
		}
	}
	params := f.Params
	params.Labels = list[0].Labels
	if err := params.Check(); err != nil { // and find the metrics but once
		return marked(err)
	}
	f.Params = params
	f.pool.Go(func() (err error) {
		defer contain(ctx, fmt.Sprintf("curve of label %d", at.Label), &err)
		return f.sweep(params, at, list, totals)
	})
	return nil
}

// Teardown waits for what a failed bundle left, if it was the last.
func (f *sweepFn) Teardown() {
	if f.pool != nil {
		_ = f.pool.Wait()
		f.pool = nil
	}
}

// sweep sweeps a range of a label.
func (f *sweepFn) sweep(params metrics.Params, at labelRange, pieces []scoreRun, totals []rangeTotals) error {
	data := make([][]byte, len(pieces))
	for i := range pieces {
		var err error
		if data[i], err = pieces[i].Data.read(); err != nil {
			return err
		}
	}
	keys, before, all, err := totalsOf(at, pieces, data, totals)
	if err != nil {
		return err
	}
	tags := newTagTable(keys)
	merge := make([]runs.Run, len(pieces))
	for i := range pieces {
		merge[i] = runs.Run{Data: data[i], Tags: tags.of(&pieces[i])}
	}
	found, err := params.Sweep(at.Label, &runs.Sweep{Tags: tags.tags, Totals: before}, all, runs.NewMerge(merge))
	if err != nil {
		return err
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	for i, p := range found {
		switch into := f.found[keys[i]]; {
		case p == nil:
		case into == nil:
			f.found[keys[i]] = p
		default:
			into.Merge(p)
		}
	}
	return nil
}

// totalsOf returns the slices of a label, and of each the examples in higher
// ranges and in all of them. Without totals there is one range.
func totalsOf(at labelRange, pieces []scoreRun, data [][]byte, totals []rangeTotals) (keys []string, before, all []runs.Totals, err error) {
	if totals == nil {
		only := make(map[int]map[string]*runs.Totals)
		for i := range pieces {
			if err := count(only, at.Range, &pieces[i], data[i]); err != nil {
				return nil, nil, nil, err
			}
		}
		for slice, t := range only[at.Range] {
			totals = append(totals, rangeTotals{at.Range, slice, *t})
		}
	}
	for i := range totals {
		keys = append(keys, totals[i].Slice)
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	before, all = make([]runs.Totals, len(keys)), make([]runs.Totals, len(keys))
	for i := range totals {
		t := &totals[i]
		slice, _ := slices.BinarySearch(keys, t.Slice)
		addAll(&all[slice], &t.Totals)
		if t.Range < at.Range {
			addAll(&before[slice], &t.Totals)
		}
	}
	return keys, before, all, nil
}

func addAll(into, from *runs.Totals) {
	into.Positive.Merge(&from.Positive)
	into.Negative.Merge(&from.Negative)
}

// tagTable numbers the tags of several runs.
type tagTable struct {
	slices  map[string]int32
	numbers map[string]uint32 // by slices and class
	tags    []runs.Tag
}

func newTagTable(keys []string) *tagTable {
	t := &tagTable{slices: make(map[string]int32), numbers: make(map[string]uint32)}
	for i, key := range keys {
		t.slices[key] = int32(i)
	}
	return t
}

// of returns the common tags of the tags of a run. In pooled runs the classes are
// 1, which is positive, and 0.
func (t *tagTable) of(run *scoreRun) []uint32 {
	common := make([]uint32, len(run.Cells)*run.Classes)
	for cell, keys := range run.Cells {
		var list []int32
		for _, key := range keys {
			if slice, met := t.slices[key]; met {
				list = append(list, slice)
			}
		}
		slices.Sort(list)
		for class := range run.Classes {
			c := class
			if run.Label == metrics.PooledLabel {
				c = 0
				if class == run.positive() {
					c = 1
				}
			}
			common[cell*run.Classes+class] = t.number(list, int32(c))
		}
	}
	return common
}

func (t *tagTable) number(list []int32, class int32) uint32 {
	var w writer
	w.int(int(class))
	writeList(&w, list, func(slice int32) { w.int(int(slice)) })
	number, found := t.numbers[string(w.buf)]
	if !found {
		number = uint32(len(t.tags))
		t.numbers[string(w.buf)] = number
		t.tags = append(t.tags, runs.Tag{Class: class, Slices: list})
	}
	return number
}

// FinishBundle waits for the sweeps and emits the partial of each slice.
func (f *sweepFn) FinishBundle(_ context.Context, emit func([]byte, partial)) error {
	if f.pool == nil {
		return nil
	}
	err := f.pool.Wait()
	f.pool = nil
	if err != nil {
		return marked(err)
	}
	for slice, p := range f.found {
		emit([]byte(slice), partial{stats: p})
	}
	f.found = nil
	return nil
}

func init() {
	register.DoFn4x1[context.Context, labelRange, func(*piece) bool, func([]byte, partial), error](&sweepFn{})
	register.Iter1[piece]()
}
