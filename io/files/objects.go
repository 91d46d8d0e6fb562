package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// objects is the back end of stores of objects. A directory is a prefix that ends in '/'.
type objects struct {
	scheme  string // with "://"
	bucket  string // what the service calls a bucket
	connect connector
	stall   time.Duration // how long a read waits for more bytes before it requests them again
}

const stallTimeout = time.Minute

// store is a service that keeps objects in buckets. Its methods return the errors of its
// library, which repeats requests that failed.
type store interface {
	attrs(ctx context.Context, o object) (attrs, error)
	// list yields the objects whose names begin with that of prefix. It asks for pages of at
	// most pageSize objects; 0 leaves the size to the service.
	list(ctx context.Context, prefix object, pageSize int) iter.Seq2[attrs, error]
	// get returns length bytes of a version of an object. Where bytes are missing, reading
	// ends with io.EOF or io.ErrUnexpectedEOF.
	get(ctx context.Context, o object, id string, off, length int64) (io.ReadCloser, error)
	// put creates an object unless it exists.
	put(ctx context.Context, o object, content *os.File, size int64, metadata map[string]string) error
	// mayPut returns an error if an object could not be created. It creates nothing.
	mayPut(ctx context.Context, o object) error
	// remove removes a version of an object.
	remove(ctx context.Context, o object, id string) error
	// brief returns an error in few words; nil for nil.
	brief(err error) error
	// explain says what an error is and, if it knows more than that, what to do.
	explain(o object, err error) (problem, string)
	// idName is what the service calls the id of a version.
	idName() string
}

// problem is what an error of a store means.
type problem int

const (
	otherwise problem = iota
	noObject
	noBucket
	conditionFailed // an object that was to be created exists, or the version is another
	forbidden       // to this account
	unknownAccount
	unavailable // another try may succeed
)

// object is the place of an object.
type object struct{ bucket, name string }

// attrs is what a store says of an object.
type attrs struct {
	name string
	size int64
	id   string // of the version
	// compressed says that the store decompresses what is read, so that it allows no random
	// access.
	compressed bool
	metadata   map[string]string // nil if a listing does not tell
}

func (s objects) canonical(name string) (string, error) {
	o := s.object(name)
	switch {
	case o.bucket == "":
		return "", fmt.Errorf("%s: the %s is missing; the form is %s%[2]s/object", name, s.bucket, s.scheme)
	case isGlob(o.bucket):
		return "", fmt.Errorf("%s: a pattern cannot stand for a %s; name one", name, s.bucket)
	}
	return strings.TrimSuffix(name, "/"), nil
}

func (s objects) object(name string) object {
	bucket, rest, _ := strings.Cut(strings.TrimPrefix(name, s.scheme), "/")
	return object{bucket, rest}
}

func (s objects) nameOf(o object) string { return s.scheme + o.bucket + "/" + o.name }

// store returns the service, and the place of a name in it.
func (s objects) store(ctx context.Context, name string) (store, object, error) {
	st, err := s.connect(ctx)
	if err != nil {
		return nil, object{}, fmt.Errorf("%s: %w", name, err)
	}
	// Twice the time of a read leaves the library time for its attempts.
	return watched{st, 2 * s.stall}, s.object(name), nil
}

// explain returns an error that says what an error of a store means for this name and what to
// do.
func (s objects) explain(st store, op, name string, err error) error {
	switch failed := fmt.Errorf("%s %s: %w", op, name, err); {
	case errors.Is(err, context.Canceled):
		return failed
	case errors.Is(err, context.DeadlineExceeded):
		return temporary{failed}
	}
	o := s.object(name)
	what, advice := st.explain(o, err)
	switch what {
	case noBucket:
		return fmt.Errorf("%s %s: %w: there is no %s %s; check its name: %w", op, name, fs.ErrNotExist, s.bucket, o.bucket, err)
	case noObject:
		return fmt.Errorf("%s %s: %w: there is no such object; check the spelling: %w", op, name, fs.ErrNotExist, err)
	case forbidden:
		return fmt.Errorf("%s %s: %w: %s, or use another account: %w", op, name, fs.ErrPermission, advice, err)
	case unknownAccount:
		return fmt.Errorf("%s %s: the credentials were not accepted: %w; %s", op, name, err, advice)
	case unavailable:
		return temporary{fmt.Errorf("%s %s: %w", op, name, err)}
	}
	if advice != "" {
		return fmt.Errorf("%s %s: %s: %w", op, name, advice, err)
	}
	return fmt.Errorf("%s %s: %w", op, name, err)
}

func is(st store, err error, what problem) bool {
	if err == nil {
		return false
	}
	p, _ := st.explain(object{}, err)
	return p == what
}

func (s objects) open(ctx context.Context, name string, want Version, whole int64) (File, error) {
	st, o, err := s.store(ctx, name)
	if err != nil {
		return nil, err
	}
	if o.name == "" {
		return nil, fmt.Errorf("open %s: this is a %s, not a file", name, s.bucket)
	}
	id, size, err := want.object(st)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	if size < 0 {
		now, err := st.attrs(ctx, o)
		switch {
		case err != nil:
			return nil, s.explainOpen(ctx, st, name, want, err)
		case now.compressed:
			return nil, fmt.Errorf("open %s: the object is stored with Content-Encoding: gzip, which allows no random access; upload it again without compression in transit (not gcloud storage cp -Z)", name)
		case want != "" && now.id != id:
			return nil, gone(name, want)
		}
		id, size, want = now.id, now.size, versionOf(st, now)
	}
	// Reads go on after this call, until the file is closed.
	ctx, cancel := context.WithCancel(ctx)
	r := &rangeReader{ctx: ctx, store: st, object: o, id: id, stall: s.stall}
	ahead := &readAhead{size: size, whole: whole, fetch: r.fetch}
	var lost atomic.Bool
	explained := func(read readFunc) readFunc {
		return func(p []byte, off int64) error {
			err := read(p, off)
			if is(st, err, noObject) || is(st, err, conditionFailed) {
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
		check: func() error { // all that was read is of this version
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

// explainOpen returns the error for an object whose attributes were not found.
func (s objects) explainOpen(ctx context.Context, st store, name string, want Version, err error) error {
	if !is(st, err, noObject) {
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

// versionOf returns the version of an object: its id, and its size, so that opening it takes
// no request. A compressed object has no size here, so that opening it is an error.
func versionOf(st store, a attrs) Version {
	if a.compressed {
		return Version(st.idName() + " " + a.id)
	}
	return Version(fmt.Sprintf("%s %s (%d bytes)", st.idName(), a.id, a.size))
}

// object returns the id, "" if the version is "", and the size, -1 if the version does not say
// it.
func (v Version) object(st store) (id string, size int64, err error) {
	if v == "" {
		return "", -1, nil
	}
	text, ok := strings.CutPrefix(string(v), st.idName()+" ")
	if !ok {
		return "", -1, fmt.Errorf("version %q is not that of an object", v)
	}
	id, rest, _ := strings.Cut(text, " (")
	if n, _ := fmt.Sscanf(rest, "%d bytes)", &size); n == 0 {
		size = -1
	}
	return id, size, nil
}

// gone returns the error for a version that is no longer there.
func gone(name string, v Version) error {
	return changed(name, fmt.Sprintf("%s is gone, as the object was overwritten or removed", v))
}

func (s objects) stat(ctx context.Context, name string) (entry, entryType, error) {
	st, o, err := s.store(ctx, name)
	if err != nil {
		return entry{}, nothing, err
	}
	if o.name != "" {
		a, err := st.attrs(ctx, o)
		if err == nil {
			return objectEntry(st, name, a), isFile, nil
		}
		if !is(st, err, noObject) {
			return entry{}, nothing, s.explain(st, "find", name, err)
		}
	}
	for _, err := range st.list(ctx, o.directory(), 1) {
		if err != nil {
			return entry{}, nothing, s.explain(st, "list", name, err)
		}
		return entry{}, isDirectory, nil
	}
	return entry{}, nothing, nil
}

func (s objects) walk(ctx context.Context, prefix string, want filter) ([]entry, error) {
	st, o, err := s.store(ctx, prefix)
	if err != nil {
		return nil, err
	}
	var found []entry
	for a, err := range st.list(ctx, o, 0) {
		if err != nil {
			return nil, s.explain(st, "list", prefix, err)
		}
		// Consoles show a directory by an empty object whose name ends in '/'.
		if name := s.nameOf(object{o.bucket, a.name}); !strings.HasSuffix(name, "/") && want.take(name) {
			found = append(found, objectEntry(st, name, a))
		}
	}
	return found, nil
}

func objectEntry(st store, name string, a attrs) entry {
	return entry{name: name, size: a.size, version: versionOf(st, a), id: name}
}

// directory returns the prefix of everything in a directory. It is empty for a bucket.
func (o object) directory() object {
	if o.name != "" {
		o.name += "/"
	}
	return o
}
