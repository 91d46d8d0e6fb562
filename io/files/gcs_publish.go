package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path"
	"slices"
	"time"

	"cloud.google.com/go/storage"
	"google.golang.org/api/googleapi"
)

const (
	chunkSize     = 16 << 20
	minChunkSize  = 256 << 10 // the service accepts no smaller chunks
	chunkDeadline = 2 * time.Minute
	cleanupTime   = 30 * time.Second

	// publisherKey is the key of the metadata of an object that says who publishes it,
	// attemptKey of the metadata that says which of the publisher's attempts made it.
	publisherKey = "beameval-publisher"
	attemptKey   = "beameval-attempt"
)

func (g gcs) publish(ctx context.Context, dir, id string, write writeFunc) (err error) {
	if err := g.vacant(ctx, dir, id); err != nil {
		return err
	}
	temp, release, err := TempDir("beameval-upload-")
	if err != nil {
		return fmt.Errorf("%s: cannot create a temporary directory to prepare the upload; set TMPDIR to one that can be written: %w", dir, err)
	}
	defer release()
	defer func() {
		if rmErr := os.RemoveAll(temp); rmErr != nil {
			err = errors.Join(err, fmt.Errorf("%s could not be removed; remove it by hand: %w", temp, rmErr))
		}
	}()
	st := &stage{ctx: ctx, target: dir, dir: temp}
	if err := st.fill(write); err != nil {
		return err
	}
	bucket, object, err := g.bucket(dir)
	if err != nil {
		return err
	}
	u := &uploads{bucket: bucket, dir: dir, publisher: id, attempt: NewID(), marker: directory(object) + st.files[len(st.files)-1].name}
	for _, f := range st.files {
		if err := u.upload(ctx, directory(object)+f.name, f.file.Name()); err != nil {
			return errors.Join(err, u.undo(ctx))
		}
	}
	return nil
}

func (g gcs) checkOutput(ctx context.Context, dir string) error {
	if err := g.vacant(ctx, dir, NewID()); err != nil {
		return err
	}
	bucket, object, err := g.bucket(dir)
	if err != nil {
		return err
	}
	if err := mayCreate(ctx, bucket.Object(directory(object)+".beameval-check")); err != nil {
		return explainGCS("write to", dir, err)
	}
	return nil
}

// vacant returns an error if the bucket cannot be reached, or if dir holds anything but what
// other attempts of the same publisher have left.
func (g gcs) vacant(ctx context.Context, dir, publisher string) error {
	bucket, object, err := g.bucket(dir)
	if err != nil {
		return err
	}
	prefix := directory(object)
	for attrs, err := range objects(ctx, bucket, prefix, 2) {
		if err != nil {
			return explainGCS("list", dir, err)
		}
		if attrs.Name != prefix && attrs.Metadata[publisherKey] != publisher { // prefix itself is how consoles show an empty directory
			return outputExists(dir, gcsScheme+bucket.BucketName()+"/"+attrs.Name)
		}
	}
	return nil
}

// mayCreate returns an error if an object cannot be created. It creates nothing: it sends the
// first chunk of an upload and drops the rest.
func mayCreate(ctx context.Context, object *storage.ObjectHandle) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	accepted := false
	w := newWriter(ctx, object, func() {
		accepted = true
		cancel()
	})
	w.ChunkSize = minChunkSize
	_, _ = w.Write(make([]byte, minChunkSize+1)) // Close returns the error, if any
	switch err := w.Close(); {
	case err == nil: // should not happen, but must leave nothing behind
		return object.Delete(context.WithoutCancel(ctx))
	case accepted:
		return nil
	default:
		return err
	}
}

// newWriter returns a writer that creates the object unless it exists. It counts attempts,
// because the library repeats the requests of an upload for ever.
func newWriter(ctx context.Context, object *storage.ObjectHandle, progress func()) *storage.Writer {
	attempts := 0
	retry := func(err error) bool {
		if !storage.ShouldRetry(err) {
			return false
		}
		attempts++
		return attempts < maxAttempts
	}
	w := object.If(storage.Conditions{DoesNotExist: true}).Retryer(storage.WithErrorFunc(retry)).NewWriter(ctx)
	w.ChunkRetryDeadline = chunkDeadline
	w.ProgressFunc = func(int64) {
		attempts = 0
		if progress != nil {
			progress()
		}
	}
	return w
}

// uploads are the objects of one Publish.
type uploads struct {
	bucket    *storage.BucketHandle
	dir       string // for messages
	publisher string // of all attempts
	attempt   string // unique
	marker    string // the last object
	tried     []string
}

// maker says whether an object was made by the publisher (ours), and by this attempt (mine).
func (u *uploads) maker(attrs *storage.ObjectAttrs) (ours, mine bool) {
	ours = attrs.Metadata[publisherKey] == u.publisher
	return ours, ours && attrs.Metadata[attemptKey] == u.attempt
}

func (u *uploads) upload(ctx context.Context, object, file string) error {
	name := gcsScheme + u.bucket.BucketName() + "/" + object
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	u.tried = append(u.tried, object)
	// Cancelling the context of a writer that is not closed creates no object.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := newWriter(ctx, u.bucket.Object(object), nil)
	w.ChunkSize = int(min(info.Size()+1, chunkSize))
	w.ContentType = contentType(object)
	w.Metadata = map[string]string{publisherKey: u.publisher, attemptKey: u.attempt}
	if _, err := io.Copy(w, f); err != nil {
		return explainGCS("write", name, err)
	}
	err = w.Close()
	var status *googleapi.Error
	if errors.As(err, &status) && status.Code == http.StatusPreconditionFailed {
		// The object exists. If it is ours, the answer to an earlier request was lost, or
		// another attempt made the object, which is as good.
		if attrs, attrsErr := u.bucket.Object(object).Attrs(ctx); attrsErr == nil {
			if ours, _ := u.maker(attrs); ours {
				return nil
			}
		}
		return outputExists(u.dir, name)
	}
	if err != nil {
		return explainGCS("write", name, err)
	}
	return nil
}

// contentType returns the content type, so that browsers need not guess.
func contentType(object string) string {
	if t := mime.TypeByExtension(path.Ext(object)); t != "" {
		return t
	}
	return "application/octet-stream"
}

// undo deletes only what this attempt has uploaded, also where the answer was lost. If
// another attempt has finished meanwhile, it deletes nothing.
func (u *uploads) undo(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	if attrs, err := u.bucket.Object(u.marker).Attrs(ctx); err == nil {
		if ours, mine := u.maker(attrs); ours && !mine {
			return nil
		}
	}
	var failed error
	// Go backwards, so that the marker goes first. Delete it once more at the end: its
	// upload may have been on its way when it was cancelled.
	names := slices.Clone(u.tried)
	slices.Reverse(names)
	for _, name := range append(names, names[0]) {
		object := u.bucket.Object(name)
		attrs, err := object.Attrs(ctx)
		if errors.Is(err, storage.ErrObjectNotExist) {
			continue
		}
		if err == nil {
			if _, mine := u.maker(attrs); mine {
				err = object.Generation(attrs.Generation).Delete(ctx)
			}
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s%s/%s may be left over; remove it by hand: %w", gcsScheme, u.bucket.BucketName(), name, err))
		}
	}
	return failed
}
