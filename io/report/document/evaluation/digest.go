package evaluation

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
)

// digest is the part of a report that the tables for people show, in report.md and the summary.
type digest struct {
	sortBy    string                 // the metric that slices are sorted by; "" sorts them by name
	direction int                    // of sortBy: 1 if higher values are better, -1 if lower ones are, 0 if neither
	names     []string               // of aggregated metrics of the overall slice
	headlines []string               // some of names
	overall   map[string]*report.Row // aggregated metrics of the overall slice, by name
	labels    []*line                // metrics of labels in the overall slice
	columns   []string               // names of the metrics to show in labels
	slices    []*line                // aggregated metrics of the other slices
	changed   [][]*line              // for each of changesOfSlices, the other slices by the first
	undefined []*undefinedMetric     // sorted by name and reason
}

func newDigest(r *report.Report) *digest {
	config := r.Settings()
	d := &digest{overall: map[string]*report.Row{}}
	labelNames := map[string]bool{}
	for i := range r.Metrics {
		row := &r.Metrics[i]
		switch {
		case len(row.Slice) > 0:
		case row.Label == nil:
			d.overall[row.Name] = row
		default:
			labelNames[row.Name] = true
		}
	}
	d.names = slices.SortedFunc(maps.Keys(d.overall), report.CompareNames)
	d.headlines = report.HeadlinesOf(r)
	d.columns = report.LabelHeadlines(config.Asked(), slices.Collect(maps.Keys(labelNames)))
	d.sort(r, config.Report.SortBy)

	wanted, wantedOfLabels := collections.Places(d.ofSlices()), collections.Places(d.columns)
	bySlice, byLabel, changed := newSliceLines(), map[string]*line{}, newChangedLines()
	for i := range r.Metrics {
		row := &r.Metrics[i]
		if row.Label == nil && len(row.Slice) > 0 {
			bySlice.of(row.Slice).add(row, wanted)
			changed.add(row)
		} else if row.Label != nil && len(row.Slice) == 0 {
			l := byLabel[*row.Label]
			if l == nil {
				l = newLine(row)
				byLabel[*row.Label] = l
			}
			l.add(row, wantedOfLabels)
		}
	}
	rank := collections.Places(report.LabelOrder(r.Labels, collections.Set(maps.Keys(byLabel))))
	d.labels = slices.SortedFunc(maps.Values(byLabel), func(a, b *line) int { return cmp.Compare(rank[a.label], rank[b.label]) })
	d.slices, d.changed, d.undefined = bySlice.sorted(), changed.sorted(), undefinedMetrics(r)
	return d
}

// OfSlices returns the metrics of slices that [Summary] prints. It needs only the report's rows of
// the overall slice.
func OfSlices(r *report.Report) []string { return newDigest(r).ofSlices() }

// undefinedMetric is a metric that is undefined for the same reason in some rows, with the first of
// these.
type undefinedMetric struct {
	name, reason string
	first        *report.Row
	rows         int64
}

// undefinedMetrics returns the undefined metrics, sorted by name and reason.
func undefinedMetrics(r *report.Report) []*undefinedMetric {
	type key struct{ name, reason string }
	found := map[key]*undefinedMetric{}
	for i := range r.Metrics {
		row := &r.Metrics[i]
		reason := row.Reason()
		if reason == "" {
			continue
		}
		k := key{row.Name, reason}
		if found[k] == nil {
			found[k] = &undefinedMetric{name: row.Name, reason: reason, first: row}
		}
		found[k].rows++
	}
	return slices.SortedFunc(maps.Values(found), func(a, b *undefinedMetric) int {
		return cmp.Or(report.CompareNames(a.name, b.name), strings.Compare(a.reason, b.reason))
	})
}

// tallyOf describes what happened to the input rows. Where an example may have several rows, examples are counted.
func tallyOf(r *report.Report) string {
	row, example := "row", "example"
	switch task := slices.Index(roles.TaskNames, r.Task); {
	case r.Task == "ranking":
		row, example = "query", "query"
	case task >= 0 && roles.Joined&(1<<task) != 0:
		row = example
	}
	b := []string{document.Grouped(r.Rows.Evaluated) + " of " + document.Plural(r.Rows.Read, row) + " evaluated"}
	if n := r.Rows.Estimated; n > 0 {
		b = append(b, document.Grouped(n)+" without a label estimated")
	}
	if n := r.Rows.Unlabelled; n > 0 {
		b = append(b, document.Grouped(n)+" without a label")
	}
	var skipped int64
	var reasons []string
	for _, reason := range slices.Sorted(maps.Keys(r.Rows.Skipped)) {
		n := r.Rows.Skipped[reason]
		skipped += n
		reasons = append(reasons, quote.Visible(reason)+": "+document.Grouped(n))
	}
	text := document.Grouped(skipped) + " skipped"
	if len(reasons) > 0 {
		text += " (" + strings.Join(reasons, ", ") + ")"
	}
	b = append(b, text)
	if r.Examples > 0 && row != example {
		b = append(b, document.Plural(r.Examples, example))
	}
	if p := r.Rows.Predictions; p != nil && p.Disagree > 0 {
		b = append(b, fmt.Sprintf("%s of %s not what the scores say", document.Grouped(p.Disagree), document.Plural(p.Compared, "prediction")))
	}
	if t := r.Rows.Truth; t != nil {
		b = append(b, fmt.Sprintf("%s of %s in the truth without prediction", document.Grouped(t.Unmatched), document.Plural(t.Examples, example)))
	}
	if n := max(len(r.Labels), r.NumLabels); n > 0 {
		b = append(b, document.Plural(int64(n), labelWord(r.Task)))
	}
	return strings.Join(b, ", ")
}
