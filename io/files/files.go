// Package files turns names into random access: it opens, lists and publishes
// files on local disk and in Google Cloud Storage under one set of rules.
//
// A name is a local path (file:// in front is accepted), or gs://bucket/object.
// Names are taken as they are: nothing in them is an escape, so a space, '%' or
// '#' needs no care.
//
// # Reading
//
// [Open] fixes the content: its size, and in Cloud Storage its generation too, so
// that a file that is overwritten or removed meanwhile is an error and never a
// mixture of two contents. Small reads of remote files are served from windows that
// grow as long as the reads are sequential. Transient failures are retried.
//
// # Patterns
//
// [List] expands files, directories and globs: '*', '?' and '[...]' within one
// segment of a path, "**" for any number of segments, '\' before a character that
// is meant literally. A name that exists is always meant exactly, whatever
// characters it holds. A directory, named or matched, stands for all .parquet and
// .parq files at any depth. Names that begin with '.' or '_' (_SUCCESS, _temporary,
// .crc) are skipped unless the pattern spells that character out; folders such as
// _day=1 are not, because they are partitions.
//
// # Publishing
//
// [Publish] makes a set of files appear complete or not at all. On local disk that is
// one rename of a directory. Cloud Storage has no such operation: there all contents
// are produced first, then the objects appear one by one in the order in which they
// were created, each whole. The one created last is therefore the marker of
// completeness: when it exists, so do all the others.
//
// Work that a runner attempts again, because a worker was lost, say, has one id for all
// attempts ([PublishAs]). What one attempt has left is not in the way of the next: on
// local disk its temporary directory is removed; in Cloud Storage its objects, which are
// whole, stand for those of the next. Two attempts at the same time do no harm: on local
// disk the first rename wins, or the later start removes what the other was at work on,
// which then fails; in Cloud Storage every object is made once, by either, and who fails
// deletes what it has made itself, unless the other has come to the end. What anybody
// else has put there is never touched, and is an ErrOutputExists.
//
// # Back ends
//
// A back end implements the interface backend in files of its own, and has one row in the
// table backends.
package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// File is an open file: random access, a size, a name for messages. It is safe for
// concurrent use. The size is that at the time of opening and does not change.
type File interface {
	io.ReaderAt
	io.Closer
	Size() int64
	Name() string
	// Version is that of the content at the time of opening.
	Version() Version
	// Check says whether all that was read so far is of that version. It is an
	// ErrChanged if the file was written to meanwhile.
	Check() error
}

// Open opens the file with exactly this name. The context governs all reads of the
// file, not only the opening.
func Open(ctx context.Context, name string) (File, error) {
	return OpenVersion(ctx, name, "")
}

// ReadFile returns the content of the file with exactly this name.
func ReadFile(ctx context.Context, name string) ([]byte, error) {
	f, err := Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Content(f)
}

// Content returns all that a file holds.
func Content(f File) ([]byte, error) {
	content := make([]byte, f.Size())
	_, err := f.ReadAt(content, 0)
	if changed := f.Check(); changed != nil {
		return nil, changed
	}
	if err != nil {
		return nil, err
	}
	return content, nil
}

// Join appends a file name to the name of a directory of any kind.
func Join(dir, name string) string {
	if strings.Contains(dir, "://") {
		return strings.TrimSuffix(dir, "/") + "/" + name
	}
	return filepath.Join(dir, name)
}

// backend is one kind of storage. Names are whole, scheme included, both those that it is
// given and those that it gives back, with '/' between segments.
type backend interface {
	// canonical returns the form of a name that the other methods take, or says what is
	// wrong with it. A '/' at the end, if it means nothing, is gone.
	canonical(name string) (string, error)
	// open opens a version of a file, whatever there is if it is "".
	open(ctx context.Context, name string, v Version) (File, error)
	// stat reports what has exactly this name. Nothing is not an error.
	stat(ctx context.Context, name string) (entry, kind, error)
	// walk returns the files that want takes among those whose names begin with prefix.
	// It may, but need not, skip directories that want does not enter.
	walk(ctx context.Context, prefix string, want filter) ([]entry, error)
	publish(ctx context.Context, dir, id string, write writeFunc) error
	checkOutput(ctx context.Context, dir string) error
}

// entry is a file that exists. Two entries with the same id are the same file.
type entry struct {
	name    string
	size    int64
	version Version
	id      string
}

type kind int

const (
	nothing kind = iota
	isFile
	isDirectory
)

type filter interface {
	enter(dir string) bool
	take(file string) bool
}

// backends has one row for each scheme.
var backends = []struct {
	scheme  string
	example string
	backend backend
}{
	{"", "a local path", local{}},
	{"file", "file:///path", local{}},
	{"gs", "gs://bucket/object", gcs{client: sharedClient, stall: stallTimeout}},
}

// lookup finds the back end for a name, and the form of the name which that uses.
func lookup(name string) (backend, string, error) {
	scheme, _, ok := strings.Cut(name, "://")
	if !ok {
		scheme = ""
	}
	var supported []string
	for _, row := range backends {
		if row.scheme == scheme {
			name, err := row.backend.canonical(name)
			return row.backend, name, err
		}
		supported = append(supported, row.example)
	}
	return nil, "", fmt.Errorf("%s: %s:// is not supported; use one of: %s", name, scheme, strings.Join(supported, ", "))
}

// openFile gives every back end the same contract of io.ReaderAt: read is only asked
// for ranges inside the file, and must fill them or fail with an error that says all.
type openFile struct {
	ctx     context.Context
	name    string
	size    int64
	version Version
	read    func(p []byte, off int64) error
	check   func() error
	close   func() error
	closed  atomic.Bool
}

func (f *openFile) Name() string     { return f.name }
func (f *openFile) Size() int64      { return f.size }
func (f *openFile) Version() Version { return f.version }

func (f *openFile) Check() error {
	if f.closed.Load() {
		return fmt.Errorf("check %s: %w", f.name, fs.ErrClosed)
	}
	return f.check()
}

func (f *openFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.usable(); err != nil {
		return 0, fmt.Errorf("read %s: %w", f.name, err)
	}
	if off < 0 {
		return 0, fmt.Errorf("read %s: negative offset %d", f.name, off)
	}
	if len(p) == 0 {
		return 0, nil
	}
	if off >= f.size {
		return 0, io.EOF
	}
	inside := p[:min(int64(len(p)), f.size-off)]
	if err := f.read(inside, off); err != nil {
		// Closing or cancelling cuts reads short in ways that differ between back ends.
		if cause := f.usable(); cause != nil {
			err = fmt.Errorf("read %s: %w", f.name, cause)
		}
		return 0, err
	}
	if len(inside) < len(p) {
		return len(inside), io.EOF
	}
	return len(inside), nil
}

func (f *openFile) Close() error {
	if f.closed.Swap(true) {
		return fmt.Errorf("close %s: %w", f.name, fs.ErrClosed)
	}
	return f.close()
}

func (f *openFile) usable() error {
	if f.closed.Load() {
		return fs.ErrClosed
	}
	return f.ctx.Err()
}

// Version tells one content of a file from others, without reading it. It is opaque: two
// are compared, or one is given to OpenVersion. In Cloud Storage it is the generation; on
// local disk it is made of size, time of modification and inode, and so it changes as
// well when a file is only touched. The device is no part of it: several machines number
// those as they like where they share a file system. "" is whatever content there is.
type Version string

// ErrChanged is the error for a file that is not, or no longer, of the version that was
// to be read.
var ErrChanged = errors.New("the file has changed since the run was planned")

// changed says what is different about a file, and what to do.
func changed(name, difference string) error {
	return fmt.Errorf("%s: %w: %s; run again when nobody writes to it", name, ErrChanged, difference)
}

// OpenVersion opens this version of the file with exactly this name.
func OpenVersion(ctx context.Context, name string, v Version) (File, error) {
	b, name, err := lookup(name)
	if err != nil {
		return nil, err
	}
	return b.open(ctx, name, v)
}
