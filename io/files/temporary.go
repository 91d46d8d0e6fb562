package files

import (
	"errors"
	"slices"
	"syscall"

	"github.com/beameval/beameval/io/files/internal/stores"
	"github.com/beameval/beameval/io/system"
)

// Temporary reports whether the operation that returned err may succeed if it is repeated: storage
// did not respond or was overloaded, a file changed while it was being read, or the system is short of
// space, inodes or open files. Errors in names, permissions or contents are permanent.
func Temporary(err error) bool {
	var t stores.Temporary
	return errors.Is(err, ErrChanged) || errors.As(err, &t) || slices.ContainsFunc(ofMoment, func(e error) bool { return errors.Is(err, e) })
}

// ofMoment lists the errors of a system that is short of a resource, or of a disk that is
// unavailable.
var ofMoment = append([]error{
	syscall.EIO, syscall.ESTALE, syscall.ETIMEDOUT, syscall.EMFILE, syscall.ENFILE, syscall.ENOSPC, syscall.EDQUOT, syscall.EAGAIN, syscall.ENOMEM,
}, system.DiskFull...)
