package transforms

import (
	"cmp"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/fold"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// CombineMetrics is a CombineFn from predictions to metric rows; see MetricsFn.
type CombineMetrics struct {
	Spec settled

	folder *fold.Predictions
	out    *evaluable // without slices: what is the same for all keys, found once
}

// MetricRows are the metric rows of a key, in the order of reports. They are for all examples of
// the key: their slice is the overall slice.
type MetricRows struct{ Rows []report.Row }

// MetricsFn returns a CombineFn that computes metrics of predictions for each key of a PCollection.
// It works with any windows and triggers, and with combiner lifting and fan-out of hot keys where a
// runner has them:
//
//	metrics, err := transforms.MetricsFn(spec)
//	…
//	rows := beam.CombinePerKey(s, metrics, keyed) // KV<K, input.Prediction> to KV<K, transforms.MetricRows>
//
// It makes a single pass over the predictions. Therefore it returns an error if the labels of a
// multiclass or multilabel task are not in the Spec, or if a metric needs exact curves: set
// Params.Curves to BoundedCurves, or use [Predictions]. Keys take the place of Slices, so Slices
// are an error, as are Groups, Truth, PerQuery, Worst, Changed and Histograms. A bad prediction fails the
// pipeline unless SkipBadRows is set.
//
// An accumulator holds up to 1,024 predictions that wait to be folded together, and the statistics
// of all others.
func MetricsFn(spec Spec) (*CombineMetrics, error) {
	settled, err := settle(spec, true)
	if err != nil {
		return nil, err
	}
	settled.Compare = false // a key has no place for the differences
	const byKey = " cannot be combined by key: use transforms.Predictions"
	return &CombineMetrics{Spec: *settled}, broken([]rule{
		{len(settled.Slices) > 0, "Slices" + byKey},
		{settled.Groups != nil, "Groups" + byKey},
		{settled.Truth != nil, "Truth" + byKey},
		{settled.PerQuery, "PerQuery" + byKey},
		{settled.Worst != nil, "Worst" + byKey},
		{settled.Changed != nil, "Changed" + byKey},
		{settled.Search != nil, "Search" + byKey},
		{settled.Histograms, "Histograms" + byKey},
		{!settled.labelled(), "a CombineFn cannot find the labels before it combines: set Labels"},
		{settled.countsLabels(), "a CombineFn cannot count the labels before it combines: set Labels.Frequencies"},
		{settled.Params.Curving(), "exact curves take all scores in order, which a CombineFn has not: set Params.Curves to BoundedCurves, or name metrics without curves"},
	})
}

// accumulated is the accumulator of a key.
type accumulated struct {
	Waiting []input.Prediction // they will be folded together
	Partial shuffle.Partial    // the statistics of all others
}

func accumulatedFields(c *wire.Coder, a *accumulated) {
	batches.PredictionsFields(c, &a.Waiting)
	shuffle.PartialFields(c, &a.Partial)
}

// CreateAccumulator returns an empty accumulator.
func (f *CombineMetrics) CreateAccumulator() accumulated {
	return accumulated{Partial: shuffle.NewPartial()}
}

// AddInput adds a prediction.
func (f *CombineMetrics) AddInput(sum accumulated, p input.Prediction) (accumulated, error) {
	sum.Waiting = append(sum.Waiting, p)
	return sum, workers.Mark(f.fold(&sum, batches.Predictions))
}

// MergeAccumulators merges two accumulators.
func (f *CombineMetrics) MergeAccumulators(a, b accumulated) (accumulated, error) {
	a.Waiting = append(a.Waiting, b.Waiting...)
	a.Partial.Merge(&b.Partial)
	return a, workers.Mark(f.fold(&a, batches.Predictions))
}

// ExtractOutput computes the metrics. It leaves the accumulator unchanged, because a trigger may fire
// again.
func (f *CombineMetrics) ExtractOutput(sum accumulated) (MetricRows, error) {
	all := accumulated{Waiting: sum.Waiting, Partial: shuffle.NewPartial()}
	all.Partial.Merge(&sum.Partial)
	rows, err := f.rows(&all)
	return MetricRows{rows}, workers.Mark(err)
}

func (f *CombineMetrics) rows(all *accumulated) (rows []report.Row, err error) {
	defer workers.Contain("computing metrics", &err)
	if err := f.fold(all, 1); err != nil {
		return nil, err
	}
	if f.out == nil {
		if f.out, err = readOutcome(&f.Spec, func(*outcomeElement) bool { return false }); err != nil {
			return nil, err
		}
	}
	p := &all.Partial
	if p.Counts.Failed != nil {
		return nil, p.Counts.Failed
	}
	f.out.own(shuffle.Overall, p)
	joinFolds(p)
	if rows, _, err = f.out.rows(nil, p); err != nil {
		return nil, err
	}
	return rows, cmp.Or(f.out.judge(p), f.out.vocab.Err())
}

// fold folds the waiting predictions if there are at least enough of them.
func (f *CombineMetrics) fold(sum *accumulated, enough int) error {
	if len(sum.Waiting) < enough {
		return nil
	}
	if f.folder == nil {
		var err error
		if f.folder, err = fold.NewPredictions(f.Spec.Job); err != nil {
			return err
		}
	}
	err := f.folder.Fold(&sum.Partial, sum.Waiting)
	sum.Waiting = nil
	return err
}

func metricRowsFields(c *wire.Coder, m *MetricRows) { wire.List(c, &m.Rows, rowFields) }

func init() {
	shuffle.Register(accumulatedFields)
	shuffle.Register(metricRowsFields)
	beam.RegisterType(reflect.TypeFor[CombineMetrics]())
	register.Combiner3[accumulated, input.Prediction, MetricRows](&CombineMetrics{})
}
