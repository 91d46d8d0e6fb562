//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/jobs/internal/command"
)

// TestFullDisk: an output, or temporary files, for which there is no space or inode is a failure that another try may
// mend, whenever it is found.
func TestFullDisk(t *testing.T) {
	folder := t.TempDir()
	input := filepath.Join(folder, "p.csv")
	require.NoError(t, os.WriteFile(input, []byte("label,score\n0,0.1\n1,0.7\n"), 0o644))
	self, err := os.Executable()
	require.NoError(t, err)
	for name, options := range map[string]string{"no inodes": "nr_inodes=1", "few inodes": "nr_inodes=5", "no space": "size=4k,nr_inodes=100", "little space": "size=64k"} {
		t.Run(name, func(t *testing.T) {
			disk := filepath.Join(folder, name)
			require.NoError(t, os.Mkdir(disk, 0o755))
			if err := syscall.Mount("none", disk, "tmpfs", 0, options); err != nil {
				t.Skip("only root may mount a disk: ", err)
			}
			t.Cleanup(func() { require.NoError(t, syscall.Unmount(disk, 0)) })
			run := exec.CommandContext(t.Context(), self, "evaluate", "--quiet", "--input", input, "--output", filepath.Join(disk, "out"))
			run.Env = append(os.Environ(), role+"=command")
			out, _ := run.CombinedOutput()
			require.Equal(t, command.Failed, run.ProcessState.ExitCode(), "%s", out)
			require.Contains(t, string(out), "no space left on device")
			left, err := os.ReadDir(disk)
			require.NoError(t, err)
			require.Empty(t, left)

			other := filepath.Join(t.TempDir(), "out")
			run = exec.CommandContext(t.Context(), self, "evaluate", "--quiet", "--input", input, "--output", other)
			run.Env = append(os.Environ(), role+"=command", "TMPDIR="+disk)
			if out, err := run.CombinedOutput(); err != nil {
				require.Equal(t, command.Failed, run.ProcessState.ExitCode(), "%s", out)
				require.Contains(t, string(out), "no space left on device")
				require.NoDirExists(t, other)
			}
		})
	}
}
