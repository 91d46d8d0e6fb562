package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	mostFiles = 20 // of a package, without its tests
	mostLines = 80 // of a function
)

// larger are the packages that may have more files: most statistics of metrics have a file. Numbers
// may only fall: divide a package that grows by subjects.
var larger = map[string]int{"metrics": 30}

// TestPackagesAreSmall: whoever opens a package sees what it is about.
func TestPackagesAreSmall(t *testing.T) {
	files := map[string]int{}
	eachFile(t, func(file string) { files[filepath.ToSlash(filepath.Dir(file))]++ })
	for folder, n := range files {
		most, more := larger[folder]
		if !more {
			most = mostFiles
		}
		require.LessOrEqual(t, n, most, "%s has too many files", folder)
	}
	for folder := range larger {
		require.Greater(t, files[folder], mostFiles, "%s needs no exception any more", folder)
	}
}

// TestFunctionsAreShort looks at functions that have a name, with what is inside them.
func TestFunctionsAreShort(t *testing.T) {
	eachFile(t, func(file string) {
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, declared := range parsed.Decls {
			if f, is := declared.(*ast.FuncDecl); is {
				lines := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1
				require.LessOrEqual(t, lines, mostLines, "%s: %s is too long", file, f.Name.Name)
			}
		}
	})
}

// eachFile calls each with the files of all packages, without tests and the programs that they
// build.
func eachFile(t *testing.T, each func(file string)) {
	for name := range layers {
		if strings.Contains(name, "/") {
			continue // it is in another folder
		}
		require.NoError(t, filepath.WalkDir(name, func(file string, at fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case at.Name() == "testdata":
				return filepath.SkipDir
			case filepath.Ext(file) == ".go" && !strings.HasSuffix(file, "_test.go"):
				each(file)
			}
			return nil
		}))
	}
}
