package evaluation

import (
	"math"
	"strconv"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/slice"
)

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
