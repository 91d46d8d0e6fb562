package files

import (
	"os"
	"path/filepath"
)

// ownerFile is in a directory of temporary files, and locked while its owner lives.
const ownerFile = ".owner"

// TempDir makes a directory for temporary files, whose name begins with prefix, and
// removes those of that prefix whose processes were killed. Of a directory that is
// not known to be one of those it keeps its hands off. The caller removes the
// directory, and then calls release.
func TempDir(prefix string) (dir string, release func(), err error) {
	sweep(filepath.Join(os.TempDir(), prefix+"*"))
	dir, err = os.MkdirTemp("", prefix+"*")
	if err != nil {
		return "", nil, err
	}
	return dir, own(dir), nil
}

// own marks a directory as that of this process, until release is called. Where
// files cannot be locked, it stays unmarked, and nobody else will remove it.
func own(dir string) (release func()) {
	f, err := os.CreateTemp(dir, ownerFile+"-*")
	if err != nil {
		return func() {}
	}
	// A file of that name is locked from the beginning.
	if lock(f) == nil {
		os.Rename(f.Name(), filepath.Join(dir, ownerFile))
	}
	return func() { f.Close() }
}

// sweep removes the directories that match a pattern and whose owners are gone.
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
