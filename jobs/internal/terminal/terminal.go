// Package terminal reports the capabilities of the output of a command.
package terminal

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/beameval/beameval/io/report/document"
)

// DefaultWidth is the maximum width of lines if nothing else defines it.
const DefaultWidth = 80

// Is reports whether a writer is a terminal with a movable cursor.
func Is(w io.Writer) bool {
	f, ok := w.(*os.File)
	name := os.Getenv("TERM")
	return ok && term.IsTerminal(int(f.Fd())) && name != "" && name != "dumb"
}

// Width returns the number of columns of a line: COLUMNS if it is set, otherwise the width of the
// terminal.
func Width(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return DefaultWidth
}

// Colours reports whether to print in colours: on a terminal, unless NO_COLOR is set
// (https://no-color.org).
func Colours(w io.Writer) bool { return Is(w) && os.Getenv("NO_COLOR") == "" }

// Screen describes the output for printing summaries.
func Screen(w io.Writer) document.Screen { return document.Screen{Width: Width(w), Colour: Colours(w)} }
