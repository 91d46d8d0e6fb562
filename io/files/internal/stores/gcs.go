package stores

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

const (
	minChunkSize  = 256 << 10 // the service rejects smaller chunks
	chunkDeadline = 2 * time.Minute
)

// ConnectGCS creates a client with a limited number of retries. By default, the library retries
// forever.
func ConnectGCS(ctx context.Context) (Store, error) {
	client, err := NewGCS(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot use Google Cloud Storage: %w; %s", err, authenticateGCS)
	}
	pauses := gax.Backoff{Initial: 250 * time.Millisecond, Max: maxPause, Multiplier: 2}
	client.SetRetry(storage.WithBackoff(pauses), storage.WithMaxAttempts(maxAttempts))
	return GCS{client}, nil
}

// NewGCS creates a client whose HTTP client authenticates every request.
func NewGCS(ctx context.Context) (*storage.Client, error) {
	authenticated, err := httptransport.NewClient(&httptransport.Options{
		DisableAuthentication: os.Getenv("STORAGE_EMULATOR_HOST") != "", // as the library does
		DetectOpts:            &credentials.DetectOptions{Scopes: []string{storage.ScopeFullControl, "https://www.googleapis.com/auth/cloud-platform"}},
	})
	if err != nil {
		return nil, err
	}
	return storage.NewClient(ctx, storage.WithJSONReads(), option.WithHTTPClient(guarded(*authenticated)))
}

// GCS is Google Cloud Storage. The id of a version is its generation.
type GCS struct{ Client *storage.Client }

func (g GCS) handle(o Object) *storage.ObjectHandle { return g.Client.Bucket(o.Bucket).Object(o.Name) }

func (g GCS) Attrs(ctx context.Context, o Object) (Attrs, error) {
	a, err := g.handle(o).Attrs(ctx)
	if err != nil {
		return Attrs{}, err
	}
	return attrsOf(a), nil
}

func attrsOf(a *storage.ObjectAttrs) Attrs {
	return Attrs{
		Name: a.Name, Size: a.Size, ID: strconv.FormatInt(a.Generation, 10), Compressed: a.ContentEncoding == "gzip", Metadata: a.Metadata,
	}
}

func (g GCS) List(ctx context.Context, prefix Object, pageSize int) iter.Seq2[Attrs, error] {
	return func(yield func(Attrs, error) bool) {
		query := &storage.Query{Prefix: prefix.Name, Projection: storage.ProjectionNoACL}
		if err := query.SetAttrSelection([]string{"Name", "Size", "Generation", "ContentEncoding", "Metadata"}); err != nil {
			yield(Attrs{}, err)
			return
		}
		it := g.Client.Bucket(prefix.Bucket).Objects(ctx, query)
		it.PageInfo().MaxSize = pageSize
		for {
			a, err := it.Next()
			switch {
			case err == iterator.Done:
				return
			case err != nil:
				yield(Attrs{}, err)
				return
			case !yield(attrsOf(a), nil):
				return
			}
		}
	}
}

// Get relies on the library to resume interrupted responses.
func (g GCS) Get(ctx context.Context, o Object, id string, off, length int64) (io.ReadCloser, error) {
	generation, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%q is not a generation", id)
	}
	return g.handle(o).Generation(generation).NewRangeReader(ctx, off, length)
}

func (g GCS) Put(ctx context.Context, o Object, content *os.File, size int64, metadata map[string]string) error {
	// Cancelling the context of a writer that has not been closed prevents the object from being
	// created.
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

// MayPut sends the first chunk of an upload and then cancels it.
func (g GCS) MayPut(ctx context.Context, o Object) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	accepted := false
	w := newWriter(ctx, g.handle(o), func() {
		accepted = true
		cancel()
	})
	w.ChunkSize = minChunkSize
	_, _ = w.Write(make([]byte, minChunkSize+1)) // Close returns any error
	switch err := w.Close(); {
	case err == nil: // should not happen, but must leave nothing behind
		return g.handle(o).Delete(context.WithoutCancel(ctx))
	case accepted:
		return nil
	default:
		return err
	}
}

// newWriter returns a writer that creates the object unless it exists. It counts attempts, because
// the library retries uploads forever.
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

func (g GCS) Remove(ctx context.Context, o Object, id string) error {
	generation, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return fmt.Errorf("%q is not a generation", id)
	}
	return g.handle(o).Generation(generation).Delete(ctx)
}

func (GCS) Brief(err error) error {
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

func (GCS) Explain(o Object, err error) (Problem, string) {
	var status *googleapi.Error
	var authError *auth.Error
	switch {
	case errors.Is(err, storage.ErrBucketNotExist):
		return NoBucket, ""
	case errors.Is(err, storage.ErrObjectNotExist):
		return NoObject, ""
	case errors.As(err, &authError) && authError.Response != nil && overloaded(authError.Response.StatusCode):
		return Unavailable, ""
	case errors.As(err, &authError):
		return UnknownAccount, authenticateGCS
	case !errors.As(err, &status):
		return ofConnection(err), ""
	case status.Code == http.StatusNotFound: // neither the object nor, when listing, the bucket
		return otherwise, ""
	}
	return ofStatus(status.Code, status.Header, authenticateGCS,
		"grant the account a role on bucket "+o.Bucket+", roles/storage.objectViewer to read or roles/storage.objectUser to write")
}
