//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

// Package system has what package os does not offer of files, or only to some systems.
package system

import (
	"io/fs"
	"math"
	"os"
	"syscall"
)

// Inode returns the number of a file in its file system: a file that replaces another
// under its name has a number of its own.
func Inode(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Ino)
	}
	return 0
}

// MostOpen returns how many files a process may have open at once.
func MostOpen() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return math.MaxUint64
	}
	return uint64(limit.Cur)
}

// Lock locks a file until it is closed, also by the end of the process, or fails at once.
func Lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
