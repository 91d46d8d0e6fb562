package main

import (
	"debug/buildinfo"
	"fmt"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// processors are the processors that images are built for.
var processors = []string{"amd64", "arm64"}

// images is the index of the images for all processors, and their version.
func images(dist string, system v1.Layer) (v1.ImageIndex, string, error) {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	var version string
	for _, processor := range processors {
		program := filepath.Join(dist, "linux", processor, "beameval")
		built, err := buildinfo.ReadFile(program)
		if err != nil {
			return nil, "", fmt.Errorf("%w: make dist builds it", err)
		}
		version = built.Main.Version
		programs, err := programLayer(dist, processor)
		if err != nil {
			return nil, "", fmt.Errorf("layer of programs for %s: %w", processor, err)
		}
		image, err := image(processor, settings(built), system, programs)
		if err != nil {
			return nil, "", fmt.Errorf("image for %s: %w", processor, err)
		}
		platform := &v1.Platform{OS: "linux", Architecture: processor}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: platform}})
	}
	return index, version, nil
}

func settings(built *buildinfo.BuildInfo) map[string]string {
	all := map[string]string{"version": built.Main.Version}
	for _, setting := range built.Settings {
		all[setting.Key] = setting.Value
	}
	return all
}

// image puts layers together; about is what the program says of its build. An image is as old as the commit.
func image(processor string, about map[string]string, layers ...v1.Layer) (v1.Image, error) {
	created, _ := time.Parse(time.RFC3339, about["vcs.time"]) // the zero time if there is no commit
	image := mutate.MediaType(empty.Image, types.OCIManifestSchema1)
	image = mutate.ConfigMediaType(image, types.OCIConfigJSON)
	image, err := mutate.ConfigFile(image, &v1.ConfigFile{
		OS: "linux", Architecture: processor, Created: v1.Time{Time: created}, RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{
			User:       fmt.Sprintf("%d:%[1]d", user),
			Entrypoint: []string{"/" + folder + "/beameval"},
			Env:        []string{"PATH=/" + folder, "HOME=/home/nonroot"},
			Labels: map[string]string{
				"org.opencontainers.image.title":    "beameval",
				"org.opencontainers.image.source":   "https://github.com/beameval/beameval",
				"org.opencontainers.image.licenses": "Apache-2.0",
				"org.opencontainers.image.version":  about["version"],
				"org.opencontainers.image.revision": about["vcs.revision"],
			},
		},
	})
	if err != nil {
		return nil, err
	}
	return mutate.AppendLayers(image, layers...)
}
