package evaluation

import (
	"fmt"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
)

// The limits of a message. With the other lines, they add up to 15.
const (
	chatNumbers = 5
	chatGates   = 4
)

// message returns at most 15 lines: the verdict, the failed gates, the first headlines and the
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
	for _, name := range d.headlines[:min(len(d.headlines), chatNumbers)] {
		lines = append(lines, quote.Visible(name)+" "+document.Value(d.overall[name]))
	}
	if found := worstFound(r.Search); found != "" {
		lines = append(lines, found)
	} else if worst, _ := d.worst(1); len(worst) > 0 {
		if name, _ := d.judged(); name != "" && worst[0].rows[name] != nil {
			lines = append(lines, fmt.Sprintf("Worst slice: %s, %s %s, support %s", worst[0].slice, quote.Visible(name), document.Value(worst[0].rows[name]), document.Grouped(worst[0].support)))
		}
	}
	if len(r.Checks) > 0 {
		lines = append(lines, document.ChecksInWords(r.Checks)+": "+document.Brief(r.Checks[0].Message))
	}
	return lines
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
