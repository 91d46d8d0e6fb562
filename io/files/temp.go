package files

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/beameval/beameval/io/system"
)

// ownerFile is in each directory of temporary files. The owner keeps it locked.
const ownerFile = ".owner"

// TempDir creates a directory for temporary files whose name begins with prefix; remove removes it and
// all that is in it. TempDir also removes directories with that prefix that killed processes have left,
// and never one that may be anything else.
func TempDir(prefix string) (dir string, remove func() error, err error) {
	sweep(os.TempDir(), regexp.MustCompile("^"+regexp.QuoteMeta(prefix)))
	dir, err = os.MkdirTemp("", prefix+"*")
	if err != nil {
		return "", nil, err
	}
	release := own(dir)
	return dir, func() error {
		defer release()
		return removeBusy(dir)
	}, nil
}

// removeBusy removes a directory to which others, such as workers of a failed run, may still add files, which they
// cannot once it is gone.
func removeBusy(dir string) (err error) {
	for range 100 {
		if err = os.RemoveAll(dir); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
}

// own marks a directory as owned by this process until release is called. If files cannot be
// locked, the directory stays unmarked, and no other process removes it.
func own(dir string) (release func()) {
	// The file is locked before it gets its final name.
	f, err := system.CreateLocked(filepath.Join(dir, ownerFile+"-new"))
	if err != nil {
		return func() {}
	}
	os.Rename(f.Name(), filepath.Join(dir, ownerFile))
	return func() { f.Close() }
}

// sweep removes the subdirectories whose names match and whose owners have ended. Directories of
// other users stay, also if this user may open everything.
func sweep(in string, names *regexp.Regexp) {
	_ = removeAll(in, func(name string) bool { return names.MatchString(name) && abandoned(filepath.Join(in, name)) })
}

// abandoned reports whether the owner of a directory has ended.
func abandoned(dir string) bool {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() || !system.Owned(info) {
		return false
	}
	f, err := os.OpenFile(filepath.Join(dir, ownerFile), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return system.Lock(f) == nil
}

// removeAll removes the entries of a directory whose names match.
func removeAll(dir string, match func(name string) bool) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if match(e.Name()) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return err
}
