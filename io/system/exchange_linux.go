package system

import "golang.org/x/sys/unix"

// Exchange atomically swaps the names of two directories.
func Exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}
