//go:build image

package main

import (
	"archive/tar"
	"flag"
	"io"
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

// TestImageRuns starts the image of this processor as a container runtime does: with its files as
// the root, and with its user, environment and entrypoint; then as an unknown user, without an
// environment. The reports equal make bundled's.
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
	// Whoever runs a container may choose another user, whom its /etc/passwd does not know, and take its environment away.
	for _, as := range []struct {
		user        uint32
		environment []string
		folder      string
	}{
		{user, config.Config.Env, "home/nonroot"},
		{4242424, []string{}, "tmp"},
	} {
		start := func(arguments ...string) string {
			command := exec.Command(config.Config.Entrypoint[0], arguments...)
			command.Env, command.Dir = as.environment, "/"+as.folder
			command.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: as.user, Gid: as.user}}
			out, err := command.CombinedOutput()
			require.NoError(t, err, "%s", out)
			return string(out)
		}
		folder := filepath.Join(root, as.folder)
		require.NoError(t, os.CopyFS(filepath.Join(folder, "testdata/digits"), os.DirFS(filepath.Join(repository, "testdata/digits"))))
		require.Contains(t, start("--version"), "beameval ")
		start("evaluate", "--quiet", "--config", "testdata/digits/config.yaml", "--set", "confidence={}", "--output", "report")
		requireBundled(t, filepath.Join(repository, "out/digits"), filepath.Join(folder, "report"))
	}
}

// requireBundled requires the report of make bundled, but for what describes the run.
func requireBundled(t *testing.T, bundled, report string) {
	files, err := os.ReadDir(bundled)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		if f.Name() == "run.json" {
			continue
		}
		want, err := os.ReadFile(filepath.Join(bundled, f.Name()))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(report, f.Name()))
		require.NoError(t, err)
		require.True(t, string(want) == string(got), "%s differs from that of make bundled", f.Name())
	}
}

// unpack writes the files of an archive, with their owners if it may.
func unpack(t *testing.T, archive io.Reader, folder string) {
	for r := tar.NewReader(archive); ; {
		header, err := r.Next()
		if err == io.EOF {
			return
		}
		require.NoError(t, err)
		path := filepath.Join(folder, header.Name)
		if header.Typeflag == tar.TypeDir {
			require.NoError(t, os.MkdirAll(path, 0o755))
		} else {
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			content, err := io.ReadAll(r)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, content, 0o600))
		}
		require.NoError(t, os.Chmod(path, header.FileInfo().Mode()))
		if os.Getuid() == 0 {
			require.NoError(t, os.Chown(path, header.Uid, header.Gid))
		}
	}
}
