//go:build flink

package evaluate

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fsouza/fake-gcs-server/fakestorage"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/cluster"
	"github.com/beameval/beameval/internal/testing/synthetic"
)

// The vertices of Flink that are affected.
const (
	folding = "fold.Fn"
	writes  = "writePerKeyFn"
)

// flinkFaults are runs on Flink during which something is killed: the report must be the same, and
// nothing must be left behind. Separate worker processes read predictions in a cloud and write the report
// there. The cloud holds their requests until something has been killed, so that it is killed at
// work.
func flinkFaults(t *testing.T, f *cluster.Flink, c *cloud, runner []string) {
	dir := t.TempDir()
	writeGenerated(t, filepath.Join(dir, "preds"), synthetic.Spec{
		Rows: 100_000, Files: 4, RowGroupSize: 5_000, Slices: countries, Seed: 1,
	}, severalRanges)
	args := []string{"--quiet", "--config", "preds/_evaluate.yaml"}
	code, _, stderr := call{dir, shortTempDir(t), append(slices.Clip(args), "--input", "preds", "--output", "want")}.run(t)
	require.Zero(t, code, stderr)
	for _, file := range tree(t, filepath.Join(dir, "preds"))[1:] {
		c.CreateObject(fakestorage.Object{
			ObjectAttrs: fakestorage.ObjectAttrs{BucketName: "bucket", Name: "preds" + file}, Content: []byte(contentOf(t, filepath.Join(dir, "preds"), file)),
		})
	}
	before := tree(t, dir)
	files := len(tree(t, filepath.Join(dir, "want"))[1:])

	for _, test := range []struct {
		name     string // of the job too, which Beam turns into small letters
		vertex   string // that runs when something is killed
		which    func(*http.Request) bool
		answered bool // the requests are served, and their answers lost
		kill     func(t *testing.T, running []*cluster.Process)
	}{
		{"worker that folds", folding, isDownload, false, killWorkers},
		{"taskmanager that folds", folding, isDownload, false, killTaskManager},
		{"worker that writes", writes, isUpload(2), false, killWorkers},
		{"taskmanager that writes", writes, isUpload(files), false, killTaskManager},
		{"worker that has written", writes, isUpload(files), true, killWorkers},
	} {
		t.Run(test.name, func(t *testing.T) {
			objects := c.objects("")
			temp, job := shortTempDir(t), strings.ReplaceAll(test.name, " ", "")
			arrived, open := c.hold.close(test.answered, func(r *http.Request) bool { return !strings.HasPrefix(r.Host, "localhost") && test.which(r) })
			cmd := process(t.Context(), dir, temp, slices.Concat(args, []string{"--input", "gs://bucket/preds/*.parquet", "--output", "gs://bucket/" + job, "--job_name", job}, runner)...)
			cmd.Env = append(cmd.Env, c.storageEnv("localhost"))
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				code, _, stderr = finish(t, cmd)
			}()
			defer func() { <-ended }()
			defer open()
			select {
			case <-arrived:
			case <-ended:
				require.FailNow(t, "the run ended before", stderr)
			case <-time.After(6 * time.Minute):
				require.FailNow(t, "no such request was made")
			}
			test.kill(t, taskManagersOf(t, f, job, test.vertex))
			open()
			<-ended
			require.Zero(t, code, stderr)

			failures, err := f.Failures(job)
			require.NoError(t, err)
			require.Positive(t, failures, "the job did not notice")
			got := filepath.Join(t.TempDir(), "out")
			require.NoError(t, os.Mkdir(got, 0o777))
			for _, name := range c.objects(job + "/") {
				require.NoError(t, os.WriteFile(filepath.Join(got, filepath.Base(name)), c.content(name), 0o666))
			}
			requireSameReport(t, filepath.Join(dir, "want"), got)
			others := slices.DeleteFunc(c.objects(""), func(name string) bool { return strings.HasPrefix(name, job+"/") })
			require.Equal(t, objects, others, "left in the cloud")
			require.Equal(t, before, tree(t, dir), "left behind")
			require.Empty(t, tree(t, temp)[1:], "left in the temporary directory")
			f.Recover()
		})
	}
}

// killWorkers kills the workers of all these TaskManagers.
func killWorkers(t *testing.T, running []*cluster.Process) {
	killed := 0
	for _, p := range running {
		killed += p.KillWorkers()
	}
	require.Positive(t, killed)
}

// killTaskManager kills one of these TaskManagers.
func killTaskManager(t *testing.T, running []*cluster.Process) { require.NoError(t, running[0].Kill()) }

// isDownload says whether a request reads an object.
func isDownload(r *http.Request) bool {
	return r.Method == http.MethodGet && r.URL.Query().Get("alt") == "media"
}

// isUpload reports whether a request writes an object, except for the first ones.
func isUpload(from int) func(*http.Request) bool {
	var seen atomic.Int64
	return func(r *http.Request) bool {
		return strings.HasPrefix(r.URL.Path, "/upload/") && seen.Add(1) >= int64(from)
	}
}

// taskManagersOf waits until the vertex of a job runs, and returns the TaskManagers that run it.
// Only one writes: a subtask without work ends soon.
func taskManagersOf(t *testing.T, f *cluster.Flink, job, vertex string) []*cluster.Process {
	t.Helper()
	var last error
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		vertices, err := f.Vertices(job)
		if err != nil {
			last = err // Flink has such moments
			continue
		}
		running := make(map[string]*cluster.Process)
		for _, v := range vertices {
			for _, s := range v.Subtasks {
				if strings.Contains(v.Name, vertex) && s.Status == "RUNNING" {
					running[s.TaskManager] = f.TaskManagers[s.TaskManager]
				}
			}
		}
		if n := len(running); n == 1 || n > 1 && vertex != writes {
			return slices.Collect(maps.Values(running))
		}
	}
	require.FailNow(t, "no TaskManager was seen to run "+vertex, last)
	return nil
}
