package house_test

import (
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	module  = "github.com/beameval/beameval/"
	drawing = "internal/testing/house/testdata/imports.txt"
)

var update = flag.Bool("update", false, "rewrite the drawing of imports, "+drawing+", and "+notice)

// layers, from the lowest: a package may import packages of its own layer and of the layers in
// below, and from outside only what the layer allows. Packages that serve tests and releases are layers of their own.
var layers = map[string]struct {
	below   []string
	outside func(string) bool
}{
	"internal":   {nil, func(string) bool { return false }},
	"metrics":    {[]string{"internal"}, func(string) bool { return false }},
	"io":         {[]string{"internal"}, func(p string) bool { return !strings.HasPrefix(p, "github.com/apache/beam/") }},
	"analysis":   {[]string{"internal", "metrics", "io"}, func(p string) bool { return !strings.HasPrefix(p, "github.com/apache/beam/") }},
	"transforms": {[]string{"internal", "analysis", "metrics", "io"}, func(p string) bool { return !strings.Contains(p, "/beamx") }},
	"pipeline":   {[]string{"internal", "transforms", "analysis", "metrics", "io"}, func(p string) bool { return !strings.Contains(p, "/beamx") }},
	"jobs":       {[]string{"internal", "pipeline", "transforms", "analysis", "metrics", "io"}, func(string) bool { return true }},

	"internal/testing": {[]string{"internal", "pipeline", "transforms", "analysis", "metrics", "io"}, func(string) bool { return true }},
	"internal/release": {[]string{"internal", "metrics"}, func(string) bool { return true }},
}

// helped are the packages outside tests that use packages for tests: laws that others test their statistics with, and
// invented data.
var helped = []string{"metrics/metricstest", "jobs/internal/generate"}

// layerOf returns the layer of a package.
func layerOf(folder string) string {
	parts := strings.SplitN(folder, "/", 3)
	if len(parts) > 1 && layers[parts[0]+"/"+parts[1]].outside != nil {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

func TestLayersImportDownwards(t *testing.T) {
	for importer, imports := range importsOfPackages(t) {
		own := layerOf(importer)
		layer := layers[own]
		for imported := range imports {
			within, ours := strings.CutPrefix(imported, module)
			below := layerOf(within)
			switch {
			case ours && below == "internal/testing" && slices.Contains(helped, importer):
			case ours && below != own:
				require.Contains(t, layer.below, below, "%s imports %s", importer, imported)
			case !ours && strings.Contains(imported, "."):
				require.True(t, layer.outside(imported), "%s imports %s", importer, imported)
			}
		}
	}
}

// TestDrawingOfImportsIsTrue compares the drawing with the imports. It leaves out an import that a
// chain of others implies.
func TestDrawingOfImportsIsTrue(t *testing.T) {
	want := drawingOf(importsOfPackages(t))
	if *update {
		require.NoError(t, os.WriteFile(drawing, []byte(want), 0o644))
	}
	got, err := os.ReadFile(drawing)
	require.NoError(t, err)
	require.Equal(t, want, string(got), "run go test ./internal/testing/house -run TestDrawing -update")
}

// drawingOf returns the edges of the graph of imports, one per line, without edges that a longer
// path implies.
func drawingOf(imports map[string]map[string]bool) string {
	var reaches func(from, to string) bool
	reaches = func(from, to string) bool {
		for next := range imports[from] {
			if next = strings.TrimPrefix(next, module); next == to || reaches(next, to) {
				return true
			}
		}
		return false
	}
	var lines strings.Builder
	for _, from := range slices.Sorted(maps.Keys(imports)) {
		for _, to := range slices.Sorted(maps.Keys(imports[from])) {
			to, ours := strings.CutPrefix(to, module)
			implied := false
			for between := range imports[from] {
				between = strings.TrimPrefix(between, module)
				implied = implied || between != to && reaches(between, to)
			}
			if ours && !implied {
				fmt.Fprintf(&lines, "%s --> %s\n", from, to)
			}
		}
	}
	return lines.String()
}

// importsOfPackages returns what each package imports outside its tests.
func importsOfPackages(t *testing.T) map[string]map[string]bool {
	packages := map[string]map[string]bool{}
	eachFile(t, func(file string) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		require.NoError(t, err)
		folder := filepath.ToSlash(filepath.Dir(file))
		if packages[folder] == nil {
			packages[folder] = map[string]bool{}
		}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			packages[folder][imported] = true
		}
	})
	require.Greater(t, len(packages), 15, "the test looks at no files")
	return packages
}
