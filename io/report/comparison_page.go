package report

import (
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/quote"
)

// comparisonPolicy allows the page of a comparison its style alone.
var comparisonPolicy = "default-src 'none'; style-src '" + digestOf(pageStyle) + "'; base-uri 'none'; form-action 'none'"

// comparisonPage is what comparison.html shows.
type comparisonPage struct {
	pageTop
	Tables  []*pageTable
	Options *pageTable
}

// WritePage sorts c, and writes comparison.html as [WriteComparison] does.
func (c *Comparison) WritePage(w io.Writer) error {
	c.Sort()
	return c.writePage(w)
}

// writePage writes comparison.html: one file that needs no other.
func (c *Comparison) writePage(w io.Writer) error {
	first := c.headlines()
	p := &comparisonPage{pageTop: pageTop{
		Policy: comparisonPolicy, Style: template.CSS(pageStyle),
		Title: "Comparison: " + quote.Visible(c.Task),
		About: []pageFact{{"a", brief(c.A.Name)}, {"b", brief(c.B.Name)},
			{capital(c.examples()) + " of a", grouped(c.A.Examples)}, {capital(c.examples()) + " of b", grouped(c.B.Examples)}},
		Notes:          []string{sentence(c.how()), sentence(c.tally())},
		Gates:          gatesTable(c.Gates),
		HeadlinesTitle: "Differences at a glance",
		Headlines:      mapped(first, (*Change).headline),
		HeadlinesNote:  c.note(),
		Warnings:       mapped(c.Warnings, brief),
		Pictures:       c.pictures(first),
	}}
	p.Verdict, p.VerdictText = verdictOf(c.Gates)
	p.Options = optionsTable(c.Options)
	add := func(name, note string, list []*Change, overall bool) {
		header, rows, numbers := c.lines(list, overall)
		if t := newPageTable(name, note, header, rows, numbers...); t != nil {
			p.Tables = append(p.Tables, t)
		}
	}
	for _, v := range []ChangeVerdict{Worse, Better} {
		list, all := c.verdicts(v, maxChanges)
		note := ""
		if int64(len(list)) < all {
			note = fmt.Sprintf("The first %d of %s; %s has all.", len(list), grouped(all), ComparisonCSV)
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
	slices.SortStableFunc(overall, func(a, b *Change) int { return compareNames(a.Name, b.Name) })
	add("All metrics of all "+c.examples(), "", overall, true)
	return pageTemplates.ExecuteTemplate(w, "comparison.html", p)
}

// sentence makes words of our own a sentence.
func sentence(s string) string { return capital(s) + "." }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// headline returns what the page says of a difference at a glance.
func (d *Change) headline() pageHeadline {
	h := pageHeadline{Name: strings.SplitAfter(quote.Visible(d.Name), "_"), Value: d.around(), Change: number(d.A) + " → " + number(d.B)}
	for _, sign := range []string{" ± ", " ["} {
		if before, after, found := strings.Cut(h.Value, sign); found {
			h.Value, h.Range = before, strings.TrimSpace(sign)+" "+after
		}
	}
	h.Range = strings.Replace(h.Range, "[ ", "[", 1)
	h.Undefined = string(d.Verdict)
	if d.Reason != "" {
		h.Undefined += ": " + brief(d.Reason)
	}
	return h
}

// pageOptions is how many options a page shows at most.
const pageOptions = 100

// optionsTable shows in what the configurations differ.
func optionsTable(options []OptionChange) *pageTable {
	value := func(v json.RawMessage) string {
		if len(v) == 0 {
			return "not set"
		}
		return brief(string(v))
	}
	var rows [][]string
	for _, o := range options[:min(len(options), pageOptions)] {
		rows = append(rows, []string{brief(o.Key), value(o.A), value(o.B)})
	}
	note := ""
	if len(rows) < len(options) {
		note = fmt.Sprintf("The first %d of %s; %s has all.", len(rows), grouped(int64(len(options))), ComparisonJSON)
	}
	return newPageTable("Options that differ", note, []string{"option", "a", "b"}, rows)
}
