package comparison

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
)

// changeTitles are the headings of differences by verdict.
var changeTitles = map[Verdict]string{
	Worse: "Significantly worse", Better: "Significantly better", NoSignificantChange: "No significant change", Unsure: "Unknown",
}

// adjustments are the names of the methods of adjusting p-values.
var adjustments = map[Adjustment]string{BenjaminiHochberg: "Benjamini–Hochberg", Holm: "Holm", Unadjusted: "not adjusted", MaxT: "max-T"}

// headlines returns the differences to show first to people: those of some metrics of all labels in
// the overall slice.
func (c *Comparison) headlines() []*Change {
	return collections.Map(c.Headlines(), func(name string) *Change { return c.change(name, nil) })
}

// Headlines returns the metrics to show first to people, by which both reports can be compared.
func (c *Comparison) Headlines() []string {
	return c.headlinesAmong(collections.Map(c.overall(), func(d *Change) string { return d.Name }))
}

// headlinesAmong chooses them among some metrics.
func (c *Comparison) headlinesAmong(names []string) []string {
	values := map[string]float64{}
	for _, name := range names {
		values[name] = 0
	}
	for _, d := range c.overall() {
		if _, wanted := values[d.Name]; !wanted {
			continue
		}
		if values[d.Name] = d.A; math.IsNaN(d.A) {
			values[d.Name] = d.B
		}
	}
	return report.HeadlinesByValue(c.Task, c.Headline, values)
}

// change returns the difference of a metric of all examples, or nil.
func (c *Comparison) change(metric string, label *string) *Change {
	for i := range c.Changes {
		if d := &c.Changes[i]; d.Name == metric && len(d.Slice) == 0 && report.SameLabel(d.Label, label) {
			return d
		}
	}
	return nil
}

// how describes how the reports were compared.
func (c *Comparison) how() string {
	switch {
	case c.Pairing == Paired:
		return fmt.Sprintf("paired: both are of the same %s, in %d groups", examplesOf(c.Task), c.B.Groups)
	case c.Pairing == Unpaired:
		return fmt.Sprintf("unpaired: as if the %s of %s and %s were independent", examplesOf(c.Task), c.names()[0], c.names()[1])
	case c.A.Groups == 0 && c.B.Groups == 0:
		return "differences alone: the reports have no replicates to test them; evaluate with confidence"
	}
	return "differences alone: one of the reports has no replicates to test them"
}

// examplesOf returns what the examples of a task are called.
func examplesOf(task string) string {
	if task == "ranking" {
		return "queries"
	}
	return "examples"
}

// line says where a report is and how much it covers.
func (x *Compared) line(name, examples string) string {
	return fmt.Sprintf("%s, %s %s", x.place(name), document.Grouped(x.Examples), examples)
}

// place returns the name of a report for people if that is its model, which may have been evaluated into a directory that
// is gone by now, and otherwise where the report is.
func (x *Compared) place(name string) string {
	switch place := document.OneLine(x.Name); {
	case name == document.OneLine(x.Model):
		return name
	case name == place || slices.Contains(sides, name):
		return place
	default:
		return name + ", " + place
	}
}

// tally says how many differences have each verdict, or that there is none.
func (c *Comparison) tally() string {
	if c.identical() {
		return fmt.Sprintf("identical: none of %s differs", document.Plural(int64(len(c.Changes)), "value"))
	}
	return tallyOf(len(c.Changes), c.count)
}

// tallyOf says how many of n differences have each verdict.
func tallyOf(n int, count func(Verdict) int64) string {
	return fmt.Sprintf("%s: %s worse, %s better, %s with no significant change, %s unknown", document.Plural(int64(n), "difference"),
		document.Grouped(count(Worse)), document.Grouped(count(Better)), document.Grouped(count(NoSignificantChange)), document.Grouped(count(Unsure)))
}

// identical reports whether all values of both reports are the same, which may be undefined.
func (c *Comparison) identical() bool {
	return len(c.Changes) > 0 && !slices.ContainsFunc(c.Changes, func(d Change) bool {
		return d.A != d.B && !(math.IsNaN(d.A) && math.IsNaN(d.B))
	})
}

// note explains the numbers of a table; it is empty if nothing was tested.
func (c *Comparison) note(of document.Output) string {
	if c.Pairing == Untested {
		return ""
	}
	level := strconv.FormatFloat(c.Level*100, 'g', 4, 64)
	adjusted := "adjusted for the slices and labels of a metric (" + adjustments[c.Adjust] + ")"
	if c.Adjust == Unadjusted {
		adjusted = adjustments[c.Adjust]
	}
	mark := "±"
	if of == document.Page {
		mark = "[ ]"
	}
	return fmt.Sprintf("%s: %s%% confidence, of each difference alone. p: %s; up to %s, a difference is significant.",
		mark, level, adjusted, strconv.FormatFloat(1-c.Level, 'g', 4, 64))
}

// lines returns a table of differences for an output.
func (c *Comparison) lines(of document.Output, changes []*Change, overall bool) *document.Table {
	return document.Differences(of, changes, c.names(), overall, c.Pairing != Untested)
}

// of returns the differences of a verdict.
func (c *Comparison) of(v Verdict) []*Change {
	return collections.Select(c.Changes, func(d *Change) bool { return d.Verdict == v })
}

// details returns the differences of a verdict that a summary lists: of slices and labels, by the
// best-known metrics. The others are shown elsewhere or are too many. If there are none, it returns
// all differences of the verdict.
func (c *Comparison) details(v Verdict) []*Change {
	known := c.known()
	list := collections.Select(c.Changes, func(d *Change) bool {
		return d.Verdict == v && known[d.Name] && (len(d.Slice) > 0 || d.Label != nil)
	})
	if len(list) == 0 {
		return c.of(v)
	}
	return list
}

// known returns the best-known metrics: the headlines, and those of labels.
func (c *Comparison) known() map[string]bool {
	known := collections.Set(slices.Values(report.KnownOfLabels))
	for _, d := range c.headlines() {
		known[d.Name] = true
	}
	return known
}

// knownFirst moves the differences of the headline metrics to the front, then those of the
// best-known metrics of labels, and keeps the order otherwise.
func (c *Comparison) knownFirst(list []*Change) []*Change {
	headlines := collections.Set(slices.Values(collections.Map(c.headlines(), func(d *Change) string { return d.Name })))
	known := c.known()
	rank := func(d *Change) int {
		switch {
		case headlines[d.Name]:
			return 0
		case known[d.Name]:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(list, func(a, b *Change) int { return cmp.Compare(rank(a), rank(b)) })
	return list
}
