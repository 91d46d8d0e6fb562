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
	"time"

	"cloud.google.com/go/storage"
	"github.com/fsouza/fake-gcs-server/fakestorage"
	"github.com/googleapis/gax-go/v2"
	"github.com/stretchr/testify/require"
)

// impatient is the back end with times that suit a test.
func impatient(t *testing.T) gcs {
	client, err := storage.NewClient(t.Context(), storage.WithJSONReads())
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	client.SetRetry(storage.WithBackoff(gax.Backoff{Initial: time.Millisecond, Max: time.Millisecond}), storage.WithMaxAttempts(3))
	return gcs{client: func() (*storage.Client, error) { return client, nil }, stall: 100 * time.Millisecond}
}

// answer makes requests fail with a status: those that match, n times (n < 0: always).
func answer(status int, n int, match func(*http.Request) bool) fault {
	var left atomic.Int64
	left.Store(int64(n))
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if match(r) && (n < 0 || left.Add(-1) >= 0) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			io.WriteString(w, `{"error": {"code": 0, "message": "as the test wants it"}}`)
			return
		}
		next.ServeHTTP(w, r)
	}
}

func always(*http.Request) bool { return true }

func TestGCSSequentialReadsAreFewRequests(t *testing.T) {
	t.Parallel()
	root := gsRoot(t)
	content := pattern(20 << 20)
	gsPut(t, root, content)
	f, err := Open(t.Context(), root)
	require.NoError(t, err)
	defer f.Close()
	buf := make([]byte, 64<<10)
	for off := 0; off < len(content); off += len(buf) {
		_, err := f.ReadAt(buf, int64(off))
		require.NoError(t, err)
		require.True(t, content[off:off+len(buf)] == string(buf))
	}
	require.LessOrEqual(t, cloud.requests(root), 7)
}

// TestGCSFooterIsOneRequest: and a large one two, besides that for the attributes.
func TestGCSFooterIsOneRequest(t *testing.T) {
	root := gsRoot(t)
	content := pattern(20 << 20)
	gsPut(t, root, content)
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
		require.Equal(t, footer.requests, cloud.requests(root))
	}
}

// TestGCSListedFileNeedsNoAttributes: a version that a listing has told is opened without a
// request. A small file is read by one.
func TestGCSListedFileNeedsNoAttributes(t *testing.T) {
	root := gsRoot(t)
	for i, size := range []int{1000, firstWindow} {
		gsPut(t, fmt.Sprintf("%s/%d.parquet", root, i), pattern(size))
	}
	infos, err := List(t.Context(), root)
	require.NoError(t, err)
	for _, info := range infos {
		before := cloud.requests(root)
		f, err := OpenVersion(t.Context(), info.Name, info.Version)
		require.NoError(t, err)
		require.Equal(t, info.Size, f.Size())
		for _, off := range []int64{info.Size - 8, info.Size / 2, 0} {
			_, err = f.ReadAt(make([]byte, 8), off)
			require.NoError(t, err)
		}
		require.NoError(t, f.Close())
		require.Equal(t, 1, cloud.requests(root)-before, info.Name)
	}
}

func TestGCSLongReadIsOneRequest(t *testing.T) {
	root := gsRoot(t)
	content := pattern(20 << 20)
	gsPut(t, root, content)
	got, err := ReadFile(t.Context(), root)
	require.NoError(t, err)
	require.True(t, content == string(got))
	require.Equal(t, 2, cloud.requests(root), "attributes and one read")
}

func TestGCSMissing(t *testing.T) {
	_, err := Open(t.Context(), "gs://no-such-bucket/x")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "gs://no-such-bucket/x: file does not exist: there is no bucket no-such-bucket; check its name")

	root := gsRoot(t)
	_, err = Open(t.Context(), root)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "open "+root+": file does not exist: there is no such object")

	for _, err := range []error{
		CheckOutput(t.Context(), "gs://no-such-bucket/out"),
		Publish(t.Context(), "gs://no-such-bucket/out", report("a")),
	} {
		require.ErrorIs(t, err, fs.ErrNotExist)
		require.ErrorContains(t, err, "gs://no-such-bucket/out")
		require.ErrorContains(t, err, "there is no bucket")
	}
}

func TestGCSForbidden(t *testing.T) {
	root := gsRoot(t)
	gsPut(t, root+"/x", "x")
	bucket, _ := splitName(root)
	cloud.inject(root, answer(403, -1, always))
	_, openErr := Open(t.Context(), root+"/x")
	_, listErr := List(t.Context(), root)
	for _, err := range []error{
		openErr, listErr,
		CheckOutput(t.Context(), root+"/out"),
		Publish(t.Context(), root+"/out", report("a")),
	} {
		require.ErrorIs(t, err, fs.ErrPermission)
		require.ErrorContains(t, err, root)
		require.ErrorContains(t, err, "grant the account a role on bucket "+bucket)
		require.ErrorContains(t, err, "as the test wants it")
	}
}

// An account that may read but not write must not find out after hours of work.
func TestGCSReadOnlyOutput(t *testing.T) {
	root := gsRoot(t)
	cloud.inject(root, answer(403, -1, isUpload))
	err := CheckOutput(t.Context(), root+"/out")
	require.ErrorIs(t, err, fs.ErrPermission)
	require.ErrorContains(t, err, "write to "+root+"/out: ")

	err = Publish(t.Context(), root+"/out", report("a"))
	require.ErrorIs(t, err, fs.ErrPermission)
	require.ErrorContains(t, err, "write "+root+"/out/a: ")
}

func TestGCSUnauthenticated(t *testing.T) {
	root := gsRoot(t)
	cloud.inject(root, answer(401, -1, always))
	_, err := Open(t.Context(), root+"/x")
	require.ErrorContains(t, err, "gcloud auth application-default login")
}

func TestGCSNoCredentials(t *testing.T) {
	t.Setenv("STORAGE_EMULATOR_HOST", "")
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", t.TempDir()+"/missing.json")
	shared.Lock()
	client := shared.client
	shared.client = nil
	shared.Unlock()
	defer func() { shared.client = client }()
	_, err := Open(t.Context(), "gs://bucket/x")
	require.ErrorContains(t, err, "gs://bucket/x: cannot use Google Cloud Storage")
	require.ErrorContains(t, err, "gcloud auth application-default login")
}

func TestGCSTransientFailures(t *testing.T) {
	t.Parallel()
	for _, status := range []int{429, 500, 503} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			root := gsRoot(t)
			gsPut(t, root+"/x.parquet", "content")
			cloud.inject(root, answer(status, 1, always))
			infos, err := List(t.Context(), root)
			require.NoError(t, err)
			require.Len(t, infos, 1)

			cloud.inject(root, answer(status, 1, isDownload))
			content, err := ReadFile(t.Context(), root+"/x.parquet")
			require.NoError(t, err)
			require.Equal(t, "content", string(content))

			cloud.inject(root, answer(status, 2, isUpload))
			require.NoError(t, Publish(t.Context(), root+"/out", report("a", "b")))
			require.Len(t, gsAll(t, root+"/out"), 2)
		})
	}
}

func TestGCSLastingFailures(t *testing.T) {
	g := impatient(t)
	root := gsRoot(t)
	gsPut(t, root+"/x", "content")
	f, err := g.open(t.Context(), root+"/x", "", firstWindow)
	require.NoError(t, err)
	defer f.Close()

	cloud.inject(root, answer(503, -1, always))
	_, err = f.ReadAt(make([]byte, 1), 0)
	require.ErrorContains(t, err, "read "+root+"/x: ")
	require.ErrorContains(t, err, "503")
	_, err = g.open(t.Context(), root+"/x", "", firstWindow)
	require.ErrorContains(t, err, "503")
	_, err = g.walk(t.Context(), root, newDirectory(root))
	require.ErrorContains(t, err, "503")

	// A failed read is not remembered.
	cloud.inject(root, nil)
	_, err = f.ReadAt(make([]byte, 1), 0)
	require.NoError(t, err)
}

func TestGCSUploadFailingForGood(t *testing.T) {
	g := impatient(t)
	root := gsRoot(t)
	var before int
	cloud.inject(root, answer(503, -1, func(r *http.Request) bool {
		return isUpload(r) && strings.HasSuffix(r.URL.Query().Get("name"), "/c")
	}))
	before = cloud.requests(root)
	err := g.publish(t.Context(), root+"/out", NewID(), report("a", "b", "c", "d"))
	require.ErrorContains(t, err, "write "+root+"/out/c: ")
	require.ErrorContains(t, err, "503")
	require.Empty(t, gsAll(t, root), "what was uploaded before must go")
	require.Less(t, cloud.requests(root)-before, 30)
}

// The last file is the marker: nobody may see it before the others.
func TestGCSOrderOfUploads(t *testing.T) {
	root := gsRoot(t)
	var mu sync.Mutex
	var order []string
	cloud.inject(root, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if isUpload(r) {
			mu.Lock()
			order = append(order, strings.TrimPrefix(r.URL.Query().Get("name"), "root/"))
			mu.Unlock()
		}
		next.ServeHTTP(w, r)
	})
	require.NoError(t, Publish(t.Context(), root, report("z", "a", "m")))
	require.Equal(t, []string{"z", "a", "m"}, order)
	require.Contains(t, gsContent(t, root+"/m").Metadata, publisherKey)
	require.NoError(t, Publish(t.Context(), root+"2", report("metrics.json")))
	require.Equal(t, "application/json", gsContent(t, root+"2/metrics.json").ContentType)
}

// The upload succeeds, its answer is lost, and the repeated request meets its own object.
func TestGCSLostAnswer(t *testing.T) {
	t.Parallel()
	root := gsRoot(t)
	var lost atomic.Bool
	cloud.inject(root, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if isUpload(r) && !lost.Swap(true) {
			next.ServeHTTP(httptest.NewRecorder(), r)
			w.WriteHeader(503)
			return
		}
		next.ServeHTTP(w, r)
	})
	require.NoError(t, Publish(t.Context(), root+"/out", report("a", "b")))
	require.Len(t, gsAll(t, root), 2)
}

func TestGCSPublishCancelledDuringUpload(t *testing.T) {
	root := gsRoot(t)
	ctx, cancel := context.WithCancel(t.Context())
	cloud.inject(root, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(w, r) // the object is there, and its author never hears of it
		if isUpload(r) && strings.HasSuffix(r.URL.Query().Get("name"), "/b") {
			cancel()
		}
	})
	err := Publish(ctx, root+"/out", report("a", "b", "c"))
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, gsAll(t, root))
}

// What cannot be deleted is named.
func TestGCSUndoFailing(t *testing.T) {
	root := gsRoot(t)
	cloud.inject(root, answer(403, -1, func(r *http.Request) bool {
		return r.Method == http.MethodDelete || isUpload(r) && strings.HasSuffix(r.URL.Query().Get("name"), "/b")
	}))
	err := Publish(t.Context(), root+"/out", report("a", "b"))
	require.ErrorContains(t, err, "write "+root+"/out/b: ")
	require.ErrorContains(t, err, root+"/out/a may be left over; remove it by hand")
}

func TestGCSOverwritten(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, name string){
		"overwritten": func(t *testing.T, name string) { gsPut(t, name, strings.Repeat("new", 1<<20)) },
		"removed": func(t *testing.T, name string) {
			bucket, object := splitName(name)
			require.NoError(t, cloud.fake.Backend().DeleteObject(bucket, object))
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := gsRoot(t)
			content := pattern(3 << 20)
			gsPut(t, root, content)
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
}

func TestGCSGzip(t *testing.T) {
	bucket, object := splitName(gsRoot(t))
	cloud.fake.CreateObject(fakestorage.Object{
		ObjectAttrs: fakestorage.ObjectAttrs{BucketName: bucket, Name: object, ContentEncoding: "gzip"},
		Content:     []byte("not even gzip"),
	})
	infos, err := List(t.Context(), gcsScheme+bucket+"/"+object)
	require.NoError(t, err)
	for _, version := range []Version{"", infos[0].Version} {
		_, err := OpenVersion(t.Context(), infos[0].Name, version)
		require.ErrorContains(t, err, "Content-Encoding: gzip, which allows no random access")
	}
}

// Consoles make an empty object to show an empty directory.
func TestGCSPlaceholder(t *testing.T) {
	root := gsRoot(t)
	gsPut(t, root+"/out/", "")
	_, err := List(t.Context(), root+"/out")
	require.ErrorContains(t, err, "the directory holds no .parquet")
	require.NoError(t, CheckOutput(t.Context(), root+"/out"))
	require.NoError(t, Publish(t.Context(), root+"/out", report("x.parquet")))
	infos, err := List(t.Context(), root+"/out", root+"/out/**")
	require.NoError(t, err)
	require.Equal(t, []string{root + "/out/x.parquet"}, names(infos))
}

func TestGCSWholeBucket(t *testing.T) {
	bucket := strings.TrimSuffix(gsRoot(t), "/root")
	require.NoError(t, CheckOutput(t.Context(), bucket))
	require.NoError(t, Publish(t.Context(), bucket, report("x.parquet")))
	require.ErrorIs(t, CheckOutput(t.Context(), bucket+"/"), ErrOutputExists)
	for _, pattern := range []string{bucket, bucket + "/", bucket + "/*", bucket + "/**/x*"} {
		infos, err := List(t.Context(), pattern)
		require.NoError(t, err, pattern)
		require.Equal(t, []string{bucket + "/x.parquet"}, names(infos), pattern)
	}
	_, err := Open(t.Context(), bucket)
	require.ErrorContains(t, err, "this is a bucket")
}

func TestGCSNoRoomToPrepare(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()+"/missing")
	err := Publish(t.Context(), gsRoot(t), report("a"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "set TMPDIR")
}

func TestGCSLeavesNoTemporaryFiles(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	root := gsRoot(t)
	require.NoError(t, Publish(t.Context(), root, report("a", "b/c")))
	require.Error(t, Publish(t.Context(), root+"2", report("a", "a")))
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	require.Empty(t, left)
}
