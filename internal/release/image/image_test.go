package main

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/stretchr/testify/require"
)

// TestImage: both images are valid, and have the files and the user that they should; a second archive is the same.
func TestImage(t *testing.T) {
	dist := fakeDist(t)
	first, second := filepath.Join(t.TempDir(), "first.tar"), filepath.Join(t.TempDir(), "second.tar")
	require.NoError(t, build(dist, first))
	require.NoError(t, build(dist, second))
	a, err := os.ReadFile(first)
	require.NoError(t, err)
	b, err := os.ReadFile(second)
	require.NoError(t, err)
	require.True(t, bytes.Equal(a, b))

	images := readArchive(t, first)
	require.Len(t, images, 2)
	for processor, image := range images {
		config, err := image.ConfigFile()
		require.NoError(t, err)
		require.Equal(t, processor, config.Architecture)
		require.Equal(t, "65532:65532", config.Config.User)
		require.Equal(t, []string{"/opt/beameval/beameval"}, config.Config.Entrypoint)

		files := contents(t, image)
		require.EqualValues(t, 0o755, files["opt/beameval/beameval"].mode)
		require.EqualValues(t, 0o1777, files["tmp"].mode)
		require.Equal(t, user, files["home/nonroot"].owner)
		require.Contains(t, string(files["etc/passwd"].content), "nonroot:x:65532:65532:")
		require.Contains(t, files, "usr/share/zoneinfo/Europe/Berlin")
		require.Greater(t, bytes.Count(files["etc/ssl/certs/ca-certificates.crt"].content, []byte("BEGIN CERTIFICATE")), 100)
	}
}

// TestImageWithoutPrograms: the error says what to do, and no archive is left.
func TestImageWithoutPrograms(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "image.tar")
	require.ErrorContains(t, build(t.TempDir(), archive), "beameval: no such file or directory: make dist builds it")
	require.NoFileExists(t, archive)
}

// fakeDist has this test's program as beameval, because an image says what its program says of its build.
func fakeDist(t *testing.T) string {
	dist := t.TempDir()
	program, err := os.Executable()
	require.NoError(t, err)
	for _, processor := range processors {
		bin := filepath.Join(dist, "linux", processor)
		require.NoError(t, os.MkdirAll(bin, 0o755))
		require.NoError(t, os.Symlink(program, filepath.Join(bin, "beameval")))
	}
	for _, name := range []string{"LICENSE", "NOTICE"} {
		require.NoError(t, os.WriteFile(filepath.Join(dist, name), []byte(name), 0o644))
	}
	return dist
}

// readArchive gives the images of an archive by processor, whose digests and sizes it checks.
func readArchive(t *testing.T, archive string) map[string]v1.Image {
	index, err := readIndex(archive, t.TempDir())
	require.NoError(t, err)
	require.NoError(t, validate.Index(index))
	manifest, err := index.IndexManifest()
	require.NoError(t, err)
	images := map[string]v1.Image{}
	for _, m := range manifest.Manifests {
		require.Equal(t, "linux", m.Platform.OS)
		images[m.Platform.Architecture], err = index.Image(m.Digest)
		require.NoError(t, err)
	}
	return images
}

// contents gives the files of an image by name.
func contents(t *testing.T, image v1.Image) map[string]file {
	files := map[string]file{}
	layers := mutate.Extract(image)
	defer layers.Close()
	for r := tar.NewReader(layers); ; {
		header, err := r.Next()
		if err == io.EOF {
			return files
		}
		require.NoError(t, err)
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		files[header.Name] = file{header.Name, header.Mode, header.Uid, content}
	}
}
