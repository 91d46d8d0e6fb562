package comparison

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
)

// How many differences of each verdict people are shown at most.
const (
	maxChanges     = 100 // in comparison.md
	summaryChanges = 15
)

// changeTitles are the headings of differences by verdict.
var changeTitles = map[Verdict]string{
	Worse: "Worse for sure", Better: "Better for sure", NotShown: "Not shown", Unsure: "Unknown",
}

// adjustments are the names of the ways to adjust p-values.
var adjustments = map[Adjustment]string{BenjaminiHochberg: "Benjamini–Hochberg", Holm: "Holm", Unadjusted: "not adjusted"}

// headlines returns the differences to show first to people: those of some metrics of all
// labels in the overall slice.
func (c *Comparison) headlines() (list []*Change) {
	overall := map[string]*Change{}
	var names []string
	for i := range c.Changes {
		if d := &c.Changes[i]; len(d.Slice) == 0 && d.Label == nil {
			overall[d.Name] = d
			names = append(names, d.Name)
		}
	}
	for _, name := range report.Headlines(c.Task, names) {
		list = append(list, overall[name])
	}
	return list
}

// how says in words how the reports were compared.
func (c *Comparison) how() string {
	switch {
	case c.Pairing == Paired:
		return fmt.Sprintf("paired: both are of the same %s, in %d groups", c.examples(), c.B.Groups)
	case c.Pairing == Unpaired:
		return fmt.Sprintf("unpaired: as if the %s of a and b were independent", c.examples())
	case c.A.Groups == 0 && c.B.Groups == 0:
		return "differences alone: the reports have no replicates to test them; evaluate with confidence"
	}
	return "differences alone: one of the reports has no replicates to test them"
}

func (c *Comparison) examples() string {
	if c.Task == "ranking" {
		return "queries"
	}
	return "examples"
}

// line says where a report is and how much it is of.
func (x *Compared) line(examples string) string {
	return fmt.Sprintf("%s, %s %s", quote.Visible(x.Name), document.Grouped(x.Examples), examples)
}

// tally says how many differences have which verdict.
func (c *Comparison) tally() string {
	return fmt.Sprintf("%s: %s worse, %s better, %s not shown, %s unknown", document.Plural(int64(len(c.Changes)), "difference"),
		document.Grouped(c.count(Worse)), document.Grouped(c.count(Better)), document.Grouped(c.count(NotShown)), document.Grouped(c.count(Unsure)))
}

// note says in words what the numbers of a table are; "" if nothing was tested.
func (c *Comparison) note() string {
	if c.Pairing == Untested {
		return ""
	}
	level := strconv.FormatFloat(c.Level*100, 'g', 4, 64)
	adjusted := "adjusted for the slices and labels of a metric (" + adjustments[c.Adjust] + ")"
	if c.Adjust == Unadjusted {
		adjusted = adjustments[c.Adjust]
	}
	return fmt.Sprintf("±: %s%% confidence, of each difference alone. p: %s; up to %s it is sure that there is a difference.",
		level, adjusted, strconv.FormatFloat(1-c.Level, 'g', 4, 64))
}

// lines are the cells of a table of differences; numbers are the columns of numbers, counted
// from 1.
func (c *Comparison) lines(changes []*Change, overall bool) (header []string, lines [][]string, numbers []int) {
	has := func(f func(*Change) bool) bool { return slices.ContainsFunc(changes, f) }
	labels := has(func(d *Change) bool { return d.Label != nil })
	tested := c.Pairing != Untested
	lines = make([][]string, len(changes))
	add := func(name string, number bool, cell func(*Change) string) {
		header = append(header, name)
		if number {
			numbers = append(numbers, len(header))
		}
		for i, d := range changes {
			lines[i] = append(lines[i], cell(d))
		}
	}
	add("metric", false, func(d *Change) string { return quote.Visible(d.Name) })
	if !overall {
		add("slice", false, func(d *Change) string { return d.Slice.String() })
	}
	if labels {
		add("label", false, func(d *Change) string {
			if d.Label == nil {
				return ""
			}
			return quote.Visible(*d.Label)
		})
	}
	add("a", true, func(d *Change) string { return document.Number(d.A) })
	add("b", true, func(d *Change) string { return document.Number(d.B) })
	add("difference", true, (*Change).around)
	if tested {
		add("p", true, func(d *Change) string { return document.PValue(d.PAdjusted) })
	}
	if overall && tested {
		add("verdict", false, func(d *Change) string { return string(d.Verdict) })
	}
	if tested && has(func(d *Change) bool { return d.Reason != "" }) {
		add("reason", false, func(d *Change) string { return document.OneLine(d.Reason) })
	}
	return header, lines, numbers
}

// around writes the difference with its sign and its interval.
func (d *Change) around() string {
	c := report.Confidence{Low: d.Low, High: d.High}
	shown := document.Number(d.Difference)
	if c.HasInterval() && numbers.Finite(d.Difference) {
		shown = document.Around(&c, d.Difference)
	}
	if d.Difference > 0 {
		return "+" + shown
	}
	return shown
}

// verdicts returns the first differences of a verdict, and how many there are.
func (c *Comparison) verdicts(v Verdict, most int) (list []*Change, all int64) {
	for i := range c.Changes {
		if d := &c.Changes[i]; d.Verdict == v && len(list) < most {
			list = append(list, d)
		}
	}
	return list, c.count(v)
}

// details returns the differences of a verdict that a summary lists: of slices and labels, by
// the metrics that people know best; all others are shown or too many. If there are none, it
// returns all of the verdict.
func (c *Comparison) details(v Verdict) (list []*Change) {
	known := lists.Set(slices.Values(report.LabelHeadlines))
	for _, d := range c.headlines() {
		known[d.Name] = true
	}
	var all []*Change
	for i := range c.Changes {
		d := &c.Changes[i]
		if d.Verdict != v {
			continue
		}
		all = append(all, d)
		if known[d.Name] && (len(d.Slice) > 0 || d.Label != nil) {
			list = append(list, d)
		}
	}
	if len(list) == 0 {
		return all
	}
	return list
}

// writeMarkdown writes comparison.md.
func (c *Comparison) writeMarkdown(w io.Writer) error {
	var m document.Markdown
	m.Paragraph("# Comparison: " + document.Escape(quote.Visible(c.Task)))
	m.WriteString("- a: " + document.Escape(c.A.line(c.examples())) + "\n")
	m.WriteString("- b: " + document.Escape(c.B.line(c.examples())) + "\n")
	m.Paragraph("- " + c.how())
	m.Paragraph(c.tally() + ".")
	m.Gates(c.Gates)
	m.Warnings(c.Warnings)
	if headlines := c.headlines(); len(headlines) > 0 {
		m.Paragraph("## Overall")
		changes(&m, c, headlines, true)
		if note := c.note(); note != "" {
			m.Paragraph(note)
		}
	}
	for _, v := range verdicts {
		list, all := c.verdicts(v, maxChanges)
		if all == 0 {
			continue
		}
		m.Paragraph("## " + changeTitles[v])
		if int64(len(list)) < all {
			m.Paragraph(fmt.Sprintf("The first %d of %s.", len(list), document.Grouped(all)))
		}
		changes(&m, c, list, false)
	}
	_, err := w.Write(bytes.TrimSuffix(m.Bytes(), []byte("\n")))
	return err
}

func changes(m *document.Markdown, c *Comparison, list []*Change, overall bool) {
	header, lines, numbers := c.lines(list, overall)
	m.Table(header, lines, numbers...)
}

// Summary prints what matters of c, which is sorted, for a screen.
func Summary(c *Comparison, w io.Writer, on document.Screen) error {
	parts := []string{
		quote.Visible(c.Task) + ": b compared with a\n a: " + c.A.line(c.examples()) + "\n b: " + c.B.line(c.examples()) + "\n" + on.Indented(c.how()),
	}
	if len(c.Gates) > 0 {
		parts = append(parts, on.Gates(c.Gates))
	}
	if warnings := on.Warnings(c.Warnings); warnings != "" {
		parts = append(parts, warnings)
	}
	if headlines := c.headlines(); len(headlines) > 0 {
		overall := c.summary(on, headlines, true)
		if note := c.note(); note != "" {
			overall += "\n" + on.Indented(note)
		}
		parts = append(parts, overall)
	}
	for _, v := range []Verdict{Worse, Better} {
		all := c.count(v)
		if all == 0 {
			continue
		}
		title := fmt.Sprintf("%s: %s of %s", strings.ToLower(changeTitles[v]), document.Grouped(all), document.Grouped(int64(len(c.Changes))))
		list := c.details(v)
		if int64(len(list)) < all {
			title += "; in slices and labels, by well-known metrics"
		}
		if len(list) > summaryChanges {
			list = list[:summaryChanges]
			title += fmt.Sprintf(", the %d with the smallest p", summaryChanges)
		}
		parts = append(parts, on.Wrap(title)+"\n"+c.summary(on, list, false))
	}
	parts = append(parts, c.tally())
	_, err := io.WriteString(w, strings.Join(parts, "\n\n")+"\n")
	return err
}

func (c *Comparison) summary(on document.Screen, list []*Change, overall bool) string {
	header, lines, numbers := c.lines(list, overall)
	shown := on.Changes(header, lines, numbers)
	if last := len(header) - 1; header[last] == "reason" && text.LongestLineLen(shown) > on.Columns() {
		for i := range lines {
			lines[i] = lines[i][:last]
		}
		shown = on.Changes(header[:last], lines, numbers)
	}
	return shown + on.Marks(shown)
}
