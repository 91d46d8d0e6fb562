//go:build flink

package evaluate

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/synthetic"
	"github.com/beameval/beameval/jobs/internal/cluster"
)

// Many rows in many files, with exact curves, on prism and in worker processes of Flink:
// make soak. It prints time, peak memory and disk space.
func TestSoak(t *testing.T) {
	rows, err := synthetic.ParseCount(cmp.Or(os.Getenv("ROWS"), "30M"))
	require.NoError(t, err)
	files, err := synthetic.ParseCount(cmp.Or(os.Getenv("FILES"), "300"))
	require.NoError(t, err)
	dir := t.TempDir()
	var inputs []string
	const most = 1000 // files that are written at a time
	for first := int64(0); first < files; first += most {
		name, part := fmt.Sprint("preds", len(inputs)), min(most, files-first)
		writeGenerated(t, filepath.Join(dir, name), synthetic.Spec{
			Rows: rows / files * part, Files: int(part), Slices: countries, Seed: uint64(len(inputs)) + 1,
		}, "curves: {mode: exact}\n")
		inputs = append(inputs, name)
	}
	args := []string{"--config", "preds0/_evaluate.yaml", "--input", strings.Join(inputs, ",")}

	run := func(output string, runner ...string) {
		temp := shortTempDir(t)
		cmd := process(t.Context(), dir, temp, append(append(args, "--output", output), runner...)...)
		began := time.Now()
		done := make(chan struct{})
		disk := make(chan int64)
		go func() { disk <- mostDisk(done, (&cluster.Process{Dir: temp}).Disk) }()
		code, _, stderr := finish(t, cmd)
		close(done)
		require.Zero(t, code, stderr)
		usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		t.Logf("%s: %v, %d MB of memory, %d MB of temporary files", output, time.Since(began).Round(time.Second), usage.Maxrss>>10, <-disk>>20)
	}
	run("prism")

	config, worker := cluster.Boot(t, "github.com/beameval/beameval/jobs/beameval")
	f := cluster.StartFlink(t, "../../../bin/flink.classpath", 2)
	done := make(chan struct{})
	ended := make(chan struct{})
	for id, m := range f.TaskManagers {
		go func() {
			var own, worker int64
			disk := mostDisk(done, func() int64 {
				a, b := m.Memory()
				own, worker = max(own, a), max(worker, b)
				return m.Disk()
			})
			t.Logf("%s: %d MB of memory, each worker %d MB, %d MB of temporary files", id, own>>20, worker>>20, disk>>20)
			ended <- struct{}{}
		}()
	}
	run("flink", "--runner", "flink", "--endpoint", f.Endpoint, "--parallelism", "2", "--job_name", "soak",
		"--environment_type", "PROCESS", "--environment_config", config, "--worker_binary", worker)
	close(done)
	for range f.TaskManagers {
		<-ended
	}
	requireSameReport(t, filepath.Join(dir, "prism"), filepath.Join(dir, "flink"))
	vertices, err := f.Vertices("soak")
	require.NoError(t, err)
	var bytes int64
	for _, v := range vertices {
		bytes += v.Metrics.WriteBytes
		if v.Metrics.WriteBytes > 1<<20 {
			t.Logf("%d MB in %d records: %s", v.Metrics.WriteBytes>>20, v.Metrics.WriteRecords, v.Name)
		}
	}
	t.Logf("%d rows in %d files; %d MB between vertices", rows, files, bytes>>20)
	require.Equal(t, 2, busy(t, vertices, "fold.ApartFn"), "subtasks that fold")
	require.Equal(t, 2, busy(t, vertices, "/{curves,"), "subtasks that sweep")
}

// mostDisk asks for a size until it is done, and returns the largest.
func mostDisk(done <-chan struct{}, size func() int64) (most int64) {
	for {
		most = max(most, size())
		select {
		case <-done:
			return most
		case <-time.After(time.Second):
		}
	}
}
