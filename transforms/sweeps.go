package transforms

import (
	"context"
	"fmt"
	"maps"
	"reflect"
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
	// None of these has a side input: see task.go.
	cuts := beam.ParDo(s, &cutsFn{spec.workerScores()}, beam.GroupByKey(s, beam.ParDo(s, withoutData, scoreRuns)))
	pieces := beam.ParDo(s, &cutFn{TempDir: spec.TempDir}, beam.CoGroupByKey(s, cuts, scoreRuns))
	return beam.ParDo(s, &sweepFn{Params: spec.Params}, beam.GroupByKey(s, pieces))
}

// sweepFn sweeps the ranges of labels, and merges what it finds of each slice.
// Ranges are spread over all cores of the worker, each of which holds the data
// of one.
type sweepFn struct {
	Params metrics.Params

	pool  *errgroup.Group
	ctx   context.Context // of the pool
	mutex sync.Mutex
	found map[string]*metrics.Partial
}

// ProcessElement sweeps a range in a goroutine, once one is free.
func (f *sweepFn) ProcessElement(ctx context.Context, at labelRange, pieces func(*piece) bool, _ func([]byte, partial)) error {
	if f.pool == nil {
		f.pool, f.ctx = errgroup.WithContext(ctx)
		f.pool.SetLimit(runtime.GOMAXPROCS(0))
		f.found = make(map[string]*metrics.Partial)
	}
	if err := f.submit(ctx, at, pieces); err != nil {
		f.Teardown()
		return marked(err)
	}
	return nil
}

func (f *sweepFn) submit(ctx context.Context, at labelRange, pieces func(*piece) bool) error {
	if f.ctx.Err() != nil {
		if err := f.pool.Wait(); err != nil { // another range failed
			return err
		}
		return ctx.Err()
	}
	var list []scoreRun
	var totals []sliceTotals
	var p piece
	for pieces(&p) {
		if len(p.Totals) > 0 {
			totals = p.Totals
		} else {
			list = append(list, p.Run)
		}
	}
	if len(list) == 0 {
		return fmt.Errorf("no scores in range %d of label %d", at.Range, at.Label)
	}
	f.Params.Labels = list[0].Labels
	if err := f.Params.Complete(); err != nil { // and find the metrics but once
		return err
	}
	params, poolCtx := f.Params, f.ctx
	f.pool.Go(func() (err error) {
		defer contain(ctx, fmt.Sprintf("curve of label %d", at.Label), &err)
		if err := poolCtx.Err(); err != nil {
			return err
		}
		return f.sweep(&params, at, list, totals)
	})
	return nil
}

// Teardown waits for what a failed bundle left, if it was the last.
func (f *sweepFn) Teardown() {
	if f.pool != nil {
		_ = f.pool.Wait() // whatever it found is not wanted
		f.pool, f.found = nil, nil
	}
}

// sweep sweeps a range of a label.
func (f *sweepFn) sweep(params *metrics.Params, at labelRange, pieces []scoreRun, totals []sliceTotals) error {
	in, err := readRange(pieces)
	if err != nil {
		return err
	}
	if totals == nil {
		if totals, err = in.totals(); err != nil {
			return err
		}
	}
	keys := make([]string, len(totals))
	above, all := make([]runs.Totals, len(totals)), make([]runs.Totals, len(totals))
	for i := range totals {
		keys[i], above[i], all[i] = totals[i].Slice, totals[i].Above, totals[i].All
	}
	tags, merge := in.merge(keys)
	found, err := params.Sweep(at.Label, &runs.Sweep{Tags: tags, Totals: above}, all, merge)
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

// FinishBundle waits for the sweeps and emits the partial of each slice.
func (f *sweepFn) FinishBundle(_ context.Context, emit func([]byte, partial)) error {
	if f.pool == nil {
		return nil
	}
	defer f.Teardown()
	if err := f.pool.Wait(); err != nil {
		return marked(err)
	}
	for _, slice := range slices.Sorted(maps.Keys(f.found)) {
		emit([]byte(slice), partial{stats: f.found[slice]})
	}
	return nil
}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[sweepFn]())
	register.Iter1[piece]()
}
