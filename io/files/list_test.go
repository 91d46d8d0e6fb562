package files

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var parquet = Endings{".parquet", ".parq"}

// tree is a directory as left by several writers.
var tree = []string{
	"preds/_SUCCESS",
	"preds/_temporary/0/part-9.parquet",
	"preds/.part-0.parquet.crc",
	"preds/part-0.parquet",
	"preds/part-1.parq",
	"preds/notes.txt",
	"preds/dt=2026-11-18/a.parquet",
	"preds/dt=2026-11-19/a.parquet",
	"preds/dt=2026-11-19/b.parquet",
	"preds/dt=2026-11-19/deep/er/c.parquet",
	"preds/dt=2026-11-19/.tmp/d.parquet",
	"preds/_day=1/e.parquet",
	"preds2/f.parquet",
	"text/readme.txt",
	"spark.parquet/part-0.parquet",
	"[1]/x.parquet",
}

func TestList(t *testing.T) {
	const all = "preds/_day=1/e.parquet preds/dt=2026-11-18/a.parquet preds/dt=2026-11-19/a.parquet preds/dt=2026-11-19/b.parquet " +
		"preds/dt=2026-11-19/deep/er/c.parquet preds/part-0.parquet preds/part-1.parq"
	everywhere(t, func(t *testing.T, p place) {
		root := p.root(t)
		for _, name := range tree {
			p.put(t, Join(root, name), "x")
		}
		for patterns, want := range map[string]string{
			// files
			"preds/part-0.parquet":                      "preds/part-0.parquet",
			"preds/notes.txt":                           "preds/notes.txt",
			"preds/_SUCCESS":                            "preds/_SUCCESS",
			"preds2/f.parquet preds/part-0.parquet":     "preds/part-0.parquet preds2/f.parquet",
			"preds2/f.parquet preds2/f.parquet preds2/": "preds2/f.parquet",
			// directories
			"preds":                      all,
			"preds/":                     all,
			"preds preds/*.parquet":      all,
			"preds/_temporary":           "preds/_temporary/0/part-9.parquet",
			"preds/dt=2026-11-19/.tmp":   "preds/dt=2026-11-19/.tmp/d.parquet",
			"[1]":                        "[1]/x.parquet",
			"preds/dt=2026-11-19/deep/":  "preds/dt=2026-11-19/deep/er/c.parquet",
			"preds/dt=2026-11-18 preds2": "preds/dt=2026-11-18/a.parquet preds2/f.parquet",
			// globs
			"preds/*.parquet":           "preds/part-0.parquet",
			"preds/part-?.parq*":        "preds/part-0.parquet preds/part-1.parq",
			"preds/part-[1-9]*":         "preds/part-1.parq",
			"preds/part-[!1-9]*":        "preds/part-0.parquet",
			"preds/part-[^1-9]*":        "preds/part-0.parquet",
			"preds/n*":                  "preds/notes.txt",
			"preds/*":                   strings.Replace(all, "preds/part-0", "preds/notes.txt preds/part-0", 1),
			"preds/**/*-9.parquet":      "",
			"preds/_S*":                 "preds/_SUCCESS",
			"preds/_*/":                 "preds/_day=1/e.parquet preds/_temporary/0/part-9.parquet",
			"preds/.*":                  "preds/.part-0.parquet.crc",
			`\[1\]/*`:                   "[1]/x.parquet",
			"preds/dt=*/*.parquet":      "preds/dt=2026-11-18/a.parquet preds/dt=2026-11-19/a.parquet preds/dt=2026-11-19/b.parquet",
			"preds/dt=2026-11-1?/a*":    "preds/dt=2026-11-18/a.parquet preds/dt=2026-11-19/a.parquet",
			"preds/dt=*/**/c.parquet":   "preds/dt=2026-11-19/deep/er/c.parquet",
			"**/deep/**/*.parquet":      "preds/dt=2026-11-19/deep/er/c.parquet",
			"**/f.parquet":              "preds2/f.parquet",
			"preds/**/part-*.parquet":   "preds/part-0.parquet",
			"te**/*":                    "text/readme.txt",
			"*/readme.txt":              "text/readme.txt",
			"preds/dt=2026-11-18/**":    "preds/dt=2026-11-18/a.parquet",
			"*/part-1.parq":             "preds/part-1.parq",
			"preds/**/[!a-z]*/*/*/*":    "",
			"preds/part-*/":             "",
			"preds/dt=2026-11-19/**/er": "preds/dt=2026-11-19/deep/er/c.parquet",
			// globs that match directories
			"preds/dt=2026-11-*":  "preds/dt=2026-11-18/a.parquet preds/dt=2026-11-19/a.parquet preds/dt=2026-11-19/b.parquet preds/dt=2026-11-19/deep/er/c.parquet",
			"preds/dt=*-18/":      "preds/dt=2026-11-18/a.parquet",
			"spark*.parquet":      "spark.parquet/part-0.parquet",
			"*2":                  "preds2/f.parquet",
			"preds*/f.* preds*2/": "preds2/f.parquet",
		} {
			var absolute []string
			for name := range strings.FieldsSeq(patterns) {
				absolute = append(absolute, root+"/"+name)
			}
			infos, err := List(t.Context(), parquet, absolute...)
			if want == "" {
				require.ErrorIs(t, err, fs.ErrNotExist, patterns)
				continue
			}
			require.NoError(t, err, patterns)
			got := strings.ReplaceAll(strings.Join(names(infos), " "), root+"/", "")
			require.Equal(t, want, got, patterns)
		}
	})
}

func TestListExactFirst(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		root := p.root(t)
		for _, name := range []string{"a*.parquet", "ab.parquet", "dir?/x.parquet", "dirs/x.parquet"} {
			p.put(t, Join(root, name), "x")
		}
		infos, err := List(t.Context(), parquet, Join(root, "a*.parquet"), Join(root, "dir?"))
		require.NoError(t, err)
		require.Equal(t, []string{Join(root, "a*.parquet"), Join(root, "dir?/x.parquet")}, names(infos))
	})
}

func TestListNothing(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		root := p.root(t)
		for _, name := range tree {
			p.put(t, Join(root, name), "x")
		}
		for pattern, message := range map[string]string{
			"text":                     "the directory holds no .parquet or .parq files (other files: 1, such as " + root + "/text/readme.txt)",
			"preds/no/such":            "file does not exist; the nearest directory that exists is " + root + "/preds",
			"preds/part-0.parquet/x":   root + "/preds/part-0.parquet is a file",
			"preds/part-0.parquet/":    "this is a file, not a directory; leave out the '/' at the end",
			"preds/dt=2025-*":          "the pattern matches nothing",
			"no/such/*.parquet":        "the nearest directory that exists is " + root,
			"text/*.parquet":           "the pattern matches nothing (other files: 1, such as " + root + "/text/readme.txt)",
			"preds/part-[.parquet":     `"part-[.parquet" is not a valid pattern`,
			"preds/dt=2026-11-1[8/*.x": `is not a valid pattern: syntax error in pattern (put '\' before a '[' that is meant literally)`,
		} {
			_, err := List(t.Context(), parquet, root+"/preds2", root+"/"+pattern)
			require.ErrorContains(t, err, root+"/"+pattern)
			require.ErrorContains(t, err, message)
		}
	})
}

func TestListKeys(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		root := p.root(t)
		name := Join(root, "dt=2026-11-19/plain/country=a%2Fb%20c/x=/=y/a%3Db=1=2/bad=%zz/n=__HIVE_DEFAULT_PARTITION__/k=v.parquet")
		p.put(t, name, "12345")
		infos, err := List(t.Context(), parquet, root)
		require.NoError(t, err)
		require.Equal(t, []Info{{Name: name, Size: 5, Keys: []Key{
			{Name: "dt", Value: "2026-11-19"},
			{Name: "country", Value: "a/b c"},
			{Name: "x", Value: ""},
			{Name: "a=b", Value: "1=2"},
			{Name: "bad", Value: "%zz"},
			{Name: "n", Null: true},
		}}}, unversioned(infos))
	})
}

func TestListMany(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		root := p.root(t)
		var want []string
		for i := range 1100 {
			name := fmt.Sprintf("%s/%d/part-%04d.parquet", root, i%3, i)
			p.put(t, name, "x")
			if i%3 == 1 {
				want = append(want, name)
			}
		}
		infos, err := List(t.Context(), parquet, root)
		require.NoError(t, err)
		require.Len(t, infos, 1100)
		infos, err = List(t.Context(), parquet, root+"/1/*")
		require.NoError(t, err)
		require.Equal(t, want, names(infos))
	})
}

// TestListNamed: files that a pattern matches are distinguished from those in a matched directory.
func TestListNamed(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a.csv", "b.parquet", "c.csv", "dir/d.csv", "dir/e.txt"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), nil, 0o600))
	}
	csv := Endings{".csv", ".csv.gz"}
	for patterns, want := range map[string]string{
		"":                "a.csv c.csv dir/d.csv",
		" /a.csv":         "a.csv! c.csv dir/d.csv",
		"/[ab]*":          "a.csv! b.parquet!",
		"/d*":             "dir/d.csv",
		"/d* /dir/e.txt":  "dir/d.csv dir/e.txt!",
		"/dir /dir/*.csv": "dir/d.csv!",
		"/**":             "a.csv! b.parquet! c.csv! dir/d.csv! dir/e.txt!",
	} {
		var names []string
		for _, p := range strings.Split(patterns, " ") {
			names = append(names, root+p)
		}
		infos, err := List(t.Context(), csv, names...)
		require.NoError(t, err)
		var got []string
		for _, info := range infos {
			name := strings.TrimPrefix(info.Name, root+"/")
			if info.Named {
				name += "!"
			}
			got = append(got, name)
		}
		require.Equal(t, want, strings.Join(got, " "), patterns)
	}
	_, err := List(t.Context(), csv, filepath.Join(root, "dir", "e.txt")+"x")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.Remove(filepath.Join(root, "dir", "d.csv")))
	_, err = List(t.Context(), csv, filepath.Join(root, "dir"))
	require.ErrorContains(t, err, "the directory holds no .csv or .csv.gz files")
}

// FuzzGlob matches names with patterns. Every selected name must begin with the prefix of the
// pattern and be in folders that it enters; otherwise, listing would miss it.
func FuzzGlob(f *testing.F) {
	for _, pattern := range []string{"a/*.parquet", "**/b?.csv", "a/**/[!b-d]*/c", `a/\[x\]/[a-\]]`, "[", "**", "*/", "a//b", "[]", "_a*", ".*"} {
		for _, name := range []string{"a/b.parquet", "a/b/c/d.parquet", "bx.csv", "a/[x]/b", "_a=1/b.csv", ".a", ""} {
			f.Add(pattern, name)
		}
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		s, err := newGlob(strings.TrimSuffix(pattern, "/"), strings.HasSuffix(pattern, "/"), Endings{".parquet", ".csv"})
		if err != nil || !s.selects(name) {
			return
		}
		require.True(t, strings.HasPrefix(name+"/", s.prefix()), "%q is not below %q", name, s.prefix())
		for i := range name {
			if name[i] == '/' {
				require.NotEmpty(t, s.enter(name[:i]), "%q selects %q, and does not enter %q", pattern, name, name[:i])
			}
		}
		_ = s.inDirectory(name)
	})
}
