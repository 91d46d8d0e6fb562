package evaluation

import (
	"fmt"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/findings"
)

// The limits of a message. There are fewer numbers where the other lines leave less room.
const (
	chatLines    = 15
	chatNumbers  = 5
	chatGates    = 4
	chatFindings = 2
)

// message returns at most 15 lines: the verdict, the failed gates, what stands out, the first headlines and the
// worst slices that were found or, without any, the worst of those that were asked for.
func message(r *report.Report, d *digest, doc *document.Document) []string {
	lines := []string{doc.Title + ". " + doc.VerdictText}
	for _, fact := range doc.About {
		if fact.Name == "Model" || fact.Name == "Data" {
			lines = append(lines, fact.Name+": "+fact.Text)
		}
	}
	lines = append(lines, tallyOf(r))
	lines = append(lines, failures(r)...)
	found := collections.Select(r.Findings, func(f *findings.Finding) bool { return f.Name != findings.NoIntervals })
	found = found[:min(len(found), chatFindings)]
	lines = append(lines, collections.Map(found, func(f *findings.Finding) string { return document.Brief(f.Message) })...)
	var last []string
	if text := worstInWords(r, d, found); text != "" {
		last = append(last, text)
	}
	if len(r.Checks) > 0 {
		last = append(last, document.ChecksInWords(r.Checks)+": "+document.Brief(r.Checks[0].Message))
	}
	for _, name := range d.headlines[:min(len(d.headlines), chatNumbers, chatLines-len(lines)-len(last))] {
		lines = append(lines, quote.Visible(name)+" "+document.Value(d.overall[name]))
	}
	return append(lines, last...)
}

// worstInWords names the worst slice, unless that is among what stands out. It may be "".
func worstInWords(r *report.Report, d *digest, said []*findings.Finding) string {
	if text := worstFound(r.Search); text != "" {
		return text
	}
	worst, _ := d.worst(1)
	if len(worst) == 0 || slices.ContainsFunc(said, func(f *findings.Finding) bool { return f.Name == findings.WorstSlice }) {
		return ""
	}
	row := worst[0].rows[d.sortBy]
	if row == nil {
		return ""
	}
	return fmt.Sprintf("Worst slice: %s, %s %s, support %s", worst[0].slice, quote.Visible(row.Name), document.Value(row), document.Grouped(worst[0].support))
}

// failures returns a line for each failed gate.
func failures(r *report.Report) (list []string) {
	for i := range r.Gates {
		if g := &r.Gates[i]; g.Verdict == report.Fail {
			list = append(list, "Failed: "+document.GateSentence(g))
		}
	}
	if n := len(list); n > chatGates {
		list = append(list[:chatGates-1], fmt.Sprintf("Failed: %d more", n-chatGates+1))
	}
	return list
}
