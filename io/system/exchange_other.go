//go:build !linux && !darwin

package system

import "errors"

// Exchange cannot swap names here.
func Exchange(a, b string) error { return errors.ErrUnsupported }
