package system

import "golang.org/x/sys/unix"

// Exchange atomically swaps the names of two directories.
func Exchange(a, b string) error { return unix.RenamexNp(a, b, unix.RENAME_SWAP) }
