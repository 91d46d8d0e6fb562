package evaluation

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/picture"
	"github.com/beameval/beameval/io/slice"
)

// A slice is shown to people if it has enoughSupport examples or, for small data, enoughShare of
// all examples. The worst value among many small slices says more about their size than about the
// model.
const (
	enoughSupport = 30
	enoughShare   = 0.05
)

// worst returns the n worst of the sufficiently large slices, and a note about their order and the slices that are left out.
func (d *digest) worst(n int) (kept []*line, note string) {
	overall := int64(0)
	for _, headline := range d.headlines {
		overall = max(overall, d.overall[headline].Support)
	}
	enough := min(enoughSupport, int64(math.Ceil(enoughShare*float64(overall))))
	kept = slices.Clone(d.slices)
	if slices.ContainsFunc(kept, func(l *line) bool { return l.support >= enough }) {
		kept = slices.DeleteFunc(kept, func(l *line) bool { return l.support < enough })
	}
	small := len(d.slices) - len(kept)
	name, direction := d.sortBy, d.direction
	if name == "" {
		kept = largest(kept, n)
	} else {
		slices.SortStableFunc(kept, func(a, b *line) int {
			return cmp.Compare(badness(a.rows[name], direction), badness(b.rows[name], direction))
		})
		kept = kept[:min(n, len(kept))]
	}
	return kept, noteOn(name, direction, len(d.slices)-small-len(kept), small, enough)
}

// worstLabels returns the n worst labels by the first of their metrics that has a direction, and a
// note about their order. If all fit without being unfolded, they keep their order.
func (d *digest) worstLabels(r *report.Report, n int) (kept []*line, note string) {
	if len(d.labels) <= document.FirstRows {
		return d.labels, ""
	}
	kept = slices.Clone(d.labels)
	for _, name := range d.columns {
		if direction := directionOf(r, name); direction != 0 {
			slices.SortStableFunc(kept, func(a, b *line) int {
				return cmp.Compare(badness(a.rows[name], direction), badness(b.rows[name], direction))
			})
			note = "Sorted from the worst " + quote.Visible(name)
			break
		}
	}
	n = min(n, len(kept))
	return kept[:n], strings.TrimPrefix(note+leftOut(len(kept)-n, 0, 0), "; ") + "."
}

// most returns how many of the lines an output shows at most: on the page, no more than tableBytes
// hold.
func (d *digest) most(of document.Output, most int, lines []*line, columns []string) int {
	if of != document.Page {
		return most
	}
	bytes := 0
	for i, l := range lines[:min(most, len(lines))] {
		if bytes += 80 + len(l.title()) + 50*len(columns); bytes > tableBytes {
			return max(i, document.FirstRows)
		}
	}
	return most
}

// sort chooses the metric that slices are sorted by: the given one or, if the report has none of
// that name, the first headline that has a direction.
func (d *digest) sort(r *report.Report, by string) {
	if d.overall[by] != nil {
		d.sortBy, d.direction = by, directionOf(r, by)
		return
	}
	for _, name := range d.headlines {
		if direction := directionOf(r, name); direction != 0 {
			d.sortBy, d.direction = name, direction
			return
		}
	}
}

// ofSlices returns the names of the metrics to show for each slice: the headlines, and the metric
// that slices are sorted by.
func (d *digest) ofSlices() []string {
	if d.sortBy == "" || slices.Contains(d.headlines, d.sortBy) {
		return d.headlines
	}
	return slices.Concat([]string{d.sortBy}, d.headlines)
}

// directionOf returns 1 if higher values of a metric are better, -1 if lower ones are, and 0 if
// neither is the case.
func directionOf(r *report.Report, name string) int {
	switch m, known := r.Meanings[name]; {
	case !known:
		return report.Direction(name)
	case m.Better == "higher":
		return 1
	case m.Better == "lower":
		return -1
	}
	return 0
}

// badness returns a smaller number for a worse value, or a lower one if neither is better, and
// infinity for a missing or undefined one.
func badness(row *report.Row, direction int) float64 {
	if row == nil || !floats.Finite(row.Value) {
		return math.Inf(1)
	}
	if direction < 0 {
		return -row.Value
	}
	return row.Value
}

// noteOn says by which metric slices are sorted, and how many are left out, including those that
// are too small.
func noteOn(name string, direction, others, small int, enough int64) string {
	note := "Sorted by name"
	switch {
	case name != "" && direction == 0:
		note = "Sorted from the lowest " + quote.Visible(name)
	case name != "":
		note = "Sorted from the worst " + quote.Visible(name)
	}
	return note + leftOut(others, small, enough) + "."
}

// leftOut says how many lines are left out, including those that are too small.
func leftOut(others, small int, enough int64) string {
	var left []string
	if others > 0 {
		left = append(left, document.Plural(int64(others), "other"))
	}
	if small > 0 {
		left = append(left, fmt.Sprintf("%s with a support below %d", document.Grouped(int64(small)), enough))
	}
	if len(left) == 0 {
		return ""
	}
	return "; left out: " + strings.Join(left, ", ")
}

// mostWorst is the largest number of worst examples in a document.
const mostWorst = 50

// worstExamples returns the section of the examples with the highest losses.
func worstExamples(r *report.Report, of document.Output) document.Section {
	if r.Worst == nil {
		return document.Section{}
	}
	all := r.OverallWorst()
	s := document.Section{In: document.Markdown | document.Page, ID: "worst-examples", Title: "Worst examples"}
	if len(all) == 0 {
		s.List = []string{"No example has a loss."}
		return s
	}
	kept, first := document.First(all, mostWorst, "")
	s.Notes = []string{first, "The examples with the highest losses. run.json has their files and rows."}
	s.Table = document.TableOf(kept,
		document.Numbers("rank", func(e *report.WorstExample) string { return strconv.Itoa(e.Rank) }),
		document.Text("example", func(e *report.WorstExample) string { return idOf(e.ID) }).Optional(),
		document.Floats(of, quote.Visible(all[0].Name), kept, func(e *report.WorstExample) float64 { return e.Loss }, "∞"),
		truth(of, r.Task, "true", kept, func(e *report.WorstExample) string { return e.True }),
		truth(of, r.Task, "predicted", kept, func(e *report.WorstExample) string { return e.Predicted }),
		document.Floats(of, "score", kept, func(e *report.WorstExample) float64 { return e.Score }, "").Optional())
	return s
}

// truth returns a column of labels or, on the page of a regression, of numbers.
func truth(of document.Output, task, name string, kept []*report.WorstExample, text func(*report.WorstExample) string) document.Cells[*report.WorstExample] {
	if of != document.Page || task != "regression" {
		return document.Text(name, func(e *report.WorstExample) string { return described(text(e)) }).Optional()
	}
	return document.Floats(of, name, kept, func(e *report.WorstExample) float64 {
		x, err := strconv.ParseFloat(text(e), 64)
		if err != nil {
			return math.NaN()
		}
		return x
	}, "").Optional()
}

// addChangedExamples adds the sections of the examples that changed most since a baseline.
func addChangedExamples(d *document.Document, r *report.Report) {
	if r.Changed == nil {
		return
	}
	for _, improved := range []bool{false, true} {
		all := r.OverallChanged(improved)
		kept, first := document.First(all, mostWorst, "")
		s := document.Section{In: document.Markdown | document.Page, ID: "regressions", Title: "Examples that regressed", Notes: []string{first}}
		what := "The baseline predicts these right, and they are now predicted wrong"
		if improved {
			s.ID, s.Title, what = "improvements", "Examples that improved", "The baseline predicts these wrong, and they are now predicted right"
		}
		if len(all) == 0 {
			s.Notes, s.List = nil, []string{"There are none."}
			d.Add(s)
			continue
		}
		s.Notes = append(s.Notes, what+". Those whose scores of the true class changed most come first. run.json has their files and rows.")
		number := func(name string, of func(*report.ChangedExample) float64) document.Cells[*report.ChangedExample] {
			return document.Floats(d.Output, name, kept, of, "").Optional()
		}
		s.Table = document.TableOf(kept,
			document.Numbers("rank", func(e *report.ChangedExample) string { return strconv.Itoa(e.Rank) }),
			document.Text("example", func(e *report.ChangedExample) string { return idOf(e.ID) }).Optional(),
			document.Text("true", func(e *report.ChangedExample) string { return described(e.True) }),
			document.Text("baseline predicted", func(e *report.ChangedExample) string { return described(e.Baseline) }),
			document.Text("predicted", func(e *report.ChangedExample) string { return described(e.Predicted) }),
			number("baseline score", func(e *report.ChangedExample) float64 { return e.BaselineScore }),
			number("score", func(e *report.ChangedExample) float64 { return e.Score }),
			number("change", func(e *report.ChangedExample) float64 { return e.Change }))
		d.Add(s)
	}
}

// idOf returns the id of an example for a table, or "" if it has none.
func idOf(id slice.Value) string {
	if id.Kind() == slice.KindNull {
		return ""
	}
	return quote.Visible(id.Plain())
}

// described returns the description of labels for a table, or "" if there is none.
func described(labels string) string {
	if labels == "" {
		return ""
	}
	return quote.Visible(labels)
}

// mostFound is the largest number of found slices in a picture, and mostFoundOnScreen in a summary.
const (
	mostFound         = 20
	mostFoundOnScreen = 3
)

// addFoundSlices adds the section of the slices that a search found.
func addFoundSlices(d *document.Document, search *report.Search) {
	if search == nil {
		return
	}
	loss, list := quote.Visible(search.Measure), search.Found
	confirmed := collections.Select(list, func(f *report.FoundSlice) bool { return f.Confirmed })
	s := document.Section{In: document.OnScreen | document.Markdown | document.Page, ID: "found-slices", Title: "Worst slices found"}
	if s.Notes = []string{foundNote(search, len(confirmed))}; d.Output == document.OnScreen {
		list = list[:min(len(list), mostFoundOnScreen)]
	} else {
		s.Notes = append(s.Notes, collections.Map(search.LeftOut, func(text string) string { return "Left out: " + document.Brief(text) + "." })...)
	}
	rows := collections.Select(list, func(*report.FoundSlice) bool { return true })
	number := func(name string, of func(*report.FoundSlice) float64) document.Cells[*report.FoundSlice] {
		return document.Floats(d.Output, name, rows, of, "")
	}
	name := document.Text("found", func(f *report.FoundSlice) string { return f.Key.String() })
	s.Table = document.TableOf(rows, name,
		number("score", func(f *report.FoundSlice) float64 { return f.Score }).If(d.Output != document.OnScreen),
		document.Numbers("size", func(f *report.FoundSlice) string { return document.Grouped(f.Size) }),
		number(loss, func(f *report.FoundSlice) float64 { return f.Value }).Optional(),
		number("rest", func(f *report.FoundSlice) float64 { return f.Rest }).Optional(),
		document.Text("difference", foundDifference).Optional().If(d.Output != document.OnScreen),
		number("adjusted p", func(f *report.FoundSlice) float64 { return f.PAdjusted }).Optional().If(d.Output != document.OnScreen),
		document.Text("confirmed", func(f *report.FoundSlice) string {
			switch {
			case f.Confirmed:
				return "yes"
			case f.Reason != "":
				return "no (" + document.OneLine(f.Reason) + ")"
			}
			return "no"
		}).If(search.Confirmed))
	none := "No slice was found whose " + loss + " is higher."
	switch {
	case s.Table != nil:
	case d.Output == document.OnScreen: // where a list is one of warnings
		s.Lead = none
	default:
		s.List = []string{none}
	}
	if d.Output == document.Page {
		s.Pictures = foundPictures(search)
	}
	d.Add(s)
	if metrics := foundMetrics(list); len(metrics) > 0 {
		d.Add(document.Section{In: document.Markdown | document.Page, Title: "Metrics of the slices found", Sub: true, Table: document.TableOf(rows, append([]document.Cells[*report.FoundSlice]{name}, metrics...)...)})
	}
}

// foundMetrics returns columns for the metrics of found slices.
func foundMetrics(list []report.FoundSlice) (columns []document.Cells[*report.FoundSlice]) {
	if len(list) == 0 {
		return nil
	}
	for i, m := range list[0].Metrics { // all slices have the same
		columns = append(columns, document.Numbers(quote.Visible(m.Name), func(f *report.FoundSlice) string {
			if i >= len(f.Metrics) {
				return ""
			}
			return document.End(f.Metrics[i].Value, "")
		}))
	}
	return columns
}

// worstFound returns a line about the first of the confirmed slices, or "" if there are none.
func worstFound(s *report.Search) string {
	if s == nil {
		return ""
	}
	var list []string
	for _, f := range s.Found {
		if f.Confirmed && len(list) < mostFoundOnScreen {
			list = append(list, fmt.Sprintf("%s (%s %s, others %s)", f.Key, quote.Visible(s.Measure), document.Number(f.Value), document.Number(f.Rest)))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "Worst slices found: " + strings.Join(list, "; ")
}

// foundNote says how slices were found, and what confirms them.
func foundNote(s *report.Search, confirmed int) string {
	searched := document.Plural(s.Searched, "example")
	if len(s.Found) == 0 {
		return searched + " searched."
	}
	if !s.Confirmed {
		return fmt.Sprintf("All %s were searched, so nothing was confirmed: these slices may be bad by chance.", searched)
	}
	return fmt.Sprintf("Found in one half (%s), tested in the other (%s): %d of %s confirmed.",
		searched, document.Plural(s.Confirming, "example"), confirmed, document.Plural(int64(len(s.Found)), "slice"))
}

// foundDifference returns the difference of a slice with its interval.
func foundDifference(f *report.FoundSlice) string {
	if !floats.Finite(f.Difference) {
		return ""
	}
	if !floats.Finite(f.Low) || !floats.Finite(f.High) {
		return document.Number(f.Difference)
	}
	return fmt.Sprintf("%s [%s, %s]", document.Number(f.Difference), document.Number(f.Low), document.Number(f.High))
}

// foundPictures draws how much higher the loss of the found slices is.
func foundPictures(s *report.Search) []document.Picture {
	dots := picture.Dots{Label: "difference of " + quote.Visible(s.Measure), Bars: true, Kinds: []string{"confirmed", "not confirmed"}}
	numbers := document.NumbersOf(nil, "slice", "difference", "low", "high")
	for _, f := range s.Found[:min(len(s.Found), mostFound)] {
		if !floats.Finite(f.Difference) {
			continue
		}
		dot := picture.Dot{Name: f.Key.String(), Value: f.Difference, Low: f.Low, High: f.High}
		if !f.Confirmed {
			dot.Kind = 1
		}
		dot.Tip = numbers.Add(dot.Name, document.Number(f.Difference), document.Number(f.Low), document.Number(f.High))
		dots.Dots = append(dots.Dots, dot)
	}
	if len(numbers.Rows) == 0 {
		return nil
	}
	g := new(document.Gallery)
	dots.About = picture.About{ID: "found", Title: "Worst slices found", Desc: "How much higher the mean loss of each slice is than that of all other examples, among those that were not searched."}
	g.Add(&dots, numbers)
	return g.List
}
