//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package system

import (
	"io/fs"
	"math"
	"syscall"
)

// DiskFull lists the errors of a full disk that package syscall does not name: the errors of
// Windows.
var DiskFull = []error{errorHandleDiskFull, errorDiskFull}

const (
	errorHandleDiskFull syscall.Errno = 39
	errorDiskFull       syscall.Errno = 112
)

// Inode returns 0: this system does not report inodes.
func Inode(fs.FileInfo) uint64 { return 0 }

// Owned returns true: temporary directories of this system belong to one user.
func Owned(fs.FileInfo) bool { return true }

// MostOpen returns no limit: this system does not report one.
func MostOpen() uint64 { return math.MaxUint64 }
