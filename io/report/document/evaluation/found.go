package evaluation

import (
	"fmt"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/picture"
)

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
