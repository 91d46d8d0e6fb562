package files

import (
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"syscall"
)

// Temporary says whether another try may succeed where this error was met: storage gave no
// answer or was overloaded, or a file changed while it was read. What is wrong with a name, a
// permission or the content of a file stays wrong.
func Temporary(err error) bool {
	var t temporary
	return errors.Is(err, ErrChanged) || errors.As(err, &t)
}

// temporary marks an error that another try may not meet.
type temporary struct{ error }

func (t temporary) Unwrap() error { return t.error }

// overloaded says whether a status is that of a service that cannot answer now.
func overloaded(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= http.StatusInternalServerError
}

// ofConnection returns what an error means that came without an answer of the service. A
// certificate that is not accepted, for example, stays so.
func ofConnection(err error) problem {
	var timeout net.Error
	var broken *net.OpError
	var unresolved *net.DNSError
	switch {
	case errors.As(err, &timeout) && timeout.Timeout(),
		errors.As(err, &broken), errors.As(err, &unresolved),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, errStalled):
		return unavailable
	}
	return otherwise
}

// ofMoment are errors of a system that is short of something, or of a disk that is not there now.
var ofMoment = []error{
	syscall.EIO, syscall.ESTALE, syscall.ETIMEDOUT, syscall.EMFILE, syscall.ENFILE, syscall.ENOSPC, syscall.EAGAIN,
}

func isOfMoment(err error) bool {
	return slices.ContainsFunc(ofMoment, func(e error) bool { return errors.Is(err, e) })
}
