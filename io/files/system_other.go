//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package files

import (
	"errors"
	"io/fs"
	"os"
)

// inode is not known here: the size and the time of modification have to do.
func inode(fs.FileInfo) uint64 { return 0 }

// lock cannot lock a file here.
func lock(*os.File) error { return errors.ErrUnsupported }
