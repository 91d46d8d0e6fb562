package house_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPublishing runs what the workflow of a release runs after the build, in a repository of its own, with a stand-in
// for GitHub's command that writes its arguments down: a draft with all files and the notes of the version, which is then
// made public.
func TestPublishing(t *testing.T) {
	r := newRelease(t, "v1.2.3")
	r.succeeds(t, "draft")
	r.succeeds(t, "publish")
	require.Equal(t, []string{
		"release create v1.2.3 --draft --verify-tag --title beameval 1.2.3 --notes-file ../bin/notes.md checksums.txt homebrew/beameval.rb a.tar.gz a.whl beameval.oci.tar",
		"release edit v1.2.3 --draft=false --latest",
	}, r.calls(t))
	require.Equal(t, "What is new.\n\n- A thing.\n\n", r.read(t, "bin/notes.md"))
}

// TestPublishingACandidate: a candidate has the notes of the version that it may become, and is not the latest.
func TestPublishingACandidate(t *testing.T) {
	r := newRelease(t, "v1.2.3-rc.1")
	r.succeeds(t, "draft")
	r.succeeds(t, "publish")
	calls := r.calls(t)
	require.Len(t, calls, 2)
	require.Contains(t, calls[0], " v1.2.3-rc.1 --draft --verify-tag --prerelease ")
	require.Equal(t, "release edit v1.2.3-rc.1 --draft=false", calls[1])
	require.Equal(t, "What is new.\n\n- A thing.\n\n", r.read(t, "bin/notes.md"))
}

// TestPublishingOfWhatIsNoRelease: nothing reaches GitHub.
func TestPublishingOfWhatIsNoRelease(t *testing.T) {
	for _, c := range []struct {
		tag, target, message string
		change               func(r release)
	}{
		{"v1.2.3", "draft", "a.tar.gz: FAILED", func(r release) { r.write(t, "release/a.tar.gz", "something else") }},
		{"v1.2.3", "draft", "dist/*.whl", func(r release) { require.NoError(t, os.Remove(filepath.Join(string(r), "dist/a.whl"))) }},
		{"v1.2.4", "draft", "CHANGELOG.md has no section for version 1.2.4", func(release) {}},
		{"v1.2.4", "release", "CHANGELOG.md has no section for version 1.2.4", func(release) {}},
		{"nightly", "draft", "the commit has no tag such as v1.2.3: it is no release", func(release) {}},
		{"nightly", "push", "the commit has no tag such as v1.2.3: it is no release", func(release) {}},
		{"nightly", "publish", "the commit has no tag such as v1.2.3: it is no release", func(release) {}},
	} {
		r := newRelease(t, c.tag)
		c.change(r)
		out, err := r.make(c.target)
		require.Error(t, err, "%s of %s", c.target, c.tag)
		require.Contains(t, out, c.message, "%s of %s", c.target, c.tag)
		require.Empty(t, r.calls(t), "%s of %s", c.target, c.tag)
	}
}

// A release is a folder with a repository whose commit has a tag, and with what make test-release leaves there.
type release string

func newRelease(t *testing.T, tag string) release {
	if runtime.GOOS == "windows" {
		t.Skip("releases are made on Linux")
	}
	r := release(t.TempDir())
	makefile, err := os.ReadFile("Makefile")
	require.NoError(t, err)
	r.write(t, "Makefile", string(makefile))
	r.write(t, "CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n- Another thing.\n\n## 1.2.3\n\nWhat is new.\n\n- A thing.\n\n## 1.2.2\n\nWhat was new.\n")
	for _, arguments := range [][]string{{"init", "--quiet"}, {"add", "."}, {"commit", "--quiet", "--message", "Release"}, {"tag", tag}} {
		settings := []string{"-C", string(r), "-c", "user.name=Somebody", "-c", "user.email=somebody@example.com"}
		out, err := exec.Command("git", append(settings, arguments...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	var sums strings.Builder
	for _, file := range []string{"release/a.tar.gz", "dist/a.whl", "dist/beameval.oci.tar"} {
		r.write(t, file, file)
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256([]byte(file)), filepath.Base(file))
	}
	r.write(t, "release/checksums.txt", sums.String())
	r.write(t, "release/homebrew/beameval.rb", "class Beameval < Formula\n")
	r.write(t, "stand-in/gh", "#!/bin/sh\necho \"$*\" >>\"$CALLS\"\n")
	require.NoError(t, os.Chmod(filepath.Join(string(r), "stand-in/gh"), 0o755))
	return r
}

func (r release) write(t *testing.T, name, text string) {
	file := filepath.Join(string(r), name)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
}

func (r release) read(t *testing.T, name string) string {
	text, err := os.ReadFile(filepath.Join(string(r), name))
	require.NoError(t, err)
	return string(text)
}

func (r release) make(target string) (string, error) {
	command := exec.Command("make", "-C", string(r), target)
	command.Env = append(os.Environ(), "PATH="+filepath.Join(string(r), "stand-in")+":"+os.Getenv("PATH"), "CALLS="+filepath.Join(string(r), "calls"), "MAKEFLAGS=")
	out, err := command.CombinedOutput()
	return string(out), err
}

func (r release) succeeds(t *testing.T, target string) {
	out, err := r.make(target)
	require.NoError(t, err, out)
}

// calls returns the arguments of each call of the stand-in.
func (r release) calls(t *testing.T) []string {
	text, err := os.ReadFile(filepath.Join(string(r), "calls"))
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// TestVersionsAgree: the newest version in CHANGELOG.md is the one that the recipe builds and the docs install.
func TestVersionsAgree(t *testing.T) {
	newest := ""
	for _, file := range []struct{ name, pattern string }{
		{"CHANGELOG.md", `(?m)^## (\d+\.\d+\.\d+)$`},
		{"conda/recipe.yaml", `(?m)^  version: (\S+)$`},
		{"docs/operations.md", `version: (\d+\.\d+\.\d+)`},
		{"docs/operations.md", `uses: beameval/beameval@v(\S+)`},
	} {
		text, err := os.ReadFile(file.name)
		require.NoError(t, err)
		version := regexp.MustCompile(file.pattern).FindStringSubmatch(string(text))
		require.NotNil(t, version, "%s has no %s", file.name, file.pattern)
		if newest == "" {
			newest = version[1]
		}
		require.Equal(t, newest, version[1], file.name)
	}
}
