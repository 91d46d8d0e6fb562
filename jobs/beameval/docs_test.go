package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPlansInDocs: the examples of docs/plan.md print what the page shows, from data in testdata.
func TestPlansInDocs(t *testing.T) { require.Equal(t, 4, compared(t, "plan")) }

// TestSamplesInDocs: so do the examples of docs/sample.md.
func TestSamplesInDocs(t *testing.T) { require.Equal(t, 1, compared(t, "sample")) }

// compared runs the commands of the page of a verb, and compares what the verb prints in consoles with the page. It
// returns how often it did.
func compared(t *testing.T, verb string) (n int) {
	root := filepath.Dir(filepath.Dir(home))
	page, err := os.ReadFile(filepath.Join(root, "docs", verb+".md"))
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, os.Symlink(filepath.Join(root, "testdata"), "testdata"))
	t.Setenv("COLUMNS", "80")
	lines := strings.Split(string(page), "\n")
	for i, line := range lines {
		command, console := strings.CutPrefix(line, "$ ")
		args, is := strings.CutPrefix(command, "bin/beameval ")
		if !is || !console && !strings.HasPrefix(args, "evaluate ") {
			continue
		}
		code, stdout, stderr := run(t, strings.Fields(args)...)
		require.Zero(t, code, stderr)
		if strings.HasPrefix(args, verb+" ") {
			shown, _, _ := strings.Cut(strings.Join(lines[i+1:], "\n"), "```")
			require.Equal(t, shown, stdout, args)
			n++
		}
	}
	return n
}
