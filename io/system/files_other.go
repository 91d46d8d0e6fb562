//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package system

import (
	"errors"
	"io/fs"
	"math"
	"os"
)

// Inode is not known here: the size and the time of modification have to do.
func Inode(fs.FileInfo) uint64 { return 0 }

// MostOpen says that nothing is known of a limit.
func MostOpen() uint64 { return math.MaxUint64 }

// Lock cannot lock a file here.
func Lock(*os.File) error { return errors.ErrUnsupported }
