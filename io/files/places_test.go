package files

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fsouza/fake-gcs-server/fakestorage"
	"github.com/stretchr/testify/require"
)

// place is a kind of storage in which the conformance suite runs.
type place struct {
	name string
	// root returns the name of a new, empty directory.
	root func(t *testing.T) string
	put  func(t *testing.T, name, content string)
	// all returns the names of all files below a root, hidden ones too.
	all func(t *testing.T, root string) []string
}

var places = []place{
	{"local", localRoot, localPut, localAll},
	{"gs", gsRoot, gsPut, gsAll},
}

func everywhere(t *testing.T, test func(t *testing.T, p place)) {
	for _, p := range places {
		t.Run(p.name, func(t *testing.T) { test(t, p) })
	}
}

func localRoot(t *testing.T) string { return t.TempDir() }

func localPut(t *testing.T, name, content string) {
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
	require.NoError(t, os.WriteFile(name, []byte(content), 0o666))
}

func localAll(t *testing.T, root string) []string {
	names := []string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && path != root && !d.IsDir() {
			names = append(names, path)
		}
		return err
	}))
	sort.Strings(names)
	return names
}

// cloud is Google Cloud Storage in this process. The code under test reaches it as it
// would reach any emulator.
var cloud *service

type service struct {
	fake    *fakestorage.Server
	buckets atomic.Int64
	mu      sync.Mutex
	faults  map[string]fault // by bucket
	counts  map[string]int
}

// fault stands between the client and the service.
type fault func(w http.ResponseWriter, r *http.Request, next http.Handler)

func TestMain(m *testing.M) {
	fake, err := fakestorage.NewServerWithOptions(fakestorage.Options{NoListener: true, PublicHost: "127.0.0.1"})
	if err != nil {
		log.Fatal(err)
	}
	cloud = &service{fake: fake, faults: map[string]fault{}, counts: map[string]int{}}
	server := httptest.NewServer(cloud)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	os.Setenv("STORAGE_EMULATOR_HOST", server.URL)
	code := m.Run()
	server.Close()
	os.Exit(code)
}

var bucketInPath = regexp.MustCompile(`/b/([^/]+)`)

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	bucket := ""
	if match := bucketInPath.FindStringSubmatch(r.URL.Path); match != nil {
		bucket = match[1]
	}
	s.mu.Lock()
	s.counts[bucket]++
	inject := s.faults[bucket]
	s.mu.Unlock()
	// The real service never returns more than 1000 names at once.
	if q := r.URL.Query(); strings.HasSuffix(r.URL.Path, "/o") && q.Get("maxResults") == "" {
		q.Set("maxResults", "1000")
		r.URL.RawQuery = q.Encode()
	}
	if inject == nil {
		s.fake.HTTPHandler().ServeHTTP(w, r)
		return
	}
	inject(w, r, s.fake.HTTPHandler())
}

// inject puts a fault before a bucket.
func (s *service) inject(root string, f fault) {
	bucket, _ := splitName(root)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[bucket] = f
}

func (s *service) requests(root string) int {
	bucket, _ := splitName(root)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[bucket]
}

func gsRoot(*testing.T) string {
	bucket := fmt.Sprintf("bucket-%d", cloud.buckets.Add(1))
	cloud.fake.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: bucket})
	return gcsScheme + bucket + "/root"
}

func gsPut(t *testing.T, name, content string) { gsPutOf(t, name, content, nil) }

// gsPutOf puts an object that says whose it is.
func gsPutOf(_ *testing.T, name, content string, metadata map[string]string) {
	bucket, object := splitName(name)
	cloud.fake.CreateObject(fakestorage.Object{
		ObjectAttrs: fakestorage.ObjectAttrs{BucketName: bucket, Name: object, Metadata: metadata},
		Content:     []byte(content),
	})
}

func gsAll(t *testing.T, root string) []string {
	bucket, object := splitName(root)
	list, err := cloud.fake.ListObjectsWithOptionsPaginated(bucket, fakestorage.ListOptions{Prefix: object + "/"})
	require.NoError(t, err)
	names := []string{}
	for _, o := range list.Objects {
		names = append(names, gcsScheme+bucket+"/"+o.Name)
	}
	return names
}

func gsContent(t *testing.T, name string) fakestorage.Object {
	bucket, object := splitName(name)
	o, err := cloud.fake.GetObject(bucket, object)
	require.NoError(t, err)
	return o
}

// isDownload tells requests for content from those for metadata.
func isDownload(r *http.Request) bool { return r.URL.Query().Get("alt") == "media" }

func isUpload(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/upload/") }

// pattern is content in which every position is recognizable.
func pattern(size int) string { return patterns()[:size] }

var patterns = sync.OnceValue(func() string {
	b := make([]byte, 100<<20)
	for i := range b {
		b[i] = byte(i ^ i>>8 ^ i>>16)
	}
	return string(b)
})

// unversioned leaves out what varies from run to run.
func unversioned(infos []Info) []Info {
	infos = slices.Clone(infos)
	for i := range infos {
		infos[i].Version = ""
	}
	return infos
}

func names(infos []Info) []string {
	var names []string
	for _, info := range infos {
		names = append(names, info.Name)
	}
	return names
}
