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

// TestPages runs the commands of pages as they stand, from first to last. A configuration whose first line is a comment
// with the name of a file is that file.
func TestPages(t *testing.T) {
	testdata, err := filepath.Abs("../../testdata")
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	programs := t.TempDir()
	require.NoError(t, os.Symlink(self, filepath.Join(programs, "beameval")))
	for page, fewest := range map[string]int{"start.md": 6, "cookbook.md": 22, "coming-from.md": 9} {
		t.Run(page, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("../../docs", page))
			require.NoError(t, err)
			dir := t.TempDir()
			require.NoError(t, os.Symlink(testdata, filepath.Join(dir, "testdata")))
			commands := 0
			for _, block := range blocksOfPage.FindAllStringSubmatch(string(text), -1) {
				first, _, _ := strings.Cut(block[2], "\n")
				name, named := strings.CutPrefix(first, "# ")
				switch {
				case block[1] == "sh":
					run := exec.CommandContext(t.Context(), "sh", "-eu", "-c", block[2])
					run.Dir = dir
					run.Env = append(os.Environ(), role+"=command", "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"))
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
