package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"strconv"
	"time"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/auth/credentials"
	"cloud.google.com/go/auth/httptransport"
	"cloud.google.com/go/storage"
	"github.com/googleapis/gax-go/v2"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/iterator"
	"google.golang.org/api/option"
)

// maxAttempts is how often a request is made. With the pauses between attempts, which grow up
// to maxPause, that takes about a minute.
const (
	maxAttempts = 10
	maxPause    = 15 * time.Second
)

const (
	minChunkSize  = 256 << 10 // the service accepts no smaller chunks
	chunkDeadline = 2 * time.Minute
)

// connectGCS creates a client. By default, the library repeats requests for ever.
func connectGCS(ctx context.Context) (store, error) {
	client, err := newGCS(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot use Google Cloud Storage: %w; %s", err, authenticateGCS)
	}
	pauses := gax.Backoff{Initial: 250 * time.Millisecond, Max: maxPause, Multiplier: 2}
	client.SetRetry(storage.WithBackoff(pauses), storage.WithMaxAttempts(maxAttempts))
	return gcs{client}, nil
}

// newGCS makes the HTTP client of the library, which authenticates all that it sends.
func newGCS(ctx context.Context) (*storage.Client, error) {
	authenticated, err := httptransport.NewClient(&httptransport.Options{
		DisableAuthentication: os.Getenv("STORAGE_EMULATOR_HOST") != "", // as the library does
		DetectOpts:            &credentials.DetectOptions{Scopes: []string{storage.ScopeFullControl, "https://www.googleapis.com/auth/cloud-platform"}},
	})
	if err != nil {
		return nil, err
	}
	return storage.NewClient(ctx, storage.WithJSONReads(), option.WithHTTPClient(guarded(*authenticated)))
}

// gcs is Google Cloud Storage. The id of a version is its generation.
type gcs struct{ client *storage.Client }

func (gcs) idName() string { return "generation" }

func (g gcs) handle(o object) *storage.ObjectHandle { return g.client.Bucket(o.bucket).Object(o.name) }

func (g gcs) attrs(ctx context.Context, o object) (attrs, error) {
	a, err := g.handle(o).Attrs(ctx)
	if err != nil {
		return attrs{}, err
	}
	return attrsOf(a), nil
}

func attrsOf(a *storage.ObjectAttrs) attrs {
	return attrs{
		name: a.Name, size: a.Size, id: strconv.FormatInt(a.Generation, 10), compressed: a.ContentEncoding == "gzip", metadata: a.Metadata,
	}
}

func (g gcs) list(ctx context.Context, prefix object, pageSize int) iter.Seq2[attrs, error] {
	return func(yield func(attrs, error) bool) {
		query := &storage.Query{Prefix: prefix.name, Projection: storage.ProjectionNoACL}
		if err := query.SetAttrSelection([]string{"Name", "Size", "Generation", "ContentEncoding", "Metadata"}); err != nil {
			yield(attrs{}, err)
			return
		}
		it := g.client.Bucket(prefix.bucket).Objects(ctx, query)
		it.PageInfo().MaxSize = pageSize
		for {
			a, err := it.Next()
			switch {
			case err == iterator.Done:
				return
			case err != nil:
				yield(attrs{}, err)
				return
			case !yield(attrsOf(a), nil):
				return
			}
		}
	}
}

// get leaves it to the library to resume responses that were cut off.
func (g gcs) get(ctx context.Context, o object, id string, off, length int64) (io.ReadCloser, error) {
	generation, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%q is not a generation", id)
	}
	return g.handle(o).Generation(generation).NewRangeReader(ctx, off, length)
}

func (g gcs) put(ctx context.Context, o object, content *os.File, size int64, metadata map[string]string) error {
	// Cancelling the context of a writer that is not closed creates no object.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := newWriter(ctx, g.handle(o), nil)
	w.ChunkSize = int(min(size+1, chunkSize))
	w.ContentType = contentType(o)
	w.Metadata = metadata
	if _, err := io.Copy(w, content); err != nil {
		return err
	}
	return w.Close()
}

// mayPut sends the first chunk of an upload and drops the rest.
func (g gcs) mayPut(ctx context.Context, o object) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	accepted := false
	w := newWriter(ctx, g.handle(o), func() {
		accepted = true
		cancel()
	})
	w.ChunkSize = minChunkSize
	_, _ = w.Write(make([]byte, minChunkSize+1)) // Close returns the error, if any
	switch err := w.Close(); {
	case err == nil: // should not happen, but must leave nothing behind
		return g.handle(o).Delete(context.WithoutCancel(ctx))
	case accepted:
		return nil
	default:
		return err
	}
}

// newWriter returns a writer that creates the object unless it exists. It counts attempts,
// because the library repeats the requests of an upload for ever.
func newWriter(ctx context.Context, o *storage.ObjectHandle, progress func()) *storage.Writer {
	attempts := 0
	retry := func(err error) bool {
		if !storage.ShouldRetry(err) {
			return false
		}
		attempts++
		return attempts < maxAttempts
	}
	w := o.If(storage.Conditions{DoesNotExist: true}).Retryer(storage.WithErrorFunc(retry)).NewWriter(ctx)
	w.ChunkRetryDeadline = chunkDeadline
	w.ProgressFunc = func(int64) {
		attempts = 0
		if progress != nil {
			progress()
		}
	}
	return w
}

func (g gcs) remove(ctx context.Context, o object, id string) error {
	generation, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return fmt.Errorf("%q is not a generation", id)
	}
	return g.handle(o).Generation(generation).Delete(ctx)
}

func (gcs) brief(err error) error {
	var status *googleapi.Error
	var authError *auth.Error
	switch {
	case errors.As(err, &authError):
		return oneLine(err)
	case !errors.As(err, &status):
		return err
	case status.Message == "":
		return answered(err, status.Code, "", status.Body)
	case len(status.Errors) == 0:
		return answered(err, status.Code, "", status.Message)
	}
	return answered(err, status.Code, status.Errors[0].Reason, status.Message)
}

const authenticateGCS = "to authenticate, run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS to the file of a service account's key"

func (gcs) explain(o object, err error) (problem, string) {
	var status *googleapi.Error
	var authError *auth.Error
	switch {
	case errors.Is(err, storage.ErrBucketNotExist):
		return noBucket, ""
	case errors.Is(err, storage.ErrObjectNotExist):
		return noObject, ""
	case errors.As(err, &authError) && authError.Response != nil && overloaded(authError.Response.StatusCode):
		return unavailable, ""
	case errors.As(err, &authError):
		return unknownAccount, authenticateGCS
	case !errors.As(err, &status):
		return ofConnection(err), ""
	case overloaded(status.Code):
		return unavailable, ""
	case status.Code/100 == 3:
		return otherwise, redirected(status.Code, status.Header)
	}
	switch status.Code {
	case http.StatusUnauthorized:
		return unknownAccount, authenticateGCS
	case http.StatusForbidden:
		return forbidden, "grant the account a role on bucket " + o.bucket + ", roles/storage.objectViewer to read or roles/storage.objectUser to write"
	case http.StatusPreconditionFailed:
		return conditionFailed, ""
	}
	return otherwise, ""
}
