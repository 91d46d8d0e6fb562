//go:build flink && spark

package evaluate

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/cluster"
	"github.com/beameval/beameval/internal/testing/synthetic"
)

// One evaluation on prism, on Flink in worker processes, and on Spark, whose worker is the process
// of the run: make soak. The reports must be equal. It prints time, peak memory and disk space of
// the processes that handle rows.
func TestSoak(t *testing.T) {
	dir := t.TempDir()
	s := soak{dir, strings.Fields(os.Getenv("FLAGS"))}
	if len(s.flags) == 0 {
		s.flags = generateMany(t, dir)
	}
	s.run(t, "prism")

	config, worker := cluster.Boot(t, "github.com/beameval/beameval/jobs/beameval")
	t.Run("flink", func(t *testing.T) {
		f := cluster.StartFlink(t, "../../../bin/flink.classpath", 2)
		stop := watch(t, f.TaskManagers)
		s.run(t, "flink", "--runner", "flink", "--endpoint", f.Endpoint, "--parallelism", "2", "--job_name", "soak",
			"--environment_type", "PROCESS", "--environment_config", config, "--worker_binary", worker)
		stop()
		vertices, err := f.Vertices("soak")
		require.NoError(t, err)
		var bytes int64
		for _, v := range vertices {
			bytes += v.Metrics.WriteBytes
			if v.Metrics.WriteBytes > 1<<20 {
				t.Logf("%d MB in %d records: %s", v.Metrics.WriteBytes>>20, v.Metrics.WriteRecords, v.Name)
			}
		}
		folded, traced := busy(t, vertices, "fold.PerKeyFn"), busy(t, vertices, "/{curves,")
		t.Logf("flink: %d MB between vertices; %d subtasks folded, %d traced", bytes>>20, folded, traced)
		require.Equal(t, 2, folded, "subtasks that fold")
		require.Equal(t, 2, traced, "subtasks that trace curves")
	})
	t.Run("spark", func(t *testing.T) {
		endpoint, server := cluster.StartSpark(t, "../../../bin/spark.classpath")
		stop := watch(t, map[string]*cluster.Process{"jobserver": server})
		s.run(t, "spark", "--runner", "spark", "--endpoint", endpoint, "--environment_type", "LOOPBACK")
		stop()
	})
}

// generateMany generates ROWS rows in FILES files, and returns the flags of their evaluation.
func generateMany(t *testing.T, dir string) []string {
	rows, err := synthetic.ParseCount(cmp.Or(os.Getenv("ROWS"), "30M"))
	require.NoError(t, err)
	files, err := synthetic.ParseCount(cmp.Or(os.Getenv("FILES"), "300"))
	require.NoError(t, err)
	var inputs []string
	const most = 1000 // files that are written at a time
	for first := int64(0); first < files; first += most {
		name, part := fmt.Sprint("preds", len(inputs)), min(most, files-first)
		writeGenerated(t, filepath.Join(dir, name), synthetic.Spec{
			Rows: rows / files * part, Files: int(part), Slices: countries, Seed: uint64(len(inputs)) + 1,
		}, "curves: {mode: exact}\n")
		inputs = append(inputs, name)
	}
	return []string{"--config", "preds0/_evaluate.yaml", "--input", strings.Join(inputs, ",")}
}

// soak is an evaluation in a directory.
type soak struct {
	dir   string
	flags []string
}

// run executes the evaluation and compares its report with prism's.
func (s soak) run(t *testing.T, output string, runner ...string) {
	temp := shortTempDir(t)
	cmd := process(t.Context(), s.dir, temp, slices.Concat(s.flags, []string{"--output", output}, runner)...)
	began := time.Now()
	done := make(chan struct{})
	disk := make(chan int64)
	go func() { disk <- mostDisk(done, (&cluster.Process{Dir: temp}).Disk) }()
	code, _, stderr := finish(t, cmd)
	took := time.Since(began)
	close(done)
	require.Zero(t, code, stderr)
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	cpu := time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	t.Logf("%s: %.1f s, %.1f s of CPU, %d MB of memory, %d MB of temporary files", output, took.Seconds(), cpu.Seconds(), usage.Maxrss>>10, <-disk>>20)
	requireSameReport(t, filepath.Join(s.dir, "prism"), filepath.Join(s.dir, output))
}

// watch observes processes until it is stopped, and prints what they used.
func watch(t *testing.T, processes map[string]*cluster.Process) (stop func()) {
	done := make(chan struct{})
	ended := make(chan struct{})
	for name, p := range processes {
		go func() {
			var own, worker int64
			var cpu time.Duration
			before := p.CPU()
			disk := mostDisk(done, func() int64 {
				a, b := p.Memory()
				own, worker, cpu = max(own, a), max(worker, b), max(cpu, p.CPU()-before)
				return p.Disk()
			})
			t.Logf("%s: %.1f s of CPU with its workers, %d MB of memory, each worker %d MB, %d MB of temporary files", name, cpu.Seconds(), own>>20, worker>>20, disk>>20)
			ended <- struct{}{}
		}()
	}
	return func() {
		close(done)
		for range processes {
			<-ended
		}
	}
}

// mostDisk measures a size until it is stopped, and returns the maximum.
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
