package files

import (
	"fmt"
	"strings"

	"github.com/beameval/beameval/io/quote"
)

// brief is an error of a service in few words. Those of its library can be many lines, of
// which the service determines how many.
type brief struct {
	text string
	err  error
}

func (b brief) Error() string { return b.text }
func (b brief) Unwrap() error { return b.err }

// answered returns the error for an answer of a service: its status, the code of what went wrong, and
// what the service says of it, of which the first line counts.
func answered(err error, status int, code, message string) error {
	text := strings.TrimSpace(fmt.Sprintf("status %d %s", status, quote.Short(code)))
	if first, _, _ := strings.Cut(strings.TrimSpace(message), "\n"); first != "" {
		text += ": " + quote.Short(strings.TrimSpace(first))
	}
	return brief{text, err}
}

// oneLine returns an error with the beginning of its text on one line.
func oneLine(err error) error {
	return brief{quote.Short(strings.Join(strings.Fields(err.Error()), " ")), err}
}
