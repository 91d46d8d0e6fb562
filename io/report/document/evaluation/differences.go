package evaluation

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/slice"
)

// mostDifferences is the largest number of differences of a verdict, in slices and of labels, in a document.
const mostDifferences = 100

// addDifferences adds the sections of the differences from a baseline: of the headlines and, where
// they are significant, of well-known metrics in slices and of labels.
func addDifferences(d *document.Document, r *report.Report, of *digest) {
	if len(r.Differences) == 0 {
		return
	}
	known := collections.Set(slices.Values(append(slices.Clone(of.headlines), report.KnownOfLabels...)))
	overall := make(map[string]*differences.Change)
	details := make(map[differences.Verdict][]*differences.Change)
	for i := range r.Differences {
		switch c := &r.Differences[i]; {
		case len(c.Slice) == 0 && c.Label == nil:
			overall[c.Name] = c
		case known[c.Name]:
			details[c.Verdict] = append(details[c.Verdict], c)
		}
	}
	var headlines []*differences.Change
	for _, name := range of.headlines {
		if c := overall[name]; c != nil {
			headlines = append(headlines, c)
		}
	}
	names, note := [2]string{"baseline", "model"}, "model − baseline, of the same examples."
	tested := r.Confidence != nil && slices.ContainsFunc(r.Differences, func(c differences.Change) bool { return c.Pairing != differences.Untested })
	if tested {
		level := r.Confidence.Level
		note += fmt.Sprintf(" Intervals: %s%% confidence, of each difference alone. p: adjusted for the slices and labels of a metric (Benjamini–Hochberg); up to %s, a difference is significant.",
			strconv.FormatFloat(level*100, 'g', 4, 64), strconv.FormatFloat(1-level, 'g', 4, 64))
	}
	s := document.Section{In: document.OnScreen | document.Markdown | document.Page, ID: "differences", Title: "Differences from the baseline", Table: document.Differences(d.Output, headlines, names, true, tested), Notes: []string{note}}
	if d.Output == document.OnScreen {
		s.Lead = "differences from the baseline"
	}
	d.Add(s)
	if d.Output == document.Page {
		addDifferenceGrids(d, r, names, tested, of.headlines)
		return
	}
	for _, verdict := range []differences.Verdict{differences.Worse, differences.Better} {
		list := details[verdict]
		slices.SortStableFunc(list, func(a, b *differences.Change) int { return floats.CompareLast(a.PAdjusted, b.PAdjusted) })
		shown, first := document.First(list, mostDifferences, "")
		d.Add(document.Section{In: document.Markdown, ID: string(verdict), Title: "Significantly " + string(verdict), Sub: true,
			Table: document.Differences(d.Output, shown, names, false, tested), Notes: []string{first}})
	}
}

// addDifferenceGrids adds a grid of slices by metrics and one of labels by metrics, the most significant changes for the
// worse first.
func addDifferenceGrids(d *document.Document, r *report.Report, names [2]string, tested bool, headlines []string) {
	items := collections.Select(r.Differences, func(*differences.Change) bool { return true })
	rank := func(c *differences.Change) int { return slices.Index(differences.Verdicts(), c.Verdict) }
	slices.SortStableFunc(items, func(a, b *differences.Change) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), floats.CompareLast(a.PAdjusted, b.PAdjusted))
	})
	grids := document.Grids[*differences.Change]{
		Slices:   document.Section{ID: "differences-in-slices", Title: "In slices", Sub: true},
		Labels:   document.Section{ID: "differences-of-labels", Title: "Of labels", Sub: true},
		Items:    items,
		Place:    func(c *differences.Change) (string, slice.Key, *string) { return c.Name, c.Slice, c.Label },
		OfSlices: func(metrics []string) []string { return report.LabelHeadlines(headlines, metrics) },
		OfLabels: func(metrics []string) []string { return report.LabelHeadlines(nil, metrics) },
		Cell:     func(c *differences.Change) document.Cell { return document.DifferenceCell(c, names, tested) },
		Note: func(rows []*document.GridRow[*differences.Change], metrics []string) string {
			return document.DifferencesLegend(rows, metrics, "model − baseline", names, tested)
		},
	}
	grids.AddTo(d)
}
