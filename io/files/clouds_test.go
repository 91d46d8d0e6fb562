package files

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/storage"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/fsouza/fake-gcs-server/fakestorage"
	"github.com/googleapis/gax-go/v2"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/fakeazure"
	"github.com/beameval/beameval/io/files/internal/stores"
)

// cloud is an object store in this process. The code under test reaches it like any emulator.
type cloud struct {
	objects
	reach    func(url string) // sets the environment so that clients find the store there
	handler  http.Handler
	bucketOf func(*http.Request) string // "" if there is none
	// isDownload distinguishes requests for contents from those for metadata.
	isDownload, isUpload func(*http.Request) bool
	uploaded             func(*http.Request) string // the name of the object
	failure              func(status int) string    // the body of an answer
	endless              string                     // how the body of a listing begins that may go on for ever
	create               func(bucket string)
	putAs                func(o stores.Object, content string, metadata map[string]string)
	delete               func(t *testing.T, o stores.Object)
	list                 func(t *testing.T, prefix stores.Object) []string
	get                  func(t *testing.T, o stores.Object) (contentType string, metadata map[string]string)
	// impatient is a store with short timeouts.
	impatient func(t *testing.T) stores.Store

	buckets atomic.Int64
	mu      sync.Mutex
	faults  map[string]fault // by bucket
	counts  map[string]int
}

// fault is a handler between the client and the service.
type fault func(w http.ResponseWriter, r *http.Request, next http.Handler)

var (
	gs       = newGS()
	amazonS3 = newS3()
	azureAZ  = newAZ()
	clouds   = []*cloud{gs, amazonS3, azureAZ}
)

func inClouds(t *testing.T, test func(t *testing.T, c *cloud)) {
	for _, c := range clouds {
		t.Run(strings.TrimSuffix(c.scheme, "://"), func(t *testing.T) { test(t, c) })
	}
}

func TestMain(m *testing.M) {
	for _, c := range clouds {
		c.faults, c.counts = map[string]fault{}, map[string]int{}
		server := httptest.NewServer(c)
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		c.reach(server.URL)
	}
	for variable, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": "us-east-1",
		"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull, "AWS_EC2_METADATA_DISABLED": "true",
		"AZURE_TOKEN_CREDENTIALS": "EnvironmentCredential",
	} {
		os.Setenv(variable, value)
	}
	os.Exit(m.Run())
}

func (c *cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	bucket := c.bucketOf(r)
	c.mu.Lock()
	c.counts[bucket]++
	inject := c.faults[bucket]
	c.mu.Unlock()
	if inject == nil {
		c.handler.ServeHTTP(w, r)
		return
	}
	inject(w, r, c.handler)
}

// inject puts a fault in front of a bucket.
func (c *cloud) inject(root string, f fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults[c.object(root).Bucket] = f
}

func (c *cloud) requests(root string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts[c.object(root).Bucket]
}

func (c *cloud) root(*testing.T) string {
	bucket := fmt.Sprintf("bucket-%d", c.buckets.Add(1))
	c.create(bucket)
	return c.scheme + bucket + "/root"
}

func (c *cloud) put(_ *testing.T, name, content string) { c.putAs(c.object(name), content, nil) }

func (c *cloud) all(t *testing.T, root string) []string {
	o := c.object(root)
	names := []string{}
	for _, name := range c.list(t, o.Directory()) {
		names = append(names, c.nameOf(stores.Object{Bucket: o.Bucket, Name: name}))
	}
	return names
}

// impatientObjects is the back end with short timeouts.
func (c *cloud) impatientObjects(t *testing.T) objects {
	st := c.impatient(t)
	o := c.objects
	o.connect = func(context.Context) (stores.Store, error) { return st, nil }
	o.stall = 300 * time.Millisecond
	return o
}

// objectsOf returns the back end of a scheme.
func objectsOf(scheme string) objects {
	b, _, _ := lookup(scheme + "://bucket")
	return b.(objects)
}

// answer makes matching requests fail with a status, n times (n < 0: always).
func (c *cloud) answer(status int, n int, match func(*http.Request) bool) fault {
	var left atomic.Int64
	left.Store(int64(n))
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if match(r) && (n < 0 || left.Add(-1) >= 0) {
			w.Header().Set("X-Amz-Bucket-Region", "eu-test-7")
			w.WriteHeader(status)
			io.WriteString(w, c.failure(status))
			return
		}
		next.ServeHTTP(w, r)
	}
}

// chunkSize is the size of a request of an upload.
const chunkSize = 16 << 20

func always(*http.Request) bool { return true }

// putCompressed puts an object into gs that the service decompresses when it is read.
var putCompressed func(stores.Object)

var bucketInPath = regexp.MustCompile(`/b/([^/]+)`)

func newGS() *cloud {
	fake, err := fakestorage.NewServerWithOptions(fakestorage.Options{NoListener: true, PublicHost: "127.0.0.1"})
	if err != nil {
		log.Fatal(err)
	}
	putCompressed = func(o stores.Object) {
		fake.CreateObject(fakestorage.Object{
			ObjectAttrs: fakestorage.ObjectAttrs{BucketName: o.Bucket, Name: o.Name, ContentEncoding: "gzip"}, Content: []byte("not even gzip"),
		})
	}
	c := &cloud{objects: objectsOf("gs"), reach: func(url string) { os.Setenv("STORAGE_EMULATOR_HOST", url) }}
	c.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The real service never returns more than 1000 names at once.
		if q := r.URL.Query(); strings.HasSuffix(r.URL.Path, "/o") && q.Get("maxResults") == "" {
			q.Set("maxResults", "1000")
			r.URL.RawQuery = q.Encode()
		}
		fake.HTTPHandler().ServeHTTP(w, r)
	})
	c.bucketOf = func(r *http.Request) string {
		if match := bucketInPath.FindStringSubmatch(r.URL.Path); match != nil {
			return match[1]
		}
		return ""
	}
	c.isDownload = func(r *http.Request) bool { return r.URL.Query().Get("alt") == "media" }
	c.isUpload = func(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/upload/") }
	c.uploaded = func(r *http.Request) string { return r.URL.Query().Get("name") }
	c.endless = `{"kind": "`
	c.failure = func(int) string { return `{"error": {"code": 0, "message": "as the test wants it"}}` }
	c.create = func(bucket string) { fake.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: bucket}) }
	c.putAs = func(o stores.Object, content string, metadata map[string]string) {
		fake.CreateObject(fakestorage.Object{
			ObjectAttrs: fakestorage.ObjectAttrs{BucketName: o.Bucket, Name: o.Name, Metadata: metadata}, Content: []byte(content),
		})
	}
	c.delete = func(t *testing.T, o stores.Object) { require.NoError(t, fake.Backend().DeleteObject(o.Bucket, o.Name)) }
	c.list = func(t *testing.T, prefix stores.Object) (names []string) {
		found, err := fake.ListObjectsWithOptionsPaginated(prefix.Bucket, fakestorage.ListOptions{Prefix: prefix.Name})
		require.NoError(t, err)
		for _, o := range found.Objects {
			names = append(names, o.Name)
		}
		return names
	}
	c.get = func(t *testing.T, o stores.Object) (string, map[string]string) {
		found, err := fake.GetObject(o.Bucket, o.Name)
		require.NoError(t, err)
		return found.ContentType, found.Metadata
	}
	c.impatient = func(t *testing.T) stores.Store {
		client, err := stores.NewGCS(t.Context())
		require.NoError(t, err)
		t.Cleanup(func() { client.Close() })
		client.SetRetry(storage.WithBackoff(gax.Backoff{Initial: time.Millisecond, Max: time.Millisecond}), storage.WithMaxAttempts(3))
		return stores.GCS{Client: client}
	}
	return c
}

// newS3 adds conditions that the fake lacks: on reading a version, and on completing a multipart
// upload.
func newS3() *cloud {
	fake := s3mem.New()
	server := gofakes3.New(fake, gofakes3.WithTimeSkewLimit(0)).Server()
	c := &cloud{objects: objectsOf("s3"), reach: func(url string) { os.Setenv("AWS_ENDPOINT_URL", url) }}
	placeOf := func(r *http.Request) stores.Object {
		bucket, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		return stores.Object{Bucket: bucket, Name: name}
	}
	var oneAtATime sync.Mutex
	c.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o := placeOf(r)
		ends := r.Method == http.MethodPost && r.URL.Query().Has("uploadId")
		if ends || r.Method == http.MethodPut { // conditions must hold until the object is there
			oneAtATime.Lock()
			defer oneAtATime.Unlock()
		}
		found, err := fake.HeadObject(o.Bucket, o.Name)
		present := err == nil && !found.IsDeleteMarker
		want := r.Header.Get("If-Match")
		if present && r.Method == http.MethodGet && want != "" && want != fmt.Sprintf("%q", fmt.Sprintf("%x", found.Hash)) ||
			present && ends && r.Header.Get("If-None-Match") == "*" {
			w.WriteHeader(http.StatusPreconditionFailed)
			io.WriteString(w, `<Error><Code>PreconditionFailed</Code></Error>`)
			return
		}
		server.ServeHTTP(w, r)
	})
	c.bucketOf = func(r *http.Request) string { return placeOf(r).Bucket }
	c.isDownload = func(r *http.Request) bool { return r.Method == http.MethodGet && placeOf(r).Name != "" }
	c.isUpload = func(r *http.Request) bool { return r.Method == http.MethodPut || r.Method == http.MethodPost }
	c.uploaded = func(r *http.Request) string { return placeOf(r).Name }
	c.failure = func(status int) string {
		code := map[int]string{301: "PermanentRedirect", 401: "InvalidAccessKeyId", 403: "AccessDenied", 503: "SlowDown"}[status]
		return "<Error><Code>" + code + "</Code><Message>as the test wants it</Message></Error>"
	}
	c.endless = "<ListBucketResult><Name>"
	c.create = func(bucket string) {
		if err := fake.CreateBucket(bucket); err != nil {
			log.Fatal(err)
		}
	}
	c.putAs = func(o stores.Object, content string, metadata map[string]string) {
		headers := map[string]string{}
		for key, value := range metadata {
			headers["X-Amz-Meta-"+key] = value
		}
		if _, err := fake.PutObject(o.Bucket, o.Name, headers, strings.NewReader(content), int64(len(content)), nil); err != nil {
			log.Fatal(err)
		}
	}
	c.delete = func(t *testing.T, o stores.Object) {
		_, err := fake.DeleteObject(o.Bucket, o.Name)
		require.NoError(t, err)
	}
	c.list = func(t *testing.T, prefix stores.Object) (names []string) {
		found, err := fake.ListBucket(prefix.Bucket, &gofakes3.Prefix{HasPrefix: true, Prefix: prefix.Name}, gofakes3.ListBucketPage{})
		require.NoError(t, err)
		for _, o := range found.Contents {
			names = append(names, o.Key)
		}
		return names
	}
	c.get = func(t *testing.T, o stores.Object) (string, map[string]string) {
		found, err := fake.HeadObject(o.Bucket, o.Name)
		require.NoError(t, err)
		metadata := map[string]string{}
		for key, value := range found.Metadata { // with headers of the upload, such as its date
			if name, ok := strings.CutPrefix(key, "X-Amz-Meta-"); ok {
				metadata[strings.ToLower(name)] = value
			}
		}
		return found.Metadata["Content-Type"], metadata
	}
	c.impatient = func(t *testing.T) stores.Store {
		st, err := stores.ConnectS3(t.Context())
		require.NoError(t, err)
		patient := st.(stores.Amazon).Client.Options()
		patient.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
			o.RateLimiter, o.MaxAttempts, o.MaxBackoff = ratelimit.None, 3, time.Millisecond
		})
		return stores.Amazon{Client: s3.New(patient)}
	}
	return c
}

func newAZ() *cloud {
	fake := fakeazure.New()
	c := &cloud{objects: objectsOf("az"), handler: fake, create: fake.Create, failure: azureFailure, endless: "<EnumerationResults><Prefix>"}
	c.reach = func(url string) { os.Setenv("AZURE_STORAGE_CONNECTION_STRING", fakeazure.ConnectionString(url)) }
	c.bucketOf = func(r *http.Request) string {
		container, _ := fakeazure.Place(r)
		return container
	}
	c.uploaded = func(r *http.Request) string {
		_, name := fakeazure.Place(r)
		return name
	}
	c.isDownload = func(r *http.Request) bool { return r.Method == http.MethodGet && c.uploaded(r) != "" }
	c.isUpload = func(r *http.Request) bool { return r.Method == http.MethodPut }
	c.putAs = func(o stores.Object, content string, metadata map[string]string) {
		fake.Put(o.Bucket, o.Name, fakeazure.Blob{Content: content, Metadata: metadata})
	}
	c.delete = func(_ *testing.T, o stores.Object) { fake.Delete(o.Bucket, o.Name) }
	c.list = func(_ *testing.T, prefix stores.Object) []string { return fake.List(prefix.Bucket, prefix.Name) }
	c.get = func(t *testing.T, o stores.Object) (string, map[string]string) {
		found, ok := fake.Get(o.Bucket, o.Name)
		require.True(t, ok, o.Name)
		return found.ContentType, found.Metadata
	}
	c.impatient = func(*testing.T) stores.Store {
		return stores.NewAzure(policy.RetryOptions{MaxRetries: 2, RetryDelay: time.Millisecond, MaxRetryDelay: time.Millisecond})
	}
	return c
}

func azureFailure(status int) string {
	return fakeazure.Failure(map[int]string{
		401: "NoAuthenticationInformation", 403: "AuthorizationPermissionMismatch", 429: "TooManyRequests", 500: "InternalError", 503: "ServerBusy",
	}[status])
}
