//go:build !unix

package cluster

import (
	"errors"
	"syscall"
)

// ofItsOwn are the usual attributes: this system has no process groups, so it starts no clusters.
func ofItsOwn() *syscall.SysProcAttr { return new(syscall.SysProcAttr) }

// groupOf is not supported on this system.
func groupOf(int) (int, error) { return 0, errors.ErrUnsupported }

// kill is not supported on this system.
func kill(int) error { return errors.ErrUnsupported }
