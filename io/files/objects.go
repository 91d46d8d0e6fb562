package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"
	"time"

	"github.com/beameval/beameval/io/files/internal/stores"
)

// objects is the back end for object stores. A directory is a prefix that ends in '/'.
type objects struct {
	scheme  string // including "://"
	bucket  string // the service's term for a bucket
	id      string // its term for the id of a version
	connect stores.Connector
	stall   time.Duration // how long a read waits for more bytes before it repeats the request
}

const stallTimeout = time.Minute

func (s objects) canonical(name string) (string, error) {
	o := s.object(name)
	switch {
	case o.Bucket == "":
		return "", fmt.Errorf("%s: the %s is missing; the form is %s%[2]s/object", name, s.bucket, s.scheme)
	case isGlob(o.Bucket):
		return "", fmt.Errorf("%s: a pattern cannot stand for a %s; name one", name, s.bucket)
	}
	return strings.TrimSuffix(name, "/"), nil
}

func (s objects) object(name string) stores.Object {
	bucket, rest, _ := strings.Cut(strings.TrimPrefix(name, s.scheme), "/")
	return stores.Object{Bucket: bucket, Name: rest}
}

func (s objects) nameOf(o stores.Object) string { return s.scheme + o.Bucket + "/" + o.Name }

// store returns the service and the location of a name in it.
func (s objects) store(ctx context.Context, name string) (stores.Store, stores.Object, error) {
	st, err := s.connect(ctx)
	if err != nil {
		return nil, stores.Object{}, fmt.Errorf("%s: %w", name, err)
	}
	// Twice the patience of a read leaves time for the retries of the library.
	return stores.Watched{Store: st, Patience: 2 * s.stall}, s.object(name), nil
}

// explain returns an error that says what an error of a store means for this name and what to do
// about it.
func (s objects) explain(st stores.Store, op, name string, err error) error {
	switch failed := fmt.Errorf("%s %s: %w", op, name, err); {
	case errors.Is(err, context.Canceled):
		return failed
	case errors.Is(err, context.DeadlineExceeded):
		return stores.Temporary{Err: failed}
	}
	o := s.object(name)
	what, advice := st.Explain(o, err)
	switch what {
	case stores.NoBucket:
		return fmt.Errorf("%s %s: %w: there is no %s %s; check its name: %w", op, name, fs.ErrNotExist, s.bucket, o.Bucket, err)
	case stores.NoObject:
		return fmt.Errorf("%s %s: %w: there is no such object; check the spelling: %w", op, name, fs.ErrNotExist, err)
	case stores.Forbidden:
		return fmt.Errorf("%s %s: %w: %s, or use another account: %w", op, name, fs.ErrPermission, advice, err)
	case stores.UnknownAccount:
		return fmt.Errorf("%s %s: the credentials were not accepted: %w; %s", op, name, err, advice)
	case stores.Unavailable:
		return stores.Temporary{Err: fmt.Errorf("%s %s: %w", op, name, err)}
	}
	if advice != "" {
		return fmt.Errorf("%s %s: %s: %w", op, name, advice, err)
	}
	return fmt.Errorf("%s %s: %w", op, name, err)
}

func (s objects) open(ctx context.Context, name string, want Version, whole int64) (File, error) {
	st, o, err := s.store(ctx, name)
	if err != nil {
		return nil, err
	}
	if o.Name == "" {
		return nil, fmt.Errorf("open %s: this is a %s, not a file", name, s.bucket)
	}
	id, size, err := s.ofVersion(want)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	if size < 0 {
		now, err := st.Attrs(ctx, o)
		switch {
		case err != nil:
			return nil, s.explainOpen(ctx, st, name, want, err)
		case now.Compressed:
			return nil, fmt.Errorf("open %s: the object is stored with Content-Encoding: gzip, which allows no random access; upload it again without compression in transit (not gcloud storage cp -Z)", name)
		case want != "" && now.ID != id:
			return nil, gone(name, want)
		}
		id, size, want = now.ID, now.Size, s.versionOf(now)
	}
	// Reads continue after this call, until the file is closed.
	ctx, cancel := context.WithCancel(ctx)
	r := &rangeReader{ctx: ctx, store: st, object: o, id: id, stall: s.stall}
	ahead := &readAhead{size: size, whole: whole, fetch: r.fetch}
	var lost atomic.Bool
	explained := func(read readFunc) readFunc {
		return func(p []byte, off int64) error {
			err := read(p, off)
			if stores.Is(st, err, stores.NoObject) || stores.Is(st, err, stores.ConditionFailed) {
				lost.Store(true)
				return gone(name, want)
			}
			if err != nil {
				return s.explain(st, "read", name, err)
			}
			return nil
		}
	}
	return &openFile{
		ctx:     ctx,
		name:    name,
		size:    size,
		version: want,
		read:    explained(ahead.readAt),
		ranges:  func(ranges [][2]int64) readFunc { return explained(ahead.expect(ranges)) },
		check: func() error { // everything that was read is of this version
			if lost.Load() {
				return gone(name, want)
			}
			return nil
		},
		close: func() error {
			cancel()
			return nil
		},
	}, nil
}

// explainOpen returns the error for an object whose attributes could not be read.
func (s objects) explainOpen(ctx context.Context, st stores.Store, name string, want Version, err error) error {
	if !stores.Is(st, err, stores.NoObject) {
		return s.explain(st, "open", name, err)
	}
	if want != "" {
		return gone(name, want)
	}
	switch _, what, statErr := s.stat(ctx, name); {
	case statErr != nil:
		return statErr
	case what == isDirectory:
		return fmt.Errorf("open %s: this is a directory, not a file", name)
	}
	return s.explain(st, "open", name, err)
}

// versionOf returns the version of an object: its id and its size, so that opening it makes no
// request. The version of a compressed object lacks the size, so that opening it makes a request,
// and fails.
func (s objects) versionOf(a stores.Attrs) Version {
	if a.Compressed {
		return Version(s.id + " " + a.ID)
	}
	return Version(fmt.Sprintf("%s %s (%d bytes)", s.id, a.ID, a.Size))
}

// ofVersion returns the id and the size in a version. The id is empty if the version is, and the
// size is -1 if the version lacks it.
func (s objects) ofVersion(v Version) (id string, size int64, err error) {
	if v == "" {
		return "", -1, nil
	}
	text, ok := strings.CutPrefix(string(v), s.id+" ")
	if !ok {
		return "", -1, fmt.Errorf("version %q is not that of an object", v)
	}
	id, rest, _ := strings.Cut(text, " (")
	if n, _ := fmt.Sscanf(rest, "%d bytes)", &size); n == 0 {
		size = -1
	}
	return id, size, nil
}

// gone returns the error for a version that no longer exists.
func gone(name string, v Version) error {
	return changed(name, fmt.Sprintf("%s is gone, as the object was overwritten or removed", v))
}

func (s objects) stat(ctx context.Context, name string) (entry, entryType, error) {
	st, o, err := s.store(ctx, name)
	if err != nil {
		return entry{}, nothing, err
	}
	if o.Name != "" {
		a, err := st.Attrs(ctx, o)
		if err == nil {
			return s.entry(name, a), isFile, nil
		}
		if !stores.Is(st, err, stores.NoObject) {
			return entry{}, nothing, s.explain(st, "find", name, err)
		}
	}
	for _, err := range st.List(ctx, o.Directory(), 1) {
		if err != nil {
			return entry{}, nothing, s.explain(st, "list", name, err)
		}
		return entry{}, isDirectory, nil
	}
	return entry{}, nothing, nil
}

func (s objects) walk(ctx context.Context, want *selector) ([]entry, error) {
	prefix := want.prefix()
	st, o, err := s.store(ctx, prefix)
	if err != nil {
		return nil, err
	}
	var found []entry
	for a, err := range st.List(ctx, o, 0) {
		if err != nil {
			return nil, s.explain(st, "list", prefix, err)
		}
		// Consoles create an empty object whose name ends in '/' for a directory.
		if name := s.nameOf(stores.Object{Bucket: o.Bucket, Name: a.Name}); !strings.HasSuffix(name, "/") && want.take(name) {
			found = append(found, s.entry(name, a))
		}
	}
	return found, nil
}

func (s objects) entry(name string, a stores.Attrs) entry {
	return entry{name: name, size: a.Size, version: s.versionOf(a), id: name}
}
