// Package findings finds what stands out in a report: one declaration a finding, in one table. Each is a sentence for people who
// read no table, and is said only where an interval shows it. docs/findings.md says when each is said.
package findings

import (
	"cmp"
	"maps"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/findings"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/crossfit"
)

// Facts are what findings are made of.
type Facts struct {
	Report   *report.Report // finished, but for its findings
	Task     metrics.Task
	Weighted bool // whether rows have weights
	// Decided are the examples of each group, of a binary task, and Lowest the lowest scores of their bins; see
	// [metrics.Params.Decided].
	Decided []crossfit.Fold
	Lowest  []float64
	// Threshold is what decides now; nil if predictions do not follow from scores.
	Threshold *float64
	// Costs are what the outcomes of a binary task cost, by true and predicted class; nil if that is not known.
	Costs [][]float64
	// Compared compares the baseline of gates with the report; nil if there is none.
	Compared *comparison.Comparison

	settings   report.Settings
	overall    map[string]*report.Row // of all labels together
	headlines  []string               // the metrics of all labels together that the report shows first
	slices     []*contrast            // of slices with all other examples
	groups     []*contrast            // of groups with each other
	thresholds []*contrast            // of another threshold with the decisions
	choice     crossfit.Choice        // of that threshold
}

// The most findings of a report.
const most = 5

// declaration is a finding.
type declaration struct {
	name      string
	tasks     metrics.Task // that it is made for
	intervals bool         // whether it needs intervals
	see       string       // the section of the page that has more
	find      func(*Facts) *findings.Finding
}

// The tasks of findings.
const (
	classes  = metrics.Binary | metrics.Multiclass
	labelled = classes | metrics.Multilabel
	scored   = labelled | metrics.Regression
)

// table has all findings, what matters most first.
var table = []declaration{
	{findings.WorstSlice, metrics.AnyTask, true, "slices", worstSlice},
	{"best_threshold", metrics.Binary, true, "charts", bestThreshold},
	{"miscalibrated", classes, true, "charts", miscalibrated},
	{"dominant_confusion", metrics.Multiclass, true, "confusion", dominantConfusion},
	{"never_predicted", labelled, false, "labels", neverPredicted},
	{"no_better_than_chance", scored, false, "checks", noBetterThanChance},
	{"groups_differ", metrics.AnyTask, true, "groups", groupsDiffer},
	{"position_bias", metrics.Preference, true, "metrics", positionBias},
	{"narrow_intervals", metrics.Regression, true, "metrics", narrowIntervals},
	{"changed", metrics.AnyTask, true, "differences", changed},
	{"volume", metrics.AnyTask, false, "checks", volume},
	{findings.NoIntervals, metrics.AnyTask, false, "configuration", noIntervals},
}

// Names returns the names of all findings, in their order.
func Names() []string { return collections.Map(table, func(d declaration) string { return d.name }) }

// Make returns what stands out, what matters most first. It never returns nil. If there are more than five findings, the first
// are returned; that there are no intervals is said in any case.
func Make(f *Facts) []findings.Finding {
	f.prepare()
	list := []findings.Finding{}
	for _, d := range table {
		if d.tasks&f.Task == 0 || d.intervals && f.Report.Confidence == nil {
			continue
		}
		found := d.find(f)
		if found == nil {
			continue
		}
		found.Name, found.See = d.name, cmp.Or(found.See, d.see)
		maps.DeleteFunc(found.Values, func(_ string, x float64) bool { return !floats.Finite(x) })
		if len(list) == most {
			if d.name != findings.NoIntervals {
				continue
			}
			list = list[:most-1]
		}
		list = append(list, *found)
	}
	return list
}

// prepare finds what several findings need.
func (f *Facts) prepare() {
	f.settings, f.headlines, f.overall = f.Report.Settings(), report.HeadlinesOf(f.Report), map[string]*report.Row{}
	for i := range f.Report.Metrics {
		if row := &f.Report.Metrics[i]; len(row.Slice) == 0 && row.Label == nil {
			f.overall[row.Name] = row
		}
	}
	if f.Report.Confidence == nil {
		return
	}
	f.slices, f.groups, f.thresholds = f.contrastSlices(), f.contrastGroups(), f.contrastThresholds()
	adjust(slices.Concat(f.slices, f.groups, f.thresholds))
}

// significant reports whether a contrast is, among all contrasts.
func (f *Facts) significant(c *contrast) bool { return c.adjusted <= 1-f.Report.Confidence.Level }
