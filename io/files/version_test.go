package files

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestVersions(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		root := p.root(t)
		name := Join(root, "x.parquet")
		p.put(t, name, "content")
		list, err := List(t.Context(), parquet, root)
		require.NoError(t, err)
		for range 2 { // reading changes nothing
			f, err := OpenVersion(t.Context(), name, list[0].Version)
			require.NoError(t, err)
			require.Equal(t, list[0].Version, f.Version())
			content, err := Content(f, 1<<30)
			require.NoError(t, err)
			require.Equal(t, "content", string(content))
			require.NoError(t, f.Check())
			require.NoError(t, f.Close())
			require.ErrorIs(t, f.Check(), os.ErrClosed)
		}
		exact, err := List(t.Context(), parquet, name)
		require.NoError(t, err)
		list[0].Named = true
		require.Equal(t, list, exact)

		time.Sleep(20 * time.Millisecond) // local disks tell times of modification apart that are as far apart
		p.put(t, name, "CONTENT")
		f, err := OpenVersion(t.Context(), name, list[0].Version)
		if err == nil {
			_, err = Content(f, 1<<30)
			require.ErrorIs(t, f.Check(), ErrChanged)
			require.NoError(t, f.Close())
		}
		require.ErrorIs(t, err, ErrChanged)
		require.ErrorContains(t, err, name+": the file has changed since the run was planned: ")
		require.ErrorContains(t, err, "; run again when nobody writes to it")
		again, err := List(t.Context(), parquet, name)
		require.NoError(t, err)
		require.NotEqual(t, list[0].Version, again[0].Version)
		f, err = Open(t.Context(), name)
		require.NoError(t, err)
		defer f.Close()
		require.Equal(t, again[0].Version, f.Version())
	})
}

func TestLocalChanges(t *testing.T) {
	for change, do := range map[string]func(name string) error{
		"rewritten in place": func(name string) error { return os.WriteFile(name, []byte("CONTENT"), 0o666) },
		"touched":            func(name string) error { return os.Chtimes(name, time.Now(), time.Now().Add(time.Nanosecond)) },
		"truncated":          func(name string) error { return os.Truncate(name, 3) },
		"grown":              func(name string) error { return os.Truncate(name, 30) },
	} {
		t.Run(change, func(t *testing.T) {
			name := t.TempDir() + "/x"
			localPut(t, name, "content")
			old := time.Now().Add(-time.Hour)
			require.NoError(t, os.Chtimes(name, old, old))
			f, err := Open(t.Context(), name)
			require.NoError(t, err)
			defer f.Close()
			require.NoError(t, f.Check())
			require.NoError(t, do(name))
			require.ErrorIs(t, f.Check(), ErrChanged)
			_, err = Content(f, 1<<30)
			require.ErrorIs(t, err, ErrChanged)
			_, err = OpenVersion(t.Context(), name, f.Version())
			require.ErrorIs(t, err, ErrChanged)
		})
	}
	t.Run("replaced by a file of its size and time", func(t *testing.T) {
		name := t.TempDir() + "/x"
		old := time.Now().Add(-time.Hour)
		for _, each := range []string{name, name + ".new"} {
			localPut(t, each, "content")
			require.NoError(t, os.Chtimes(each, old, old))
		}
		f, err := Open(t.Context(), name)
		require.NoError(t, err)
		defer f.Close()
		require.NoError(t, os.Rename(name+".new", name))
		require.NoError(t, f.Check(), "what is open stays what it was")
		_, err = OpenVersion(t.Context(), name, f.Version())
		require.ErrorIs(t, err, ErrChanged)
	})
}

func TestForeignVersion(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		name := Join(p.root(t), "x")
		p.put(t, name, "content")
		_, err := OpenVersion(t.Context(), name, "that of another storage")
		require.ErrorContains(t, err, name)
	})
}
