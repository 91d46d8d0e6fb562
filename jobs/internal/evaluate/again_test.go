package evaluate

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/jobs/internal/command"
)

// again is a run on a local file and an object, with something happening between listing and
// reading.
func again(t *testing.T, meanwhile func(c *cloud, local string)) (code int, stderr string) {
	c := newCloud(t)
	local := filepath.Join(t.TempDir(), "a.parquet")
	const table = "label:int64 score:double\n0 0.1\n1 0.9"
	writeTable(t, local, table)
	c.upload("b.parquet", table)
	arrived, open := c.hold.close(true, func(r *http.Request) bool { return strings.Contains(r.URL.Path, "b.parquet") })
	defer open()
	go func() {
		<-arrived
		meanwhile(c, local)
		open()
	}()
	out := filepath.Join(t.TempDir(), "out")
	code, _, stderr = finish(t, c.command("--input", local+",gs://bucket/b.parquet", "--output", out))
	require.NoDirExists(t, out)
	return code, stderr
}

// TestFileChangesWhilePlanned: the retry reads the new contents.
func TestFileChangesWhilePlanned(t *testing.T) {
	for name, change := range map[string]func(c *cloud, local string) error{
		"local": func(_ *cloud, local string) error { return os.Chtimes(local, time.Unix(1, 0), time.Unix(1, 0)) },
		"gs":    func(c *cloud, _ string) error { return c.Backend().DeleteObject("bucket", "b.parquet") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, stderr := again(t, func(c *cloud, local string) { assert.NoError(t, change(c, local)) })
			require.Contains(t, stderr, "the file has changed since the run was planned")
			require.Equal(t, command.Failed, code, stderr)
		})
	}
}

// TestStorageWhilePlanning: an error that a retry cannot fix is an error of usage.
func TestStorageWhilePlanning(t *testing.T) {
	for status, want := range map[int]int{http.StatusServiceUnavailable: command.Failed, http.StatusForbidden: command.BadUsage} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			if testing.Short() && status == http.StatusServiceUnavailable {
				t.Skip("it waits for all attempts")
			}
			t.Parallel()
			c := newCloud(t)
			c.upload("b.parquet", "label:int64 score:double\n0 0.1\n1 0.9")
			c.refuse = func(w http.ResponseWriter, r *http.Request) bool {
				data := r.URL.Query().Get("alt") == "media"
				if data {
					w.WriteHeader(status)
				}
				return data
			}
			code, _, stderr := finish(t, c.command("--input", "gs://bucket/b.parquet", "--output", filepath.Join(t.TempDir(), "out")))
			require.Contains(t, stderr, "gs://bucket/b.parquet")
			require.Equal(t, want, code, stderr)
		})
	}
}

// TestRedirectWhilePlanning: a store that redirects the run does not make it send credentials
// elsewhere.
func TestRedirectWhilePlanning(t *testing.T) {
	t.Parallel()
	heard := false
	foreign := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { heard = true }))
	defer foreign.Close()
	c := newCloud(t)
	c.refuse = func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, foreign.URL, http.StatusTemporaryRedirect)
		return true
	}
	code, _, stderr := finish(t, c.command("--input", "gs://bucket/b.parquet", "--output", filepath.Join(t.TempDir(), "out")))
	require.Contains(t, stderr, "gs://bucket/b.parquet: redirected to "+foreign.URL+", which is not followed: status 307")
	require.Equal(t, command.BadUsage, code)
	require.False(t, heard)
}
