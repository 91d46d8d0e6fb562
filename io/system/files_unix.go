//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

// Package system offers file operations that package os lacks, or that only some systems have.
package system

import (
	"io/fs"
	"math"
	"os"
	"syscall"
)

// DiskFull lists the errors of a full disk that package syscall does not name.
var DiskFull []error

// Inode returns the number of a file in its file system. A file that replaces another of the same
// name has a different number.
func Inode(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Ino)
	}
	return 0
}

// Owned reports whether a file belongs to the user of this process.
func Owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}

// MostOpen returns the maximum number of files that a process may have open.
func MostOpen() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return math.MaxUint64
	}
	return uint64(limit.Cur)
}

// Lock locks a file until it is closed or the process ends. If the file is already locked, it fails
// immediately.
func Lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
