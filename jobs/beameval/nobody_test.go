//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUserWithoutName: a user whose number is not in /etc/passwd evaluates with an empty environment, or one without
// USER or HOME, as containers and cron start programs. What the program starts finds the environment of the user.
func TestUserWithoutName(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root may become another user")
	}
	const stranger = 4242424
	folder, err := os.MkdirTemp("", "beameval-nobody-") // strangers may not enter that of the test
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(folder) })
	require.NoError(t, os.Chown(folder, stranger, stranger))
	self, err := os.Executable()
	require.NoError(t, err)
	program := filepath.Join(folder, "beameval")
	if os.Link(self, program) != nil {
		bytes, err := os.ReadFile(self)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(program, bytes, 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "p.csv"), []byte("label,score\n0,0.1\n1,0.7\n"), 0o644))

	for name, environment := range map[string][]string{
		"empty": {}, "home": {"HOME=" + folder}, "user": {"USER=me"}, "blank": {"USER=", "HOME="},
	} {
		command := exec.CommandContext(t.Context(), program, "evaluate", "--input", "p.csv", "--output", name)
		command.Env, command.Dir = append(environment, role+"=command"), folder
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: stranger, Gid: stranger}}
		out, err := command.CombinedOutput()
		require.NoError(t, err, "%s: %s", name, out)
		require.FileExists(t, filepath.Join(folder, name, "metrics.json"))
	}
}
