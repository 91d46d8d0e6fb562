package stores

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/beameval/beameval/io/quote"
)

// ErrStalled is the error of a request that was given up.
var ErrStalled = errors.New("no data has come for a while")

// Temporary marks an error that another try may not meet.
type Temporary struct{ Err error }

func (t Temporary) Error() string { return t.Err.Error() }
func (t Temporary) Unwrap() error { return t.Err }

// overloaded says whether a status is that of a service that cannot answer now.
func overloaded(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= http.StatusInternalServerError
}

// ofConnection returns what an error means that came without an answer of the service. A
// certificate that is not accepted, for example, stays so.
func ofConnection(err error) Problem {
	var timeout net.Error
	var broken *net.OpError
	var unresolved *net.DNSError
	switch {
	case errors.As(err, &timeout) && timeout.Timeout(),
		errors.As(err, &broken), errors.As(err, &unresolved),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, ErrStalled):
		return Unavailable
	}
	return otherwise
}

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
