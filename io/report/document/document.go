// Package document shows reports and comparisons to people. A [Document] is what they read, made
// once of each; a renderer for each output shows it: on a screen, as Markdown, as a page, or as a
// message for a chat.
package document

import (
	"fmt"
	"io"
	"slices"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/io/report"
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
	Notes       []string // paragraphs below it
	About       []Fact   // on the page
	Verdict     report.Verdict
	VerdictText string
	Sections    []Section
	Scripted    bool // the page may have a script
}

// Fact is a line on what a document is about.
type Fact struct{ Name, Text string }

// Section is a part of a document, with one kind of content or none.
type Section struct {
	In     Output // the outputs that show it
	ID     string // on the page
	Title  string // not on a screen
	Sub    bool   // it belongs to the section before
	Lead   string // on a screen, in place of a title
	Plain  string // on a screen: lines that are not wrapped
	Notes  []string
	After  string // a note that comes last in Markdown
	Folded string // on the page: what to open to see the content

	Table    *Table
	List     []string
	Cards    []Card
	Pictures []Picture
	Slider   *slider
	Code     string
}

// Add adds a section, if the output shows it and it has content.
func (d *Document) Add(s Section) {
	if s.In&d.Output == 0 || s.Table == nil && s.Slider == nil && len(s.List)+len(s.Cards)+len(s.Pictures)+len(s.Lead+s.Plain+s.Code) == 0 {
		return
	}
	s.Notes = slices.DeleteFunc(s.Notes, func(note string) bool { return note == "" })
	if s.Table != nil && s.Table.Name == "" {
		s.Table.Name = s.Title
	}
	d.Sections = append(d.Sections, s)
}

// AddWarnings adds warnings; on the page, after others.
func (d *Document) AddWarnings(first, warnings []string) {
	d.Add(Section{In: OnScreen | Markdown, Title: "Warnings", List: warnings})
	d.Add(Section{In: Page, ID: "warnings", Title: "Warnings", List: append(first, lists.Map(warnings, Brief)...)})
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

// FirstOf says how many are shown of all, if those are more.
func FirstOf(shown, all int, more string) string {
	if shown == all {
		return ""
	}
	return fmt.Sprintf("The first %d of %s%s.", shown, Grouped(int64(all)), more)
}
