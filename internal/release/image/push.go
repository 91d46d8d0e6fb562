package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// push copies the index of an archive, with its images, to a repository of a registry under some tags, and returns its
// digest.
func push(archive, repository string, tags []string) (string, error) {
	folder, err := os.MkdirTemp("", "beameval-image-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	index, err := readIndex(archive, folder)
	if err != nil {
		return "", fmt.Errorf("%s: %w", archive, err)
	}
	for _, tag := range tags {
		reference, err := name.ParseReference(repository+":"+tag, name.StrictValidation)
		if err != nil {
			return "", err
		}
		if err := remote.WriteIndex(reference, index, remote.WithAuthFromKeychain(credentials{})); err != nil {
			return "", fmt.Errorf("push %s: %w", reference, err)
		}
	}
	digest, err := index.Digest()
	return digest.String(), err
}

// readIndex returns the one entry of an archive, the index of the images for all processors, whose files it unpacks into
// a folder.
func readIndex(archive, folder string) (v1.ImageIndex, error) {
	if err := unpackArchive(archive, folder); err != nil {
		return nil, err
	}
	top, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		return nil, err
	}
	entries, err := top.IndexManifest()
	if err != nil {
		return nil, err
	}
	if len(entries.Manifests) != 1 {
		return nil, fmt.Errorf("%d entries, expected the one that image build writes", len(entries.Manifests))
	}
	return top.ImageIndex(entries.Manifests[0].Digest)
}

// credentials come from the environment, as in a job of GitHub, or from docker login.
type credentials struct{}

func (credentials) Resolve(registry authn.Resource) (authn.Authenticator, error) {
	if token := os.Getenv("REGISTRY_TOKEN"); token != "" {
		return &authn.Basic{Username: cmp.Or(os.Getenv("REGISTRY_USER"), "token"), Password: token}, nil
	}
	return authn.DefaultKeychain.Resolve(registry)
}

// output writes outputs of a step, where GitHub Actions runs it.
func output(lines ...string) error {
	file := os.Getenv("GITHUB_OUTPUT")
	if file == "" {
		return nil
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteString(strings.Join(lines, "\n") + "\n"); err != nil {
		return err
	}
	return f.Close()
}
