//go:build !linux && !darwin

package files

import "errors"

// exchange cannot swap names here.
func exchange(a, b string) error { return errors.ErrUnsupported }
