package transforms

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// rowsFn computes the metric rows of all slices.
type rowsFn struct{ Spec Spec }

// ProcessElement emits the rows.
func (f *rowsFn) ProcessElement(ctx context.Context, _ int, elements func(*outcomeElement) bool, emit func(report.Row)) error {
	all, err := f.rows(ctx, elements)
	if err != nil {
		return workers.Mark(err)
	}
	for _, rows := range all {
		for _, row := range rows {
			emit(row)
		}
	}
	return nil
}

func (f *rowsFn) rows(ctx context.Context, elements func(*outcomeElement) bool) ([][]report.Row, error) {
	out, err := readOutcome(&f.Spec, elements)
	if err != nil {
		return nil, err
	}
	spec := f.Spec.with(out.vocab)
	all := make([][]report.Row, len(out.slices))
	err = out.each(ctx, &spec, func(i int, key slice.Key, p *element.Partial) (err error) {
		if len(key) == 0 && p.Counts.Read > 0 { // no rows at all have metrics, undefined ones
			if _, err := spec.verdict(&p.Counts, p.Stats.Examples()); err != nil {
				return err
			}
		}
		all[i], _, err = evaluate(spec, out.vocab, key, p.Stats)
		return err
	})
	if err == nil {
		err = out.vocab.Err()
	}
	return all, err
}

// evaluate computes the metric rows of a slice, and returns the labels that have
// some, in increasing order.
func evaluate(spec Spec, vocab *Vocabulary, key slice.Key, stats *metrics.Partial) ([]report.Row, []int, error) {
	params := spec.with(vocab).Params
	results, err := params.Evaluate(stats, spec.options(vocab))
	if err != nil {
		return nil, nil, fmt.Errorf("slice %s: %w", key, err)
	}
	rows := make([]report.Row, len(results))
	var labels []int
	for i, r := range results {
		rows[i] = report.Row{Name: r.Name, Slice: key, Value: r.Number, Undefined: r.Undefined, Support: r.Support}
		if r.Bounded {
			rows[i].Interval = &report.Interval{Low: r.Low, High: r.High}
		}
		if r.Label >= 0 {
			name := vocab.Name(r.Label)
			rows[i].Label = &name
			labels = append(labels, r.Label)
		}
	}
	slices.Sort(labels)
	return rows, slices.Compact(labels), nil
}

// confusion returns the cells of a slice's confusion matrix.
func confusion(spec Spec, vocab *Vocabulary, key slice.Key, stats *metrics.Partial) []report.Cell {
	params := spec.with(vocab).Params
	var cells []report.Cell
	for _, c := range params.Confusion(stats, spec.options(vocab)) {
		cell := report.Cell{Slice: key, TrueIndex: c.True, PredictedIndex: c.Predicted, Count: c.Count, Weight: c.Weight}
		if c.Label >= 0 {
			name := vocab.Name(c.Label)
			cell.Label = &name
			cell.True, cell.Predicted = binaryNames[c.True], binaryNames[c.Predicted]
		} else {
			cell.True, cell.Predicted = vocab.Name(c.True), vocab.Name(c.Predicted)
		}
		cells = append(cells, cell)
	}
	return cells
}

var binaryNames = [2]string{"0", "1"}

// drawings returns the points of the curves of a slice, one of so many.
func drawings(spec Spec, vocab *Vocabulary, key slice.Key, stats *metrics.Partial, slices int) []report.CurvePoint {
	params := spec.with(vocab).Params
	var points []report.CurvePoint
	for _, d := range params.Drawings(stats, spec.options(vocab), slices) {
		var label *string
		if d.Label >= 0 && params.Task != metrics.Binary {
			name := vocab.Name(d.Label)
			label = &name
		}
		add := func(curve string, x, y, threshold, weight float64) {
			points = append(points, report.CurvePoint{Slice: key, Label: label, Curve: curve, X: x, Y: y, Threshold: threshold, Weight: weight})
		}
		for _, p := range d.Calibration {
			add(report.CurveCalibration, p.MeanProbability, p.PositiveShare, p.From, p.Weight)
		}
		for _, p := range d.PR {
			add(report.CurvePR, p.Recall, p.Precision, p.Threshold, 0)
		}
		for _, p := range d.ROC {
			add(report.CurveROC, p.FPR, p.TPR, p.Threshold, 0)
		}
	}
	return points
}

// thresholds returns the best threshold of each label, if they are asked for.
func thresholds(spec Spec, vocab *Vocabulary, stats *metrics.Partial) *report.Thresholds {
	params := spec.with(vocab).Params
	if params.Tuning == nil {
		return nil
	}
	t := &report.Thresholds{Default: spec.Decision.Threshold, Criterion: spec.TuningName}
	for label, threshold := range params.Thresholds(stats) {
		switch {
		case math.IsNaN(threshold):
		case params.Task == metrics.Binary:
			t.Default = threshold
		default:
			t.PerLabel = append(t.PerLabel, report.LabelThreshold{Label: vocab.Name(label), Threshold: threshold})
		}
	}
	return t
}

func rowFields(c *wire.Coder, r *report.Row) {
	c.Embed(func([]byte) ([]byte, error) { return r.Slice.AppendBinary(nil), nil }, func(data []byte) (err error) {
		r.Slice, _, err = slice.Decode(data)
		return err
	})
	wire.String(c, &r.Name)
	wire.String(c, &r.Undefined)
	wire.Optional(c, &r.Label, wire.String)
	c.Float(&r.Value)
	wire.Int(c, &r.Support)
	wire.Optional(c, &r.Interval, func(c *wire.Coder, i *report.Interval) {
		c.Float(&i.Low)
		c.Float(&i.High)
	})
}

func init() {
	element.Register(rowFields)
	beam.RegisterDoFn(reflect.TypeFor[rowsFn]())
	register.Emitter1[report.Row]()
}
