package files

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// leaveBehind creates the leftovers of a lost worker.
func leaveBehind(t *testing.T, p place, dir, id string, names ...string) {
	if p.name == "local" {
		site, err := newSite(dir, id, nil)
		require.NoError(t, err)
		for _, name := range names {
			localPut(t, site.staged()+"/"+name, name)
		}
		return
	}
	for _, c := range clouds {
		if strings.HasPrefix(dir, c.scheme) {
			c.leaveBehind(dir, id, names...)
		}
	}
}

func (c *cloud) leaveBehind(dir, id string, names ...string) {
	for _, name := range names {
		c.putAs(c.object(Join(dir, name)), name, map[string]string{publisherKey: id, attemptKey: "lost"})
	}
}

// TestPublishAgain: a worker is lost while publishing, and its work is attempted again.
func TestPublishAgain(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		root := p.root(t)
		dir := Join(root, "out")
		leaveBehind(t, p, dir, "job", "a", "b")
		require.NotEmpty(t, p.all(t, root))
		require.NoError(t, PublishAs(t.Context(), dir, "job", report("a", "b", "c")))
		require.Equal(t, []string{Join(dir, "a"), Join(dir, "b"), Join(dir, "c")}, p.all(t, root))
		for _, name := range p.all(t, dir) {
			content, err := ReadFile(t.Context(), name, 1<<30)
			require.NoError(t, err)
			require.Equal(t, name, Join(dir, string(content)))
		}
		require.ErrorIs(t, PublishAs(t.Context(), dir, "another job", report("a", "b", "c")), ErrOutputExists)
	})
}

// TestPublishBesideForeign: the leftovers of another publisher are neither used nor removed.
func TestPublishBesideForeign(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		root := p.root(t)
		dir := Join(root, "out")
		leaveBehind(t, p, dir, "another", "a")
		before := p.all(t, root)
		err := PublishAs(t.Context(), dir, "job", report("a", "b"))
		if p.name != "local" {
			require.ErrorIs(t, err, ErrOutputExists)
			require.Equal(t, before, p.all(t, root))
			return
		}
		require.NoError(t, err)
		require.Subset(t, p.all(t, root), before)
	})
}

// TestLocalAttemptsAtOnce: the later of two concurrent attempts removes the directory of the
// earlier one, which then fails without touching the report.
func TestLocalAttemptsAtOnce(t *testing.T) {
	dir := t.TempDir() + "/out"
	err := PublishAs(t.Context(), dir, "job", func(create creator) error {
		require.NoError(t, PublishAs(t.Context(), dir, "job", report("a", "b")))
		return report("a", "b")(create)
	})
	require.Error(t, err)
	require.Equal(t, []string{dir + "/a", dir + "/b"}, localAll(t, dir+"/.."))
}

// TestCloudAttemptsAtOnce: each attempt uploads what the other has not, and both succeed.
func TestCloudAttemptsAtOnce(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		root := c.root(t)
		require.NoError(t, PublishAs(t.Context(), root+"/out", "job", func(create creator) error {
			require.NoError(t, PublishAs(t.Context(), root+"/out", "job", report("a", "b")))
			return report("a", "b")(create)
		}))
		require.Len(t, c.all(t, root), 2)
	})
}

// TestCloudAttemptFailingBesideAnother: an attempt that fails deletes only its own objects, and
// nothing if another has finished.
func TestCloudAttemptFailingBesideAnother(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		for _, complete := range []bool{true, false} {
			root := c.root(t)
			ctx, cancel := context.WithCancel(t.Context())
			c.inject(root, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				next.ServeHTTP(w, r)
				if c.isUpload(r) && strings.HasSuffix(c.uploaded(r), "/b") {
					c.inject(root, nil)
					c.leaveBehind(root+"/out", "job", "c")
					if complete {
						c.leaveBehind(root+"/out", "job", "d")
					}
					cancel()
				}
			})
			err := PublishAs(ctx, root+"/out", "job", report("a", "b", "c", "d"))
			require.ErrorIs(t, err, context.Canceled)
			if complete {
				require.Len(t, c.all(t, root), 4)
			} else {
				require.Equal(t, []string{root + "/out/c"}, c.all(t, root))
			}
		}
	})
}
