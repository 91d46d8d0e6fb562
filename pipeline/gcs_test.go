package pipeline

import (
	"fmt"
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
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

// cloud is Google Cloud Storage in this process. There is one for all tests, as there is one
// client in a process.
var cloud = struct {
	start   sync.Once
	fake    *fakestorage.Server
	buckets sync.Map // by name
	last    atomic.Int64
}{}

// bucket counts what is asked of it.
type bucket struct {
	name         string // with the scheme
	requests     sync.Map
	reads, bytes atomic.Int64 // of content
}

func newBucket(t *testing.T) *bucket {
	cloud.start.Do(func() {
		var err error
		cloud.fake, err = fakestorage.NewServerWithOptions(fakestorage.Options{NoListener: true, PublicHost: "127.0.0.1"})
		require.NoError(t, err)
		require.NoError(t, os.Setenv("STORAGE_EMULATOR_HOST", httptest.NewServer(http.HandlerFunc(count)).URL))
	})
	name := fmt.Sprint("bucket-", cloud.last.Add(1))
	cloud.fake.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: name})
	b := &bucket{name: "gs://" + name}
	cloud.buckets.Store(name, b)
	return b
}

// count serves a request and counts it.
func count(w http.ResponseWriter, r *http.Request) {
	_, rest, _ := strings.Cut(r.URL.Path, "/b/")
	name, _, _ := strings.Cut(rest, "/")
	if b, ok := cloud.buckets.Load(name); ok {
		b := b.(*bucket)
		n, _ := b.requests.LoadOrStore(path.Base(r.URL.Path), new(atomic.Int64))
		n.(*atomic.Int64).Add(1)
		if r.URL.Query().Get("alt") == "media" {
			b.reads.Add(1)
			w = counted{w, &b.bytes}
		}
	}
	cloud.fake.HTTPHandler().ServeHTTP(w, r)
}

type counted struct {
	http.ResponseWriter
	bytes *atomic.Int64
}

func (c counted) Write(p []byte) (int, error) {
	c.bytes.Add(int64(len(p)))
	return c.ResponseWriter.Write(p)
}

// upload copies the files of a folder.
func (b *bucket) upload(t *testing.T, dir, to string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		cloud.fake.CreateObject(fakestorage.Object{
			ObjectAttrs: fakestorage.ObjectAttrs{BucketName: strings.TrimPrefix(b.name, "gs://"), Name: to + e.Name()}, Content: data,
		})
	}
}

// content returns what an object has.
func (b *bucket) content(t *testing.T, name string) string {
	object, err := cloud.fake.GetObject(strings.TrimPrefix(b.name, "gs://"), name)
	require.NoError(t, err, name)
	return string(object.Content)
}

// TestObjects evaluates predictions in gs:// and writes the report there: it is
// the report that local files give.
func TestObjects(t *testing.T) {
	bucket := newBucket(t)
	local, truth := write(t, examples(400), 3, 50), write(t, pairsOf(20), 2, 30)
	bucket.upload(t, local, "preds/dt=2026-11-19/")
	bucket.upload(t, truth, "labels/dt=2026-11-19/")

	cfg := parse(t, "task: binary\ninput: {columns: {label: label, score: score, prediction: label}}\nslices: [[country]]\n", local)
	want := contents(t, evaluate(t, cfg))

	cfg.Input.Files = []string{bucket.name + "/preds/dt=*/*.parquet"}
	cfg.Output.Dir = bucket.name + "/reports/today"
	plan, err := Make(t.Context(), cfg)
	require.NoError(t, err)
	for _, file := range plan.Files {
		n, _ := bucket.requests.Load(path.Base(file))
		require.EqualValues(t, 1, n.(*atomic.Int64).Load(), "requests for %s: the footer alone, as the listing tells the rest", file)
	}
	require.NoError(t, execute(t.Context(), plan, "prism"))
	for name, content := range want {
		require.Equal(t, content, bucket.content(t, "reports/today/"+name), name)
	}
	require.NotEmpty(t, bucket.content(t, "reports/today/"+report.RunJSON))

	_, err = Make(t.Context(), cfg)
	require.ErrorContains(t, err, "output exists")

	cfg = parse(t, "task: ranking\ninput: {columns: {query: session}}\noutput: {per_query: true}\ntruth: {files: [t], columns: {label: grade}}\n", truth, truth)
	want = contents(t, evaluate(t, cfg))
	cfg.Input.Files, cfg.Truth.Files = []string{bucket.name + "/labels/"}, []string{bucket.name + "/labels/dt=*/*.parquet"}
	require.Equal(t, want, contents(t, evaluate(t, cfg)))
}
