package document

import (
	"io"
	"math"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/beameval/beameval/internal/abbreviate"
	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/checks"
)

// Screen describes the terminal on which a summary is printed.
type Screen struct {
	Width  int  // in columns; 0 means 80
	Colour bool // print verdicts and warnings in colours, and what is above a table bold
}

// Limits of the width of a summary.
const (
	usualWidth = 80
	leastWidth = 40
	mostWidth  = 120 // longer lines are hard to read
	leastName  = 12  // for the name of a metric, a slice or a label in a table

	headerWidth    = 10 // at which the name of a metric is broken into lines
	screenWarnings = 5
)

func (s Screen) width() int {
	if s.Width == 0 {
		return usualWidth
	}
	return max(leastWidth, min(mostWidth, s.Width))
}

// title returns the width of the name of a slice or label.
func (s Screen) title() int { return s.width() * 3 / 8 }

// wrap breaks text into lines at spaces.
func (s Screen) wrap(words string) string {
	lines := strings.Split(text.WrapSoft(words, s.width()), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// indented wraps a sentence and indents each line by a space.
func (s Screen) indented(words string) string {
	s.Width = s.width() - 1
	return " " + strings.ReplaceAll(s.wrap(words), "\n", "\n ")
}

// bullet wraps a sentence that is one of several.
func (s Screen) bullet(words string) string {
	s.Width = s.width() - 3
	return " - " + strings.ReplaceAll(s.wrap(OneLine(words)), "\n", "\n   ")
}

// verdictColours are red for bad, green for good, yellow for what is not known.
var verdictColours = map[string]text.Color{
	string(report.Fail): text.FgRed, string(report.Pass): text.FgGreen, "worse": text.FgRed, "better": text.FgGreen,
	string(report.Unknown): text.FgYellow,
}

// paint prints a verdict in its colour.
func (s Screen) paint(verdict string) string {
	colour, ok := verdictColours[verdict]
	if !ok {
		return verdict
	}
	return s.in(colour, verdict)
}

// in prints each line of a text in a colour, or bold.
func (s Screen) in(colour text.Color, words string) string {
	if !s.Colour || words == "" {
		return words
	}
	begin, end := colour.EscapeSeq(), text.EscapeReset
	return begin + strings.ReplaceAll(words, "\n", end+"\n"+begin) + end
}

// Cut shortens a long name in the middle, because names often differ at the end.
func Cut(name string, width int) string {
	return abbreviate.Middle(name, text.StringWidthWithoutEscSequences, width)
}

// CutAll is Cut for the names of a column, of which different ones stay different.
func CutAll(names []string, width int) []string {
	return abbreviate.All(names, text.StringWidthWithoutEscSequences, width)
}

// fit is the way in which a table is made to fit a screen.
type fit uint8

const (
	cutNames    fit = iota // shorten all text as far as needed
	DropColumns            // leave out the last columns; the columns are named after metrics
	KeepColumns            // shorten text to fixed widths
)

// print returns a table followed by an explanation of its marks. Nothing is cut if the table fits as it is.
func (s Screen) print(t *Table) string {
	n := len(t.Columns)
	switch t.Fit {
	case KeepColumns:
		if whole := s.render(t, n, func(int) int { return math.MaxInt }); s.fits(whole) {
			return whole
		}
		return s.render(t, n, func(i int) int { return []int{s.title(), numberWidth, s.width() - s.title() - 24}[i] })
	case DropColumns:
		for n > 2 && !s.fits(s.render(t, n, func(int) int { return s.title() })) {
			n--
		}
	}
	shown := s.widest(t, n)
	if t.Columns[n-1].Name == "reason" && !s.fits(shown) {
		shown = s.widest(t, n-1)
	}
	return shown + s.marks(shown)
}

// widest returns the first n columns of a table, with text as wide as fits, but not too narrow.
func (s Screen) widest(t *Table, n int) string {
	for names := s.width(); ; names -= 2 {
		if shown := s.render(t, n, func(int) int { return names }); names <= leastName || s.fits(shown) {
			return shown
		}
	}
}

func (s Screen) fits(shown string) bool { return text.LongestLineLen(shown) <= s.width() }

// render returns the first n columns of a table, with text shortened to the given widths.
func (s Screen) render(t *Table, n int, width func(column int) int) string {
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true}
	style.Format.Header = text.FormatDefault
	w := table.NewWriter()
	w.SetStyle(style)
	w.SuppressTrailingSpaces()
	w.SetColumnConfigs(append(alignRight(t.Columns[:n]), table.ColumnConfig{Number: 1, VAlignHeader: text.VAlignBottom}))
	header := make(table.Row, n)
	for i, c := range t.Columns[:n] {
		header[i] = s.in(text.Bold, breakName(c.Name))
	}
	w.AppendHeader(header)
	columns := make([][]string, n)
	for i, c := range t.Columns[:n] {
		columns[i] = collections.Map(t.Rows, func(row []string) string { return row[i] })
		switch {
		case c.whole || c.Number && t.Fit != cutNames:
		case c.Number:
			columns[i] = collections.Map(columns[i], func(cell string) string { return Cut(cell, max(numberWidth, width(i))) })
		default:
			columns[i] = CutAll(columns[i], width(i))
		}
	}
	for at := range t.Rows {
		cells := make(table.Row, n)
		for i := range cells {
			if cells[i] = columns[i][at]; t.Columns[i].Verdict {
				cells[i] = s.paint(columns[i][at])
			}
		}
		w.AppendRow(cells)
	}
	return w.Render()
}

// numberWidth is the width of a number with its interval, which is never shortened further.
const numberWidth = 24

// breakName breaks the name of a metric into lines at underscores.
func breakName(name string) string {
	var b strings.Builder
	width := 0
	for _, word := range strings.SplitAfter(name, "_") {
		if width > 0 && width+len(word) > headerWidth {
			b.WriteByte('\n')
			width = 0
		}
		b.WriteString(word)
		width += len(word)
	}
	return b.String()
}

// marks explains the marks that occur in a table.
func (s Screen) marks(table string) string {
	var notes []string
	if strings.Contains(table, "*") {
		notes = append(notes, "*: partly or wholly undefined; reasons in metrics.csv.")
	}
	if strings.Contains(table, "…") {
		notes = append(notes, "…: a long name was cut.")
	}
	if len(notes) == 0 {
		return ""
	}
	return "\n" + s.indented(strings.Join(notes, " "))
}

// colours has the colour of each level.
var colours = map[checks.Level]text.Color{checks.Error: text.FgRed, checks.Warning: text.FgYellow, checks.Note: text.FgCyan}

// messages returns the first messages of checks, each with its level; all items of a list that is not of checks.
func (s Screen) messages(list []string, levels []checks.Level) string {
	var lines []string
	if levels == nil {
		return strings.Join(collections.Map(list, s.bullet), "\n")
	}
	for i, message := range list {
		if i == screenWarnings {
			lines = append(lines, "… and "+inWords(levels[i:], "more "))
			break
		}
		begin := string(levels[i]) + ":"
		line := s.wrap(begin + " " + OneLine(message))
		lines = append(lines, s.in(colours[levels[i]], begin)+strings.TrimPrefix(line, begin))
	}
	return strings.Join(lines, "\n")
}

// Print writes the document for a screen.
func (d *Document) Print(w io.Writer, on Screen) error {
	var parts []string
	for _, s := range d.Sections {
		var part []string
		add := func(text string) {
			if text != "" {
				part = append(part, text)
			}
		}
		add(s.Plain)
		add(on.in(text.Bold, on.wrap(s.Lead)))
		add(on.messages(s.List, s.Levels))
		if s.Table != nil {
			add(on.print(s.Table))
		}
		for _, note := range s.Notes {
			add(on.indented(note))
		}
		parts = append(parts, strings.Join(part, "\n"))
	}
	_, err := io.WriteString(w, strings.Join(parts, "\n\n")+"\n")
	return err
}
