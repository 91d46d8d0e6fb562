//go:build !windows

package system

import "os"

// CreateLocked creates a file and locks it as [Lock] does.
func CreateLocked(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return locked(f)
}
