package files

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// failures are the errors of listing, opening and reading when every request fails.
func (c *cloud) failures(t *testing.T, f fault) map[string]error {
	g := c.impatientObjects(t)
	root := c.root(t)
	c.put(t, root+"/x", "content")
	file, err := g.open(t.Context(), root+"/x", "", firstWindow)
	require.NoError(t, err)
	defer file.Close()
	c.inject(root, f)
	_, openErr := g.open(t.Context(), root+"/x", "", firstWindow)
	_, listErr := g.walk(t.Context(), newDirectory(root, parquet))
	_, readErr := file.ReadAt(make([]byte, 1), 0)
	return map[string]error{"open": openErr, "list": listErr, "read": readErr, "check": g.checkOutput(t.Context(), root+"/out", nil)}
}

func TestCloudTemporary(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		faults := map[string]fault{
			"silence": func(_ http.ResponseWriter, r *http.Request, _ http.Handler) { <-r.Context().Done() },
			"cut":     func(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) },
		}
		for _, status := range []int{408, 429, 500, 503} {
			faults[strconv.Itoa(status)] = c.answer(status, -1, always)
		}
		for name, f := range faults {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				for op, err := range c.failures(t, f) {
					require.Error(t, err, op)
					require.True(t, Temporary(err), "%s: %v", op, err)
				}
			})
		}
	})
}

func TestCloudFinal(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		for _, status := range []int{400, 401, 403} {
			for op, err := range c.failures(t, c.answer(status, -1, always)) {
				require.Error(t, err, op)
				require.False(t, Temporary(err), "%d: %s: %v", status, op, err)
			}
		}
		_, err := Open(t.Context(), c.root(t))
		require.False(t, Temporary(err), "%v", err)
	})
	for op, err := range amazonS3.failures(t, amazonS3.answer(501, -1, always)) {
		require.False(t, Temporary(err), "%s: %v", op, err)
	}
}

func TestLocalTemporary(t *testing.T) {
	name := t.TempDir() + "/x"
	require.NoError(t, os.WriteFile(name, []byte("content"), 0o666))
	f, err := Open(t.Context(), name)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, os.Truncate(name, 1))
	_, err = f.ReadAt(make([]byte, 7), 0)
	require.True(t, Temporary(err), "%v", err)
	require.True(t, Temporary(f.Check()))

	require.True(t, Temporary(explainLocal("read", name, &os.PathError{Op: "read", Path: name, Err: syscall.ESTALE})))
	_, err = Open(t.Context(), name+"y")
	for _, final := range []error{err, errors.New("x"), fmt.Errorf("x: %w", syscall.EACCES), nil} {
		require.False(t, Temporary(final), "%v", final)
	}
}
