package boot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/artifact"
	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"

	"github.com/beameval/beameval/io/system"
)

// programName is the name of a worker binary in its directory.
const programName = "worker"

// unused is how long a binary is kept after the last start of a worker.
const unused = time.Hour

// program returns the file of the worker binary with a checksum, which may be unknown. It is in a
// directory named after the checksum, in the temporary directory. If it is not there, it is fetched
// from the runner. Directories that no worker was started from for an hour are removed; a worker that
// still runs keeps its program.
func (f flags) program(ctx context.Context, info *fnpb.ProvisionInfo, checksum string) (string, error) {
	// The user is in the name, because nobody else may write where programs are.
	prefix := filepath.Join(os.TempDir(), fmt.Sprintf("beameval-worker-%d-", os.Getuid()))
	defer sweep(prefix)
	if checksum != "" {
		if file, err := use(prefix + checksum); !errors.Is(err, fs.ErrNotExist) {
			return file, err
		}
	}
	dir, err := os.MkdirTemp(filepath.Split(prefix + "new-*"))
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	found, err := f.fetch(ctx, info, dir)
	if err != nil {
		return "", err
	}
	if checksum != "" && found != checksum {
		return "", fmt.Errorf("expected SHA-256 %s, the runner sent %s", checksum, found)
	}
	renamed := os.Rename(dir, prefix+found)
	file, err := use(prefix + found) // another boot may have been faster
	if err != nil {
		return "", errors.Join(renamed, err)
	}
	return file, nil
}

// use returns the program in a directory and notes that it is used.
func use(dir string) (string, error) {
	info, err := os.Lstat(dir)
	if err != nil {
		return "", err
	}
	if !info.IsDir() || !system.Owned(info) {
		return "", fmt.Errorf("%s: another user owns it, and it may contain anything; remove it, or set TMPDIR", dir)
	}
	now := time.Now()
	if err := os.Chtimes(dir, now, now); err != nil {
		return "", err
	}
	file := filepath.Join(dir, programName)
	_, err = os.Stat(file)
	return file, err
}

// sweep removes the directories that have not been used for long.
func sweep(prefix string) {
	dirs, _ := filepath.Glob(prefix + "*")
	for _, dir := range dirs {
		if info, err := os.Lstat(dir); err == nil && time.Since(info.ModTime()) > unused {
			_ = os.RemoveAll(dir) // best effort
		}
	}
}

// fetch gets the worker binary from the runner into a directory and returns its checksum.
func (f flags) fetch(ctx context.Context, info *fnpb.ProvisionInfo, dir string) (checksum string, err error) {
	artifacts, err := artifact.Materialize(ctx, f.artifacts, info.GetDependencies(), info.GetRetrievalToken(), dir)
	if err != nil {
		return "", err
	}
	name, err := workerOf(artifacts)
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, programName)
	if err := os.Rename(filepath.Join(dir, name), file); err != nil {
		return "", err
	}
	r, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer r.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), os.Chmod(file, 0o700)
}

// workerOf returns the name of the worker binary among the files of a job.
func workerOf(artifacts []*pipepb.ArtifactInformation) (string, error) {
	for _, a := range artifacts {
		if len(artifacts) == 1 || a.GetRoleUrn() == artifact.URNGoWorkerBinaryRole {
			name, _ := artifact.MustExtractFilePayload(a)
			return name, nil
		}
	}
	return "", fmt.Errorf("none of the %d files of the job is one", len(artifacts))
}
