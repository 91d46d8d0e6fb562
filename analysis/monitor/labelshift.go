package monitor

import (
	"context"
	"fmt"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics/drift"
)

// addLabelShift adds the label shift of a binary or multiclass task from the confusion matrices of
// the reference, all nights of it together, to the predicted classes of the last night.
func addLabelShift(ctx context.Context, m *monitor.Monitor, newest *report.Report, reference []*nightly, last *nightly, o Options) error {
	if m.Task != "binary" && m.Task != "multiclass" {
		return nil
	}
	before, now, found, err := readParts(ctx, m, reference, last, o, "label shift is estimated",
		func(n *nightly, ctx context.Context) ([]report.ConfusionCell, error) { return n.confusion(ctx, newest) })
	if err != nil || !found {
		return err
	}
	if len(before) == 0 || len(now) == 0 {
		return nil
	}
	inUse := map[string]bool{}
	for _, cells := range [][]report.ConfusionCell{before, now} {
		for i := range cells {
			inUse[cells[i].True], inUse[cells[i].Predicted] = true, true
		}
	}
	classes := report.LabelOrder(newest.Labels, inUse)
	if len(classes) > mostClasses {
		m.Warnings = append(m.Warnings, fmt.Sprintf("label shift is not estimated: there are %d classes, more than %d", len(classes), mostClasses))
		return nil
	}
	place := collections.Places(classes)
	confusion, predicted := make([][]float64, len(classes)), make([]float64, len(classes))
	for i := range confusion {
		confusion[i] = make([]float64, len(classes))
	}
	for i := range before {
		confusion[place[before[i].Predicted]][place[before[i].True]] += before[i].Weight
	}
	for i := range now {
		predicted[place[now[i].Predicted]] += now[i].Weight
	}
	weights, err := drift.LabelShift(confusion, predicted)
	if err != nil {
		m.Warnings = append(m.Warnings, "label shift is not estimated: "+err.Error())
		return nil
	}
	for i, w := range weights {
		m.LabelShift = append(m.LabelShift, monitor.LabelShift{Label: classes[i], Weight: w})
	}
	return nil
}

// mostClasses is the largest number of classes for which a confusion matrix is inverted.
const mostClasses = 200

// confusion reads the confusion matrix of all examples. There is none if the report has no such
// file.
func (n *nightly) confusion(ctx context.Context, newest *report.Report) ([]report.ConfusionCell, error) {
	r := &report.Report{Labels: newest.Labels}
	err := report.ReadFile(ctx, n.Dir, report.ConfusionParquet, r.ReadConfusion)
	return r.Confusion, err
}
