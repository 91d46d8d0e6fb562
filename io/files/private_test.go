//go:build unix

package files

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLocalPublishStaysPrivate: while an output is written, nobody else reads what only its owner may read.
func TestLocalPublishStaysPrivate(t *testing.T) {
	for _, full := range []bool{false, true} {
		root := t.TempDir()
		dir := filepath.Join(root, "out")
		require.NoError(t, os.Mkdir(dir, 0o700))
		if full {
			localPut(t, dir+"/last", "old")
		}
		modes := func() (seen map[string]fs.FileMode) {
			seen = map[string]fs.FileMode{}
			entries, err := os.ReadDir(root)
			require.NoError(t, err)
			for _, e := range entries {
				info, err := e.Info()
				require.NoError(t, err)
				seen[strings.SplitAfter(e.Name(), ".tmp-")[0]] = info.Mode().Perm()
			}
			return seen
		}
		require.NoError(t, Publish(t.Context(), dir, func(create func(string) (io.Writer, error)) error {
			w, err := create("last")
			require.NoError(t, err)
			require.Equal(t, map[string]fs.FileMode{"out": 0o700, ".out.tmp-": 0o700}, modes())
			_, err = io.WriteString(w, "new")
			return err
		}, aReport))
		require.Equal(t, map[string]fs.FileMode{"out": 0o700}, modes())
	}
}

// TestSweepOfOthers: a user who may remove everything removes only his own files.
func TestSweepOfOthers(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root may give files away")
	}
	root := t.TempDir()
	t.Setenv("TMPDIR", root)
	const stranger = 4242424
	names := []string{".out.tmp-X-01234567", "beameval-upload-0"}
	for _, name := range names {
		for _, owner := range []int{0, stranger} {
			of := filepath.Join(root, name[:len(name)-1]+[]string{"0", "1"}[min(owner, 1)])
			localPut(t, filepath.Join(of, ownerFile), "")
			require.NoError(t, os.Chown(of, owner, owner))
			require.NoError(t, os.Chown(filepath.Join(of, ownerFile), owner, owner))
		}
	}
	require.NoError(t, os.Symlink(root, filepath.Join(root, ".link.tmp-X-01234567")))
	require.NoError(t, Publish(t.Context(), filepath.Join(root, "out"), report("a")))
	_, remove, err := TempDir("beameval-upload")
	require.NoError(t, err)
	require.NoError(t, remove())
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	require.ElementsMatch(t, []string{".out.tmp-X-01234561", "beameval-upload-1", ".link.tmp-X-01234567", "out"}, left)
}
