package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"sync"
	"time"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/storage"
	"github.com/googleapis/gax-go/v2"
	"google.golang.org/api/googleapi"
)

// maxAttempts is how often a request is made. With the pauses of backoff, that takes about a
// minute. By default, the library repeats requests for ever.
const maxAttempts = 10

var backoff = gax.Backoff{Initial: 250 * time.Millisecond, Max: 15 * time.Second, Multiplier: 2}

// shared is the one client of the process. It pools connections.
var shared struct {
	sync.Mutex
	client *storage.Client
}

// sharedClient creates the client when it is first needed. It does not keep a failure: on a new
// machine, the service that hands out credentials may start after this process.
func sharedClient() (*storage.Client, error) {
	shared.Lock()
	defer shared.Unlock()
	if shared.client == nil {
		// The client outlives the first call, so its context must too.
		client, err := storage.NewClient(context.Background(), storage.WithJSONReads())
		if err != nil {
			return nil, fmt.Errorf("cannot use Google Cloud Storage: %w; %s", err, howToAuthenticate)
		}
		client.SetRetry(storage.WithBackoff(backoff), storage.WithMaxAttempts(maxAttempts))
		shared.client = client
	}
	return shared.client, nil
}

const howToAuthenticate = "to authenticate, run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS to the file of a service account's key"

// explainGCS returns an error that says what an error of the service means for this name and
// what to do.
func explainGCS(op, name string, err error) error {
	bucket, _ := splitName(name)
	var status *googleapi.Error
	var authError *auth.Error
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
	case errors.Is(err, storage.ErrBucketNotExist):
		return fmt.Errorf("%s %s: %w: there is no bucket %s; check its name: %w", op, name, fs.ErrNotExist, bucket, err)
	case errors.Is(err, storage.ErrObjectNotExist):
		return fmt.Errorf("%s %s: %w: there is no such object; check the spelling: %w", op, name, fs.ErrNotExist, err)
	case errors.As(err, &authError):
		return fmt.Errorf("%s %s: the credentials were not accepted: %w; %s", op, name, err, howToAuthenticate)
	case !errors.As(err, &status):
	case status.Code == http.StatusUnauthorized:
		return fmt.Errorf("%s %s: the credentials were not accepted: %w; %s", op, name, err, howToAuthenticate)
	case status.Code == http.StatusForbidden:
		return fmt.Errorf("%s %s: %w: grant the account a role on bucket %s, roles/storage.objectViewer to read or roles/storage.objectUser to write, or use another account: %w", op, name, fs.ErrPermission, bucket, err)
	}
	return fmt.Errorf("%s %s: %w", op, name, err)
}
