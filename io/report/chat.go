package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/beameval/beameval/io/quote"
)

// What summary.txt shows at most: with the other lines that makes 15.
const (
	chatNumbers = 5
	chatGates   = 4
)

// writeChat writes summary.txt, a message of at most 15 lines: the verdict, the gates that
// failed, the first headlines and the worst slice.
func (r *Report) writeChat(w io.Writer) error {
	var config pageConfig
	_ = json.Unmarshal(r.Config, &config) // what another version wrote there has no title
	d := r.digest()
	_, verdict := verdictOf(r.Gates)
	lines := []string{r.title(&config) + ". " + verdict}
	for _, fact := range r.pageAbout(&config) {
		if fact.Name == "Model" || fact.Name == "Data" {
			lines = append(lines, fact.Name+": "+fact.Text)
		}
	}
	lines = append(lines, r.tally())
	lines = append(lines, r.failures()...)
	for _, name := range d.headlines[:min(len(d.headlines), chatNumbers)] {
		lines = append(lines, quote.Visible(name)+" "+value(d.overall[name]))
	}
	if worst, _ := d.worst(1); len(worst) > 0 {
		if name, _ := d.judged(); name != "" && worst[0].rows[name] != nil {
			lines = append(lines, fmt.Sprintf("Worst slice: %s, %s %s, support %s", worst[0].slice, quote.Visible(name), value(worst[0].rows[name]), grouped(worst[0].support)))
		}
	}
	if warnings := r.warnings(); len(warnings) > 0 {
		lines = append(lines, plural(int64(len(warnings)), "warning")+": "+brief(warnings[0]))
	}
	_, err := io.WriteString(w, strings.Join(mapped(lines, brief), "\n")+"\n")
	return err
}

// failures are the gates that failed, one a line.
func (r *Report) failures() (list []string) {
	for i := range r.Gates {
		if g := &r.Gates[i]; g.Verdict == Fail {
			list = append(list, "Failed: "+g.sentence())
		}
	}
	if n := len(list); n > chatGates {
		list = append(list[:chatGates-1], fmt.Sprintf("Failed: %d more", n-chatGates+1))
	}
	return list
}

// sentence says which gate it is and what its values and limits are.
func (r *GateResult) sentence() string {
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
