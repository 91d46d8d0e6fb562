//go:build !linux && !darwin

package system

import "errors"

// Exchange is not supported on this system.
func Exchange(a, b string) error { return errors.ErrUnsupported }
