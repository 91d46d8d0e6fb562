package ranges

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/scoreruns"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// CollectFn traces the curves of each range of scores, and merges the results of each slice.
type CollectFn struct {
	Job shuffle.Job

	workers.Bundle[*worker]

	complete *metrics.Params // the job's Params with the labels, after the first range
	plan     *metrics.CurvePlan
}

// ProcessElement submits a range. It blocks until a goroutine is free.
func (f *CollectFn) ProcessElement(ctx context.Context, _ int, pieces func(*Piece) bool, emit func([]byte, shuffle.Partial)) error {
	var all []Piece
	var p Piece
	for pieces(&p) {
		all = append(all, p)
	}
	err := f.submit(ctx, all)
	if err == nil && f.Job.Windowed {
		f.plan = nil // another window may have other labels
		return f.FinishBundle(ctx, emit)
	}
	return err
}

// submit submits the pieces of a range.
func (f *CollectFn) submit(ctx context.Context, pieces []Piece) error {
	found := newTraced(&f.Job)
	newWorker := func() (*worker, error) { return &worker{found: found}, nil }
	return f.Do(ctx, f.Job.Goroutines, newWorker, func(p *workers.Pool[*worker]) error {
		in, err := f.input(pieces)
		if err != nil || len(in.scores) == 0 {
			return err
		}
		return p.Submit("a range of the scores", func(_ context.Context, w *worker) error { return w.collect(in) })
	})
}

// rangeInput is the input of one range.
type rangeInput struct {
	params         *metrics.Params // complete
	plan           *metrics.CurvePlan
	scores, totals []Piece
	most           int // the approximate number of scores that are sorted at a time
}

func (f *CollectFn) input(pieces []Piece) (*rangeInput, error) {
	in := &rangeInput{most: scoresIn(f.Job.RangeBytes)}
	labels := 0
	for _, p := range pieces {
		labels = max(labels, p.Labels)
		if p.Scores.Empty() {
			in.totals = append(in.totals, p)
		} else {
			in.scores = append(in.scores, p)
		}
	}
	if f.plan == nil {
		complete := f.Job.Params
		complete.Labels = labels
		if err := complete.Complete(); err != nil { // complete now, so that the metrics are looked up only once
			return nil, err
		}
		plan, err := complete.CurvePlan()
		if err != nil {
			return nil, err
		}
		f.complete, f.plan = &complete, plan
	}
	in.params, in.plan = f.complete, f.plan
	return in, nil
}

// FinishBundle waits for the goroutines and emits the partial of each slice.
func (f *CollectFn) FinishBundle(_ context.Context, emit func([]byte, shuffle.Partial)) error {
	return f.Finish(func(all []*worker) error {
		found := all[0].found.partials // all workers share it
		for _, key := range slices.Sorted(maps.Keys(found)) {
			emit([]byte(key), *found[key])
			delete(found, key) // the runner copies the partial: with many slices, two copies of each would fill the memory
		}
		return nil
	})
}

// traced holds the curves of slices, as partials by key. Goroutines share it, because with many slices and
// labels it takes most of the memory.
type traced struct {
	lock     sync.Mutex
	partials map[string]*shuffle.Partial
	job      *shuffle.Job
}

func newTraced(j *shuffle.Job) *traced {
	return &traced{partials: make(map[string]*shuffle.Partial), job: j}
}

// add adds the curves that were traced.
func (t *traced) add(list []curve, of *metrics.Collector) {
	t.lock.Lock()
	defer t.lock.Unlock()
	for i := range of.Traced() {
		into := t.partials[list[i].slice]
		if into == nil {
			none := shuffle.NewPartial()
			into = &none
			t.partials[list[i].slice] = into
		}
		of.AddTo(into.NewCurves(list[i].without), i)
		if t.job.HasIntervals(list[i].slice) {
			of.AddBinsTo(i, into.NewStats)
		}
	}
}

// bests returns, for each curve of a label, the best points found so far.
func (t *traced) bests(list []curve, plan *metrics.CurvePlan, label int) []curves.Bests {
	t.lock.Lock()
	defer t.lock.Unlock()
	bests := make([]curves.Bests, len(list))
	for i, c := range list {
		if p := t.partials[c.slice]; p != nil {
			if traced := p.Curves(c.without); traced != nil {
				bests[i] = plan.Bests(label, traced)
			}
		}
	}
	return bests
}

// worker processes ranges in one goroutine.
type worker struct {
	found     *traced
	tags      *tagTable // of the last range
	sorter    scoreruns.Sorter
	tracer    curves.Tracer
	collector metrics.Collector
	buffer    []byte // reused for the scores of pieces
}

// collect decodes the input of a range, sorts its scores and traces their curves.
func (w *worker) collect(in *rangeInput) error {
	told := make([]*rangeTotals, len(in.totals))
	for i := range in.totals {
		var err error
		if told[i], err = in.totals[i].totals(); err != nil {
			return err
		}
	}
	of := curvesOf(told)
	if classes := in.params.CurveClasses(); w.tags == nil || !w.tags.fits(of.keys, classes) {
		w.tags = newTagTable(of.keys, classes)
	}
	common := make([][]uint32, len(in.scores)) // by piece, the common tags
	for i := range in.scores {
		var err error
		if common[i], err = w.tags.of(&in.scores[i]); err != nil {
			return err
		}
	}
	w.tracer.Tags, w.tracer.Folds = w.tags.tags, of.folds
	labels := max(in.params.Labels, 1) + 1 // the last label is metrics.TopClass or metrics.CostLabel
	return w.sort(in, labels, len(w.tags.tags), common, func(sorted *scoreruns.Sorted) error { return w.collectLabels(in, of, sorted) })
}

// sort sorts the scores of a range, and calls do with each part of them, from the highest score down. common has the
// common tags of the tags of each piece.
func (w *worker) sort(in *rangeInput, labels, tags int, common [][]uint32, do func(*scoreruns.Sorted) error) error {
	parts, err := w.parts(in)
	if err != nil {
		return err
	}
	for _, part := range parts {
		w.sorter.Start(min(in.entries()/len(parts), in.most), labels, tags, part)
		err := w.read(in.scores, func(i int, data []byte) error { return w.sorter.Add(scoreruns.Run{Data: data, Tags: common[i]}) })
		if err != nil {
			return err
		}
		if err := do(w.sorter.Sort()); err != nil {
			return err
		}
	}
	return nil
}

// read reads the scores of the pieces, one after the other.
func (w *worker) read(pieces []Piece, each func(i int, data []byte) error) error {
	for i := range pieces {
		data, err := pieces[i].Scores.ReadInto(w.buffer)
		if err != nil {
			return err
		}
		if pieces[i].Scores.File != "" {
			w.buffer = data
		}
		if err := each(i, data); err != nil {
			return fmt.Errorf("piece %d: %w", i, err)
		}
	}
	return nil
}

// entries returns an upper limit of the number of scores of the range.
func (in *rangeInput) entries() (n int) {
	for i := range in.scores {
		n += max(in.scores[i].Entries, 0)
	}
	return n
}

// parts returns the intervals in which a range is traced, one after the other. Usually there is one
// interval. If the sample was bad or missing, the range is divided again.
func (w *worker) parts(in *rangeInput) ([]scoreruns.Range, error) {
	n := in.entries()
	if n <= 2*in.most {
		return []scoreruns.Range{scoreruns.Everything}, nil
	}
	sample := scoreruns.Sample{Every: max(n/partKnots, 1)}
	err := w.read(in.scores, func(_ int, data []byte) error { return sample.Add(data) })
	return scoreruns.Ranges(scoreruns.Bounds(sample.Knots, (n+in.most-1)/in.most)), err
}

// partKnots is the approximate number of scores that are sampled to divide a range; see scoreruns.Knot.
const partKnots = 1 << 16

// collectLabels traces the curves of all labels.
func (w *worker) collectLabels(in *rangeInput, of *rangeCurves, all *scoreruns.Sorted) error {
	byLabel := func(int) *scoreruns.Sorted { return all }
	if len(in.params.ScoredLabels()) > 1 {
		byLabel = w.sorter.ByLabel()
	}
	for _, label := range in.params.CurveLabels() {
		sorted := all
		if label != metrics.PooledLabel {
			sorted = byLabel(in.params.LabelNumber(label))
		}
		if err := w.collectLabel(in, label, of, sorted); err != nil {
			return err
		}
	}
	return nil
}

// collectLabel traces the curves of a label in one part of a range. It adds the traced examples to
// labelTotals.above, from which the next part starts.
func (w *worker) collectLabel(in *rangeInput, label int, of *rangeCurves, sorted *scoreruns.Sorted) error {
	if sorted.Len() == 0 {
		return nil
	}
	totals := of.totals[label]
	if totals == nil {
		return errors.New("scores of a label without totals")
	}
	w.tracer.Totals = totals.above
	known := w.found.bests(of.curves, in.plan, label)
	if err := w.collector.Collect(in.plan, label, &w.tracer, totals.all, known, sorted); err != nil {
		return err
	}
	w.found.add(of.curves, &w.collector)
	return nil
}

// Finish releases all memory except the partials, because the runner will copy them.
func (w *worker) Finish() error {
	*w = worker{found: w.found}
	return nil
}

// Abandon does nothing: there are no temporary data.
func (w *worker) Abandon() {}

// CollectPerKeyFn is CollectFn for pieces that arrive one by one, with one bundle for each lane of ranges; see
// workers.BundlePerKey. All pieces of a range in one element would fill the buffers of the runner.
type CollectPerKeyFn struct {
	CollectFn
	PerKey workers.BundlePerKey

	ranges map[int][]Piece
}

// OneByOne returns a CollectPerKeyFn.
func (f *CollectFn) OneByOne() any {
	return &CollectPerKeyFn{CollectFn: CollectFn{Job: f.Job}, PerKey: workers.NewBundlePerKey()}
}

// StartBundle discards the remains of a failed bundle.
func (f *CollectPerKeyFn) StartBundle(func([]byte, shuffle.Partial)) {
	f.ranges = make(map[int][]Piece)
}

// ProcessElement keeps a piece.
func (f *CollectPerKeyFn) ProcessElement(_ state.Provider, _ int, p Piece, _ func([]byte, shuffle.Partial)) {
	f.ranges[p.Range] = append(f.ranges[p.Range], p)
}

// FinishBundle traces the curves of the ranges, and emits the partial of each slice.
func (f *CollectPerKeyFn) FinishBundle(ctx context.Context, emit func([]byte, shuffle.Partial)) error {
	for _, at := range slices.Sorted(maps.Keys(f.ranges)) {
		if err := f.submit(ctx, f.ranges[at]); err != nil {
			return err
		}
		delete(f.ranges, at)
	}
	return f.CollectFn.FinishBundle(ctx, emit)
}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[CollectFn]())
	beam.RegisterDoFn(reflect.TypeFor[CollectPerKeyFn]())
}
