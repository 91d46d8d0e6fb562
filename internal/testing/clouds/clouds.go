// Package clouds runs object stores for tests in this process: Google Cloud Storage, Amazon S3 and
// Azure Blob Storage. It counts their requests.
package clouds

import (
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fsouza/fake-gcs-server/fakestorage"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/fakeazure"
)

// cloud is an object store in this process. All tests share one of each kind, because a process has
// a single client.
type cloud struct {
	scheme  string
	handler http.Handler
	create  func(bucket string) error
	put     func(bucket, name, content string) error
	get     func(bucket, name string) (string, error)
	place   func(*http.Request) (bucket, name string)
	isRead  func(*http.Request) bool

	buckets sync.Map // by name
	last    atomic.Int64
}

// clouds starts them.
var clouds = sync.OnceValue(func() []*cloud {
	google, amazon, azure := googleStorage(), amazonS3(), azureStorage()
	os.Setenv("STORAGE_EMULATOR_HOST", httptest.NewServer(google).URL)
	os.Setenv("AWS_ENDPOINT_URL", httptest.NewServer(amazon).URL)
	os.Setenv("AZURE_STORAGE_CONNECTION_STRING", fakeazure.ConnectionString(httptest.NewServer(azure).URL))
	for _, variable := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"} {
		os.Setenv(variable, "test")
	}
	return []*cloud{google, amazon, azure}
})

func googleStorage() *cloud {
	fake, err := fakestorage.NewServerWithOptions(fakestorage.Options{NoListener: true, PublicHost: "127.0.0.1"})
	if err != nil {
		panic(err)
	}
	return &cloud{
		scheme: "gs://", handler: fake.HTTPHandler(),
		create: func(bucket string) error {
			fake.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: bucket})
			return nil
		},
		put: func(bucket, name, content string) error {
			fake.CreateObject(fakestorage.Object{ObjectAttrs: fakestorage.ObjectAttrs{BucketName: bucket, Name: name}, Content: []byte(content)})
			return nil
		},
		get: func(bucket, name string) (string, error) {
			o, err := fake.GetObject(bucket, name)
			return string(o.Content), err
		},
		place: func(r *http.Request) (bucket, name string) {
			_, rest, _ := strings.Cut(r.URL.Path, "/b/")
			bucket, rest, _ = strings.Cut(rest, "/")
			return bucket, strings.TrimPrefix(rest, "o/")
		},
		isRead: func(r *http.Request) bool { return r.URL.Query().Get("alt") == "media" },
	}
}

func amazonS3() *cloud {
	fake := s3mem.New()
	c := &cloud{
		scheme: "s3://", handler: gofakes3.New(fake).Server(), create: fake.CreateBucket,
		put: func(bucket, name, content string) error {
			_, err := fake.PutObject(bucket, name, nil, strings.NewReader(content), int64(len(content)), nil)
			return err
		},
		get: func(bucket, name string) (string, error) {
			o, err := fake.GetObject(bucket, name, nil)
			if err != nil {
				return "", err
			}
			content, err := io.ReadAll(o.Contents)
			return string(content), err
		},
		place: func(r *http.Request) (bucket, name string) {
			bucket, name, _ = strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
			return bucket, name
		},
	}
	c.isRead = func(r *http.Request) bool {
		_, name := c.place(r)
		return r.Method == http.MethodGet && name != ""
	}
	return c
}

func azureStorage() *cloud {
	fake := fakeazure.New()
	return &cloud{
		scheme: "az://", handler: fake,
		create: func(bucket string) error {
			fake.Create(bucket)
			return nil
		},
		put: func(bucket, name, content string) error {
			fake.Put(bucket, name, fakeazure.Blob{Content: content})
			return nil
		},
		get: func(bucket, name string) (string, error) {
			b, ok := fake.Get(bucket, name)
			if !ok {
				return "", fs.ErrNotExist
			}
			return b.Content, nil
		},
		place: fakeazure.Place,
		isRead: func(r *http.Request) bool {
			_, name := fakeazure.Place(r)
			return r.Method == http.MethodGet && name != ""
		},
	}
}

// ServeHTTP serves a request and counts it.
func (c *cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	bucketName, name := c.place(r)
	if b, ok := c.buckets.Load(bucketName); ok {
		b := b.(*Bucket)
		n, _ := b.requests.LoadOrStore(path.Base(name), new(atomic.Int64))
		n.(*atomic.Int64).Add(1)
		if c.isRead(r) {
			b.Reads.Add(1)
			w = counted{w, &b.Bytes}
		}
	}
	c.handler.ServeHTTP(w, r)
}

// Bucket counts the requests for it.
type Bucket struct {
	*cloud
	Name     string // with the scheme
	bucket   string // without it
	requests sync.Map

	Reads, Bytes atomic.Int64 // of content
}

func (c *cloud) newBucket(t *testing.T) *Bucket {
	name := fmt.Sprint("bucket-", c.last.Add(1))
	require.NoError(t, c.create(name))
	b := &Bucket{cloud: c, bucket: name, Name: c.scheme + name}
	c.buckets.Store(name, b)
	return b
}

// Each runs a test with an empty bucket of each store.
func Each(t *testing.T, test func(t *testing.T, b *Bucket)) {
	for _, c := range clouds() {
		t.Run(strings.TrimSuffix(c.scheme, "://"), func(t *testing.T) { test(t, c.newBucket(t)) })
	}
}

type counted struct {
	http.ResponseWriter
	bytes *atomic.Int64
}

func (c counted) Write(p []byte) (int, error) {
	c.bytes.Add(int64(len(p)))
	return c.ResponseWriter.Write(p)
}

// Put writes an object.
func (b *Bucket) Put(t *testing.T, name, content string) {
	require.NoError(t, b.put(b.bucket, name, content))
}

// Upload copies the files of a folder.
func (b *Bucket) Upload(t *testing.T, dir, to string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		b.Put(t, to+e.Name(), string(data))
	}
}

// Requests returns the number of requests for objects of a base name.
func (b *Bucket) Requests(base string) int64 {
	n, ok := b.requests.Load(base)
	if !ok {
		return 0
	}
	return n.(*atomic.Int64).Load()
}

// Content returns what an object has.
func (b *Bucket) Content(t *testing.T, name string) string {
	content, err := b.get(b.bucket, name)
	require.NoError(t, err, name)
	return content
}
