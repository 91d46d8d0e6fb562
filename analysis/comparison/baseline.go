package comparison

import (
	"context"
	"fmt"
	"slices"

	"github.com/beameval/beameval/analysis/reports"
	"github.com/beameval/beameval/analysis/why"
	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/volume"
)

// WithBaseline compares r with the reports in directories, the newest first, for gates on change:
// with the medians of their metrics, if there are several. It sets r.Baseline and returns reasons to
// doubt the comparison, which is nil if no gate is on change or there is no report to compare with.
func WithBaseline(ctx context.Context, dirs []string, r *report.Report, gates []report.Gate) (c *comparison.Comparison, found []string, err error) {
	compare, sure := 0, false
	for i := range gates {
		if g := &gates[i]; g.Compares() {
			compare, sure = compare+1, sure || g.Sure
		}
	}
	if compare == 0 && len(dirs) == 0 {
		return nil, nil, nil
	}
	r.Baseline = &report.Baseline{Reports: len(dirs)}
	if len(dirs) == 0 {
		return nil, []string{fmt.Sprintf("there is no baseline, so max_drop and max_rise are not judged (gates: %d)", compare)}, nil
	}
	read, err := reports.ReadAll(ctx, dirs)
	if err != nil {
		return nil, nil, err
	}
	r.Baseline.Examples = Median(collections.Map(read, func(r *report.Report) float64 { return float64(r.Examples) }))
	if compare == 0 {
		return nil, nil, nil
	}
	asked := volume.Asked(gates)
	read = collections.Map(read, func(r *report.Report) *report.Report { return volume.With(r, asked) })
	baseline := read[0]
	if len(read) > 1 {
		baseline = median(read)
	}
	c, err = Compare(baseline, volume.With(r, asked), comparison.BenjaminiHochberg)
	if err != nil {
		return nil, nil, err
	}
	if len(read) == 1 {
		if err := why.OfMeans(ctx, c, baseline, r); err != nil {
			return nil, nil, err
		}
	}
	found = mismatches(baseline, r)
	if sure {
		_, doubts := pairingOf(baseline, r)
		found = append(found, doubts.ofTests...)
		if doubts.unpaired != "" {
			r.Baseline.Note = ofBaseline + doubts.unpaired
		}
	}
	return c, collections.Map(found, func(doubt string) string { return ofBaseline + doubt }), nil
}

// ofBaseline explains which reports a and b are.
const ofBaseline = "the baseline, a, and this report, b: "

// median returns a report with the median of each metric over the reports in which it is defined.
// Everything else comes from the first report. There are no replicates: the error of a median does
// not follow from the errors of single reports.
func median(all []*report.Report) *report.Report {
	first := all[0]
	m := &report.Report{Task: first.Task, Labels: first.Labels, NumLabels: first.NumLabels, Config: first.Config, Meanings: first.Meanings}
	rows, values := map[string]report.Row{}, map[string][]float64{}
	for _, r := range all {
		for i := range r.Metrics {
			row := &r.Metrics[i]
			key := string(row.Key())
			if _, met := rows[key]; !met {
				rows[key] = report.Row{Name: row.Name, Slice: row.Slice, Label: row.Label, Value: row.Value, Undefined: row.Undefined}
			}
			if floats.Finite(row.Value) {
				values[key] = append(values[key], row.Value)
			}
		}
	}
	for key, row := range rows {
		if of := values[key]; len(of) > 0 {
			row.Value, row.Undefined = Median(of), ""
		}
		m.Metrics = append(m.Metrics, row)
	}
	m.Sort()
	return m
}

// Median returns the median of values, which it sorts. If their number is even, it is the mean of
// the two in the middle.
func Median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	low, high := values[(n-1)/2], values[n/2]
	return low + float64((high-low)/2)
}
