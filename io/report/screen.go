package report

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
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

func (s Screen) width() int {
	if s.Width == 0 {
		return usualWidth
	}
	return max(leastWidth, min(mostWidth, s.Width))
}

// title is the width of the name of a slice or label.
func (s Screen) title() int { return s.width() * 3 / 8 }

// wrap breaks a text into lines at spaces.
func (s Screen) wrap(words string) string {
	lines := strings.Split(text.WrapSoft(words, s.width()), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// indented wraps a sentence and puts a space before its lines.
func (s Screen) indented(words string) string {
	s.Width = s.width() - 1
	return " " + strings.ReplaceAll(s.wrap(words), "\n", "\n ")
}

// paint prints a verdict in its colour: what is bad red, what is good green.
func (s Screen) paint(verdict string) string {
	color, ok := map[string]text.Color{
		string(Fail): text.FgRed, string(Pass): text.FgGreen, string(Worse): text.FgRed, string(Better): text.FgGreen,
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
		if t := render(names); names <= leastName || text.LongestLineLen(t) <= s.width() {
			return t
		}
	}
}

// marks explains the marks that a table has.
func (s Screen) marks(table string) string {
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
	return "\n" + s.indented(strings.Join(notes, " "))
}
