package pipeline

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fsouza/fake-gcs-server/fakestorage"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

// TestObjects evaluates predictions in gs:// and writes the report there: it is
// the report that local files give.
func TestObjects(t *testing.T) {
	server, err := fakestorage.NewServerWithOptions(fakestorage.Options{NoListener: true, PublicHost: "127.0.0.1"})
	require.NoError(t, err)
	var requests sync.Map // by object
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := requests.LoadOrStore(path.Base(r.URL.Path), new(atomic.Int64))
		n.(*atomic.Int64).Add(1)
		server.HTTPHandler().ServeHTTP(w, r)
	}))
	defer front.Close()
	t.Setenv("STORAGE_EMULATOR_HOST", front.URL)
	server.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: "bucket"})

	local, truth := write(t, examples(400), 3, 50), write(t, pairsOf(20), 2, 30)
	upload(t, server, local, "preds/dt=2026-11-19/")
	upload(t, server, truth, "labels/dt=2026-11-19/")

	cfg := parse(t, "task: binary\ninput: {columns: {label: label, score: score, prediction: label}}\nslices: [[country]]\n", local)
	want := contents(t, evaluate(t, cfg))

	cfg.Input.Files = []string{"gs://bucket/preds/dt=*/*.parquet"}
	cfg.Output.Dir = "gs://bucket/reports/today"
	plan, err := Make(t.Context(), cfg)
	require.NoError(t, err)
	for _, file := range plan.Files {
		n, _ := requests.Load(path.Base(file))
		require.EqualValues(t, 1, n.(*atomic.Int64).Load(), "requests for %s: the footer alone, as the listing tells the rest", file)
	}
	require.NoError(t, execute(t.Context(), plan, "prism"))
	for name, content := range want {
		object, err := server.GetObject("bucket", "reports/today/"+name)
		require.NoError(t, err, name)
		require.Equal(t, content, string(object.Content), name)
	}
	_, err = server.GetObject("bucket", "reports/today/"+report.RunJSON)
	require.NoError(t, err)

	_, err = Make(t.Context(), cfg)
	require.ErrorContains(t, err, "output exists")

	cfg = parse(t, "task: ranking\ninput: {columns: {query: session}}\noutput: {per_query: true}\ntruth: {files: [t], columns: {label: grade}}\n", truth, truth)
	want = contents(t, evaluate(t, cfg))
	cfg.Input.Files, cfg.Truth.Files = []string{"gs://bucket/labels/"}, []string{"gs://bucket/labels/dt=*/*.parquet"}
	require.Equal(t, want, contents(t, evaluate(t, cfg)))
}

// upload copies the files of a folder.
func upload(t *testing.T, server *fakestorage.Server, dir, to string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		server.CreateObject(fakestorage.Object{ObjectAttrs: fakestorage.ObjectAttrs{BucketName: "bucket", Name: to + e.Name()}, Content: data})
	}
}
