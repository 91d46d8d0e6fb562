package quantiles

import (
	"context"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// collector counts the numbers of columns in rows that have weight. It must be used by a single goroutine.
type collector struct {
	columns   []string
	weight    string // the column of the weight, or ""
	dicts     batches.Dictionaries
	constants shuffle.Constants
	tallies   Tallies
}

func newCollector(columns []string, weight string, constants shuffle.Constants) *collector {
	return &collector{columns: columns, weight: weight, constants: constants, dicts: make(batches.Dictionaries), tallies: newTallies(len(columns))}
}

// collect counts the numbers of a row group. The value of a hive-style key counts once for each
// row.
func (c *collector) collect(ctx context.Context, s *batches.OpenShard, group int) error {
	names := s.Columns(&input.Columns{Weight: c.weight}, c.columns)
	reader := batches.Reader{Names: names, Constants: c.constants, Dicts: c.dicts, Rows: batches.Values}
	weighty := s.Rows(group)
	err := reader.Read(ctx, s, group, func(_ *columns.Numbers, rows int, cols []*columns.Column) error {
		weightless := func(int) bool { return false }
		if w := cols[roles.Weight]; w != nil {
			weightless = func(r int) bool { return isZero(w, r) }
		}
		for r := range rows {
			if weightless(r) {
				weighty--
			}
		}
		c.add(rows, weightless, cols[roles.Count:])
		return nil
	})
	for i, name := range names[roles.Count:] {
		if name != "" {
			continue
		}
		for _, key := range s.Keys {
			if key.Name == c.columns[i] && !key.Null {
				c.tallies.addText(i, key.Value, weighty)
			}
		}
	}
	return err
}

// isZero reports whether a row of a column is the number 0.
func isZero(col *columns.Column, row int) bool {
	switch {
	case col.IsNull(row):
		return false
	case col.Type == columns.Int:
		return col.Ints[row] == 0
	}
	return col.Type == columns.Float && col.Floats[row] == 0
}

// add counts the numbers of columns in rows that are not weightless. Columns may be nil.
func (c *collector) add(rows int, weightless func(row int) bool, cols []*columns.Column) {
	for i, col := range cols {
		if col == nil {
			continue
		}
		for r := range rows {
			if col.IsNull(r) || weightless(r) {
				continue
			}
			switch col.Type {
			case columns.Float:
				c.tallies.add(i, col.Floats[r], 1)
			case columns.Int:
				c.tallies.add(i, float64(col.Ints[r]), 1)
			case columns.String:
				c.tallies.addText(i, col.Dict.Values()[col.Codes[r]], 1)
			}
		}
	}
}

// Finish does nothing: all numbers are counted at once.
func (c *collector) Finish() error { return nil }

// Abandon does nothing: there are no temporary data.
func (c *collector) Abandon() {}

// TallyFn counts the numbers in those columns of cuts that shards have.
type TallyFn struct {
	Job  shuffle.Job
	Cuts shuffle.Cuts
	Of   []string // the columns that these shards have

	workers.Bundle[*collector]
}

// ProcessElement submits the row groups of a shard to the pool.
func (f *TallyFn) ProcessElement(ctx context.Context, shard input.Shard, _ func(Tallies)) error {
	weight := f.Job.Columns.Weight
	if f.Job.Truth.Has(f.Of...) { // the weight is in the other files
		weight = ""
	}
	newWorker := func() (*collector, error) { return newCollector(f.Of, weight, f.Job.Constants), nil }
	return f.Do(ctx, 0, newWorker, func(p *workers.Pool[*collector]) error {
		return batches.ReadShard(ctx, p, shard, func(ctx context.Context, c *collector, s *batches.OpenShard, group int) error {
			return c.collect(ctx, s, group)
		})
	})
}

// FinishBundle waits for the pool and emits the tallies of all workers.
func (f *TallyFn) FinishBundle(_ context.Context, emit func(Tallies)) error {
	return f.Finish(func(collectors []*collector) error {
		emitTallies(Columns(&f.Cuts), collectors, emit)
		return nil
	})
}

// emitTallies emits the tallies of collectors, in the order of all columns.
func emitTallies(all []string, collectors []*collector, emit func(Tallies)) {
	sum := newTallies(len(all))
	for _, c := range collectors {
		for i, column := range c.columns {
			sum.merge(slices.Index(all, column), &c.tallies.list[i])
		}
	}
	emit(sum)
}

// Columns returns the columns of cuts without duplicates.
func Columns(cuts *shuffle.Cuts) []string {
	var names []string
	for _, cut := range cuts.List {
		names = append(names, cut.Column)
	}
	return slices.Compact(names)
}

// TallyPredictionsFn counts the numbers of slice columns of predictions in memory.
type TallyPredictionsFn struct {
	Cuts shuffle.Cuts

	collector *collector
}

// ProcessElement counts the numbers of a prediction.
func (f *TallyPredictionsFn) ProcessElement(p input.Prediction, _ func(Tallies)) {
	if f.collector == nil {
		f.collector = newCollector(Columns(&f.Cuts), "", shuffle.Constants{})
	}
	if p.Weight != nil && *p.Weight == 0 {
		return
	}
	for i, column := range f.collector.columns {
		if text, ok := p.Slices[column]; ok {
			f.collector.tallies.addText(i, text, 1)
		}
	}
}

// FinishBundle emits the tallies.
func (f *TallyPredictionsFn) FinishBundle(emit func(Tallies)) {
	if f.collector != nil {
		emitTallies(f.collector.columns, []*collector{f.collector}, emit)
		f.collector = nil
	}
}

// TallyWindowFn is TallyPredictionsFn for the predictions of one lane and window.
type TallyWindowFn struct{ TallyPredictionsFn }

// ProcessElement counts the numbers of all of the predictions.
func (f *TallyWindowFn) ProcessElement(_ int, predictions func(*input.Prediction) bool, emit func(Tallies)) {
	var p input.Prediction
	for predictions(&p) {
		f.TallyPredictionsFn.ProcessElement(p, emit)
	}
	f.FinishBundle(emit)
}

// NoTallies emits the tallies of no rows, so that there are cuts even without rows.
func NoTallies([]byte) Tallies { return Tallies{} }

// MergeFn merges tallies.
type MergeFn struct{}

// CreateAccumulator returns empty tallies.
func (MergeFn) CreateAccumulator() Tallies { return Tallies{} }

// AddInput merges tallies into an accumulator.
func (MergeFn) AddInput(acc, in Tallies) Tallies {
	if len(acc.list) == 0 {
		acc = newTallies(len(in.list))
	}
	for i := range in.list {
		acc.merge(i, &in.list[i])
	}
	return acc
}

// MergeAccumulators merges two accumulators.
func (f MergeFn) MergeAccumulators(a, b Tallies) Tallies { return f.AddInput(a, b) }

// CutFn finds where the quantiles divide the numbers.
type CutFn struct{ Cuts shuffle.Cuts }

// ProcessElement emits the cuts, as an input of tasks, given the tallies of all numbers.
func (f *CutFn) ProcessElement(all Tallies, emit func(shuffle.TaskInput)) {
	cuts := shuffle.Cuts{List: slices.Clone(f.Cuts.List)}
	columns := Columns(&cuts)
	for i := range cuts.List {
		cut := &cuts.List[i]
		of := new(curves.Histogram) // stays empty if there are no rows
		if at := slices.Index(columns, cut.Column); at < len(all.list) {
			of = &all.list[at]
		}
		if cut.Whole == 0 || len(of.Points()) > cut.Whole {
			cut.Bins = bounds(of, cut.Quantiles)
		}
	}
	emit(shuffle.TaskInput{Cuts: &cuts})
}

func init() {
	shuffle.Register(talliesFields)
	beam.RegisterDoFn(reflect.TypeFor[TallyFn]())
	beam.RegisterDoFn(reflect.TypeFor[TallyPredictionsFn]())
	beam.RegisterDoFn(reflect.TypeFor[TallyWindowFn]())
	beam.RegisterDoFn(reflect.TypeFor[CutFn]())
	register.Function1x1(NoTallies)
	register.Combiner1[Tallies](&MergeFn{})
	register.Emitter1[Tallies]()
	register.Emitter1[shuffle.TaskInput]()
}
