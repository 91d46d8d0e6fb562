package input

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"
)

// TestTablesAreRefused: the folder of a table also holds files of former versions.
func TestTablesAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{
		"delta/_delta_log/00000000000000000007.json", "delta/country=de/day=1/a.parquet", "delta/country=de/day=1/stale.parquet",
		"ice/metadata/00001-x.metadata.json", "ice/data/country=de/a.parquet", "ice/data/b.parquet",
		"data/x=1/a.parquet", "metadata/notes.json", "spark/part-0.parquet", "spark/_SUCCESS",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, nil, 0o600))
	}
	wd, err := os.Getwd()
	require.NoError(t, err)
	for pattern, folder := range map[string]string{
		"delta": "delta is a Delta table", "delta/": "delta is a Delta table", "delta/**/*.parquet": "delta is a Delta table", "delta/country=*/*/a.parquet": "delta is a Delta table",
		"delta/country=de/day=1": "delta is a Delta table", wd + "/delta/country=de": "delta is a Delta table", "file://" + wd + "/delta": "delta is a Delta table",
		"ice": "ice is an Iceberg table", "ice/data": "ice is an Iceberg table", "ice/data/country=de/*": "ice is an Iceberg table",
	} {
		_, err := List(t.Context(), "", pattern)
		require.ErrorContains(t, err, folder+", and may hold files that the table no longer has: list the files", pattern)
	}
	for _, patterns := range [][]string{
		{"delta/country=de/day=1/a.parquet", "ice/data/b.parquet"}, {"file://" + wd + "/ice/data/b.parquet"}, {"./delta/country=de/day=1/a.parquet"}, {"spark"}, {"data"}, {"data/x=1/*"},
	} {
		found, err := List(t.Context(), "", patterns...)
		require.NoError(t, err, patterns)
		require.Len(t, found, len(patterns))
	}
	t.Chdir("delta")
	_, err = List(t.Context(), "parquet", "**/*.parquet")
	require.ErrorContains(t, err, "the folder . is a Delta table")
}

// s3 is the store of s3:// names. The client keeps the endpoint of its first request, so all tests
// share a server.
var s3 struct {
	start   sync.Once
	url     string
	handler atomic.Pointer[http.HandlerFunc]
}

// useS3 makes a handler answer for s3:// names.
func useS3(t *testing.T, handler http.HandlerFunc) {
	s3.handler.Store(&handler)
	s3.start.Do(func() {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*s3.handler.Load())(w, r) }))
		s3.url = server.URL
	})
	t.Setenv("AWS_ENDPOINT_URL", s3.url)
	for _, variable := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"} {
		t.Setenv(variable, "test")
	}
}

// TestForbiddenFoldersAbove: an account may have to list no more than a partition.
func TestForbiddenFoldersAbove(t *testing.T) {
	store := s3mem.New()
	require.NoError(t, store.CreateBucket("bucket"))
	_, err := store.PutObject("bucket", "table/day=1/a.parquet", nil, strings.NewReader("PAR1"), 4, nil)
	require.NoError(t, err)
	all := gofakes3.New(store).Server()
	var forbidden []string
	useS3(t, func(w http.ResponseWriter, r *http.Request) {
		if prefix := r.URL.Query().Get("prefix"); r.URL.Query().Has("list-type") && !strings.HasPrefix(prefix, "table/day=1/") {
			forbidden = append(forbidden, prefix)
			w.WriteHeader(http.StatusForbidden)
			return
		}
		all.ServeHTTP(w, r)
	})
	found, err := List(t.Context(), "", "s3://bucket/table/day=1/")
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.NotEmpty(t, forbidden)
}

func TestFoldersAbove(t *testing.T) {
	for pattern, want := range map[string][]string{
		"/*.parquet": {"/"}, "*.parquet": {"."}, "x=1/*": {"x=1", "."}, "/data/x=1/": {"/data/x=1", "/data", "/"}, "a/b": {"a/b"},
		"gs://data": {"gs://data"}, "gs://b/data/x=1/*": {"gs://b/data/x=1", "gs://b/data", "gs://b"}, "gs://b/*": {"gs://b"},
	} {
		require.Equal(t, want, slices.Collect(foldersAbove(pattern)), pattern)
	}
}
