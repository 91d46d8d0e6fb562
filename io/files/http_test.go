package files

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCloudForeignRedirects: requests carry credentials, so no other host receives one.
func TestCloudForeignRedirects(t *testing.T) {
	var heard atomic.Int64
	foreign := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { heard.Add(1) }))
	defer foreign.Close()
	inClouds(t, func(t *testing.T, c *cloud) {
		for _, status := range []int{302, 307, 308} {
			for op, err := range c.failures(t, func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
				http.Redirect(w, r, foreign.URL+r.URL.RequestURI(), status)
			}) {
				require.ErrorContains(t, err, "redirected to "+foreign.URL+", which is not followed: ", "%d: %s", status, op)
				require.ErrorContains(t, err, "status "+strconv.Itoa(status), op)
				require.False(t, Temporary(err), "%d: %s", status, op)
			}
		}
		require.Zero(t, heard.Load())
	})
}

// TestCloudOwnRedirects: a redirect within a host is followed, without the referring URL, which may
// contain a token.
func TestCloudOwnRedirects(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		root := c.root(t)
		c.put(t, root, "content")
		var requests atomic.Int64
		c.inject(root, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			require.Empty(t, r.Referer())
			if requests.Add(1)%2 == 1 {
				http.Redirect(w, r, r.URL.RequestURI(), http.StatusTemporaryRedirect)
				return
			}
			next.ServeHTTP(w, r)
		})
		content, err := ReadFile(t.Context(), root, 1<<30)
		require.NoError(t, err)
		require.Equal(t, "content", string(content))
		require.EqualValues(t, 4, requests.Load())
	})
}

// TestCloudEndlessAnswers: a service cannot exhaust memory with unrequested data. What has been sent but not read
// is in the kernel's socket buffers, which have reached 19 MiB.
func TestCloudEndlessAnswers(t *testing.T) {
	const buffered = 64 << 20
	piece := []byte(strings.Repeat("a", 1<<20))
	inClouds(t, func(t *testing.T, c *cloud) {
		g := c.impatientObjects(t)
		g.stall = stallTimeout
		for _, test := range []struct {
			status, most int
			message      string
		}{{403, 1 << 20, "status 403"}, {200, 64 << 20, "the answer is longer than 64 MiB"}} {
			root := c.root(t)
			var sent, requests atomic.Int64
			c.inject(root, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
				requests.Add(1)
				w.WriteHeader(test.status)
				io.WriteString(w, c.endless)
				for range 256 {
					if _, err := w.Write(piece); err != nil {
						return
					}
					sent.Add(int64(len(piece)))
				}
			})
			_, err := g.walk(t.Context(), newDirectory(root, parquet))
			require.ErrorContains(t, err, test.message)
			require.Less(t, len(err.Error()), 1000)
			require.False(t, Temporary(err), "%v", err)
			require.EqualValues(t, 1, requests.Load())
			require.Less(t, sent.Load(), int64(test.most+buffered))
		}
	})
}

// TestCloudLongMessages: the error messages of a service are shortened.
func TestCloudLongMessages(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		long := strings.Repeat("long ", 10_000)
		for op, err := range c.failures(t, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.WriteHeader(403)
			io.WriteString(w, strings.Replace(c.failure(403), "as the test wants it", long, 1))
		}) {
			require.ErrorContains(t, err, "status 403", op)
			require.Less(t, len(err.Error()), 1000, op)
			if op == "list" {
				require.ErrorContains(t, err, ": "+long[:200]+"… (")
			}
		}
	})
}
