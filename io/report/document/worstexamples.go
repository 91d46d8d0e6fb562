package document

import (
	"math"
	"strconv"

	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// mostWorst is the largest number of worst examples in a document.
const mostWorst = 50

// worstExamples returns the section of the examples with the highest losses.
func worstExamples(r *report.Report) Section {
	if r.Worst == nil {
		return Section{}
	}
	all := r.OverallWorst()
	s := Section{In: Markdown | Page, ID: "worst-examples", Title: "Worst examples"}
	if len(all) == 0 {
		s.List = []string{"No example has a loss."}
		return s
	}
	kept := all[:min(len(all), mostWorst)]
	s.Notes = []string{FirstOf(len(kept), len(all), ""), "The examples with the highest losses. run.json has their files and rows."}
	s.Table = TableOf(kept,
		Numbers("rank", func(e *report.WorstExample) string { return strconv.Itoa(e.Rank) }),
		Text("example", func(e *report.WorstExample) string {
			if e.ID.Kind() == slice.KindNull {
				return ""
			}
			return quote.Visible(e.ID.Plain())
		}).Optional(),
		Numbers(quote.Visible(all[0].Name), func(e *report.WorstExample) string {
			if numbers.Finite(e.Loss) {
				return Number(e.Loss)
			}
			return "∞"
		}),
		Text("true", func(e *report.WorstExample) string { return described(e.True) }).Optional(),
		Text("predicted", func(e *report.WorstExample) string { return described(e.Predicted) }).Optional(),
		Numbers("score", func(e *report.WorstExample) string {
			if math.IsNaN(e.Score) || math.IsInf(e.Score, 0) {
				return ""
			}
			return Number(e.Score)
		}).Optional())
	return s
}

// described returns the description of labels for a table, or "" if there is none.
func described(labels string) string {
	if labels == "" {
		return ""
	}
	return quote.Visible(labels)
}
