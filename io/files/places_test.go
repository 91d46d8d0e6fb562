package files

import (
	"os"
	"path/filepath"
	"slices"
	"sort"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// place is a kind of storage in which the conformance suite runs.
type place struct {
	name string
	// root returns the name of a new, empty directory.
	root func(t *testing.T) string
	put  func(t *testing.T, name, content string)
	// all returns the names of all files below a root, hidden ones too.
	all func(t *testing.T, root string) []string
}

var places = []place{
	{"local", localRoot, localPut, localAll},
	{"gs", gs.root, gs.put, gs.all},
	{"s3", amazonS3.root, amazonS3.put, amazonS3.all},
	{"az", azureAZ.root, azureAZ.put, azureAZ.all},
}

func everywhere(t *testing.T, test func(t *testing.T, p place)) {
	for _, p := range places {
		t.Run(p.name, func(t *testing.T) { test(t, p) })
	}
}

func localRoot(t *testing.T) string { return t.TempDir() }

func localPut(t *testing.T, name, content string) {
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
	require.NoError(t, os.WriteFile(name, []byte(content), 0o666))
}

func localAll(t *testing.T, root string) []string {
	names := []string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && path != root && !d.IsDir() {
			names = append(names, path)
		}
		return err
	}))
	sort.Strings(names)
	return names
}

// pattern is content in which every position is recognizable.
func pattern(size int) string { return patterns()[:size] }

var patterns = sync.OnceValue(func() string {
	b := make([]byte, 100<<20)
	for i := range b {
		b[i] = byte(i ^ i>>8 ^ i>>16)
	}
	return string(b)
})

// unversioned leaves out what varies from run to run.
func unversioned(infos []Info) []Info {
	infos = slices.Clone(infos)
	for i := range infos {
		infos[i].Version = ""
	}
	return infos
}

func names(infos []Info) []string {
	var names []string
	for _, info := range infos {
		names = append(names, info.Name)
	}
	return names
}
