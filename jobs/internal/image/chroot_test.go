//go:build image

package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/stretchr/testify/require"
)

var archive = flag.String("archive", "", "the archive that make image built")

// TestImageRuns starts the image of this processor as a container runtime does: its files are the root, its user,
// its environment and its entrypoint are taken. The report is that of make demo.
func TestImageRuns(t *testing.T) {
	require.Zero(t, os.Getuid(), "only root may change the root directory")
	image := readArchive(t, *archive)[runtime.GOARCH]
	config, err := image.ConfigFile()
	require.NoError(t, err)
	root := t.TempDir()
	layers := mutate.Extract(image)
	defer layers.Close()
	unpack(t, layers, root)

	repository, err := filepath.Abs("../../..")
	require.NoError(t, err)
	home := filepath.Join(root, "home/nonroot")
	require.NoError(t, os.CopyFS(filepath.Join(home, "testdata/digits"), os.DirFS(filepath.Join(repository, "testdata/digits"))))

	start := func(arguments ...string) string {
		command := exec.Command(config.Config.Entrypoint[0], arguments...)
		command.Env, command.Dir = config.Config.Env, "/home/nonroot"
		command.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: user, Gid: user}}
		out, err := command.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	require.Contains(t, start("--version"), "beameval ")
	start("evaluate", "--quiet", "--config", "testdata/digits/config.yaml", "--output", "report")

	demo := filepath.Join(repository, "out/digits")
	files, err := os.ReadDir(demo)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		if f.Name() == "run.json" {
			continue
		}
		want, err := os.ReadFile(filepath.Join(demo, f.Name()))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(home, "report", f.Name()))
		require.NoError(t, err)
		require.True(t, string(want) == string(got), "%s differs from that of make demo", f.Name())
	}
}
