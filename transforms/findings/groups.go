package findings

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/findings"
	"github.com/beameval/beameval/io/slice"
)

// mostGroups is the largest number of groups that are compared with each other: the largest ones.
const mostGroups = 50

// firstCompared are the metrics of groups that matter most. One that says the same as another, as fnr and recall do, is left out.
var firstCompared = []string{"recall", "fpr", "predicted_positive_rate", "accuracy"}

// sameAs names the metric that says what another says.
var sameAs = map[string]string{"fnr": "recall", "specificity": "fpr"}

// comparedMetrics returns the metrics in which groups are compared, the first that matter most.
func (f *Facts) comparedMetrics() []string {
	names := f.Report.ComparedMetrics()
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(names, sameAs[name]) })
	place := func(name string) int {
		if at := slices.Index(firstCompared, name); at >= 0 {
			return at
		}
		return len(firstCompared)
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(place(a), place(b)) })
	return names
}

// contrastGroups compares each two groups in each of these metrics.
func (f *Facts) contrastGroups() (list []*contrast) {
	names := f.comparedMetrics()
	if len(names) == 0 || len(f.settings.Groups.By) == 0 {
		return nil
	}
	for _, columns := range slice.Crossed(f.settings.Groups.By) {
		groups, _ := f.Report.Groups(columns)
		groups = slices.DeleteFunc(groups, func(g *report.Group) bool { return g.Support < f.settings.Groups.MinSupport })
		slices.SortStableFunc(groups, func(a, b *report.Group) int { return cmp.Compare(b.Support, a.Support) })
		groups = groups[:min(len(groups), mostGroups)]
		for _, name := range names {
			list = append(list, f.contrastPairs(groups, name)...)
		}
	}
	return list
}

func (f *Facts) contrastPairs(groups []*report.Group, name string) (list []*contrast) {
	for i, a := range groups {
		for _, b := range groups[:i] {
			x, y := a.Rows[name], b.Rows[name]
			if x == nil || y == nil || !testable(x) || !testable(y) {
				continue
			}
			if x.Value > y.Value {
				x, y = y, x
			}
			if c := f.compare(x, y, 1); c != nil {
				list = append(list, c)
			}
		}
	}
	return list
}

// groupsDiffer names the two groups that surely differ most, in the metric that matters most of those in which groups differ.
func groupsDiffer(f *Facts) *findings.Finding {
	var found *contrast
	names := f.comparedMetrics()
	for _, c := range f.groups { // metric by metric, for each set of columns
		switch {
		case !f.significant(c):
		case found == nil, c.metric == found.metric && c.sure() > found.sure(), slices.Index(names, c.metric) < slices.Index(names, found.metric):
			found = c
		}
	}
	if found == nil {
		return nil
	}
	d, places := plusMinus(found.difference, found.half)
	values := found.values()
	values["low"], values["low_support"] = found.a.Value, float64(found.a.Support)
	values["high"], values["high_support"] = found.b.Value, float64(found.b.Support)
	group := func(row *report.Row) string {
		return fmt.Sprintf("%s for %s (%s examples)", number(row.Value, places), row.Slice, document.Grouped(row.Support))
	}
	return &findings.Finding{Metric: &found.metric, Slice: found.a.Slice, Values: values,
		Message: fmt.Sprintf("Groups differ in %s: %s, but %s (difference %s)", found.metric, group(found.a), group(found.b), d)}
}
