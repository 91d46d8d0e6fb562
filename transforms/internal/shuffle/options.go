package shuffle

import (
	"math"
	"slices"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

// Options returns the options with which statistics become metrics.
func (j *Job) Options(v *input.Vocabulary) metrics.Options {
	o := metrics.Options{ZeroDivision: map[string]float64{"1": 1, "nan": math.NaN()}[j.ZeroDivision]}
	o.PerLabel = metrics.PerLabel{All: j.PerLabel.All, Limit: j.PerLabel.Limit}
	if system, found := v.Label(j.Reference); found && j.Reference != "" {
		o.Reference = &system
	}
	if j.PerLabel.Names != nil {
		o.PerLabel.Labels = labelsNamed(v, j.PerLabel.Names)
	}
	if len(j.AverageLabels) > 0 {
		o.AverageLabels = labelsNamed(v, j.AverageLabels)
	}
	return o
}

// labelsNamed returns the labels with these names, in increasing order. It is not nil.
func labelsNamed(v *input.Vocabulary, names []string) []int {
	labels := []int{}
	for _, name := range names {
		if label, found := v.Label(name); found {
			labels = append(labels, label)
		}
	}
	slices.Sort(labels)
	return slices.Compact(labels)
}
