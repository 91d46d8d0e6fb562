package document

import (
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/beameval/beameval/io/report"
)

// Screen is what a summary is printed for.
type Screen struct {
	Width  int  // columns; 0 is 80
	Colour bool // verdicts are printed in colours
}

// Limits of the width of a summary.
const (
	usualWidth = 80
	leastWidth = 40
	mostWidth  = 120 // longer lines are hard to read
	leastName  = 12  // of the name of a metric, a slice or a label in a table
)

func (s Screen) Columns() int {
	if s.Width == 0 {
		return usualWidth
	}
	return max(leastWidth, min(mostWidth, s.Width))
}

// title is the width of the name of a slice or label.
func (s Screen) title() int { return s.Columns() * 3 / 8 }

// Wrap breaks a text into lines at spaces.
func (s Screen) Wrap(words string) string {
	lines := strings.Split(text.WrapSoft(words, s.Columns()), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// Indented wraps a sentence and puts a space before its lines.
func (s Screen) Indented(words string) string {
	s.Width = s.Columns() - 1
	return " " + strings.ReplaceAll(s.Wrap(words), "\n", "\n ")
}

// paint prints a verdict in its colour: what is bad red, what is good green.
func (s Screen) paint(verdict string) string {
	color, ok := map[string]text.Color{
		string(report.Fail): text.FgRed, string(report.Pass): text.FgGreen, "worse": text.FgRed, "better": text.FgGreen,
	}[verdict]
	if !ok || !s.Colour {
		return verdict
	}
	return color.EscapeSeq() + verdict + text.EscapeReset
}

// cut cuts a long name in the middle: what tells names from each other is often at the end.
func cut(name string, width int) string {
	if text.StringWidthWithoutEscSequences(name) <= width {
		return name
	}
	runes := []rune(name)
	head, tail, left := 0, len(runes), width-1 // 1 for …
	for head < tail {
		next, fromHead := runes[tail-1], false
		if text.StringWidthWithoutEscSequences(string(runes[:head])) <= text.StringWidthWithoutEscSequences(string(runes[tail:])) {
			next, fromHead = runes[head], true
		}
		if left -= text.RuneWidth(next); left < 0 {
			break
		}
		if fromHead {
			head++
		} else {
			tail--
		}
	}
	return string(runes[:head]) + "…" + string(runes[tail:])
}

// narrowest returns a table that render makes with names of at most a width: the widest names with
// which it fits the screen.
func (s Screen) narrowest(render func(names int) string) string {
	for names := s.title(); ; names -= 2 {
		if t := render(names); names <= leastName || text.LongestLineLen(t) <= s.Columns() {
			return t
		}
	}
}

// Marks explains the marks that a table has.
func (s Screen) Marks(table string) string {
	var notes []string
	if strings.Contains(table, "*") {
		notes = append(notes, "*: the data define the metric in part or not at all; metrics.csv says why.")
	}
	if strings.Contains(table, "…") {
		notes = append(notes, "…: a long name was cut.")
	}
	if len(notes) == 0 {
		return ""
	}
	return "\n" + s.Indented(strings.Join(notes, " "))
}

// Changes returns a table of differences with names as wide as fit, if they are not too narrow.
func (s Screen) Changes(header []string, lines [][]string, numbers []int) string {
	return s.narrowest(func(names int) string {
		t := summaryTable()
		t.AppendHeader(tableRow(header, text.FormatDefault.Apply))
		for _, line := range lines {
			cells := make(table.Row, len(line))
			for i, cell := range line {
				width := names
				if slices.Contains(numbers, i+1) {
					width = summaryNumber
				}
				cells[i] = s.paint(cut(cell, width))
			}
			t.AppendRow(cells)
		}
		t.SetColumnConfigs(alignRight(numbers))
		return t.Render()
	})
}

// summaryNumber is the width of a number with its interval, which is not cut.
const summaryNumber = 24
