package files

import (
	"os"
	"path/filepath"
)

// ownerFile is in each directory of temporary files. Its owner keeps it locked.
const ownerFile = ".owner"

// TempDir creates a directory for temporary files whose name begins with prefix. It removes
// directories with that prefix that killed processes have left, and no directory that may be
// anything else. The caller removes the directory and then calls release.
func TempDir(prefix string) (dir string, release func(), err error) {
	sweep(filepath.Join(os.TempDir(), prefix+"*"))
	dir, err = os.MkdirTemp("", prefix+"*")
	if err != nil {
		return "", nil, err
	}
	return dir, own(dir), nil
}

// own marks a directory as owned by this process until release is called. If files cannot be
// locked, the directory stays unmarked, and no other process removes it.
func own(dir string) (release func()) {
	f, err := os.CreateTemp(dir, ownerFile+"-*")
	if err != nil {
		return func() {}
	}
	// Lock the file before it gets its name.
	if lock(f) == nil {
		os.Rename(f.Name(), filepath.Join(dir, ownerFile))
	}
	return func() { f.Close() }
}

// sweep removes the directories that match a pattern and whose owners have ended.
func sweep(pattern string) {
	dirs, _ := filepath.Glob(pattern)
	for _, dir := range dirs {
		f, err := os.OpenFile(filepath.Join(dir, ownerFile), os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if lock(f) == nil {
			os.RemoveAll(dir)
		}
		f.Close()
	}
}
