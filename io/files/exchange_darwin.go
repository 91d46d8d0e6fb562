package files

import "golang.org/x/sys/unix"

// exchange swaps the names of two directories at once.
func exchange(a, b string) error { return unix.RenamexNp(a, b, unix.RENAME_SWAP) }
