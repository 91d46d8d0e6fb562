package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

type creator = func(name string) (io.Writer, error)

// report writes files whose contents are their names.
func report(names ...string) func(creator) error {
	return func(create creator) error {
		for _, name := range names {
			w, err := create(name)
			if err != nil {
				return err
			}
			if _, err := io.WriteString(w, name); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestPublish(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		dir := Join(p.root(t), "new/parents/out")
		require.NoError(t, CheckOutput(t.Context(), dir))
		require.NoError(t, Publish(t.Context(), dir, func(create creator) error {
			err := report("metrics.json", "parts/k=1/a b.parquet", "empty#%.csv", "_SUCCESS")(create)
			_, listErr := List(t.Context(), parquet, dir)
			require.ErrorContains(t, listErr, "file does not exist", "visible too early")
			return err
		}))
		var got []string
		for _, name := range p.all(t, dir) {
			content, err := ReadFile(t.Context(), name, 1<<30)
			require.NoError(t, err)
			require.Equal(t, name, Join(dir, string(content)))
			got = append(got, string(content))
		}
		require.Equal(t, []string{"_SUCCESS", "empty#%.csv", "metrics.json", "parts/k=1/a b.parquet"}, got)
	})
}

func TestPublishLarge(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		dir := Join(p.root(t), "out")
		content := pattern(chunkSize + 12345) // two chunks of an upload
		require.NoError(t, Publish(t.Context(), dir, func(create creator) error {
			w, err := create("large.parquet")
			require.NoError(t, err)
			for rest := content; rest != ""; {
				n, err := io.WriteString(w, rest[:min(len(rest), 70_000)])
				require.NoError(t, err)
				rest = rest[n:]
			}
			return nil
		}))
		got, err := ReadFile(t.Context(), Join(dir, "large.parquet"), 1<<30)
		require.NoError(t, err)
		require.True(t, content == string(got))
	})
}

func TestPublishConcurrentWriters(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		dir := Join(p.root(t), "out")
		require.NoError(t, Publish(t.Context(), dir, func(create creator) error {
			var wg sync.WaitGroup
			for i := range 20 {
				wg.Go(func() {
					if err := report(fmt.Sprintf("%02d", i))(create); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			return nil
		}))
		require.Len(t, p.all(t, dir), 20)
	})
}

func TestPublishFailing(t *testing.T) {
	failure := errors.New("out of luck")
	everywhere(t, func(t *testing.T, p place) {
		for name, write := range map[string]func(creator) error{
			"before any file": func(creator) error { return failure },
			"midway": func(create creator) error {
				return errors.Join(report("a", "b/c")(create), failure)
			},
			"no file":       func(creator) error { return nil },
			"outside":       report("a", "../b"),
			"absolute":      report("/b"),
			"itself":        report("."),
			"twice":         report("a", "a"),
			"file as a dir": report("a", "a/b"),
		} {
			root := p.root(t)
			dir := Join(root, "some/where/out")
			err := Publish(t.Context(), dir, write)
			require.Error(t, err, name)
			if name == "midway" {
				require.ErrorIs(t, err, failure)
			}
			require.Empty(t, p.all(t, root), name)
		}
	})
}

func TestPublishPanicking(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		root := p.root(t)
		require.Panics(t, func() {
			_ = Publish(t.Context(), Join(root, "out"), func(create creator) error {
				_ = report("a")(create)
				panic("at the callback")
			})
		})
		require.Empty(t, p.all(t, root))
	})
}

func TestPublishCancelled(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		root := p.root(t)
		for name, write := range map[string]func(creator, context.CancelFunc) error{
			"before writing": func(create creator, cancel context.CancelFunc) error {
				w, err := create("a")
				require.NoError(t, err)
				cancel()
				_, err = io.WriteString(w, "x")
				return err
			},
			"before creating": func(create creator, cancel context.CancelFunc) error {
				cancel()
				return report("a")(create)
			},
			"at the end": func(create creator, cancel context.CancelFunc) error {
				defer cancel()
				return report("a")(create)
			},
		} {
			ctx, cancel := context.WithCancel(t.Context())
			err := Publish(ctx, Join(root, "out"), func(create creator) error { return write(create, cancel) })
			require.ErrorIs(t, err, context.Canceled, name)
			require.Empty(t, p.all(t, root), name)
		}
	})
}

func TestCreateTooLate(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		var late creator
		require.NoError(t, Publish(t.Context(), Join(p.root(t), "out"), func(create creator) error {
			late = create
			return report("a")(create)
		}))
		require.ErrorContains(t, report("b")(late), "publishing is over")
	})
}

func TestOutputExists(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		root := p.root(t)
		dir := Join(root, "out")
		p.put(t, Join(dir, "old.json"), "old")
		called := false
		for _, dir := range []string{dir, dir + "/"} {
			err := Publish(t.Context(), dir, func(creator) error {
				called = true
				return nil
			})
			for _, err := range []error{err, CheckOutput(t.Context(), dir)} {
				require.ErrorIs(t, err, ErrOutputExists)
				require.ErrorContains(t, err, Join(root, "out")+": output exists and is not empty")
				require.ErrorContains(t, err, "old.json); choose another directory, or remove this one")
			}
		}
		require.False(t, called, "work was done in vain")
		require.Equal(t, []string{Join(dir, "old.json")}, p.all(t, root))

		// A neighbour whose name has the same prefix is no obstacle.
		require.NoError(t, CheckOutput(t.Context(), Join(root, "ou")))
		require.NoError(t, Publish(t.Context(), Join(root, "ou"), report("a")))
	})
}

// Two jobs have the same output: one wins, completely.
func TestPublishRace(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		dir := Join(p.root(t), "out")
		err := Publish(t.Context(), dir, func(create creator) error {
			require.NoError(t, Publish(t.Context(), dir, report("b", "winner")))
			return report("a", "b", "loser")(create)
		})
		require.ErrorIs(t, err, ErrOutputExists)
		require.Equal(t, []string{Join(dir, "b"), Join(dir, "winner")}, p.all(t, dir))

		dir = Join(p.root(t), "out")
		var wg sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			wg.Go(func() { errs[i] = Publish(t.Context(), dir, report("a", "b", "c")) })
		}
		wg.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else {
				require.ErrorIs(t, err, ErrOutputExists)
			}
		}
		require.Equal(t, 1, won)
		require.Len(t, p.all(t, dir), 3)
	})
}

func TestCheckOutputLeavesNothing(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		root := p.root(t)
		require.NoError(t, CheckOutput(t.Context(), Join(root, "a/b/c")))
		require.Empty(t, p.all(t, root))
	})
}

// TestPublishClosesFiles: of many files, those that are closed take no room any more.
func TestPublishClosesFiles(t *testing.T) {
	dir := t.TempDir() + "/out"
	const n = 300
	open := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("the system does not list open files")
		}
		return len(entries)
	}
	before := open()
	require.NoError(t, Publish(t.Context(), dir, func(create func(string) (io.Writer, error)) error {
		for i := range n {
			w, err := create(fmt.Sprintf("%d/page", i))
			require.NoError(t, err)
			_, err = io.WriteString(w, "content")
			require.NoError(t, err)
			require.NoError(t, w.(io.Closer).Close())
			require.NoError(t, w.(io.Closer).Close())
			_, err = w.Write(nil)
			require.ErrorIs(t, err, os.ErrClosed)
		}
		require.Less(t, open(), before+n/2)
		return nil
	}))
	require.Len(t, localAll(t, dir), n)
	content, err := os.ReadFile(dir + "/7/page")
	require.NoError(t, err)
	require.Equal(t, "content", string(content))
}
