package comparison

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/document"
)

// The limits of documents.
const (
	mostChanges   = 100 // for each verdict
	screenChanges = 15
	mostOptions   = 100
)

// document returns the document of c, which must be sorted.
func (c *Comparison) document(of document.Output) *document.Document {
	n, headlines, task := c.names(), c.headlines(), quote.Visible(c.Task)
	examples := examplesOf(c.Task)
	a, b := c.A.line(c.called(0), examples), c.B.line(c.called(1), examples)
	d := &document.Document{
		Output: of, Title: "Comparison: " + task + ", " + c.called(1) + " with " + c.called(0), Notes: []string{"- a: " + a + "\n- b: " + b + "\n- " + c.how(), c.tally() + "."},
		About: slices.Concat(c.A.about("a", c.called(0), capital(examples)), c.B.about("b", c.called(1), capital(examples))),
	}
	if of == document.Page {
		d.Notes = []string{sentence(c.how()), sentence(c.tally())}
	}
	d.Add(document.Section{In: document.OnScreen, Plain: task + ": " + n[1] + " compared with " + n[0] + "\n a: " + a + "\n b: " + b, Notes: []string{c.how()}})
	d.AddGates(c.Gates)
	d.Add(document.Section{In: document.Page, ID: "headlines", Title: "Differences at a glance", Cards: collections.Map(headlines, n.card), Notes: append(couldHaveShown(c.Task, c.Visible), c.note(of))})
	d.AddWarnings(c.Warnings)
	if of == document.Page {
		c.addWhy(d, n)
		c.grids().AddTo(d)
		d.Add(document.Section{In: document.Page, Title: "Charts", Pictures: c.pictures(headlines)})
	}
	d.Add(document.Section{In: document.Markdown, Title: "Overall", Table: c.lines(of, headlines, true), After: strings.Join(append(couldHaveShown(c.Task, c.Visible), c.note(of)), "\n\n")})
	d.Add(document.Section{In: document.OnScreen, Table: c.lines(of, headlines, true), Notes: append([]string{c.note(of), c.because()}, couldHaveShown(c.Task, c.Visible)...)})
	if of == document.Markdown {
		c.addWhy(d, n)
	}
	for _, v := range differences.Verdicts() {
		d.Add(c.verdict(v, of))
	}
	if of == document.Page {
		c.addQueries(d, headlines)
		d.Add(document.Section{In: document.Page, Title: "All metrics of all " + examples, Table: c.lines(of, c.overall(), true)})
		d.Add(n.options(c.Options))
	}
	d.Add(document.Section{In: document.OnScreen, Plain: c.tally()})
	d.Foot = []string{JSON + " has all results with all digits, and where the reports are; " + report.RunJSON + " in each of them says when it was made, with which version of beameval, and from which files."}
	return d
}

// about returns what is known of a report, which is a or b, by its name for people.
func (x *Compared) about(side, name, examples string) []document.Fact {
	of, model := " of "+side, document.Brief(x.Model)
	if model == name {
		model = ""
	}
	return document.Facts(document.Fact{Name: side, Text: document.Brief(x.place(name))},
		document.Fact{Name: "Model" + of, Text: model}, document.Fact{Name: "Data" + of, Text: document.Brief(x.Data)},
		document.Fact{Name: "Date" + of, Text: document.Brief(x.Date)}, document.Fact{Name: examples + of, Text: document.Grouped(x.Examples)})
}

// verdict returns a section with the differences of a verdict, for a screen and Markdown: a page has
// grids instead. A screen shows those that matter most.
func (c *Comparison) verdict(v Verdict, of document.Output) document.Section {
	all := c.count(v)
	if all == 0 {
		return document.Section{}
	}
	s := document.Section{In: document.Markdown, Title: changeTitles[v]}
	if v == Worse || v == Better {
		s.In |= document.OnScreen
	}
	if of != document.OnScreen {
		list, first := document.First(c.knownFirst(c.of(v)), mostChanges, "")
		s.Table, s.Notes = c.lines(of, list, false), []string{first}
		return s
	}
	s.Lead = fmt.Sprintf("%s: %s of %s", strings.ToLower(s.Title), document.Grouped(all), document.Grouped(int64(len(c.Changes))))
	list := c.details(v)
	if int64(len(list)) < all {
		s.Lead += "; in slices and labels, by well-known metrics"
	}
	if len(list) > screenChanges {
		list = list[:screenChanges]
		s.Lead += fmt.Sprintf(", the %d with the smallest p", screenChanges)
	}
	s.Table = c.lines(of, list, false)
	return s
}

// sentence capitalizes a text of this program and adds a period.
func sentence(s string) string { return capital(s) + "." }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// card returns the summary of a difference for the page.
func (n names) card(d *Change) document.Card {
	c := document.NewCard(d.Name, d.Difference, document.IntervalOf(d))
	c.Value = document.Signed(d.Difference, c.Value)
	c.Bar, c.Change = document.BarOfChange(d.Difference, document.IntervalOf(d)), document.Fixed(d.A, 4)+" → "+document.Fixed(d.B, 4)
	c.Verdict, c.Judged = string(d.Verdict), strings.TrimSpace(document.Arrows[d.Verdict]+" "+string(d.Verdict))
	if d.Reason != "" {
		c.Judged += ": " + document.Brief(document.Reason(d, n))
	}
	return c
}

// overall returns the differences of all examples, sorted by name.
func (c *Comparison) overall() []*Change {
	list := collections.Select(c.Changes, func(d *Change) bool { return len(d.Slice) == 0 && d.Label == nil })
	slices.SortStableFunc(list, func(a, b *Change) int { return report.CompareNames(a.Name, b.Name) })
	return list
}

// options returns a section with the differences between the configurations.
func (n names) options(all []OptionChange) document.Section {
	value := func(v json.RawMessage) string {
		if len(v) == 0 {
			return "not set"
		}
		return document.Brief(string(v))
	}
	kept, first := document.First(all, mostOptions, "; "+JSON+" has all")
	s := document.Section{In: document.Page, ID: "configurations", Title: "Configurations", Folded: "Options that differ", Table: document.TableOf(kept,
		document.Text("option", func(o OptionChange) string { return document.Brief(o.Key) }),
		document.Text(n[0], func(o OptionChange) string { return value(o.A) }),
		document.Text(n[1], func(o OptionChange) string { return value(o.B) }))}
	s.Notes = []string{first}
	if s.Table != nil {
		s.Table.Name = s.Folded
	}
	return s
}
