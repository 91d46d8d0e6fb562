// Package terminal says what the place can show that a command prints to.
package terminal

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/beameval/beameval/io/report/document"
)

// DefaultWidth is how wide lines are at most where nothing says how wide they may be.
const DefaultWidth = 80

// Is says whether a writer is a terminal on which the cursor can be moved.
func Is(w io.Writer) bool {
	f, ok := w.(*os.File)
	name := os.Getenv("TERM")
	return ok && term.IsTerminal(int(f.Fd())) && name != "" && name != "dumb"
}

// Width returns how many columns lines have: those of the terminal, unless COLUMNS names another
// number.
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

// Colours says whether to print in colours: on a terminal, unless NO_COLOR is set
// (https://no-color.org).
func Colours(w io.Writer) bool { return Is(w) && os.Getenv("NO_COLOR") == "" }

// Screen returns what a summary is printed for.
func Screen(w io.Writer) document.Screen { return document.Screen{Width: Width(w), Colour: Colours(w)} }
