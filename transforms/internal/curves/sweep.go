package curves

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/runs"
	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// SweepFn sweeps ranges of labels, and merges what it finds for each slice.
type SweepFn struct {
	Params     metrics.Params
	Goroutines int

	workers.Bundle[*sweeper]
}

// ProcessElement has a range swept, once a goroutine is free.
func (f *SweepFn) ProcessElement(ctx context.Context, at Range, pieces func(*Piece) bool, _ func([]byte, element.Partial)) error {
	newWorker := func() (*sweeper, error) { return &sweeper{make(map[string]*metrics.Partial)}, nil }
	return f.Do(ctx, f.Goroutines, newWorker, func(p *workers.Pool[*sweeper]) error {
		in, err := f.input(at, pieces)
		if err != nil {
			return err
		}
		return p.Submit(fmt.Sprintf("curve of label %d", at.Label), func(_ context.Context, w *sweeper) error { return w.sweep(in) })
	})
}

// rangeInput is what the sweep of a range needs.
type rangeInput struct {
	params metrics.Params
	label  int
	runs   []Run
	totals []sliceTotals // nil if it is the label's only range
}

func (f *SweepFn) input(at Range, pieces func(*Piece) bool) (*rangeInput, error) {
	in := &rangeInput{label: at.Label}
	var p Piece
	for pieces(&p) {
		if len(p.Totals) > 0 {
			in.totals = p.Totals
		} else {
			in.runs = append(in.runs, p.Run)
		}
	}
	if len(in.runs) == 0 {
		return nil, fmt.Errorf("no scores in range %d of label %d", at.Range, at.Label)
	}
	f.Params.Labels = in.runs[0].Labels
	err := f.Params.Complete() // now, so that the metrics are found only once
	in.params = f.Params
	return in, err
}

// FinishBundle waits for the sweeps and emits the partial of each slice.
func (f *SweepFn) FinishBundle(_ context.Context, emit func([]byte, element.Partial)) error {
	return f.Finish(func(sweepers []*sweeper) error {
		all := sweepers[0]
		for _, from := range sweepers[1:] {
			for key, p := range from.found {
				all.merge(key, p)
			}
		}
		for _, key := range slices.Sorted(maps.Keys(all.found)) {
			emit([]byte(key), element.Partial{Stats: all.found[key]})
		}
		return nil
	})
}

// sweeper has what one goroutine found, by the keys of slices.
type sweeper struct{ found map[string]*metrics.Partial }

func (w *sweeper) merge(key string, p *metrics.Partial) {
	if into := w.found[key]; into != nil {
		into.Merge(p)
	} else {
		w.found[key] = p
	}
}

// sweep reads the data of a range, sorts its runs and sweeps them.
func (w *sweeper) sweep(in *rangeInput) error {
	data, tables := make([][]byte, len(in.runs)), make([]*sliceTable, len(in.runs))
	only := make(totalsBySlice)
	for i := range in.runs {
		run := &in.runs[i]
		var err error
		if data[i], err = run.Data.Read(); err != nil {
			return err
		}
		if tables[i], err = run.slices(); err != nil {
			return err
		}
		if in.totals == nil {
			if err := only.add(run, tables[i], data[i]); err != nil {
				return err
			}
		}
	}
	totals := in.totals
	if totals == nil {
		totals = perRange([]totalsBySlice{only})[0]
	}
	keys := make([]string, len(totals))
	above, all := make([]runs.Totals, len(totals)), make([]runs.Totals, len(totals))
	for i := range totals {
		keys[i], above[i], all[i] = totals[i].Slice, totals[i].Above, totals[i].All
	}
	tags := newTagTable(keys, in.runs[0].Classes)
	list := make([]runs.Run, len(in.runs))
	for i := range in.runs {
		list[i] = runs.Run{Data: data[i], Tags: tags.common(&in.runs[i], tables[i])}
	}
	sorted, err := runs.Sort(list)
	if err != nil {
		return err
	}
	found, err := in.params.Sweep(in.label, &curves.Sweep{Tags: tags.tags, Totals: above}, all, sorted)
	if err != nil {
		return err
	}
	for i, p := range found {
		if p != nil {
			w.merge(keys[i], p)
		}
	}
	return nil
}

// Finish has nothing to do.
func (w *sweeper) Finish() error { return nil }

// Abandon has nothing to remove.
func (w *sweeper) Abandon() {}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[SweepFn]())
	register.Iter1[Piece]()
}
