//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package files

import (
	"errors"
	"io/fs"
	"math"
	"os"
)

// inode is not known here: the size and the time of modification have to do.
func inode(fs.FileInfo) uint64 { return 0 }

// MostOpen says that nothing is known of a limit.
func MostOpen() uint64 { return math.MaxUint64 }

// lock cannot lock a file here.
func lock(*os.File) error { return errors.ErrUnsupported }
