package files

import (
	"context"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/files/internal/stores"
)

func TestCloudCutConnection(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		root := c.root(t)
		content := pattern(1 << 20)
		c.put(t, root, content)
		var cuts atomic.Int64
		c.inject(root, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if !c.isDownload(r) || cuts.Add(1) > 3 {
				next.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(&cutWriter{ResponseWriter: w, left: 100_000}, r)
		})
		got, err := ReadFile(t.Context(), root, 1<<30)
		require.NoError(t, err)
		require.True(t, content == string(got), "mixed-up content")
		require.EqualValues(t, 4, cuts.Load())
	})
}

// cutWriter breaks the connection after some bytes of the body.
type cutWriter struct {
	http.ResponseWriter
	left int
}

func (w *cutWriter) Write(p []byte) (int, error) {
	if len(p) < w.left {
		w.left -= len(p)
		return w.ResponseWriter.Write(p)
	}
	w.ResponseWriter.Write(p[:w.left])
	w.ResponseWriter.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

// slow sends the beginning of a body and then nothing, until the client goes away.
func (c *cloud) slow(stalls int64) fault {
	var seen atomic.Int64
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if !c.isDownload(r) || seen.Add(1) > stalls {
			next.ServeHTTP(w, r)
			return
		}
		whole := httptest.NewRecorder()
		next.ServeHTTP(whole, r)
		for key, values := range whole.Header() {
			w.Header()[key] = values
		}
		w.WriteHeader(whole.Code)
		w.Write(whole.Body.Bytes()[:whole.Body.Len()/2])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
}

func TestCloudSlowBodyCancelled(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		root := c.root(t)
		c.put(t, root, pattern(1<<20))
		c.inject(root, c.slow(1000))
		ctx, cancel := context.WithCancel(t.Context())
		f, err := Open(ctx, root)
		require.NoError(t, err)
		defer f.Close()
		time.AfterFunc(50*time.Millisecond, cancel)
		_, err = f.ReadAt(make([]byte, 1000), 0)
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorContains(t, err, root)
	})
}

func TestCloudSlowBodyClosed(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		root := c.root(t)
		c.put(t, root, pattern(1<<20))
		c.inject(root, c.slow(1000))
		f, err := Open(t.Context(), root)
		require.NoError(t, err)
		time.AfterFunc(50*time.Millisecond, func() { f.Close() })
		_, err = f.ReadAt(make([]byte, 1000), 0)
		require.ErrorIs(t, err, fs.ErrClosed)
	})
}

func TestCloudStalledBody(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		t.Parallel()
		g := c.impatientObjects(t)
		g.stall = time.Second // a busy machine may take as long to answer
		root := c.root(t)
		content := pattern(1 << 20)
		c.put(t, root, content)
		c.inject(root, c.slow(2))
		f, err := g.open(t.Context(), root, "", firstWindow)
		require.NoError(t, err)
		defer f.Close()
		got := make([]byte, len(content))
		_, err = f.ReadAt(got, 0)
		require.NoError(t, err)
		require.True(t, content == string(got))

		c.inject(root, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if !c.isDownload(r) {
				next.ServeHTTP(w, r)
				return
			}
			<-r.Context().Done()
		})
		f, err = g.open(t.Context(), root, "", firstWindow)
		require.NoError(t, err)
		defer f.Close()
		_, err = f.ReadAt(got, 0)
		require.ErrorIs(t, err, stores.ErrStalled)
		require.ErrorContains(t, err, root)
	})
}

// A body that arrives slowly but steadily is not interrupted.
func TestCloudTricklingBody(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		t.Parallel()
		g := c.impatientObjects(t)
		g.stall = 2500 * time.Millisecond
		root := c.root(t)
		content := pattern(100_000)
		c.put(t, root, content)
		c.inject(root, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if !c.isDownload(r) {
				next.ServeHTTP(w, r)
				return
			}
			// The whole body takes longer than the back end waits for any part of it.
			w.Header().Set("Content-Range", "bytes 0-99999/100000")
			w.WriteHeader(http.StatusPartialContent)
			for part := range slices.Chunk([]byte(content), 10_000) {
				time.Sleep(300 * time.Millisecond)
				w.Write(part)
				w.(http.Flusher).Flush()
			}
		})
		f, err := g.open(t.Context(), root, "", firstWindow)
		require.NoError(t, err)
		defer f.Close()
		got := make([]byte, len(content))
		_, err = f.ReadAt(got, 0)
		require.NoError(t, err)
		require.True(t, content == string(got))
		require.Equal(t, 2, c.requests(root), "attributes and one read")
	})
}
