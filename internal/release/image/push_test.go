package main

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/stretchr/testify/require"
)

// TestPush: a registry has the archive's index under each tag, with images for all processors, and the step of GitHub
// Actions has the digest of what it serves.
func TestPush(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "image.tar")
	require.NoError(t, command([]string{"build", fakeDist(t), archive}))
	repository := startRegistry(t, "releaser", "secret")
	outputs := filepath.Join(t.TempDir(), "outputs")
	t.Setenv("GITHUB_OUTPUT", outputs)
	t.Setenv("REGISTRY_USER", "releaser")
	t.Setenv("REGISTRY_TOKEN", "secret")
	require.NoError(t, command([]string{"push", archive, repository, "1.2.3", "latest"}))

	local, err := readIndex(archive, t.TempDir())
	require.NoError(t, err)
	digest, err := local.Digest()
	require.NoError(t, err)
	for _, tag := range []string{"1.2.3", "latest"} {
		reference, err := name.ParseReference(repository + ":" + tag)
		require.NoError(t, err)
		index, err := remote.Index(reference, remote.WithAuthFromKeychain(credentials{}))
		require.NoError(t, err)
		require.NoError(t, validate.Index(index))
		served, err := index.Digest()
		require.NoError(t, err)
		require.Equal(t, digest, served)
	}
	written, err := os.ReadFile(outputs)
	require.NoError(t, err)
	require.Equal(t, "repository="+repository+"\ndigest="+digest.String()+"\n", string(written))
}

// TestPushFails: the error names what could not be pushed, and the step has no outputs.
func TestPushFails(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "image.tar")
	require.NoError(t, build(fakeDist(t), archive))
	repository := startRegistry(t, "releaser", "secret")
	outputs := filepath.Join(t.TempDir(), "outputs")
	t.Setenv("GITHUB_OUTPUT", outputs)
	t.Setenv("REGISTRY_TOKEN", "wrong")
	require.ErrorContains(t, command([]string{"push", archive, repository, "1.2.3"}), "push "+repository+":1.2.3: ")
	require.ErrorContains(t, command([]string{"push", archive, repository, "1.2.3+local"}), "1.2.3+local")
	require.ErrorContains(t, command([]string{"push", "no.tar", repository, "1.2.3"}), "no.tar")
	require.ErrorContains(t, command([]string{"push", archive, repository}), "usage: ")
	require.NoFileExists(t, outputs)
}

// startRegistry serves a repository to one user.
func startRegistry(t *testing.T, user, password string) string {
	handler := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if u, p, ok := r.BasicAuth(); !ok || u != user || p != password {
			w.Header().Set("WWW-Authenticate", `Basic realm="registry"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://") + "/beameval/beameval"
}
