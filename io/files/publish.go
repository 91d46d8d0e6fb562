package files

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// ErrOutputExists is the error of Publish and CheckOutput for a directory that is not empty.
var ErrOutputExists = errors.New("output exists")

// Publish writes files into dir so that they appear completely or not at all; the package
// documentation says what that means in each kind of storage. The directory must be empty or not
// exist, except that Publish replaces contents described by may. It creates missing parents.
//
// The callback calls create for each file, with a name relative to dir. It may use the returned
// writers until it returns, several at a time, but each from one goroutine at a time. It need not close
// them: but if there are many, it should close those that are complete, each of which is an [io.Closer]. If
// the callback fails or ctx is cancelled, Publish leaves nothing behind.
func Publish(ctx context.Context, dir string, write func(create func(name string) (io.Writer, error)) error, may ...Replaceable) error {
	return PublishAs(ctx, dir, NewID(), write, may...)
}

// NewID returns a unique id.
func NewID() string { return rand.Text() }

// PublishAs is like Publish, for work that a runner may attempt several times. Attempts with the
// same id may use or remove each other's leftovers. All attempts must write files with the same
// names, and the files of any attempt must be acceptable.
func PublishAs(ctx context.Context, dir, id string, write func(create func(name string) (io.Writer, error)) error, may ...Replaceable) error {
	b, dir, err := lookup(dir)
	if err != nil {
		return err
	}
	return b.publish(ctx, dir, id, write, may)
}

// CheckOutput returns an error if Publish into dir could not succeed. It finds out by trying,
// before any work is done, and leaves nothing behind.
func CheckOutput(ctx context.Context, dir string, may ...Replaceable) error {
	b, dir, err := lookup(dir)
	if err != nil {
		return err
	}
	return b.checkOutput(ctx, dir, may)
}

type writeFunc = func(create func(name string) (io.Writer, error)) error

func outputExists(dir, example string) error {
	return fmt.Errorf("%s: %w and is not empty (it holds %s); choose another directory, or remove this one", dir, ErrOutputExists, example)
}

// stage collects the files of one Publish in a local directory.
type stage struct {
	ctx     context.Context
	target  string // final directory, for messages
	dir     string
	durable bool // must survive a crash of the machine

	mu    sync.Mutex
	files []*stagedFile // in order of creation
	done  bool
}

type stagedFile struct {
	of   *stage
	name string // relative, with '/' between segments
	file *os.File
	buf  *bufio.Writer // nil once the file is complete
}

// Write fails once the context is cancelled, so that a long callback ends early.
func (f *stagedFile) Write(p []byte) (int, error) {
	if err := f.of.ctx.Err(); err != nil {
		return 0, err
	}
	if f.buf == nil {
		return 0, fmt.Errorf("write %s: %w", f.name, os.ErrClosed)
	}
	return f.buf.Write(p)
}

// Close completes the file. Another Close does nothing.
func (f *stagedFile) Close() error {
	if f.buf == nil {
		return nil
	}
	err := f.buf.Flush()
	if err == nil && f.of.durable {
		err = f.file.Sync()
	}
	if err == nil {
		err = f.file.Close()
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", Join(f.of.target, f.name), err)
	}
	f.buf = nil
	return nil
}

// fill runs the callback and closes all files. Unless it returns an error, they are complete.
func (s *stage) fill(write writeFunc) error {
	defer s.close()
	if err := s.ctx.Err(); err != nil {
		return err
	}
	if err := write(s.create); err != nil {
		return err
	}
	if err := s.finish(); err != nil {
		return err
	}
	return s.ctx.Err()
}

func (s *stage) finish() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.files) == 0 {
		return errors.New("there is nothing to publish: no file was created")
	}
	for _, f := range s.files {
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

// close closes the files that finish did not close; their contents no longer matter.
func (s *stage) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = true
	for _, f := range s.files {
		f.file.Close()
	}
}

func (s *stage) create(name string) (io.Writer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	relative, err := filepath.Localize(name)
	switch {
	case s.done:
		return nil, fmt.Errorf("create %s: publishing is over", name)
	case err != nil || name == ".":
		return nil, fmt.Errorf("create %q: the name of an output file must be a relative path inside the output directory", name)
	case slices.ContainsFunc(s.files, func(f *stagedFile) bool { return f.name == name }):
		return nil, fmt.Errorf("create %s: a file of this name was already created", name)
	}
	path := filepath.Join(s.dir, relative)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, fmt.Errorf("create %s: %w", Join(s.target, name), err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", Join(s.target, name), err)
	}
	f := &stagedFile{of: s, name: name, file: file, buf: bufio.NewWriterSize(file, 64<<10)}
	s.files = append(s.files, f)
	return f, nil
}
