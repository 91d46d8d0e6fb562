package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// user is the unprivileged user that programs run as: the number that distroless images take.
const user = 65532

// A file is a file of a layer, or a directory if its name ends in a slash.
type file struct {
	name    string
	mode    int64
	owner   int
	content []byte
}

// systemLayer has what programs expect of a system; zones is the zip of time zones.
func systemLayer(zones string) (v1.Layer, error) {
	files := []file{
		{name: "etc/passwd", mode: 0o644, content: fmt.Appendf(nil, "root:x:0:0:root:/:/sbin/nologin\nnonroot:x:%d:%[1]d:nonroot:/home/nonroot:/sbin/nologin\n", user)},
		{name: "etc/group", mode: 0o644, content: fmt.Appendf(nil, "root:x:0:\nnonroot:x:%d:\n", user)},
		{name: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, content: certificates()},
		{name: "home/nonroot/", mode: 0o700, owner: user},
		{name: "tmp/", mode: 0o1777},
	}
	archive, err := zip.OpenReader(zones)
	if err != nil {
		return nil, err
	}
	defer archive.Close()
	for _, entry := range archive.File {
		if strings.HasSuffix(entry.Name, "/") {
			continue
		}
		content, err := unzip(entry)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", zones, entry.Name, err)
		}
		files = append(files, file{name: "usr/share/zoneinfo/" + entry.Name, mode: 0o644, content: content})
	}
	return layer(files)
}

func unzip(entry *zip.File) ([]byte, error) {
	r, err := entry.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// certificates lists the authorities that Mozilla trusts without constraints, which a file can't express.
func certificates() []byte {
	var list bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			pem.Encode(&list, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})
		}
	}
	return list.Bytes()
}

// folder is where the programs of an image are.
const folder = "opt/beameval"

// programLayer has the program for one processor, and the licences.
func programLayer(dist, processor string) (v1.Layer, error) {
	var files []file
	for source, mode := range map[string]int64{
		"linux/" + processor + "/beameval": 0o755, "LICENSE": 0o644, "NOTICE": 0o644,
	} {
		content, err := os.ReadFile(filepath.Join(dist, source))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: folder + "/" + filepath.Base(source), mode: mode, content: content})
	}
	return layer(files)
}

// layer packs files in the order of their names, without times.
func layer(files []file) (v1.Layer, error) {
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	for _, f := range files {
		header := &tar.Header{Name: f.name, Mode: f.mode, Uid: f.owner, Gid: f.owner, Size: int64(len(f.content)), Format: tar.FormatPAX}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed.Bytes())), nil }
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer))
}
