package comparison

import (
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
)

// policy allows the page of a comparison its style alone.
var policy = "default-src 'none'; style-src '" + document.DigestOf(document.PageStyle) + "'; base-uri 'none'; form-action 'none'"

// page is what comparison.html shows.
type page struct {
	document.Top
	Tables  []*document.Table
	Options *document.Table
}

// WritePage sorts c, and writes comparison.html as [WriteComparison] does.
func (c *Comparison) WritePage(w io.Writer) error {
	c.Sort()
	return c.writePage(w)
}

// writePage writes comparison.html: one file that needs no other.
func (c *Comparison) writePage(w io.Writer) error {
	first := c.headlines()
	p := &page{Top: document.Top{
		Policy: policy, Style: template.CSS(document.PageStyle),
		Title: "Comparison: " + quote.Visible(c.Task),
		About: []document.Fact{{Name: "a", Text: document.Brief(c.A.Name)}, {Name: "b", Text: document.Brief(c.B.Name)},
			{Name: capital(c.examples()) + " of a", Text: document.Grouped(c.A.Examples)}, {Name: capital(c.examples()) + " of b", Text: document.Grouped(c.B.Examples)}},
		Notes:          []string{sentence(c.how()), sentence(c.tally())},
		Gates:          document.GatesTable(c.Gates),
		HeadlinesTitle: "Differences at a glance",
		Headlines:      lists.Map(first, (*Change).headline),
		HeadlinesNote:  c.note(),
		Warnings:       lists.Map(c.Warnings, document.Brief),
		Pictures:       c.pictures(first),
	}}
	p.Verdict, p.VerdictText = document.VerdictOf(c.Gates)
	p.Options = optionsTable(c.Options)
	add := func(name, note string, list []*Change, overall bool) {
		header, rows, numbers := c.lines(list, overall)
		if t := document.NewTable(name, note, header, rows, numbers...); t != nil {
			p.Tables = append(p.Tables, t)
		}
	}
	for _, v := range []Verdict{Worse, Better} {
		list, all := c.verdicts(v, maxChanges)
		note := ""
		if int64(len(list)) < all {
			note = fmt.Sprintf("The first %d of %s; %s has all.", len(list), document.Grouped(all), CSV)
		}
		add(changeTitles[v], note, list, false)
	}
	p.Tables = append(p.Tables, c.queryTables(first)...)
	var overall []*Change
	for i := range c.Changes {
		if d := &c.Changes[i]; len(d.Slice) == 0 && d.Label == nil {
			overall = append(overall, d)
		}
	}
	slices.SortStableFunc(overall, func(a, b *Change) int { return report.CompareNames(a.Name, b.Name) })
	add("All metrics of all "+c.examples(), "", overall, true)
	return document.PageTemplates.ExecuteTemplate(w, "comparison.html", p)
}

// sentence makes words of our own a sentence.
func sentence(s string) string { return capital(s) + "." }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// headline returns what the page says of a difference at a glance.
func (d *Change) headline() document.Headline {
	h := document.Headline{Name: strings.SplitAfter(quote.Visible(d.Name), "_"), Value: d.around(), Change: document.Number(d.A) + " → " + document.Number(d.B)}
	for _, sign := range []string{" ± ", " ["} {
		if before, after, found := strings.Cut(h.Value, sign); found {
			h.Value, h.Range = before, strings.TrimSpace(sign)+" "+after
		}
	}
	h.Range = strings.Replace(h.Range, "[ ", "[", 1)
	h.Undefined = string(d.Verdict)
	if d.Reason != "" {
		h.Undefined += ": " + document.Brief(d.Reason)
	}
	return h
}

// pageOptions is how many options a page shows at most.
const pageOptions = 100

// optionsTable shows in what the configurations differ.
func optionsTable(options []OptionChange) *document.Table {
	value := func(v json.RawMessage) string {
		if len(v) == 0 {
			return "not set"
		}
		return document.Brief(string(v))
	}
	var rows [][]string
	for _, o := range options[:min(len(options), pageOptions)] {
		rows = append(rows, []string{document.Brief(o.Key), value(o.A), value(o.B)})
	}
	note := ""
	if len(rows) < len(options) {
		note = fmt.Sprintf("The first %d of %s; %s has all.", len(rows), document.Grouped(int64(len(options))), JSON)
	}
	return document.NewTable("Options that differ", note, []string{"option", "a", "b"}, rows)
}
