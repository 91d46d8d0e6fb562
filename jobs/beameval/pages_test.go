//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// blocksOfPage matches the configurations and commands of a page.
var blocksOfPage = regexp.MustCompile("(?ms)^```(yaml|sh)\n(.*?)^```")

// standIns are programs that the commands of pages call and that other tests call in earnest: demo and wheels are steps of
// CI. make knows the targets, and leaves the program and the reader's own predictions.
var standIns = map[string]string{
	"make": `"$MAKE" -C "$REPOSITORY" --dry-run "$@" >/dev/null
mkdir -p bin
ln -sf "$(command -v beameval)" bin/beameval
beameval generate --rows 300 --files 1 --output generated >/dev/null 2>&1
mv generated/part-00000.parquet predictions.parquet
`,
	"pip": `[ "$1" = install ]`,
}

// TestPages runs the commands of pages as they stand, from first to last. A configuration whose first line is a comment
// with the name of a file is that file. What is cloned is this repository.
func TestPages(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	programs := t.TempDir()
	require.NoError(t, os.Symlink(self, filepath.Join(programs, "beameval")))
	for name, script := range standIns {
		require.NoError(t, os.WriteFile(filepath.Join(programs, name), []byte("#!/bin/sh -eu\n"+script), 0o755))
	}
	real, err := exec.LookPath("make")
	require.NoError(t, err)
	environment := append(os.Environ(), role+"=command", "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"),
		"MAKE="+real, "MAKEFLAGS=", "REPOSITORY="+root,
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url."+root+".insteadOf", "GIT_CONFIG_VALUE_0=https://github.com/beameval/beameval")
	for page, fewest := range map[string]int{"README.md": 2, "docs/start.md": 6, "docs/cookbook.md": 22, "docs/coming-from.md": 9} {
		t.Run(page, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, page))
			require.NoError(t, err)
			dir := t.TempDir()
			require.NoError(t, os.Symlink(filepath.Join(root, "testdata"), filepath.Join(dir, "testdata")))
			commands := 0
			for _, block := range blocksOfPage.FindAllStringSubmatch(string(text), -1) {
				first, _, _ := strings.Cut(block[2], "\n")
				name, named := strings.CutPrefix(first, "# ")
				switch {
				case block[1] == "sh":
					run := exec.CommandContext(t.Context(), "sh", "-eu", "-c", block[2])
					run.Dir = dir
					run.Env = environment
					output, err := run.CombinedOutput()
					require.NoError(t, err, "%s\n%s", block[2], output)
					commands++
				case named && strings.HasSuffix(name, ".yaml"):
					require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(block[2]), 0o644))
				}
			}
			require.GreaterOrEqual(t, commands, fewest, "the test looks at no commands")
		})
	}
}
