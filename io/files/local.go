package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/beameval/beameval/io/files/internal/stores"
	"github.com/beameval/beameval/io/system"
)

// local is the file system of this machine.
type local struct{}

func (local) canonical(name string) (string, error) {
	path := strings.TrimPrefix(name, "file://")
	if path == "" {
		return "", fmt.Errorf("%q: the name of a file or directory is missing", name)
	}
	return filepath.ToSlash(filepath.Clean(path)), nil
}

func (local) open(ctx context.Context, name string, want Version, _ int64) (File, error) {
	// Check the type before opening, because opening a pipe blocks until the other end is opened.
	info, err := os.Stat(name)
	if err == nil {
		err = readable(info)
	}
	if err != nil {
		return nil, explainLocal("open", name, err)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, explainLocal("open", name, err)
	}
	if info, err = f.Stat(); err != nil {
		f.Close()
		return nil, explainLocal("open", name, err)
	}
	if want == "" {
		want = localVersion(info)
	}
	// Check the open file, not the file that has the name now.
	check := func() error {
		info, err := f.Stat()
		if err != nil {
			return explainLocal("check", name, err)
		}
		if now := localVersion(info); now != want {
			return changed(name, fmt.Sprintf("then %s; now %s", want, now))
		}
		return nil
	}
	if err := check(); err != nil {
		f.Close()
		return nil, err
	}
	read := func(p []byte, off int64) error {
		n, err := f.ReadAt(p, off)
		switch {
		case n == len(p):
			return nil
		case err == io.EOF:
			err = stores.Temporary{Err: fmt.Errorf("the file had %d bytes when it was opened and has become shorter: %w", info.Size(), io.ErrUnexpectedEOF)}
		}
		return explainLocal("read", name, err)
	}
	return &openFile{ctx: ctx, name: name, size: info.Size(), version: want, read: read, check: check, close: f.Close}, nil
}

// localVersion describes the contents of a file in words.
func localVersion(info fs.FileInfo) Version {
	return Version(fmt.Sprintf("%d bytes, modified at %s, inode %d", info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano), system.Inode(info)))
}

func readable(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errors.New("this is a directory, not a file")
	case !info.Mode().IsRegular():
		return errors.New("this is not a regular file, so it allows no random access; copy it to one")
	}
	return nil
}

// explainLocal returns an error that has the name once, and the directory in which a relative name
// was looked for.
func explainLocal(op, name string, err error) error {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(name) {
		if wd, wdErr := os.Getwd(); wdErr == nil {
			return fmt.Errorf("%s %s: %w (looked for in %s)", op, name, err, wd)
		}
	}
	return fmt.Errorf("%s %s: %w", op, name, err)
}

func (local) stat(_ context.Context, name string) (entry, entryType, error) {
	info, err := os.Stat(name)
	switch {
	case missing(err):
		return entry{}, nothing, nil
	case err != nil:
		return entry{}, nothing, explainLocal("find", name, err)
	case info.IsDir():
		return entry{}, isDirectory, nil
	}
	if err := readable(info); err != nil {
		return entry{}, nothing, explainLocal("find", name, err)
	}
	return localEntry(name, info), isFile, nil
}

// missing reports whether err means that a path does not exist, including that one of its folders
// is a file.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func localEntry(name string, info fs.FileInfo) entry {
	return entry{name: name, size: info.Size(), version: localVersion(info), id: realPath(name)}
}

// realPath returns the absolute path of a file or directory without symbolic links.
func realPath(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	return name
}
