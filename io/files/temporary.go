package files

import (
	"errors"
	"syscall"

	"github.com/beameval/beameval/io/files/internal/stores"
)

// Temporary reports whether the operation that returned err may succeed if it is repeated: storage
// did not respond or was overloaded, or a file changed while it was being read. Errors in names,
// permissions or contents are permanent.
func Temporary(err error) bool {
	var t stores.Temporary
	return errors.Is(err, ErrChanged) || errors.As(err, &t)
}

// ofMoment lists the errors of a system that is short of a resource, or of a disk that is
// unavailable.
var ofMoment = []error{
	syscall.EIO, syscall.ESTALE, syscall.ETIMEDOUT, syscall.EMFILE, syscall.ENFILE, syscall.ENOSPC, syscall.EAGAIN,
}
