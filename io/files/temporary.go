package files

import (
	"errors"
	"slices"
	"syscall"

	"github.com/beameval/beameval/io/files/internal/stores"
)

// Temporary says whether another try may succeed where this error was met: storage gave no
// answer or was overloaded, or a file changed while it was read. What is wrong with a name, a
// permission or the content of a file stays wrong.
func Temporary(err error) bool {
	var t stores.Temporary
	return errors.Is(err, ErrChanged) || errors.As(err, &t)
}

// ofMoment are errors of a system that is short of something, or of a disk that is not there now.
var ofMoment = []error{
	syscall.EIO, syscall.ESTALE, syscall.ETIMEDOUT, syscall.EMFILE, syscall.ENFILE, syscall.ENOSPC, syscall.EAGAIN,
}

func isOfMoment(err error) bool {
	return slices.ContainsFunc(ofMoment, func(e error) bool { return errors.Is(err, e) })
}
