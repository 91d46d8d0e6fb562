package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPlansInDocs: the examples of docs/plan.md print what the page shows, from data in testdata.
func TestPlansInDocs(t *testing.T) {
	root := filepath.Dir(filepath.Dir(home))
	page, err := os.ReadFile(filepath.Join(root, "docs", "plan.md"))
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, os.Symlink(filepath.Join(root, "testdata"), "testdata"))
	t.Setenv("COLUMNS", "80")
	lines, compared := strings.Split(string(page), "\n"), 0
	for i, line := range lines {
		command, console := strings.CutPrefix(line, "$ ")
		args, is := strings.CutPrefix(command, "bin/beameval ")
		if !is || !console && !strings.HasPrefix(args, "evaluate ") {
			continue
		}
		code, stdout, stderr := run(t, strings.Fields(args)...)
		require.Zero(t, code, stderr)
		if strings.HasPrefix(args, "plan ") {
			shown, _, _ := strings.Cut(strings.Join(lines[i+1:], "\n"), "```")
			require.Equal(t, shown, stdout, args)
			compared++
		}
	}
	require.Equal(t, 3, compared)
}
