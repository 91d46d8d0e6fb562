package files

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/files/internal/stores"
)

func TestCloudSequentialReadsAreFewRequests(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		t.Parallel()
		root := c.root(t)
		content := pattern(20 << 20)
		c.put(t, root, content)
		f, err := Open(t.Context(), root)
		require.NoError(t, err)
		defer f.Close()
		buf := make([]byte, 64<<10)
		for off := 0; off < len(content); off += len(buf) {
			_, err := f.ReadAt(buf, int64(off))
			require.NoError(t, err)
			require.True(t, content[off:off+len(buf)] == string(buf))
		}
		require.LessOrEqual(t, c.requests(root), 7)
	})
}

// TestCloudFooterIsOneRequest: a footer takes one request, a large one two, in addition to the
// request for attributes.
func TestCloudFooterIsOneRequest(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		root := c.root(t)
		content := pattern(20 << 20)
		c.put(t, root, content)
		f, err := Open(t.Context(), root)
		require.NoError(t, err)
		defer f.Close()
		for _, footer := range []struct {
			size     int64
			requests int
		}{{8, 2}, {5000, 2}, {firstWindow, 2}, {2 << 20, 3}} {
			buf := make([]byte, footer.size)
			_, err = f.ReadAt(buf, f.Size()-footer.size)
			require.NoError(t, err)
			require.True(t, content[len(content)-int(footer.size):] == string(buf))
			require.Equal(t, footer.requests, c.requests(root))
		}
	})
}

// TestCloudListedFileNeedsNoAttributes: a version known from a listing is opened without a request.
// A small file is read with one.
func TestCloudListedFileNeedsNoAttributes(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		root := c.root(t)
		for i, size := range []int{1000, firstWindow} {
			c.put(t, fmt.Sprintf("%s/%d.parquet", root, i), pattern(size))
		}
		infos, err := List(t.Context(), parquet, root)
		require.NoError(t, err)
		for _, info := range infos {
			before := c.requests(root)
			f, err := OpenVersion(t.Context(), info.Name, info.Version)
			require.NoError(t, err)
			require.Equal(t, info.Size, f.Size())
			for _, off := range []int64{info.Size - 8, info.Size / 2, 0} {
				_, err = f.ReadAt(make([]byte, 8), off)
				require.NoError(t, err)
			}
			require.NoError(t, f.Close())
			require.Equal(t, 1, c.requests(root)-before, info.Name)
		}
	})
}

func TestCloudLongReadIsOneRequest(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		root := c.root(t)
		content := pattern(20 << 20)
		c.put(t, root, content)
		got, err := ReadFile(t.Context(), root, 1<<30)
		require.NoError(t, err)
		require.True(t, content == string(got))
		require.Equal(t, 2, c.requests(root), "attributes and one read")
	})
}

func TestCloudMissing(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		_, err := Open(t.Context(), c.scheme+"no-such-bucket/x")
		require.ErrorIs(t, err, fs.ErrNotExist)
		require.ErrorContains(t, err, c.scheme+"no-such-bucket/x: file does not exist: there is no "+c.bucket+" no-such-bucket; check its name")

		root := c.root(t)
		_, err = Open(t.Context(), root)
		require.ErrorIs(t, err, fs.ErrNotExist)
		require.ErrorContains(t, err, "open "+root+": file does not exist: there is no such object")

		for _, err := range []error{
			CheckOutput(t.Context(), c.scheme+"no-such-bucket/out"),
			Publish(t.Context(), c.scheme+"no-such-bucket/out", report("a")),
		} {
			require.ErrorIs(t, err, fs.ErrNotExist)
			require.ErrorContains(t, err, c.scheme+"no-such-bucket/out")
			require.ErrorContains(t, err, "there is no "+c.bucket+" no-such-bucket")
		}
	})
}

func TestCloudForbidden(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		root := c.root(t)
		c.put(t, root+"/x", "x")
		bucket := c.object(root).Bucket
		c.inject(root, c.answer(403, -1, always))
		_, openErr := Open(t.Context(), root+"/x")
		_, listErr := List(t.Context(), parquet, root)
		for _, err := range []error{
			openErr, listErr,
			CheckOutput(t.Context(), root+"/out"),
			Publish(t.Context(), root+"/out", report("a")),
		} {
			require.ErrorIs(t, err, fs.ErrPermission)
			require.ErrorContains(t, err, root)
			require.ErrorContains(t, err, " on "+c.bucket+" "+bucket)
			require.ErrorContains(t, err, " to write")
			require.ErrorContains(t, err, "or use another account: ")
		}
	})
}

// An account that may read but not write must be detected before hours of work.
func TestCloudReadOnlyOutput(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		root := c.root(t)
		c.inject(root, c.answer(403, -1, c.isUpload))
		err := CheckOutput(t.Context(), root+"/out")
		require.ErrorIs(t, err, fs.ErrPermission)
		require.ErrorContains(t, err, "write to "+root+"/out: ")

		err = Publish(t.Context(), root+"/out", report("a"))
		require.ErrorIs(t, err, fs.ErrPermission)
		require.ErrorContains(t, err, "write "+root+"/out/a: ")
	})
}

func TestCloudUnauthenticated(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		root := c.root(t)
		c.inject(root, c.answer(401, -1, always))
		_, err := List(t.Context(), parquet, root)
		require.ErrorContains(t, err, "the credentials were not accepted: ")
		require.ErrorContains(t, err, "; to authenticate, ")
	})
}

func TestGCSNoCredentials(t *testing.T) {
	t.Setenv("STORAGE_EMULATOR_HOST", "")
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", t.TempDir()+"/missing.json")
	_, err := objects{scheme: "gs://", connect: stores.Once(stores.ConnectGCS)}.open(t.Context(), "gs://bucket/x", "", 0)
	require.ErrorContains(t, err, "gs://bucket/x: cannot use Google Cloud Storage")
	require.ErrorContains(t, err, "gcloud auth application-default login")
}

func TestS3NoCredentials(t *testing.T) {
	open := func() error {
		_, err := objects{scheme: "s3://", connect: stores.Once(stores.ConnectS3)}.open(t.Context(), "s3://bucket/x", "", 0)
		return err
	}
	region := os.Getenv("AWS_REGION")
	t.Setenv("AWS_REGION", "")
	require.ErrorContains(t, open(), "s3://bucket/x: cannot use S3: there is no region; set AWS_REGION")
	t.Setenv("AWS_REGION", region)
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	require.ErrorContains(t, open(), "s3://bucket/x: cannot use S3: ")
	require.ErrorContains(t, open(), "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE")
}

func TestS3OtherRegion(t *testing.T) {
	root := amazonS3.root(t)
	amazonS3.inject(root, amazonS3.answer(301, -1, always))
	_, err := List(t.Context(), parquet, root)
	require.ErrorContains(t, err, "is in another region; set AWS_REGION=eu-test-7")
}

// TestS3NoRanges: a store that ignores ranges returns other bytes than requested.
func TestS3NoRanges(t *testing.T) {
	root := amazonS3.root(t)
	amazonS3.put(t, root, pattern(1000))
	amazonS3.inject(root, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		r.Header.Del("Range")
		next.ServeHTTP(w, r)
	})
	_, err := ReadFile(t.Context(), root, 1<<30)
	require.ErrorContains(t, err, "it must support Range")
}

// TestS3NoConditions: a store that cannot create an object conditionally is reported.
func TestS3NoConditions(t *testing.T) {
	root := amazonS3.root(t)
	amazonS3.inject(root, amazonS3.answer(501, -1, amazonS3.isUpload))
	require.ErrorContains(t, Publish(t.Context(), root, report("a")), "If-None-Match")
}

// TestS3OrphanedParts: a failed multipart upload leaves no parts.
func TestS3OrphanedParts(t *testing.T) {
	root := amazonS3.root(t)
	var begun, ended atomic.Int64
	amazonS3.inject(root, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		switch q := r.URL.Query(); {
		case q.Has("uploads"):
			begun.Add(1)
		case r.Method == http.MethodDelete && q.Has("uploadId"):
			ended.Add(1)
		case q.Get("partNumber") == "2":
			w.WriteHeader(http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
	err := Publish(t.Context(), root, func(create creator) error {
		w, err := create("large")
		require.NoError(t, err)
		_, err = io.WriteString(w, pattern(chunkSize+1))
		return err
	})
	require.ErrorIs(t, err, fs.ErrPermission)
	require.EqualValues(t, 1, begun.Load())
	require.EqualValues(t, 1, ended.Load())
	require.Empty(t, amazonS3.all(t, root))
}

func TestCloudTransientFailures(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		t.Parallel()
		for _, status := range []int{429, 500, 503} {
			t.Run(strconv.Itoa(status), func(t *testing.T) {
				t.Parallel()
				root := c.root(t)
				c.put(t, root+"/x.parquet", "content")
				c.inject(root, c.answer(status, 1, always))
				infos, err := List(t.Context(), parquet, root)
				require.NoError(t, err)
				require.Len(t, infos, 1)

				c.inject(root, c.answer(status, 1, c.isDownload))
				content, err := ReadFile(t.Context(), root+"/x.parquet", 1<<30)
				require.NoError(t, err)
				require.Equal(t, "content", string(content))

				c.inject(root, c.answer(status, 2, c.isUpload))
				require.NoError(t, Publish(t.Context(), root+"/out", report("a", "b")))
				require.Len(t, c.all(t, root+"/out"), 2)
			})
		}
	})
}

func TestCloudLastingFailures(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		g := c.impatientObjects(t)
		root := c.root(t)
		c.put(t, root+"/x", "content")
		f, err := g.open(t.Context(), root+"/x", "", firstWindow)
		require.NoError(t, err)
		defer f.Close()

		c.inject(root, c.answer(503, -1, always))
		_, err = f.ReadAt(make([]byte, 1), 0)
		require.ErrorContains(t, err, "read "+root+"/x: ")
		require.ErrorContains(t, err, "503")
		_, err = g.open(t.Context(), root+"/x", "", firstWindow)
		require.ErrorContains(t, err, "503")
		_, err = g.walk(t.Context(), newDirectory(root, parquet))
		require.ErrorContains(t, err, "503")

		// A failed read is not cached.
		c.inject(root, nil)
		_, err = f.ReadAt(make([]byte, 1), 0)
		require.NoError(t, err)
	})
}

func TestCloudUploadFailingForGood(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		g := c.impatientObjects(t)
		root := c.root(t)
		var before int
		c.inject(root, c.answer(503, -1, func(r *http.Request) bool {
			return c.isUpload(r) && strings.HasSuffix(c.uploaded(r), "/c")
		}))
		before = c.requests(root)
		err := g.publish(t.Context(), root+"/out", NewID(), report("a", "b", "c", "d"), nil)
		require.ErrorContains(t, err, "write "+root+"/out/c: ")
		require.ErrorContains(t, err, "503")
		require.Empty(t, c.all(t, root), "what was uploaded before must go")
		require.Less(t, c.requests(root)-before, 30)
	})
}

// The last file is the marker: it must not become visible before the others.
func TestCloudOrderOfUploads(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		root := c.root(t)
		var mu sync.Mutex
		var order []string
		c.inject(root, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if c.isUpload(r) {
				mu.Lock()
				order = append(order, strings.TrimPrefix(c.uploaded(r), "root/"))
				mu.Unlock()
			}
			next.ServeHTTP(w, r)
		})
		require.NoError(t, Publish(t.Context(), root, report("z", "a", "m")))
		require.Equal(t, []string{"z", "a", "m"}, order)
		_, metadata := c.get(t, c.object(root+"/m"))
		require.Contains(t, metadata, publisherKey)
		require.NoError(t, Publish(t.Context(), root+"2", report("metrics.json")))
		contentType, _ := c.get(t, c.object(root+"2/metrics.json"))
		require.Equal(t, "application/json", contentType)
	})
}

// The upload succeeds, its response is lost, and the retry finds its own object.
func TestCloudLostAnswer(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		t.Parallel()
		root := c.root(t)
		var lost atomic.Bool
		c.inject(root, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if c.isUpload(r) && !lost.Swap(true) {
				next.ServeHTTP(httptest.NewRecorder(), r)
				w.WriteHeader(503)
				return
			}
			next.ServeHTTP(w, r)
		})
		require.NoError(t, Publish(t.Context(), root+"/out", report("a", "b")))
		require.Len(t, c.all(t, root), 2)
	})
}

func TestCloudPublishCancelledDuringUpload(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		root := c.root(t)
		ctx, cancel := context.WithCancel(t.Context())
		c.inject(root, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			next.ServeHTTP(w, r) // the object is there, and its author never hears of it
			if c.isUpload(r) && strings.HasSuffix(c.uploaded(r), "/b") {
				cancel()
			}
		})
		err := Publish(ctx, root+"/out", report("a", "b", "c"))
		require.ErrorIs(t, err, context.Canceled)
		require.Empty(t, c.all(t, root))
	})
}

// Objects that cannot be deleted are named.
func TestCloudUndoFailing(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		root := c.root(t)
		c.inject(root, c.answer(403, -1, func(r *http.Request) bool {
			return r.Method == http.MethodDelete || c.isUpload(r) && strings.HasSuffix(c.uploaded(r), "/b")
		}))
		err := Publish(t.Context(), root+"/out", report("a", "b"))
		require.ErrorContains(t, err, "write "+root+"/out/b: ")
		require.ErrorContains(t, err, root+"/out/a may be left over; remove it by hand")
	})
}

func TestCloudOverwritten(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		for name, change := range map[string]func(t *testing.T, name string){
			"overwritten": func(t *testing.T, name string) { c.put(t, name, strings.Repeat("new", 1<<20)) },
			"removed": func(t *testing.T, name string) {
				c.delete(t, c.object(name))
			},
		} {
			t.Run(name, func(t *testing.T) {
				root := c.root(t)
				content := pattern(3 << 20)
				c.put(t, root, content)
				f, err := Open(t.Context(), root)
				require.NoError(t, err)
				defer f.Close()
				buf := make([]byte, 100)
				_, err = f.ReadAt(buf, 0)
				require.NoError(t, err)
				require.Equal(t, content[:100], string(buf))

				change(t, root)
				_, err = f.ReadAt(buf, 100)
				require.NoError(t, err)
				require.Equal(t, content[100:200], string(buf), "what was read ahead is the old content")
				_, err = f.ReadAt(buf, 2<<20)
				require.ErrorIs(t, err, ErrChanged)
				require.ErrorContains(t, err, root+": the file has changed since the run was planned: "+string(f.Version())+" is gone, as the object was overwritten or removed; run again when nobody writes to it")
				require.EqualValues(t, 3<<20, f.Size())
			})
		}
	})
}

func TestGCSGzip(t *testing.T) {
	name := gs.root(t)
	putCompressed(gs.object(name))
	infos, err := List(t.Context(), parquet, name)
	require.NoError(t, err)
	for _, version := range []Version{"", infos[0].Version} {
		_, err := OpenVersion(t.Context(), infos[0].Name, version)
		require.ErrorContains(t, err, "Content-Encoding: gzip, which allows no random access")
	}
}

// Consoles create an empty object to show an empty directory.
func TestCloudPlaceholder(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		root := c.root(t)
		c.put(t, root+"/out/", "")
		_, err := List(t.Context(), parquet, root+"/out")
		require.ErrorContains(t, err, "the directory holds no .parquet")
		require.NoError(t, CheckOutput(t.Context(), root+"/out"))
		require.NoError(t, Publish(t.Context(), root+"/out", report("x.parquet")))
		infos, err := List(t.Context(), parquet, root+"/out", root+"/out/**")
		require.NoError(t, err)
		require.Equal(t, []string{root + "/out/x.parquet"}, names(infos))
	})
}

func TestCloudWholeBucket(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		bucket := strings.TrimSuffix(c.root(t), "/root")
		require.NoError(t, CheckOutput(t.Context(), bucket))
		require.NoError(t, Publish(t.Context(), bucket, report("x.parquet")))
		require.ErrorIs(t, CheckOutput(t.Context(), bucket+"/"), ErrOutputExists)
		for _, pattern := range []string{bucket, bucket + "/", bucket + "/*", bucket + "/**/x*"} {
			infos, err := List(t.Context(), parquet, pattern)
			require.NoError(t, err, pattern)
			require.Equal(t, []string{bucket + "/x.parquet"}, names(infos), pattern)
		}
		_, err := Open(t.Context(), bucket)
		require.ErrorContains(t, err, "this is a "+c.bucket)
	})
}

func TestCloudNoRoomToPrepare(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		t.Setenv("TMPDIR", t.TempDir()+"/missing")
		err := Publish(t.Context(), c.root(t), report("a"))
		require.ErrorIs(t, err, fs.ErrNotExist)
		require.ErrorContains(t, err, "set TMPDIR")
	})
}

func TestCloudLeavesNoTemporaryFiles(t *testing.T) {
	inClouds(t, func(t *testing.T, c *cloud) {
		temp := t.TempDir()
		t.Setenv("TMPDIR", temp)
		root := c.root(t)
		require.NoError(t, Publish(t.Context(), root, report("a", "b/c")))
		require.Error(t, Publish(t.Context(), root+"2", report("a", "a")))
		left, err := os.ReadDir(temp)
		require.NoError(t, err)
		require.Empty(t, left)
	})
}
