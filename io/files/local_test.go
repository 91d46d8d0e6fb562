package files

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLocalShrunkFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	localPut(t, name, pattern(1000))
	f, err := Open(t.Context(), name)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, os.Truncate(name, 500))
	_, err = f.ReadAt(make([]byte, 10), 600)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.ErrorContains(t, err, "read "+name+": the file had 1000 bytes when it was opened and has become shorter")
}

func TestLocalRelativeNames(t *testing.T) {
	t.Chdir(t.TempDir())
	localPut(t, "data/x.parquet", "x")
	abs, err := filepath.Abs("data/x.parquet")
	require.NoError(t, err)
	for pattern, want := range map[string]string{
		"data":                  "data/x.parquet",
		".":                     "data/x.parquet",
		"./data/../data/*":      "data/x.parquet",
		"**":                    "data/x.parquet",
		"*/x.parquet":           "data/x.parquet",
		"*":                     "data/x.parquet",
		"file://data":           "data/x.parquet",
		abs:                     abs,
		"file://" + abs:         abs,
		filepath.Dir(abs) + "/": abs,
	} {
		infos, err := List(t.Context(), parquet, pattern)
		require.NoError(t, err, pattern)
		require.Equal(t, []string{want}, names(infos), pattern)
	}
	infos, err := List(t.Context(), parquet, "data", abs, "./data//x.parquet")
	require.NoError(t, err)
	require.Len(t, infos, 1, "one file under several names")
	require.NoError(t, os.Chdir("data"))
	infos, err = List(t.Context(), parquet, "../*/*.parquet", "*.parquet")
	require.NoError(t, err)
	require.Len(t, infos, 1)
}

func TestLocalMissing(t *testing.T) {
	t.Chdir(t.TempDir())
	wd, err := os.Getwd()
	require.NoError(t, err)
	_, err = Open(t.Context(), "no/such.yaml")
	require.EqualError(t, err, "open no/such.yaml: no such file or directory (looked for in "+wd+")")
	for _, pattern := range []string{"no/such/file", "no/*.parquet"} {
		_, err = List(t.Context(), parquet, pattern)
		require.ErrorContains(t, err, pattern)
		require.ErrorContains(t, err, "looked for in "+wd)
	}
	_, err = Open(t.Context(), wd+"/x")
	require.EqualError(t, err, "open "+wd+"/x: no such file or directory")
}

func TestLocalLinks(t *testing.T) {
	root := t.TempDir()
	localPut(t, root+"/preds/dt=1/x.parquet", "x")
	localPut(t, root+"/elsewhere/y.parquet", "yy")
	for link, to := range map[string]string{
		"preds/current":      root + "/preds/dt=1", // sorts before what it points to
		"preds/dt=2":         root + "/elsewhere",
		"preds/loop":         root + "/preds",
		"preds/file.parquet": root + "/elsewhere/y.parquet",
		"preds/broken.txt":   root + "/nowhere",
	} {
		require.NoError(t, os.Symlink(to, root+"/"+link))
	}
	for pattern, named := range map[string]bool{"/preds": false, "/preds/**/*.parquet": true} {
		infos, err := List(t.Context(), parquet, root+pattern)
		require.NoError(t, err)
		require.Equal(t, []Info{
			{Name: root + "/preds/dt=1/x.parquet", Size: 1, Keys: []Key{{Name: "dt", Value: "1"}}, Named: named},
			{Name: root + "/preds/dt=2/y.parquet", Size: 2, Keys: []Key{{Name: "dt", Value: "2"}}, Named: named},
		}, unversioned(infos))
	}
	_, err := List(t.Context(), parquet, root+"/preds/broken*")
	require.ErrorContains(t, err, "preds/broken.txt: no such file")
}

// TestLocalLinksOfMany: directories that link to each other have more paths than can be walked.
func TestLocalLinksOfMany(t *testing.T) {
	root := t.TempDir()
	var want []string
	for i := range 30 {
		dir := fmt.Sprintf("%s/d=%02d", root, i)
		localPut(t, dir+"/x.parquet", "x")
		want = append(want, dir+"/x.parquet")
		for j := range 30 {
			require.NoError(t, os.Symlink(fmt.Sprintf("../d=%02d", j), fmt.Sprintf("%s/to%02d", dir, j)))
		}
	}
	for _, pattern := range []string{"", "/**/*.parquet", "/*", "/**"} {
		infos, err := List(t.Context(), parquet, root+pattern)
		require.NoError(t, err)
		require.Equal(t, want, names(infos), pattern)
	}
}

// TestLocalLinkWithKeys: of a directory and a link to it, the name with more keys is reported.
func TestLocalLinkWithKeys(t *testing.T) {
	root := t.TempDir()
	localPut(t, root+"/a/data/x.parquet", "x")
	localPut(t, root+"/b/dt=2/y.parquet", "y")
	require.NoError(t, os.Symlink("a/data", root+"/dt=1"))
	require.NoError(t, os.Symlink("../b/dt=2", root+"/a/latest"))
	infos, err := List(t.Context(), parquet, root)
	require.NoError(t, err)
	require.Equal(t, []string{root + "/b/dt=2/y.parquet", root + "/dt=1/x.parquet"}, names(infos))
	infos, err = List(t.Context(), parquet, root+"/*/latest/*.parquet")
	require.NoError(t, err)
	require.Equal(t, []string{root + "/a/latest/y.parquet"}, names(infos))
}

func TestLocalUnreadableNeighbour(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root can read everything")
	}
	root := t.TempDir()
	localPut(t, root+"/x.parquet", "x")
	require.NoError(t, os.Mkdir(root+"/private", 0))
	_, err := List(t.Context(), parquet, root+"/*.parquet")
	require.NoError(t, err)
	_, err = List(t.Context(), parquet, root)
	require.ErrorContains(t, err, "list "+root+"/private/: permission denied")
}

func TestLocalPublishIntoEmptyDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	require.NoError(t, os.Mkdir(dir, 0o750))
	before, err := os.Stat(dir)
	require.NoError(t, err)
	require.NoError(t, CheckOutput(t.Context(), dir))
	after, err := os.Stat(dir)
	require.NoError(t, err)
	require.True(t, os.SameFile(before, after), "a check must not replace the directory")

	require.NoError(t, Publish(t.Context(), dir, report("a")))
	after, err = os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, before.Mode(), after.Mode())
	require.Equal(t, []string{dir + "/a"}, localAll(t, filepath.Dir(dir)))
}

func TestLocalPublishThroughLink(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(root+"/disk/out", 0o777))
	require.NoError(t, os.Symlink("disk/out", root+"/link"))
	require.NoError(t, CheckOutput(t.Context(), root+"/link"))
	require.NoError(t, Publish(t.Context(), root+"/link", report("a")))
	require.FileExists(t, root+"/disk/out/a")
	info, err := os.Lstat(root + "/link")
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink)
}

func TestLocalPublishNowhere(t *testing.T) {
	root := t.TempDir()
	localPut(t, root+"/file", "x")
	require.NoError(t, os.Symlink("nowhere", root+"/dangling"))
	t.Chdir(t.TempDir())
	cases := map[string]string{
		root + "/file":     "this is a file, and the output must be a directory",
		root + "/file/a/b": root + "/file is a file, so it cannot hold an output directory",
		root + "/dangling": "this is a symbolic link to nothing",
		".":                "this is the current directory, which cannot be replaced as a whole; name a new one in it, such as report",
	}
	if runtime.GOOS == "linux" {
		cases["/proc/out/put"] = "cannot create a directory in /proc" // also for root
	}
	for dir, message := range cases {
		err := CheckOutput(t.Context(), dir)
		require.ErrorContains(t, err, message)
		require.ErrorContains(t, err, dir+": ")
		called := false
		err = Publish(t.Context(), dir, func(create creator) error {
			called = true
			return report("a")(create)
		})
		require.ErrorContains(t, err, message)
		require.False(t, called, "work was done in vain")
	}
	require.Len(t, localAll(t, root), 2)
}

func TestLocalPublishModes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	require.NoError(t, Publish(t.Context(), dir, report("a/b")))
	want := filepath.Join(t.TempDir(), "usual")
	require.NoError(t, os.Mkdir(want, 0o777))
	localPut(t, want+"/file", "x")
	for published, usual := range map[string]string{dir: want, dir + "/a": want, dir + "/a/b": want + "/file"} {
		a, err := os.Stat(published)
		require.NoError(t, err)
		b, err := os.Stat(usual)
		require.NoError(t, err)
		require.Equal(t, b.Mode(), a.Mode(), published)
	}
}

// Files that others put into the parents meanwhile are not touched.
func TestLocalPublishKeepsForeignFiles(t *testing.T) {
	root := t.TempDir()
	err := Publish(t.Context(), root+"/a/b/out", func(creator) error {
		localPut(t, root+"/a/theirs", "x")
		return io.ErrUnexpectedEOF
	})
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Equal(t, []string{root + "/a/theirs"}, localAll(t, root))
	require.NoDirExists(t, root+"/a/b")
}

// TestLocalListReadable: what cannot be looked into is passed to unread, and only if it may matter.
func TestLocalListReadable(t *testing.T) {
	root := t.TempDir()
	localPut(t, root+"/a/x.parquet", "x")
	for link, to := range map[string]string{"/b": "gone", "/c": "c", "/a/y.parquet": "gone", "/a/y.txt": "gone"} {
		require.NoError(t, os.Symlink(to, root+link))
	}
	left := map[string]string{}
	infos, err := ListReadable(t.Context(), parquet, func(name string, err error) error { left[name] = err.Error(); return nil }, root+"/*/*.parquet")
	require.NoError(t, err)
	require.Equal(t, []string{root + "/a/x.parquet"}, names(infos))
	require.Equal(t, map[string]string{
		root + "/b":           "list " + root + "/b: no such file or directory: this is a symbolic link to nothing",
		root + "/c":           "list " + root + "/c: too many levels of symbolic links",
		root + "/a/y.parquet": "list " + root + "/a/y.parquet: no such file or directory: this is a symbolic link to nothing",
	}, left)
	_, err = ListReadable(t.Context(), parquet, func(_ string, err error) error { return err }, root+"/*/*.parquet")
	require.ErrorContains(t, err, "symbolic link")
	_, err = List(t.Context(), parquet, root+"/a/*.parquet")
	require.EqualError(t, err, "list "+root+"/a/y.parquet: no such file or directory: this is a symbolic link to nothing")
}
