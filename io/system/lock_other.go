//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package system

import (
	"errors"
	"os"
)

// Lock is not supported on this system.
func Lock(*os.File) error { return errors.ErrUnsupported }
