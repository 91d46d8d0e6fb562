//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package files

import (
	"errors"
	"os"
)

// lock cannot lock a file here.
func lock(*os.File) error { return errors.ErrUnsupported }
