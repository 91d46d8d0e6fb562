package document

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
)

// What summary.txt shows at most: with the other lines that makes 15.
const (
	chatNumbers = 5
	chatGates   = 4
)

// WriteChat writes summary.txt, a message of at most 15 lines: the verdict, the gates that
// failed, the first headlines and the worst slice.
func WriteChat(r *report.Report, w io.Writer) error {
	var config report.Settings
	_ = json.Unmarshal(r.Config, &config) // what another version wrote there has no title
	d := newDigest(r)
	_, verdict := VerdictOf(r.Gates)
	lines := []string{titleOf(r, &config) + ". " + verdict}
	for _, fact := range pageAbout(r, &config) {
		if fact.Name == "Model" || fact.Name == "Data" {
			lines = append(lines, fact.Name+": "+fact.Text)
		}
	}
	lines = append(lines, tallyOf(r))
	lines = append(lines, failures(r)...)
	for _, name := range d.headlines[:min(len(d.headlines), chatNumbers)] {
		lines = append(lines, quote.Visible(name)+" "+value(d.overall[name]))
	}
	if worst, _ := d.worst(1); len(worst) > 0 {
		if name, _ := d.judged(); name != "" && worst[0].rows[name] != nil {
			lines = append(lines, fmt.Sprintf("Worst slice: %s, %s %s, support %s", worst[0].slice, quote.Visible(name), value(worst[0].rows[name]), Grouped(worst[0].support)))
		}
	}
	if warnings := r.AllWarnings(); len(warnings) > 0 {
		lines = append(lines, Plural(int64(len(warnings)), "warning")+": "+Brief(warnings[0]))
	}
	_, err := io.WriteString(w, strings.Join(lists.Map(lines, Brief), "\n")+"\n")
	return err
}

// failures are the gates that failed, one a line.
func failures(r *report.Report) (list []string) {
	for i := range r.Gates {
		if g := &r.Gates[i]; g.Verdict == report.Fail {
			list = append(list, "Failed: "+gateSentence(g))
		}
	}
	if n := len(list); n > chatGates {
		list = append(list[:chatGates-1], fmt.Sprintf("Failed: %d more", n-chatGates+1))
	}
	return list
}

// gateSentence says which gate it is and what its values and limits are.
func gateSentence(r *report.GateResult) string {
	var parts []string
	for _, column := range gateColumns {
		text := column.cell(r)
		switch {
		case text == "" || column.name == "gate" || column.name == "slice" && len(r.Slice) == 0:
		case column.name == "metric" || column.name == "slice":
			parts = append(parts, text)
		default:
			parts = append(parts, column.name+" "+text)
		}
	}
	return strings.Join(parts, ", ")
}
