package system

import "golang.org/x/sys/unix"

// Exchange swaps the names of two directories at once.
func Exchange(a, b string) error { return unix.RenamexNp(a, b, unix.RENAME_SWAP) }
