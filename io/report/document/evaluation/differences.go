package evaluation

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/document"
)

// mostDifferences is the largest number of differences of a verdict, in slices and of labels, in a document.
const mostDifferences = 100

// addDifferences adds the sections of the differences from a baseline: of the headlines and, where
// they are significant, of well-known metrics in slices and of labels.
func addDifferences(d *document.Document, r *report.Report, of *digest) {
	if len(r.Differences) == 0 {
		return
	}
	known := lists.Set(slices.Values(append(slices.Clone(of.headlines), report.KnownOfLabels...)))
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
	for _, verdict := range []differences.Verdict{differences.Worse, differences.Better} {
		list := details[verdict]
		slices.SortStableFunc(list, func(a, b *differences.Change) int { return numbers.CompareLast(a.PAdjusted, b.PAdjusted) })
		shown := list[:min(len(list), mostDifferences)]
		d.Add(document.Section{In: document.Markdown | document.Page, ID: string(verdict), Title: "Significantly " + string(verdict), Sub: true,
			Table: document.Differences(d.Output, shown, names, false, tested), Notes: []string{document.FirstOf(len(shown), len(list), "")}})
	}
}
