package transforms

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/recalibration"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/transforms/internal/fold"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// sliceTable collects a table that has rows of each slice. Slices are added in any order, also concurrently.
type sliceTable struct {
	add  func(place int, key slice.Key, p *shuffle.Partial) error
	done func() // stores the rows, in the order of slices
}

func (out *evaluable) tables(rep *report.Report, before *[]report.Row) []sliceTable {
	n := len(out.slices)
	list := []sliceTable{
		collect(n, &rep.Confusion, func(_ int, key slice.Key, p *shuffle.Partial) ([]report.ConfusionCell, error) {
			return out.confusion(key, p.Stats), nil
		}),
		collect(n, &rep.Moves, func(_ int, key slice.Key, p *shuffle.Partial) ([]report.Move, error) {
			return out.moves(key, p.Stats), nil
		}),
		collect(n, &rep.Curves, func(_ int, key slice.Key, p *shuffle.Partial) ([]report.Curve, error) {
			return out.curves(key, p.Stats), nil
		}),
		collect(n, &rep.ScoreHistograms, func(place int, key slice.Key, p *shuffle.Partial) ([]report.ScoreHistogram, error) {
			return out.scoreHistograms(key, p, place), nil
		}),
		collect(n, before, func(_ int, key slice.Key, _ *shuffle.Partial) ([]report.Row, error) { return out.rowsBefore(key) }),
	}
	if out.spec.Worst != nil {
		list = append(list, collect(n, &rep.Worst, func(_ int, key slice.Key, p *shuffle.Partial) ([]report.WorstExample, error) {
			return out.worst(key, p.Worst)
		}))
	}
	if out.spec.Changed != nil {
		list = append(list, collect(n, &rep.Changed, func(_ int, key slice.Key, p *shuffle.Partial) ([]report.ChangedExample, error) {
			return out.changed(key, p.Changed), nil
		}))
	}
	return list
}

// collect returns a table of n slices that is stored in into.
func collect[T any](n int, into *[]T, rows func(place int, key slice.Key, p *shuffle.Partial) ([]T, error)) sliceTable {
	var all collections.InOrder[T]
	return sliceTable{func(place int, key slice.Key, p *shuffle.Partial) error {
		list, err := rows(place, key, p)
		if err == nil {
			all.Add(place, list, n)
		}
		return err
	}, func() { *into = all.Items }}
}

// tablesOfAll adds the tables of all examples to a report. It returns warnings of label pairs that are left out.
func (out *evaluable) tablesOfAll(rep *report.Report, p *shuffle.Partial) (leftOut []string, err error) {
	rep.Thresholds, rep.Recalibration = out.thresholds(p.Stats), out.recalibration(p.Stats)
	rep.Histograms, rep.Matches = out.histograms(p.Stats), out.matches(p.Stats)
	if rep.RaterPairs, err = out.raterPairs(p); err != nil {
		return nil, err
	}
	if rep.Search, err = out.search(p); err != nil {
		return nil, err
	}
	rep.LabelPairs, leftOut = out.labelPairs(p.Stats)
	rep.Queries, err = out.queries(p.Queries)
	return leftOut, err
}

// confusion returns the cells of the confusion matrix of a slice.
func (out *evaluable) confusion(key slice.Key, stats *metrics.Partial) []report.ConfusionCell {
	var cells []report.ConfusionCell
	for _, c := range out.spec.Params.Confusion(stats, out.spec.Options(out.vocab)) {
		cell := report.ConfusionCell{Slice: key, Label: out.label(c.Label), TrueIndex: c.True, PredictedIndex: c.Predicted, Count: c.Count, Weight: c.Weight}
		if cell.Label != nil {
			cell.True, cell.Predicted = strconv.Itoa(c.True), strconv.Itoa(c.Predicted)
		} else {
			cell.True, cell.Predicted = out.vocab.Name(c.True), out.vocab.Name(c.Predicted)
		}
		cells = append(cells, cell)
	}
	return cells
}

// moves returns who moved between classes in a slice.
func (out *evaluable) moves(key slice.Key, stats *metrics.Partial) []report.Move {
	return collections.Map(out.spec.Params.Moves(stats, out.spec.Options(out.vocab)), func(m metrics.Move) report.Move {
		name := out.vocab.Name
		if m.Label >= 0 {
			name = strconv.Itoa
		}
		return report.Move{
			Slice: key, Label: out.label(m.Label), Baseline: name(m.Baseline), Predicted: name(m.Predicted), BaselineIndex: m.Baseline, PredictedIndex: m.Predicted,
			Count: m.Count, Weight: m.Weight, BecameRight: m.BecameRight, BecameWrong: m.BecameWrong,
		}
	})
}

// mostLabelPairs is the largest number of label pairs in a report.
const mostLabelPairs = 10_000

// labelPairs returns the heaviest pairs of a missed label and another in its place, if they are
// reported, and warnings of pairs that are left out.
func (out *evaluable) labelPairs(stats *metrics.Partial) ([]report.LabelPair, []string) {
	params := &out.spec.Params
	if !params.LabelPairs {
		return nil, nil
	}
	var leftOut []string
	if n := out.vocab.Len(); params.Task == metrics.Multilabel && n > metrics.PairedLabels {
		leftOut = append(leftOut, fmt.Sprintf("label pairs are counted among the first %d of %d labels", metrics.PairedLabels, n))
	}
	found, all := params.LabelPairsOf(stats, mostLabelPairs)
	if all > len(found) {
		leftOut = append(leftOut, fmt.Sprintf("label pairs: the %d heaviest of %d are reported", len(found), all))
	}
	pairs := make([]report.LabelPair, len(found))
	for i, p := range found {
		pairs[i] = report.LabelPair{Label: out.vocab.Name(p.Label), Predicted: out.vocab.Name(p.Predicted), Count: p.Count, Weight: p.Weight, Share: p.Share, Lift: p.Lift, Gain: p.Gain}
	}
	return pairs, leftOut
}

// curves returns the curves of a slice.
func (out *evaluable) curves(key slice.Key, stats *metrics.Partial) (list []report.Curve) {
	for _, d := range out.spec.Params.Drawings(stats, out.spec.Options(out.vocab), len(out.slices)) {
		var label *string
		if out.spec.Params.Task != metrics.Binary {
			label = out.label(d.Label)
		}
		add := func(name string, points []report.CurvePoint) {
			if len(points) > 0 {
				list = append(list, report.Curve{Slice: key, Label: label, Name: name, Points: points})
			}
		}
		add(report.CurveCalibration, collections.Map(d.Calibration, func(p metrics.CalibrationPoint) report.CurvePoint {
			return report.CurvePoint{X: p.MeanProbability, Y: p.PositiveShare, Threshold: p.From, Weight: p.Weight}
		}))
		add(report.CurveCost, collections.Map(d.Costs, func(p metrics.CostPoint) report.CurvePoint {
			return report.CurvePoint{X: p.Threshold, Y: p.Cost, Threshold: p.Threshold}
		}))
		add(report.CurveIsotonic, collections.Map(d.Isotonic, func(p metrics.FitPoint) report.CurvePoint {
			return report.CurvePoint{X: p.Probability, Y: p.PositiveShare, Threshold: p.Score}
		}))
		band := out.band(key, stats)
		add(report.CurveIsotonicLower, collections.Map(band, func(p metrics.BandPoint) report.CurvePoint {
			return report.CurvePoint{X: p.Probability, Y: p.Low, Threshold: math.NaN()}
		}))
		add(report.CurveIsotonicUpper, collections.Map(band, func(p metrics.BandPoint) report.CurvePoint {
			return report.CurvePoint{X: p.Probability, Y: p.High, Threshold: math.NaN()}
		}))
		add(report.CurvePR, collections.Map(d.PR, func(p curves.PRPoint) report.CurvePoint {
			return report.CurvePoint{X: p.Recall, Y: p.Precision, Threshold: p.Threshold}
		}))
		add(report.CurveROC, collections.Map(d.ROC, func(p curves.ROCPoint) report.CurvePoint {
			return report.CurvePoint{X: p.FPR, Y: p.TPR, Threshold: p.Threshold}
		}))
	}
	return list
}

// band returns the consistency band of the isotonic fit of all examples, if they are independent.
func (out *evaluable) band(key slice.Key, stats *metrics.Partial) []metrics.BandPoint {
	if c := out.spec.Confidence; len(key) > 0 || c != nil && c.Clustered {
		return nil
	}
	return out.spec.Params.ConsistencyBand(stats)
}

// histograms returns the histograms of all examples, if they are reported. Histograms without
// examples are omitted.
func (out *evaluable) histograms(stats *metrics.Partial) (list []report.Histogram) {
	for _, h := range out.spec.Params.Histograms(stats) {
		of := report.Histogram{Name: h.Name}
		if h.Outside.Rows > 0 {
			h.Bins = append(h.Bins, h.Outside)
		}
		for _, b := range h.Bins {
			of.Bins = append(of.Bins, report.Bin{From: b.From, To: b.To, YFrom: b.YFrom, YTo: b.YTo, Count: b.Rows, Weight: b.Weight})
		}
		if len(of.Bins) > 0 {
			list = append(list, of)
		}
	}
	return list
}

// mostHistograms is the largest number of slices and labels that have score histograms, and of slices,
// labels and groups that have a weight in each of their bins.
const mostHistograms = 100_000

// scoreHistograms returns the score histograms of a slice. place is its place among the slices in
// the order of reports. If there are too many slices, only the first have histograms, and even
// fewer have the weights of groups.
func (out *evaluable) scoreHistograms(key slice.Key, p *shuffle.Partial, place int) (list []report.ScoreHistogram) {
	params, c := &out.spec.Params, out.spec.Confidence
	labels := params.HistogramLabels()
	if (place+1)*labels > mostHistograms {
		return nil
	}
	var folds []*metrics.Partial
	if out.sample == nil && shuffle.HasIntervals(&out.spec.Spec, key) && (place+1)*labels*c.Folds <= mostHistograms {
		folds = make([]*metrics.Partial, c.Folds)
		for _, g := range p.Folds {
			folds[g.Number] = g.Stats
		}
	}
	for _, h := range params.ScoreHistogramsOf(p.Stats, folds) {
		of := report.ScoreHistogram{Name: h.Name, Slice: key, Bins: make([]report.ScoreBin, len(h.Bins)), Folds: h.Folds}
		if params.Task != metrics.Binary {
			of.Label = out.label(h.Label)
		}
		for i, b := range h.Bins {
			of.Bins[i] = report.ScoreBin{From: b.From, To: b.To, Count: b.Rows, Weight: b.Weight}
		}
		list = append(list, of)
	}
	return list
}

// thresholds returns the best threshold of each label, if thresholds are tuned.
func (out *evaluable) thresholds(stats *metrics.Partial) *report.Thresholds {
	params := &out.spec.Params
	if params.Tuning == nil {
		return nil
	}
	t := &report.Thresholds{Default: out.spec.Decision.Threshold, Criterion: out.spec.TuningName}
	for label, threshold := range params.Thresholds(stats) {
		switch {
		case math.IsNaN(threshold):
		case params.Task == metrics.Binary:
			t.Default = threshold
		default:
			t.PerLabel = append(t.PerLabel, report.LabelThreshold{Label: out.vocab.Name(label), Threshold: threshold})
		}
	}
	return t
}

// recalibration returns the isotonic fit of the scores, if there is one. If scores have been
// recalibrated, there is none: it would not apply to the scores in the files.
func (out *evaluable) recalibration(stats *metrics.Partial) *recalibration.Map {
	steps := out.spec.Params.IsotonicFit(stats)
	if len(steps) == 0 || out.spec.Recalibration != nil {
		return nil
	}
	m := recalibration.New(out.spec.Params.ScoreType.String())
	for _, s := range steps {
		m.Add(s.Score, s.Probability)
	}
	return m
}

// queries returns the metrics of single queries, if they are reported.
func (out *evaluable) queries(stored []shuffle.Spilled) (*report.Queries, error) {
	if !out.spec.PerQuery {
		return nil, nil
	}
	list, err := fold.ReadQueries(stored)
	return &report.Queries{Names: out.spec.Params.QueryMetrics(), List: list}, err
}

// worst returns the worst examples of a slice, if there are any.
func (out *evaluable) worst(key slice.Key, from *shuffle.Worst) (list []report.WorstExample, err error) {
	if from == nil {
		return nil, nil
	}
	losses, err := out.spec.Params.NewLossEvaluator("", 0)
	if err != nil {
		return nil, err
	}
	for index, examples := range from.Lists {
		of := report.WorstExample{Name: losses.Name(), Slice: key}
		if index != shuffle.AllLabels {
			of.Name, of.Label = losses.NameByLabel(), new(out.vocab.Name(int(index)))
		}
		for i, e := range examples {
			of.Rank, of.ID, of.Loss, of.Score, of.True, of.Predicted, of.At = i+1, e.ID, e.Loss, e.Score, e.True, e.Predicted, e.At
			list = append(list, of)
		}
	}
	return list, nil
}

// changed returns the examples of a slice that changed since the baseline.
func (out *evaluable) changed(key slice.Key, from *shuffle.Worst) (list []report.ChangedExample) {
	if from == nil {
		return nil
	}
	for index, examples := range from.Lists {
		label, improved := shuffle.OfChange(index)
		of := report.ChangedExample{Improved: improved, Slice: key}
		if label != shuffle.AllLabels {
			of.Label = new(out.vocab.Name(int(label)))
		}
		for i, e := range examples {
			of.Rank, of.ID, of.Change, of.True, of.At = i+1, e.ID, e.Loss, e.True, e.At
			of.Predicted, of.Score, of.Baseline, of.BaselineScore = e.Predicted, e.Score, e.Baseline, e.BaselineScore
			if math.IsNaN(e.Score) || math.IsNaN(e.BaselineScore) {
				of.Change = math.NaN()
			}
			list = append(list, of)
		}
	}
	return list
}

// checkLists returns an error if there are too many examples in the lists of a report.
func (out *evaluable) checkLists(rep *report.Report) error {
	job := &out.spec.Job
	return cmp.Or(job.CheckWorst(len(rep.Worst), settings.WorstExamples), job.CheckWorst(len(rep.Changed), settings.Changed))
}
