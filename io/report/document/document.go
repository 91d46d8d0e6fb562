// Package document presents reports and comparisons to people. Each is first turned into a
// [Document], by the package that knows its contents, and a renderer then writes that for one of the
// outputs:
//
//	evaluation ──┐               ┌─► screen.go     terminal
//	comparison ──┼─► Document ───┼─► markdown.go   Markdown
//	monitor ─────┘               ├─► page.go       HTML page
//	                             └─► chat.go       message for a chat
//
// It has what these documents share: sections, tables, cards, gates, charts of curves, and how numbers
// and intervals are written.
package document

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/checks"
)

// Output is where a document is shown.
type Output uint8

// The outputs.
const (
	OnScreen Output = 1 << iota
	Markdown
	Page
	Chat
)

// Document is what people read of a report or a comparison.
type Document struct {
	Output      Output
	Title       string
	Notes       []string // paragraphs below the title
	About       []Fact   // shown on the page
	Verdict     report.Verdict
	VerdictText string
	Sections    []Section
	Foot        []string     // paragraphs at the end of the page
	Known       []LabelCurve // what the script of charts knows of labels; without it, there is none
}

// Fact is a line about the subject of a document.
type Fact struct{ Name, Text string }

// Facts returns the facts that are known, which have a text.
func Facts(all ...Fact) []Fact {
	return slices.DeleteFunc(all, func(f Fact) bool { return f.Text == "" })
}

// Section is a part of a document. It has one kind of content, or none;
// a table may follow pictures.
type Section struct {
	In     Output // outputs that show the section
	ID     string // anchor on the page; defaults to the title
	Title  string // not shown on a screen
	Sub    bool   // the section belongs to the previous one
	Lead   string // replaces the title on a screen
	Plain  string // lines that a screen shows without wrapping
	Notes  []string
	After  string // a note that comes last in Markdown
	Folded string // on the page, the label that unfolds the content

	Table    *Table
	List     []string
	See      []string       // for each item of the list, the ID of the section that has more; nil if none has
	Levels   []checks.Level // on a screen, of the items of the list, which are messages of checks
	Cards    []Card
	Pictures []Picture
	Choice   string // what a reader can choose, a class or a label, to see its curves
	Search   bool   // by typing, because there are many
	Slider   *Slider
	Code     string
}

// Add adds a section if the output shows it and it has content.
func (d *Document) Add(s Section) {
	if s.In&d.Output == 0 || s.Table == nil && s.Slider == nil && len(s.List)+len(s.Cards)+len(s.Pictures)+len(s.Lead+s.Plain+s.Code) == 0 {
		return
	}
	s.Notes = slices.DeleteFunc(s.Notes, func(note string) bool { return note == "" })
	if s.Table != nil && s.Table.Name == "" {
		s.Table.Name = s.Title
	}
	s.ID = d.anchor(cmp.Or(s.ID, s.Title))
	d.Sections = append(d.Sections, s)
}

// anchor returns an id that no section has yet, made of the letters and digits of a title.
func (d *Document) anchor(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	id := strings.Join(words, "-")
	for i, first := 2, id; slices.ContainsFunc(d.Sections, func(s Section) bool { return s.ID == id }); i++ {
		id = fmt.Sprintf("%s-%d", first, i)
	}
	return id
}

// Write writes the document for an output other than a screen.
func (d *Document) Write(w io.Writer) error {
	switch d.Output {
	case Markdown:
		return d.markdown(w)
	case Page:
		return d.page(w)
	case Chat:
		return d.chat(w)
	}
	return fmt.Errorf("internal error: no file has output %d", d.Output)
}

// First returns the first of a list, at most most of them, and what [FirstOf] says.
func First[T any](list []T, most int, more string) (first []T, note string) {
	first = list[:min(len(list), most)]
	return first, FirstOf(len(first), len(list), more)
}

// FirstOf says that only the first shown of all are shown, if that is the case.
func FirstOf(shown, all int, more string) string {
	if shown == all {
		return ""
	}
	return fmt.Sprintf("The first %d of %s%s.", shown, Grouped(int64(all)), more)
}
