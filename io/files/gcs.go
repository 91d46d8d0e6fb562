package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync/atomic"
	"time"

	"cloud.google.com/go/storage"
	"google.golang.org/api/iterator"
)

// stallTimeout is how long a read waits for more bytes before it requests them again.
const stallTimeout = time.Minute

// gcs is Google Cloud Storage. A directory is a prefix that ends in '/'.
type gcs struct {
	client func() (*storage.Client, error)
	stall  time.Duration
}

const gcsScheme = "gs://"

func (gcs) canonical(name string) (string, error) {
	bucket, _ := splitName(name)
	switch {
	case bucket == "":
		return "", fmt.Errorf("%s: the bucket is missing; the form is gs://bucket/object", name)
	case isGlob(bucket):
		return "", fmt.Errorf("%s: a pattern cannot stand for a bucket; name one", name)
	}
	return strings.TrimSuffix(name, "/"), nil
}

func splitName(name string) (bucket, object string) {
	bucket, object, _ = strings.Cut(strings.TrimPrefix(name, gcsScheme), "/")
	return bucket, object
}

// bucket returns the bucket of a name and the name of the object in it.
func (g gcs) bucket(name string) (*storage.BucketHandle, string, error) {
	client, err := g.client()
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", name, err)
	}
	bucket, object := splitName(name)
	return client.Bucket(bucket), object, nil
}

func (g gcs) open(ctx context.Context, name string, want Version, whole int64) (File, error) {
	bucket, object, err := g.bucket(name)
	if err != nil {
		return nil, err
	}
	if object == "" {
		return nil, fmt.Errorf("open %s: this is a bucket, not a file", name)
	}
	generation, size, err := want.object()
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	handle := bucket.Object(object)
	if generation != 0 {
		handle = handle.Generation(generation)
	}
	if size < 0 {
		attrs, err := handle.Attrs(ctx)
		if err != nil {
			return nil, g.explainOpen(ctx, name, want, err)
		}
		if attrs.ContentEncoding == gzipped {
			return nil, fmt.Errorf("open %s: the object is stored with Content-Encoding: gzip, which allows no random access; upload it again without compression in transit (not gcloud storage cp -Z)", name)
		}
		handle, size, want = handle.Generation(attrs.Generation), attrs.Size, versionOf(attrs)
	}
	return g.openGeneration(ctx, handle, name, size, whole, want), nil
}

// explainOpen returns the error for an object whose attributes were not found.
func (g gcs) explainOpen(ctx context.Context, name string, want Version, err error) error {
	if !errors.Is(err, storage.ErrObjectNotExist) {
		return explainGCS("open", name, err)
	}
	if want != "" {
		return gone(name, want)
	}
	switch _, what, statErr := g.stat(ctx, name); {
	case statErr != nil:
		return statErr
	case what == isDirectory:
		return fmt.Errorf("open %s: this is a directory, not a file", name)
	}
	return explainGCS("open", name, err)
}

// openGeneration opens an object of one generation without asking whether it is there: the
// first read tells.
func (g gcs) openGeneration(ctx context.Context, object *storage.ObjectHandle, name string, size, whole int64, v Version) File {
	// Reads go on after this call, until the file is closed.
	ctx, cancel := context.WithCancel(ctx)
	r := &rangeReader{ctx: ctx, object: object, stall: g.stall}
	ahead := &readAhead{size: size, whole: whole, fetch: r.fetch}
	var lost atomic.Bool
	explained := func(read readFunc) readFunc {
		return func(p []byte, off int64) error {
			err := read(p, off)
			if errors.Is(err, storage.ErrObjectNotExist) {
				lost.Store(true)
				return gone(name, v)
			}
			if err != nil {
				return explainGCS("read", name, err)
			}
			return nil
		}
	}
	return &openFile{
		ctx:     ctx,
		name:    name,
		size:    size,
		version: v,
		read:    explained(ahead.readAt),
		ranges:  func(ranges [][2]int64) readFunc { return explained(ahead.expect(ranges)) },
		check: func() error { // all that was read is of this generation
			if lost.Load() {
				return gone(name, v)
			}
			return nil
		},
		close: func() error {
			cancel()
			return nil
		},
	}
}

// gzipped is the Content-Encoding of objects that cannot be read.
const gzipped = "gzip"

// versionOf returns the version of an object: the generation, and its size, so that opening
// it takes no request. A gzipped object has no size here, so that opening it is an error.
func versionOf(attrs *storage.ObjectAttrs) Version {
	if attrs.ContentEncoding == gzipped {
		return Version(fmt.Sprintf("generation %d", attrs.Generation))
	}
	return Version(fmt.Sprintf("generation %d (%d bytes)", attrs.Generation, attrs.Size))
}

// object returns the generation, 0 if the version is "", and the size, -1 if the version
// does not say it.
func (v Version) object() (generation, size int64, err error) {
	if v == "" {
		return 0, -1, nil
	}
	n, _ := fmt.Sscanf(string(v), "generation %d (%d bytes)", &generation, &size)
	switch n {
	case 0:
		return 0, -1, fmt.Errorf("version %q is not that of an object", v)
	case 1:
		size = -1
	}
	return generation, size, nil
}

// gone returns the error for a generation that is no longer there.
func gone(name string, v Version) error {
	return changed(name, fmt.Sprintf("%s is gone, as the object was overwritten or removed", v))
}

func (g gcs) stat(ctx context.Context, name string) (entry, entryType, error) {
	bucket, object, err := g.bucket(name)
	if err != nil {
		return entry{}, nothing, err
	}
	if object != "" {
		attrs, err := bucket.Object(object).Attrs(ctx)
		if err == nil {
			return objectEntry(name, attrs), isFile, nil
		}
		if !errors.Is(err, storage.ErrObjectNotExist) {
			return entry{}, nothing, explainGCS("find", name, err)
		}
	}
	for _, err := range objects(ctx, bucket, directory(object), 1) {
		if err != nil {
			return entry{}, nothing, explainGCS("list", name, err)
		}
		return entry{}, isDirectory, nil
	}
	return entry{}, nothing, nil
}

func (g gcs) walk(ctx context.Context, prefix string, want filter) ([]entry, error) {
	bucket, objectPrefix, err := g.bucket(prefix)
	if err != nil {
		return nil, err
	}
	root := gcsScheme + bucket.BucketName() + "/"
	var found []entry
	for attrs, err := range objects(ctx, bucket, objectPrefix, 0) {
		if err != nil {
			return nil, explainGCS("list", prefix, err)
		}
		// Consoles show a directory by an empty object whose name ends in '/'.
		if name := root + attrs.Name; !strings.HasSuffix(name, "/") && want.take(name) {
			found = append(found, objectEntry(name, attrs))
		}
	}
	return found, nil
}

func objectEntry(name string, attrs *storage.ObjectAttrs) entry {
	return entry{name: name, size: attrs.Size, version: versionOf(attrs), id: name}
}

// directory returns the prefix of everything in a directory. It is empty for a bucket.
func directory(object string) string {
	if object == "" {
		return ""
	}
	return object + "/"
}

// objects yields the objects whose names begin with prefix. It asks for pages of at most
// pageSize objects; 0 leaves the size to the service.
func objects(ctx context.Context, bucket *storage.BucketHandle, prefix string, pageSize int) iter.Seq2[*storage.ObjectAttrs, error] {
	return func(yield func(*storage.ObjectAttrs, error) bool) {
		query := &storage.Query{Prefix: prefix, Projection: storage.ProjectionNoACL}
		if err := query.SetAttrSelection([]string{"Name", "Size", "Generation", "ContentEncoding", "Metadata"}); err != nil {
			yield(nil, err)
			return
		}
		it := bucket.Objects(ctx, query)
		it.PageInfo().MaxSize = pageSize
		for {
			attrs, err := it.Next()
			if err == iterator.Done || !yield(attrs, err) || err != nil {
				return
			}
		}
	}
}

// rangeReader reads one generation of an object.
type rangeReader struct {
	ctx    context.Context
	object *storage.ObjectHandle // of one generation
	stall  time.Duration
}

var errStalled = errors.New("no data has come for a while")

// fetch fills p. The library repeats requests that failed and resumes responses that were cut
// off. fetch resumes responses that stalled or ended early without an error.
func (r *rangeReader) fetch(p []byte, off int64) error {
	const patience = 3 // attempts in a row that return nothing
	for idle := 0; len(p) > 0; {
		n, err := r.attempt(p, off)
		p, off = p[n:], off+int64(n)
		if len(p) == 0 {
			return nil
		}
		if n > 0 {
			idle = 0
		} else {
			idle++
		}
		resumable := errors.Is(err, errStalled) || errors.Is(err, io.ErrUnexpectedEOF)
		if !resumable || idle == patience {
			return err
		}
	}
	return nil
}

// attempt makes one request for p and returns how many bytes it got.
func (r *rangeReader) attempt(p []byte, off int64) (int, error) {
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	watch := time.AfterFunc(r.stall, func() { cancel(errStalled) })
	defer watch.Stop()
	failed := func(err error) error {
		if context.Cause(ctx) == errStalled {
			return errStalled
		}
		return err
	}
	body, err := r.object.NewRangeReader(ctx, off, int64(len(p)))
	if err != nil {
		return 0, failed(err)
	}
	defer body.Close()
	n := 0
	for n < len(p) {
		m, err := body.Read(p[n:])
		n += m
		if m > 0 {
			watch.Reset(r.stall)
		}
		switch {
		case n == len(p):
		case err == io.EOF:
			return n, io.ErrUnexpectedEOF
		case err != nil:
			return n, failed(err)
		}
	}
	return n, nil
}
