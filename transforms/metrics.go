package transforms

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// evaluateFn computes the metrics of slices where their statistics are merged, so that all workers of
// a cluster take part and the single writer of the report only joins and encodes rows. In one process
// the writer computes them itself, with all cores.
//
// It needs all labels. If they are only found in the data, the writer, which receives them, evaluates.
type evaluateFn struct {
	Spec settled

	out *evaluable // without slices: what is the same for all of them, found once
}

// ProcessElement emits a slice with its metrics, and drops statistics that nothing else needs. If
// the metrics cannot be computed, it emits the slice as it is, and the writer fails: only the
// writer knows whether a bad row is to blame.
func (f *evaluateFn) ProcessElement(key []byte, p shuffle.Partial) (_ int, e outcomeElement, err error) {
	if f.out == nil {
		if f.out, err = readOutcome(&f.Spec, func(*outcomeElement) bool { return false }); err != nil {
			return 0, e, workers.Mark(err)
		}
	}
	if e, err = f.out.evaluated(key, p); err != nil {
		_, e, err = sliceOutcome(key, p)
	}
	return 0, e, workers.Mark(err)
}

// evaluated returns the element of a slice with its metrics. Other steps may share p.
func (out *evaluable) evaluated(encoded []byte, p shuffle.Partial) (e outcomeElement, err error) {
	defer workers.Contain("computing metrics", &err)
	key, before, err := shuffle.Key(encoded)
	if err != nil {
		return e, err
	}
	p.Folds = slices.Clone(p.Folds)
	out.own(string(encoded), &p)
	if len(p.Folds) > 0 {
		of := p.Stats
		p.Stats = new(metrics.Partial)
		p.Stats.Merge(of)
		joinFolds(&p)
	}
	by := out
	if before {
		by = out.baseline
	}
	var found evaluatedRows
	if found.rows, found.labels, err = by.rows(key, &p); err != nil {
		return e, err
	}
	switch {
	case before: // the report shows nothing else
		p = shuffle.NewPartial()
	case len(key) > 0:
		p.Folds = out.forHistograms(p.Folds)
	}
	if _, e, err = sliceOutcome(encoded, p); err != nil {
		return e, err
	}
	e.Rows, err = wire.Encode(&found, evaluatedFields)
	return e, err
}

// forHistograms returns what the score histograms of a slice need of its folds: once metrics are
// computed, nothing needs the rest, except that the report has digests of the overall slice's
// folds.
func (out *evaluable) forHistograms(folds []shuffle.Fold) (kept []shuffle.Fold) {
	for _, g := range folds {
		if g.Stats == nil {
			continue
		}
		if stats := out.spec.Params.ForScoreHistograms(g.Stats); stats != nil {
			kept = append(kept, shuffle.Fold{Number: g.Number, Stats: stats})
		}
	}
	return kept
}

// evaluatedRows are the metric rows of a slice, and the labels that have any.
type evaluatedRows struct {
	rows   []report.Row
	labels []int
}

// evaluatedFields lists the fields for a coder. Texts, which repeat in nearly all rows, come first and
// once. The slice, which is the same in all, is left out.
func evaluatedFields(c *wire.Coder, e *evaluatedRows) {
	t := textTable{at: make(map[string]uint64)}
	var data []byte
	var err error
	fields := func(c *wire.Coder, e *evaluatedRows) {
		wire.List(c, &e.rows, func(c *wire.Coder, r *report.Row) { rowValues(c, r, t.code) })
		wire.List(c, &e.labels, wire.Int)
	}
	if !c.Reading() {
		data, err = wire.Encode(e, fields)
	}
	c.Strings(&t.list)
	c.Bytes(&data)
	if c.Reading() && !c.Failed() {
		err = wire.Decode(data, e, fields)
	}
	if err != nil {
		c.Fail("%w", err)
	}
}

// textTable is a list of different texts.
type textTable struct {
	list []string
	at   map[string]uint64 // the index of each, while writing
}

// code codes the index of a text, which it adds to the list if it is new.
func (t *textTable) code(c *wire.Coder, text *string) {
	var at uint64
	if !c.Reading() {
		var known bool
		if at, known = t.at[*text]; !known {
			at = uint64(len(t.list))
			t.list, t.at[*text] = append(t.list, *text), at
		}
	}
	c.Uint(&at)
	switch {
	case !c.Reading() || c.Failed():
	case at < uint64(len(t.list)):
		*text = t.list[at]
	default:
		c.Fail("text %d of %d", at, len(t.list))
	}
}

// rowsFn computes the metric rows of all slices.
type rowsFn struct{ Spec settled }

// ProcessElement emits the rows.
func (f *rowsFn) ProcessElement(ctx context.Context, _ int, elements func(*outcomeElement) bool, emit func(report.Row)) error {
	all, err := f.rows(ctx, elements)
	if err != nil {
		return workers.Mark(err)
	}
	for _, row := range all {
		emit(row)
	}
	return nil
}

func (f *rowsFn) rows(ctx context.Context, elements func(*outcomeElement) bool) ([]report.Row, error) {
	out, err := readOutcome(&f.Spec, elements)
	if err != nil {
		return nil, err
	}
	rows, _, _, err := out.allRows(ctx, func(_ int, key slice.Key, p *shuffle.Partial, _ []int) error {
		if len(key) > 0 {
			return nil
		}
		return out.judge(p)
	})
	return rows, cmp.Or(err, out.vocab.Err())
}

// rowsPerKeyFn is rowsFn for elements that arrive one by one.
type rowsPerKeyFn struct {
	rowsFn
	PerKey workers.BundlePerKey

	all gathered
}

// OneByOne returns a rowsPerKeyFn.
func (f *rowsFn) OneByOne() any {
	return &rowsPerKeyFn{rowsFn: *f, PerKey: workers.NewBundlePerKey()}
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

// judge returns the error for which the partial of all rows has no metrics, or nil. An input without
// rows has metrics as well: undefined ones.
func (out *evaluable) judge(p *shuffle.Partial) error {
	if p.Counts.Read == 0 {
		return nil
	}
	return out.spec.verdict(&p.Counts, p.Stats.Examples())
}

// allRows returns the metric rows of all slices, comparisons of groups last; how the examples were
// divided for confidence intervals, if they were; and warnings. It calls also for every slice,
// using all cores, with the labels that have rows.
func (out *evaluable) allRows(ctx context.Context, also func(i int, key slice.Key, p *shuffle.Partial, labels []int) error) ([]report.Row, *report.Folding, []string, error) {
	var all collections.InOrder[report.Row]
	var folding *report.Folding
	err := out.each(ctx, func(i int, key slice.Key, p *shuffle.Partial) error {
		found, err := out.found(&out.slices[i], p)
		if err != nil {
			return err
		}
		all.Add(i, found.rows, len(out.slices))
		if len(key) == 0 {
			folding = out.folding(p)
		}
		return also(i, key, p, found.labels)
	})
	if err != nil {
		return nil, nil, nil, err
	}
	rows := all.Items
	compared, warnings, err := disparities(out.spec.Groups, rows, folding)
	return append(rows, compared...), folding, warnings, err
}

// found returns the metric rows of a slice, which it computes unless evaluateFn has.
func (out *evaluable) found(s *sliceStatistics, p *shuffle.Partial) (found evaluatedRows, err error) {
	if s.rows == nil {
		found.rows, found.labels, err = out.rows(s.key, p)
		return found, err
	}
	if err := wire.Decode(s.rows, &found, evaluatedFields); err != nil {
		return found, fmt.Errorf("slice %s: %w", s.key, err)
	}
	for j := range found.rows {
		found.rows[j].Slice = s.key
	}
	return found, nil
}

// rows returns the metric rows of a slice, and the labels that have any.
func (out *evaluable) rows(key slice.Key, p *shuffle.Partial) ([]report.Row, []int, error) {
	results, err := out.spec.Params.Evaluate(p.Stats, out.options())
	if err != nil {
		return nil, nil, fmt.Errorf("slice %s: %w", key, err)
	}
	rows := make([]report.Row, len(results))
	for i, r := range results {
		if r.Label < 0 {
			r.Support /= out.copiesIn(key)
		}
		rows[i] = report.Row{Name: r.Name, Slice: key, Value: r.Number, Undefined: r.Undefined, Support: r.Support, Label: out.label(r.Label)}
		if r.Bounded {
			rows[i].Bounds = &report.Bounds{Low: r.Low, High: r.High}
		}
	}
	if !shuffle.HasIntervals(&out.spec.Spec, key) {
		return rows, resultLabels(results), nil
	}
	for i := range out.without {
		if err := out.assess(&out.without[i], rows, results, p); err != nil {
			return nil, nil, fmt.Errorf("slice %s: %w", key, err)
		}
	}
	return rows, resultLabels(results), nil
}

// copiesIn returns the number of copies of each row in a slice: one for each class if its metrics
// are estimated.
func (out *evaluable) copiesIn(key slice.Key) int64 {
	if !out.spec.EstimateUnlabelled || !report.OfEstimates(key) {
		return 1
	}
	return int64(out.vocab.Len())
}

// label returns the name of a label, or nil if label is not one.
func (out *evaluable) label(label int) *string {
	if label < 0 {
		return nil
	}
	if label < len(out.names) {
		return &out.names[label]
	}
	name := out.vocab.Name(label)
	return &name
}

func rowFields(c *wire.Coder, r *report.Row) {
	c.Embed(func(dst []byte) ([]byte, error) { return r.Slice.AppendBinary(dst), nil }, func(data []byte) (err error) {
		r.Slice, _, err = slice.Decode(data)
		return err
	})
	rowValues(c, r, wire.String)
}

// rowValues lists the fields of a row besides its slice. text codes texts.
func rowValues(c *wire.Coder, r *report.Row, text func(*wire.Coder, *string)) {
	text(c, &r.Name)
	text(c, &r.Undefined)
	wire.Optional(c, &r.Label, text)
	c.Float(&r.Value)
	wire.Int(c, &r.Support)
	wire.Optional(c, &r.Bounds, func(c *wire.Coder, i *report.Bounds) {
		c.Float(&i.Low)
		c.Float(&i.High)
	})
	wire.Optional(c, &r.Confidence, func(c *wire.Coder, of *report.Confidence) {
		for _, x := range []*float64{&of.Low, &of.High, &of.StdError, &of.DOF} {
			c.Float(x)
		}
		wire.Int(c, &of.Folds)
		text(c, &of.Method)
		text(c, &of.NoInterval)
		text(c, &of.Warning)
	})
	wire.List(c, &r.Replicates, (*wire.Coder).Float)
	wire.List(c, &r.Folds, wire.Int)
	wire.List(c, &r.Weights, (*wire.Coder).Float)
}

func init() {
	shuffle.Register(rowFields)
	beam.RegisterDoFn(reflect.TypeFor[evaluateFn]())
	register.DoFn2x3[[]byte, shuffle.Partial, int, outcomeElement, error](new(evaluateFn))
	beam.RegisterDoFn(reflect.TypeFor[rowsFn]())
	beam.RegisterDoFn(reflect.TypeFor[rowsPerKeyFn]())
	register.Emitter1[report.Row]()
}
