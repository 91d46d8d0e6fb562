//go:build flink

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/synthetic"
	"github.com/beameval/beameval/jobs/evaluate/internal/cluster"
)

// flinkFaults are runs on Flink with workers of their own during which something is killed:
// the report is the same, and nothing is left behind.
func flinkFaults(t *testing.T, f *cluster.Flink, runner []string) {
	dir := t.TempDir()
	writeGenerated(t, filepath.Join(dir, "preds"), synthetic.Spec{
		Rows: 400_000, Files: 4, RowGroupSize: 20_000, Slices: []synthetic.Slice{{Name: "n", Values: 500}}, Seed: 1,
	}, severalRanges)
	args := []string{"--quiet", "--config", "preds/_evaluate.yaml", "--input", "preds", "--output"}
	code, _, stderr := call{dir, shortTempDir(t), append(slices.Clip(args), "want")}.run(t)
	require.Zero(t, code, stderr)
	before := tree(t, dir)

	for _, test := range []struct {
		name string // of the job too, which Beam turns into small letters
		kill func(t *testing.T, name string)
	}{
		{"worker", func(t *testing.T, name string) {
			m := taskManagerOf(t, f, name, "fold.Fn")
			require.Eventually(t, func() bool { return m.KillWorkers() > 0 }, time.Minute, time.Millisecond)
		}},
		{"folding", func(t *testing.T, name string) {
			require.NoError(t, taskManagerOf(t, f, name, "fold.Fn").Kill())
		}},
		{"writing", func(t *testing.T, name string) {
			appears(t, filepath.Join(dir, ".out.tmp-*", "*"), 1)
			require.NoError(t, taskManagerOf(t, f, name, "writeFn").Kill())
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			temp := shortTempDir(t)
			cmd := command(t.Context(), dir, temp, slices.Concat(args, []string{"out"}, runner, []string{"--job_name", test.name})...)
			var said bytes.Buffer
			cmd.Stdout, cmd.Stderr = &said, &said
			require.NoError(t, cmd.Start())
			test.kill(t, test.name)
			require.NoError(t, cmd.Wait(), said.String())
			failures, err := f.Failures(test.name)
			require.NoError(t, err)
			require.Positive(t, failures, "the job did not notice")
			requireSameReport(t, filepath.Join(dir, "want"), filepath.Join(dir, "out"))
			require.NoError(t, os.RemoveAll(filepath.Join(dir, "out")))
			require.Equal(t, before, tree(t, dir), "left behind")
			require.Empty(t, tree(t, temp)[1:], "left in the temporary directory")
			f.Recover()
		})
	}
}

// taskManagerOf waits until a vertex of a job runs, and returns a TaskManager that runs it.
func taskManagerOf(t *testing.T, f *cluster.Flink, job, vertex string) *cluster.Process {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		vertices, err := f.Vertices(job)
		require.NoError(t, err)
		for _, v := range vertices {
			for _, s := range v.Subtasks {
				if strings.Contains(v.Name, vertex) && s.Status == "RUNNING" {
					return f.TaskManagers[s.TaskManager]
				}
			}
		}
	}
	require.FailNow(t, "no vertex "+vertex+" was seen to run")
	return nil
}
