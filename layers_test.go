package beameval_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/beameval/beameval/"

// layers, from the lowest: a package may import packages of its own layer and
// of those that the layer names, and from outside only what it is allowed.
var layers = map[string]struct {
	below   []string
	outside func(string) bool
}{
	"internal": {nil, func(string) bool { return false }},
	"metrics":  {[]string{"internal"}, func(p string) bool { return strings.HasPrefix(p, "gonum.org/") }},
	"io": {[]string{"internal"}, func(p string) bool {
		return !strings.HasPrefix(p, "github.com/apache/beam/")
	}},
	"transforms": {[]string{"internal", "metrics", "io"}, func(p string) bool { return !strings.Contains(p, "/beamx") }},
	"pipeline":   {[]string{"internal", "transforms", "metrics", "io"}, func(p string) bool { return !strings.Contains(p, "/beamx") }},
	"jobs":       {[]string{"internal", "pipeline", "transforms", "metrics", "io"}, func(string) bool { return true }},
}

func TestLayersImportDownwards(t *testing.T) {
	checked := 0
	for name, layer := range layers {
		err := filepath.WalkDir(name, func(file string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
				return err
			}
			checked++
			for _, imported := range importsOf(t, file) {
				within, ours := strings.CutPrefix(imported, module)
				below, _, _ := strings.Cut(within, "/")
				switch {
				case ours && below != name:
					require.Contains(t, layer.below, below, "%s imports %s", file, imported)
				case !ours && strings.Contains(imported, "."):
					require.True(t, layer.outside(imported), "%s imports %s", file, imported)
				}
			}
			return nil
		})
		require.NoError(t, err)
	}
	require.Greater(t, checked, 50, "the test looks at no files")
}

func importsOf(t *testing.T, file string) []string {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	require.NoError(t, err)
	var paths []string
	for _, spec := range parsed.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		paths = append(paths, path.Clean(p))
	}
	return paths
}
