//go:build unix

package files

import (
	"io/fs"
	"syscall"
)

// inode is the number of a file in its file system: another one has the name if it was
// replaced.
func inode(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Ino)
	}
	return 0
}
