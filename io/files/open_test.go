package files

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadAt(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		content := pattern(1000)
		name := Join(p.root(t), "x.parquet")
		p.put(t, name, content)
		f, err := Open(t.Context(), name)
		require.NoError(t, err)
		require.Equal(t, name, f.Name())
		require.EqualValues(t, 1000, f.Size())

		for _, c := range []struct {
			off    int64
			length int
			want   string
			err    error
		}{
			{0, 0, "", nil},
			{0, 10, content[:10], nil},
			{0, 1000, content, nil},
			{0, 1001, content, io.EOF},
			{990, 10, content[990:], nil},
			{990, 11, content[990:], io.EOF},
			{500, 5000, content[500:], io.EOF},
			{1000, 0, "", nil},
			{1000, 1, "", io.EOF},
			{5000, 1, "", io.EOF},
			{5000, 0, "", nil},
		} {
			buf := make([]byte, c.length)
			n, err := f.ReadAt(buf, c.off)
			require.Equal(t, c.err, err, "%+v", c) // io.EOF itself, not wrapped
			require.Equal(t, len(c.want), n, "%+v", c)
			require.Equal(t, c.want, string(buf[:n]), "%+v", c)
		}
		_, err = f.ReadAt(make([]byte, 1), -1)
		require.ErrorContains(t, err, "negative offset -1")

		require.NoError(t, f.Close())
		_, err = f.ReadAt(make([]byte, 1), 0)
		require.ErrorIs(t, err, fs.ErrClosed)
		require.ErrorContains(t, err, name)
		require.ErrorIs(t, f.Close(), fs.ErrClosed)
	})
}

func TestReadAtEverywhere(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		content := []byte(pattern(3<<20 + 123))
		name := Join(p.root(t), "x")
		p.put(t, name, string(content))
		f, err := Open(t.Context(), name)
		require.NoError(t, err)
		defer f.Close()
		var wg sync.WaitGroup
		for seed := range uint64(8) {
			wg.Go(func() {
				random := rand.New(rand.NewPCG(seed, 1))
				buf := make([]byte, 1<<20)
				for range 50 {
					off := random.Int64N(int64(len(content)))
					part := buf[:1+random.IntN(1<<(1+random.IntN(20)))]
					n, err := f.ReadAt(part, off)
					if n < len(part) && err != io.EOF || !bytes.Equal(part[:n], content[off:off+int64(n)]) {
						t.Errorf("ReadAt(%d bytes, %d) = %d, %v, or wrong content", len(part), off, n, err)
					}
				}
			})
		}
		wg.Wait()
	})
}

func TestReadFile(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		root := p.root(t)
		for _, content := range []string{"", "a", pattern(5 << 20)} {
			name := Join(root, "f.yaml")
			p.put(t, name, content)
			got, err := ReadFile(t.Context(), name, 1<<30)
			require.NoError(t, err)
			require.True(t, content == string(got))
		}
		name := Join(root, "missing.yaml")
		_, err := ReadFile(t.Context(), name, 1<<30)
		require.ErrorIs(t, err, fs.ErrNotExist)
		require.ErrorContains(t, err, name)
	})
}

func TestOpenEmpty(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		name := Join(p.root(t), "empty")
		p.put(t, name, "")
		f, err := Open(t.Context(), name)
		require.NoError(t, err)
		defer f.Close()
		n, err := f.ReadAt(make([]byte, 1), 0)
		require.Equal(t, io.EOF, err)
		require.Zero(t, n)
	})
}

func TestOpenDirectory(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		root := p.root(t)
		p.put(t, Join(root, "dir/x.parquet"), "x")
		for _, name := range []string{Join(root, "dir"), Join(root, "dir") + "/"} {
			_, err := Open(t.Context(), name)
			require.ErrorContains(t, err, Join(root, "dir")+": this is a directory")
		}
	})
}

func TestOpenOddNames(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		root := p.root(t)
		for _, base := range []string{"a b", "größe 🏖", "50%", "a#b", "a?b", "x*[1].parquet", "a+b&c=d", `back\slash`, "%41"} {
			name := Join(root, base)
			p.put(t, name, base)
			got, err := ReadFile(t.Context(), name, 1<<30)
			require.NoError(t, err, name)
			require.Equal(t, base, string(got))

			infos, err := List(t.Context(), parquet, name)
			require.NoError(t, err, name)
			require.Equal(t, []Info{{Name: name, Size: int64(len(base)), Named: true}}, unversioned(infos))
		}
	})
}

func TestReadAfterCancel(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		name := Join(p.root(t), "x")
		p.put(t, name, "content")
		ctx, cancel := context.WithCancel(t.Context())
		f, err := Open(ctx, name)
		require.NoError(t, err)
		defer f.Close()
		cancel()
		_, err = f.ReadAt(make([]byte, 1), 0)
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorContains(t, err, name)
	})
}

func TestNames(t *testing.T) {
	for name, message := range map[string]string{
		"":             "missing",
		"file://":      "missing",
		"ftp://host/x": `ftp:// is not supported; use one of: a local path, file:///path, gs://bucket/object, s3://bucket/object, az://container/object, abfss://container@account.dfs.core.windows.net/object`,
		"s3://":        "the form is s3://bucket/object",
		"https://host": "https:// is not supported",
		"gs://":        "the form is gs://bucket/object",
		"gs:///x":      "the form is gs://bucket/object",
		"gs://buck*/x": "a pattern cannot stand for a bucket",
		"az:///x":      "the container is missing; the form is az://container/object",
		"s3a://b/x":    "write s3://b/x",
		"azure://c/x":  "write az://c/x",
		"abfs://c/x":   "write abfss://c/x",
		"azfs://a/c/x": "write abfss://c@a.dfs.core.windows.net/x",

		"wasbs://c@a.blob.core.windows.net/x?.csv": "write abfss://c@a.dfs.core.windows.net/x?.csv",
		"az://a.blob.core.windows.net/c/x":         "write abfss://c@a.dfs.core.windows.net/x",
		"https://a.blob.core.chinacloudapi.cn/c/x": "write abfss://c@a.dfs.core.chinacloudapi.cn/x",
	} {
		_, openErr := Open(t.Context(), name)
		_, readErr := ReadFile(t.Context(), name, 1<<30)
		_, listErr := List(t.Context(), parquet, name)
		for _, err := range []error{
			openErr, readErr, listErr, CheckOutput(t.Context(), name), Publish(t.Context(), name, report("a")),
		} {
			require.ErrorContains(t, err, message)
			require.ErrorContains(t, err, name)
		}
	}
	file := t.TempDir() + "/x"
	require.NoError(t, os.WriteFile(file, []byte("x"), 0o666))
	f, err := Open(t.Context(), "file://"+file)
	require.NoError(t, err)
	require.Equal(t, file, f.Name())
	require.NoError(t, f.Close())
}

func TestJoin(t *testing.T) {
	require.Equal(t, "gs://b/x", Join("gs://b", "x"))
	require.Equal(t, "gs://b/d/x/y", Join("gs://b/d/", "x/y"))
	require.Equal(t, "file:///d/x", Join("file:///d", "x"))
	require.Equal(t, "/d/x", Join("/d/", "x"))
	require.Equal(t, "x", Join("", "x"))
}

func TestLocal(t *testing.T) {
	for name, want := range map[string]bool{"a/b": true, "/a": true, "file:///a": true, "gs://b/a": false, "ftp://a/b": false} {
		require.Equal(t, want, Local(name), name)
	}
}
