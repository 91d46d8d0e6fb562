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

// ErrStalled is the error of a request that was abandoned because no data arrived.
var ErrStalled = errors.New("no data has come for a while")

// Temporary marks an error that a retry may avoid.
type Temporary struct{ Err error }

func (t Temporary) Error() string { return t.Err.Error() }
func (t Temporary) Unwrap() error { return t.Err }

// overloaded reports whether a status means that the service cannot answer now.
func overloaded(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= http.StatusInternalServerError
}

// ofStatus classifies a response by its status. authenticate and grant are advice on credentials
// that were not accepted, and on permissions that the account lacks.
func ofStatus(status int, header http.Header, authenticate, grant string) (Problem, string) {
	switch {
	case status == http.StatusNotFound:
		return NoObject, ""
	case status == http.StatusPreconditionFailed:
		return ConditionFailed, ""
	case status == http.StatusUnauthorized:
		return UnknownAccount, authenticate
	case status == http.StatusForbidden:
		return Forbidden, grant
	case overloaded(status):
		return Unavailable, ""
	}
	return otherwise, redirected(status, header)
}

// ofConnection classifies an error that occurred without a response of the service. Some such
// errors are permanent, for example a rejected certificate.
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

// brief is a short form of a service's error. The libraries' own texts can have many lines, whose
// number the service determines.
type brief struct {
	text string
	err  error
}

func (b brief) Error() string { return b.text }
func (b brief) Unwrap() error { return b.err }

// answered returns the error for a response: its status, the error code, and the first line of the
// service's message.
func answered(err error, status int, code, message string) error {
	text := strings.TrimSpace(fmt.Sprintf("status %d %s", status, quote.Short(code)))
	if first, _, _ := strings.Cut(strings.TrimSpace(message), "\n"); first != "" {
		text += ": " + quote.Short(strings.TrimSpace(first))
	}
	return brief{text, err}
}

// oneLine returns an error whose text is shortened to one line.
func oneLine(err error) error {
	return brief{quote.Short(strings.Join(strings.Fields(err.Error()), " ")), err}
}
