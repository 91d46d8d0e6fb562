package transforms

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"golang.org/x/sync/errgroup"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/runs"
)

// curves turns the sorted scores of labels into partials of the slices: large
// labels are cut into ranges of scores, whose runs are merged and swept from the
// highest to the lowest.
func curves(s beam.Scope, spec Spec, vocab, scoreRuns beam.PCollection) beam.PCollection {
	s = s.Scope("curves")
	cuts := beam.ParDo(s, &cutsFn{spec.workerScores()}, beam.GroupByKey(s, beam.ParDo(s, knotsOf, scoreRuns)))
	pieces, totals := beam.ParDo2(s, &cutFn{TempDir: spec.TempDir}, scoreRuns, beam.SideInput{Input: cuts})
	return beam.ParDo(s, &sweepFn{Spec: spec}, beam.GroupByKey(s, pieces),
		beam.SideInput{Input: vocab}, beam.SideInput{Input: totals})
}

// sweepFn sweeps the ranges of labels, and merges what it finds of each slice.
type sweepFn struct {
	Spec Spec

	params metrics.Params
	totals map[int]map[int]map[string]*runs.Totals // by label, range and slice
	pool   *errgroup.Group
	mutex  sync.Mutex
	found  map[string]*metrics.Partial
}

// ProcessElement sweeps a range, in a goroutine.
func (f *sweepFn) ProcessElement(ctx context.Context, at labelRange, pieces func(*scoreRun) bool, vocab Vocabulary, totals func(*rangeTotals) bool, _ func([]byte, partial)) error {
	if f.pool == nil {
		if err := f.begin(&vocab, totals); err != nil {
			return marked(err)
		}
	}
	var list []scoreRun
	var piece scoreRun
	for pieces(&piece) {
		list = append(list, piece)
	}
	f.pool.Go(func() (err error) {
		defer contain(ctx, fmt.Sprintf("curve of label %d", at.Label), &err)
		return f.sweep(at, list)
	})
	return nil
}

func (f *sweepFn) begin(vocab *Vocabulary, totals func(*rangeTotals) bool) error {
	f.pool = new(errgroup.Group)
	f.pool.SetLimit(runtime.GOMAXPROCS(0))
	f.found = make(map[string]*metrics.Partial)
	f.params = f.Spec.with(vocab).Params
	if err := f.params.Check(); err != nil { // and find the metrics but once
		return err
	}
	f.totals = make(map[int]map[int]map[string]*runs.Totals)
	var t rangeTotals
	for totals(&t) {
		ranges := f.totals[t.At.Label]
		if ranges == nil {
			ranges = make(map[int]map[string]*runs.Totals)
			f.totals[t.At.Label] = ranges
		}
		if ranges[t.At.Range] == nil {
			ranges[t.At.Range] = make(map[string]*runs.Totals)
		}
		merged := ranges[t.At.Range][t.Slice]
		if merged == nil {
			merged = new(runs.Totals)
			ranges[t.At.Range][t.Slice] = merged
		}
		merged.Positive.Merge(&t.Totals.Positive)
		merged.Negative.Merge(&t.Totals.Negative)
	}
	return nil
}

// sweep sweeps a range of a label.
func (f *sweepFn) sweep(at labelRange, pieces []scoreRun) error {
	data := make([][]byte, len(pieces))
	for i := range pieces {
		var err error
		if data[i], err = pieces[i].Data.read(); err != nil {
			return err
		}
	}
	keys, before, all, err := f.totalsOf(at, pieces, data)
	if err != nil {
		return err
	}
	tags := newTagTable(keys)
	merge := make([]runs.Run, len(pieces))
	for i := range pieces {
		merge[i] = runs.Run{Data: data[i], Tags: tags.of(&pieces[i])}
	}
	params := f.params // a copy for this goroutine
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
// ranges and in all of them.
func (f *sweepFn) totalsOf(at labelRange, pieces []scoreRun, data [][]byte) (keys []string, before, all []runs.Totals, err error) {
	ranges := f.totals[at.Label]
	if ranges == nil { // the only one
		only := make(map[string]*runs.Totals)
		for i := range pieces {
			err := pieces[i].total(data[i], func(slice string, positive bool, rows *exact.Tally) {
				if only[slice] == nil {
					only[slice] = new(runs.Totals)
				}
				addTotals(only[slice], positive, rows)
			})
			if err != nil {
				return nil, nil, nil, err
			}
		}
		ranges = map[int]map[string]*runs.Totals{at.Range: only}
	}
	met := make(map[string]bool)
	for _, slices := range ranges {
		for slice := range slices {
			met[slice] = true
		}
	}
	keys = slices.Sorted(maps.Keys(met))
	before, all = make([]runs.Totals, len(keys)), make([]runs.Totals, len(keys))
	for i, key := range keys {
		for number, slices := range ranges {
			t := slices[key]
			if t == nil {
				continue
			}
			all[i].Positive.Merge(&t.Positive)
			all[i].Negative.Merge(&t.Negative)
			if number < at.Range {
				before[i].Positive.Merge(&t.Positive)
				before[i].Negative.Merge(&t.Negative)
			}
		}
	}
	return keys, before, all, nil
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
func (f *sweepFn) FinishBundle(_ context.Context, _ Vocabulary, _ func(*rangeTotals) bool, emit func([]byte, partial)) error {
	if f.pool == nil {
		return nil
	}
	err := f.pool.Wait()
	f.pool, f.totals = nil, nil
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
	register.DoFn6x1[context.Context, labelRange, func(*scoreRun) bool, Vocabulary, func(*rangeTotals) bool, func([]byte, partial), error](&sweepFn{})
	register.Iter1[scoreRun]()
	register.Iter1[rangeTotals]()
}
