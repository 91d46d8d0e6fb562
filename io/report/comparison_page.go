package report

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/picture"
)

// comparisonPolicy allows the page of a comparison its style alone.
var comparisonPolicy = "default-src 'none'; style-src '" + digestOf(pageStyle) + "'; base-uri 'none'; form-action 'none'"

// comparisonPage is what comparison.html shows.
type comparisonPage struct {
	pageTop
	Tables []*pageTable
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

// The kinds of dots in pictures of differences.
var (
	changeKinds = []ChangeVerdict{Better, Worse, NotShown, Unsure}
	kindNames   = []string{"better for sure", "worse for sure", "not shown", "unknown"}
)

// pictures draws differences with their intervals: of all examples, of slices and of labels.
func (c *Comparison) pictures(first []*Change) (list []pagePicture) {
	var alike, bySlice, byLabel []*Change
	for _, d := range first { // one axis is for numbers of one size
		if math.Abs(d.A) <= 1 && math.Abs(d.B) <= 1 {
			alike = append(alike, d)
		}
	}
	list = c.dots(list, "Differences", "Metrics within −1 and 1.", "difference: b − a", alike, func(d *Change) string { return quote.Visible(d.Name) })
	ofSlice, ofLabel := map[string][]*Change{}, map[string][]*Change{}
	for i := range c.Changes {
		switch d := &c.Changes[i]; {
		case len(d.Slice) > 0 && d.Label == nil:
			ofSlice[d.Name] = append(ofSlice[d.Name], d)
		case len(d.Slice) == 0 && d.Label != nil:
			ofLabel[d.Name] = append(ofLabel[d.Name], d)
		}
	}
	for _, d := range first {
		if bySlice = ofSlice[d.Name]; len(bySlice) > 0 {
			name := quote.Visible(d.Name)
			list = c.dots(list, "Slices: "+name, "", "difference of "+name, bySlice, func(d *Change) string { return d.Slice.String() })
			break
		}
	}
	for _, name := range []string{"f1", "recall", "roc_auc"} {
		if byLabel = ofLabel[name]; len(byLabel) > 0 {
			return c.dots(list, "Labels: "+name, "", "difference of "+name, byLabel, func(d *Change) string { return quote.Visible(*d.Label) })
		}
	}
	return list
}

// dots adds a picture of differences, from the lowest, of at most as many as a picture shows.
func (c *Comparison) dots(list []pagePicture, title, note, axis string, changes []*Change, name func(*Change) string) []pagePicture {
	var kept []*Change
	for _, d := range changes {
		if finite(d.Difference) {
			kept = append(kept, d)
		}
	}
	if len(kept) == 0 {
		return list
	}
	if all := len(kept); all > pageSlices { // those that are sure come first
		kept = kept[:pageSlices]
		note = join(note, fmt.Sprintf("The %d of %s that are surest.", pageSlices, grouped(int64(all))))
	}
	if title != "Differences" {
		slices.SortStableFunc(kept, func(a, b *Change) int { return cmp.Compare(a.Difference, b.Difference) })
	}
	about := picture.About{ID: fmt.Sprintf("p%d", len(list)+1), Title: title,
		Desc: "How much b is above a in each, with the confidence interval of that difference alone where there is one. The line is no difference."}
	chart := picture.Dots{About: about, Label: axis, Kinds: kindNames, Reference: &picture.Mark{Name: "no difference"}}
	for _, d := range kept {
		dot := picture.Dot{Name: name(d), Value: d.Difference, Low: nan, High: nan, Kind: slices.Index(changeKinds, d.Verdict)}
		if finite(d.Low) && finite(d.High) {
			dot.Low, dot.High = d.Low, d.High
		}
		chart.Dots = append(chart.Dots, dot)
	}
	header, rows, numbers := c.lines(kept, title == "Differences")
	return append(list, pagePicture{Title: title, Note: note, SVG: template.HTML(chart.SVG()), // package picture escapes texts
		Numbers: newPageTable("Numbers: "+title, "", header, rows, numbers...)})
}
