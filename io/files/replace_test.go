package files

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var aReport = Replaceable{What: "a finished report", Always: []string{"last"}, Names: []string{"last", "table.*", "old"}}

// holding writes files with the given contents.
func holding(content string, names ...string) func(creator) error {
	return func(create creator) error {
		for _, name := range names {
			w, err := create(name)
			if err == nil {
				_, err = w.Write([]byte(content))
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// contents returns the contents of all files below a root, by name.
func contents(t *testing.T, p place, root string) map[string]string {
	t.Helper()
	found := make(map[string]string)
	for _, name := range p.all(t, root) {
		data, err := ReadFile(t.Context(), name, 1<<30)
		require.NoError(t, err)
		found[strings.TrimPrefix(name, root+"/")] = string(data)
	}
	return found
}

func TestPublishReplaces(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		root := p.root(t)
		dir := Join(root, "out")
		require.NoError(t, Publish(t.Context(), dir, holding("1", "old", "table.csv", "last"), aReport), "nothing is there")
		require.NoError(t, CheckOutput(t.Context(), dir, aReport))
		require.Len(t, p.all(t, root), 3, "a check changes nothing")
		other := Replaceable{What: "another", Always: []string{"other"}, Names: []string{"other"}}
		require.NoError(t, Publish(t.Context(), dir, holding("2", "table.csv", "table.parquet", "last"), other, aReport))
		require.Equal(t, map[string]string{"out/table.csv": "2", "out/table.parquet": "2", "out/last": "2"}, contents(t, p, root))

		require.ErrorIs(t, Publish(t.Context(), dir, holding("3", "last")), ErrOutputExists, "only if it may")
		require.ErrorIs(t, CheckOutput(t.Context(), dir), ErrOutputExists)
	})
}

// Nothing else is replaced, and a failed Publish keeps the old contents.
func TestPublishReplacesNothingElse(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		for _, test := range []struct {
			files []string
			want  string
		}{
			{[]string{"last", "notes.txt"}, "holds notes.txt, which is not of a finished report and would be lost; move it away, or choose another directory"},
			{[]string{"last", "table.csv/x"}, "holds table.csv/"},
			{[]string{"table.csv"}, "is not a finished report, which alone is replaced: it has no last, but table.csv; choose another directory, or remove this one"},
		} {
			root := p.root(t)
			dir := Join(root, "out")
			for _, name := range test.files {
				p.put(t, Join(dir, name), "mine")
			}
			before := contents(t, p, root)
			for _, err := range []error{CheckOutput(t.Context(), dir, aReport), Publish(t.Context(), dir, holding("new", "last"), aReport)} {
				require.ErrorIs(t, err, ErrOutputExists)
				require.ErrorContains(t, err, test.want)
			}
			require.Equal(t, before, contents(t, p, root))
		}
		root := p.root(t)
		dir := Join(root, "out")
		require.NoError(t, Publish(t.Context(), dir, holding("1", "table.csv", "last")))
		failure := errors.New("out of luck")
		require.ErrorIs(t, Publish(t.Context(), dir, func(create creator) error {
			return errors.Join(holding("2", "table.csv", "last")(create), failure)
		}, aReport), failure)
		require.Equal(t, map[string]string{"out/table.csv": "1", "out/last": "1"}, contents(t, p, root))
	})
}

// Folders are replaced only with files that a pattern names, and only if they hold nothing else.
func TestPublishReplacesFolders(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		flat := Replaceable{What: "a finished report", Always: []string{"last"}, Names: []string{"last"}}
		inFolders := Replaceable{What: "finished reports", Always: []string{"last"}, Names: []string{"last", "k=*/page"}}
		for _, mine := range []string{"k=b/mine", "mine/page", "k=b/k=b/page"} {
			dir := Join(p.root(t), "out")
			require.NoError(t, Publish(t.Context(), dir, holding("1", "k=a/page", "k=b/page", "last")))
			require.ErrorContains(t, CheckOutput(t.Context(), dir, flat), "holds k=a/page, which is not of a finished report")
			require.NoError(t, CheckOutput(t.Context(), dir, inFolders))
			require.NoError(t, Publish(t.Context(), dir, holding("2", "k=b/page", "k=c/page", "last"), inFolders))
			require.Equal(t, map[string]string{"k=b/page": "2", "k=c/page": "2", "last": "2"}, contents(t, p, dir))
			p.put(t, Join(dir, mine), "mine")
			before := contents(t, p, dir)
			for _, err := range []error{CheckOutput(t.Context(), dir, inFolders), Publish(t.Context(), dir, holding("3", "last"), inFolders)} {
				require.ErrorIs(t, err, ErrOutputExists, mine)
				require.ErrorContains(t, err, "which is not of finished reports and would be lost", mine)
			}
			require.Equal(t, before, contents(t, p, dir))
		}
	})
}

// If names cannot be swapped atomically, there are two renames. If the second fails, the old
// directory is restored.
func TestSwapWithoutExchange(t *testing.T) {
	unsupported := func(string, string) error { return errors.ErrUnsupported }
	root := t.TempDir()
	p := places[0]
	dir := filepath.Join(root, "out")
	require.NoError(t, Publish(t.Context(), dir, holding("1", "last")))
	at := func() *site {
		s, err := newSite(dir, NewID(), []Replaceable{aReport})
		require.NoError(t, err)
		return s
	}
	s := at()
	require.NoError(t, os.WriteFile(filepath.Join(s.staged(), "last"), []byte("2"), 0o666))
	require.NoError(t, s.swap(unsupported))
	require.NoError(t, s.clear())
	require.Equal(t, map[string]string{"out/last": "2"}, contents(t, p, root))

	s = at()
	require.Error(t, s.swap(func(temp, _ string) error { return errors.Join(os.Remove(temp), errors.ErrUnsupported) }))
	require.NoError(t, s.clear())
	require.Equal(t, map[string]string{"out/last": "2"}, contents(t, p, root))

	t.Chdir(dir)
	require.ErrorContains(t, CheckOutput(t.Context(), ".", aReport), "this is the current directory")
}

// An upload that fails after the old objects were removed restores them, with their metadata.
func TestCloudReplacingFails(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		g := c.impatientObjects(t)
		root := c.root(t)
		p := place{all: c.all}
		require.NoError(t, Publish(t.Context(), root, holding("1", "old", "table.csv", "last")))
		_, before := c.get(t, c.object(root+"/last"))
		c.inject(root, c.answer(503, 40, func(r *http.Request) bool { return c.isUpload(r) && strings.HasSuffix(c.uploaded(r), "/table.json") }))
		err := g.publish(t.Context(), root, NewID(), holding("2", "table.csv", "table.json", "last"), []Replaceable{aReport})
		require.ErrorContains(t, err, "write "+root+"/table.json: ")
		require.Equal(t, map[string]string{"old": "1", "table.csv": "1", "last": "1"}, contents(t, p, root))
		_, after := c.get(t, c.object(root+"/last"))
		require.Equal(t, before, after)
	})
}

// The leftovers of a Publish that was killed after it had removed the last file are replaced, too.
func TestCloudReplacesLeftovers(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		root := c.root(t)
		require.NoError(t, Publish(t.Context(), root, holding("1", "old", "table.csv", "last")))
		c.delete(t, c.object(root+"/last"))
		require.NoError(t, CheckOutput(t.Context(), root, aReport))
		require.NoError(t, Publish(t.Context(), root, holding("2", "last"), aReport))
		require.Equal(t, map[string]string{"last": "2"}, contents(t, place{all: c.all}, root))
	})
}

// TestReplaceLeftover: the leftovers of a killed Replace in a report do not obstruct the next
// report.
func TestReplaceLeftover(t *testing.T) {
	dir := t.TempDir() + "/out"
	require.NoError(t, Publish(t.Context(), dir, holding("1", "last")))
	left := dir + "/.last.tmp-ID-00000000"
	localPut(t, left+"/.owner", "")
	require.NoError(t, Publish(t.Context(), dir, holding("2", "last"), aReport))
	require.Equal(t, []string{dir + "/last"}, localAll(t, dir))
}

// TestReplaceKeepsTheOldFile: a panic in the callback leaves nothing behind either.
func TestReplaceKeepsTheOldFile(t *testing.T) {
	name := t.TempDir() + "/page.html"
	localPut(t, name, "old")
	broken := errors.New("broken")
	require.ErrorIs(t, Replace(t.Context(), name, func(w io.Writer) error {
		_, err := io.WriteString(w, "new")
		require.NoError(t, err)
		return broken
	}), broken)
	require.Panics(t, func() { _ = Replace(t.Context(), name, func(io.Writer) error { panic("x") }) })
	require.Equal(t, []string{name}, localAll(t, filepath.Dir(name)))
	content, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "old", string(content))
	require.NoError(t, Replace(t.Context(), name, func(w io.Writer) error {
		_, err := io.WriteString(w, "new")
		return err
	}))
	content, err = os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "new", string(content))
}
