// Package files opens, lists and publishes files on local disk and in cloud storage under one set
// of rules. It does not interpret the contents of files.
//
// A name is a local path, with or without file://; gs://bucket/object in Google Cloud Storage;
// s3://bucket/object in Amazon S3 or a compatible store; or, in Azure Blob Storage,
// az://container/object in the account that the environment configures, or
// abfss://container@account.dfs.core.windows.net/object. Names have no escapes: a space, '%' or '#'
// stands for itself.
//
// # Reading
//
// [Open] pins the content of a file: its size and, in cloud storage, also its generation (gs) or
// ETag (s3, az). Reading a file that has been overwritten or removed since is an error, never a
// mixture of two contents. A reader that announces the ranges it will read ([File].Ranges) causes
// few requests and fetches little else. Small unannounced reads are served from windows that grow
// while reads are sequential. Transient failures are retried.
//
// # Patterns
//
// [List] expands files, directories and globs: '*', '?' and '[...]' match within one segment of a
// path, "**" matches any number of segments, and '\' makes the next character literal. A name that
// exists stands for itself, whatever characters it contains. A directory, named or matched, stands
// for all files below it that have certain [Endings]. Names that begin with '.' or '_' (_SUCCESS,
// _temporary, .crc) are skipped unless the pattern spells out that character. Folders such as
// _day=1 are not skipped, because they are partitions.
//
// # Publishing
//
// [Publish] makes a set of files appear completely or not at all. It always writes all contents to
// a private place first:
//
//	local disk       .report.tmp-ID-*/new/{a,b,c} ── rename ──► report/{a,b,c}
//	cloud storage    TMPDIR/{a,b,c} ── upload, each only if absent ──► report/a, report/b, report/c
//
// On local disk, the directory appears in a single rename. Cloud storage has no such operation: the
// objects appear one by one, each complete, in the order in which the files were created. The
// object created last is therefore the marker: if it exists, so do all others.
//
// A runner may attempt work again, for example because it lost a worker. All attempts share one id
// ([PublishAs]), and the leftovers of one attempt do not obstruct the next. On local disk, the next
// attempt removes the temporary directory. In cloud storage, it keeps the existing objects, which
// are complete, instead of its own.
//
// Concurrent attempts are harmless. On local disk, either the first rename wins, or the later
// attempt removes the directory of the earlier one, which then fails. In cloud storage, each object
// is created by one of the attempts; an attempt that fails deletes the objects that it created
// itself, unless another attempt has finished. Publish never touches the files of others unless it
// may replace them ([Replaceable]): it returns ErrOutputExists.
//
// # Back ends
//
// A back end implements the interface backend in files of its own and has a row in the table
// backends. The object stores share one back end, objects, and differ in their [stores.Store].
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

	"github.com/beameval/beameval/io/files/internal/stores"
)

// File is an open file with random access. It is safe for concurrent use. Its size is fixed when it
// is opened.
type File interface {
	io.ReaderAt
	io.Closer
	Size() int64
	Name() string
	// Ranges returns a reader of the file for a caller that will read each of these half-open
	// ranges completely. Remote storage fetches them ahead of time, in parallel and with little
	// else. The reader can also read the rest of the file. It cannot be used after Close.
	Ranges(ranges [][2]int64) io.ReaderAt
	// Version returns the version of the content that was opened.
	Version() Version
	// Check returns ErrChanged if anything read so far may be of another version, or if a read
	// found that the version is gone.
	Check() error
}

// Open opens the file with exactly this name. ctx applies to opening and to all reads.
func Open(ctx context.Context, name string) (File, error) {
	return OpenVersion(ctx, name, "")
}

// ReadFile returns the contents of the file with exactly this name. A file of more than most bytes
// is an error, before any memory is taken for it.
func ReadFile(ctx context.Context, name string, most int64) ([]byte, error) {
	f, err := Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Content(f, most)
}

// Exists returns nil if there is a file with exactly this name that can be read.
func Exists(ctx context.Context, name string) error {
	f, err := Open(ctx, name)
	if err != nil {
		return err
	}
	return f.Close()
}

// Content returns the whole contents of a file. A file of more than most bytes is an error.
func Content(f File, most int64) ([]byte, error) {
	if f.Size() > most {
		return nil, fmt.Errorf("%s has %d bytes, and at most %d are read", f.Name(), f.Size(), most)
	}
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

// InMemory returns an open file with this content, which must belong to the version.
func InMemory(ctx context.Context, name string, v Version, content []byte) File {
	return &openFile{
		ctx: ctx, name: name, size: int64(len(content)), version: v,
		read:  func(p []byte, off int64) error { copy(p, content[off:]); return nil },
		check: func() error { return nil },
		close: func() error { return nil },
	}
}

// Join appends a file name to a directory name, local or not.
func Join(dir, name string) string {
	if strings.Contains(dir, "://") {
		return strings.TrimSuffix(dir, "/") + "/" + name
	}
	return filepath.Join(dir, name)
}

// backend is a kind of storage. Its methods take and return full names, with the scheme and with
// '/' between segments.
type backend interface {
	// canonical returns the form of a name that the other methods take, without a redundant '/' at
	// the end, or an error that says what is wrong with the name.
	canonical(name string) (string, error)
	// open opens a version of a file, or the current one if v is empty. A remote file of at most
	// whole bytes is fetched with one request.
	open(ctx context.Context, name string, v Version, whole int64) (File, error)
	// stat returns what has exactly this name. It is not an error if nothing has.
	stat(ctx context.Context, name string) (entry, entryType, error)
	// walk returns the files that want takes. It may skip directories that want does not enter.
	walk(ctx context.Context, want *selector) ([]entry, error)
	publish(ctx context.Context, dir, id string, write writeFunc, may []Replaceable) error
	checkOutput(ctx context.Context, dir string, may []Replaceable) error
}

// entry is an existing file. Two entries with the same id are the same file.
type entry struct {
	name    string
	size    int64
	version Version
	id      string
}

// entryType is the kind of thing that has a name.
type entryType int

const (
	nothing entryType = iota
	isFile
	isDirectory
)

// backends has a row for each scheme.
var backends = []struct {
	scheme  string
	example string
	backend backend
}{
	{"", "a local path", local{}},
	{"file", "file:///path", local{}},
	{"gs", "gs://bucket/object", objects{"gs://", "bucket", "generation", stores.Once(stores.ConnectGCS), stallTimeout}},
	{"s3", "s3://bucket/object", objects{"s3://", "bucket", "ETag", stores.Once(stores.ConnectS3), stallTimeout}},
	{"az", "az://container/object", objects{"az://", "container", "ETag", stores.Once(stores.ConnectAzure), stallTimeout}},
	{"abfss", "abfss://container@account.dfs.core.windows.net/object", objects{"abfss://", "container", "ETag", stores.Once(stores.ConnectAzure), stallTimeout}},
}

// lookup returns the back end for a name, and the canonical form of the name.
func lookup(name string) (backend, string, error) {
	scheme, _, ok := strings.Cut(name, "://")
	if !ok {
		scheme = ""
	}
	if scheme == "https" || scheme == "http" {
		name, _, _ = strings.Cut(name, "?") // the query may be a token
	}
	if ours := translated(name); ours != "" {
		return nil, "", fmt.Errorf("%s: this form is not supported; write %s", name, ours)
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

// Local reports whether a name is on local disk.
func Local(name string) bool {
	b, _, _ := lookup(name)
	_, ok := b.(local)
	return ok
}

// openFile implements the contract of io.ReaderAt for all back ends. It calls read only for ranges
// inside the file. read fills the range completely or returns an error with the name of the file.
type openFile struct {
	ctx     context.Context
	name    string
	size    int64
	version Version
	read    readFunc
	ranges  func([][2]int64) readFunc // nil if announcing ranges is pointless
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

// readFunc fills p with the contents from off on. The range is inside the file.
type readFunc func(p []byte, off int64) error

func (f *openFile) ReadAt(p []byte, off int64) (int, error) { return f.readAt(f.read, p, off) }

func (f *openFile) Ranges(ranges [][2]int64) io.ReaderAt {
	if f.ranges == nil {
		return f
	}
	return readerOf{f, f.ranges(ranges)}
}

// readerOf reads an open file through another function.
type readerOf struct {
	file *openFile
	read readFunc
}

func (r readerOf) ReadAt(p []byte, off int64) (int, error) { return r.file.readAt(r.read, p, off) }

func (f *openFile) readAt(read readFunc, p []byte, off int64) (int, error) {
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
	if err := read(inside, off); err != nil {
		// Back ends differ in how closing and cancelling interrupt a read.
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

// Version identifies the contents of a file without reading it. It is opaque: compare two versions,
// or pass one to OpenVersion. In cloud storage, it consists of the generation or ETag, and the
// size. On local disk, it consists of size, modification time and inode, so touching a file changes
// it. It does not include the device, which machines that share a file system number differently.
// The empty version stands for the current contents.
type Version string

// ErrChanged is the error for a file that does not, or no longer, have the requested version.
var ErrChanged = errors.New("the file has changed since the run was planned")

// changed returns an error that says how a file differs and what to do about it.
func changed(name, difference string) error {
	return fmt.Errorf("%s: %w: %s; run again when nobody writes to it", name, ErrChanged, difference)
}

// OpenVersion opens a version of the file with exactly this name. In cloud storage, opening makes
// no request; if the version does not exist, the first read fails.
func OpenVersion(ctx context.Context, name string, v Version) (File, error) {
	return openAs(ctx, name, v, firstWindow)
}

// OpenWhole is like OpenVersion, for callers that will read much of the file: the first read
// fetches a small file as a whole.
func OpenWhole(ctx context.Context, name string, v Version) (File, error) {
	return openAs(ctx, name, v, smallFile)
}

func openAs(ctx context.Context, name string, v Version, whole int64) (File, error) {
	b, name, err := lookup(name)
	if err != nil {
		return nil, err
	}
	return b.open(ctx, name, v, whole)
}
