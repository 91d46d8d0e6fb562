package house_test

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The limits, in lines of code: comments, empty lines and tests do not count.
const (
	mostOfFunction = 80 // comments and empty lines count
	mostOfFile     = 350
	mostOfPackage  = 3_000
	// mostOfAll may fall with any change. A change that needs more says in its commit what the lines are worth.
	mostOfAll = 99_500
)

// larger are the packages that may have more lines. Numbers may only fall: divide a package that grows by subjects.
var larger = map[string]int{"metrics": 10_300, "pipeline": 5_720, "transforms": 4_200, "io/report/document/evaluation": 3_150}

// TestPackagesAreSmall: whoever opens a package sees what it is about, and a file has one subject.
func TestPackagesAreSmall(t *testing.T) {
	packages, all := map[string]int{}, 0
	eachFile(t, func(file string) {
		code, err := os.ReadFile(file)
		require.NoError(t, err)
		n := linesOfCode(code)
		assert.LessOrEqual(t, n, mostOfFile, "lines of code in %s: divide it by subjects", file)
		packages[filepath.ToSlash(filepath.Dir(file))] += n
		all += n
	})
	for folder, n := range packages {
		most, more := larger[folder]
		if !more {
			most = mostOfPackage
		}
		assert.LessOrEqual(t, n, most, "lines of code in package %s", folder)
	}
	for folder := range larger {
		assert.Greater(t, packages[folder], mostOfPackage, "%s needs no exception any more", folder)
	}
	assert.LessOrEqual(t, all, mostOfAll, "lines of code in all packages")
	assert.Greater(t, all, mostOfAll-1_000, "there are fewer lines of code now: lower mostOfAll")
}

// linesOfCode counts the lines of a file that have more than comments.
func linesOfCode(code []byte) (n int) {
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(code))
	var s scanner.Scanner
	s.Init(file, code, nil, 0)
	last := 0 // the last line that was counted
	for {
		at, tok, text := s.Scan()
		if tok == token.EOF {
			return n
		}
		from := file.Line(at)
		to := from
		if tok == token.STRING { // all others are on one line; a semicolon that is not written has the text of a newline
			to += strings.Count(text, "\n")
		}
		n += to - max(from-1, last)
		last = to
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
				require.LessOrEqual(t, lines, mostOfFunction, "%s: %s is too long", file, f.Name.Name)
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

// eachProductFile calls each with the files of eachFile and of the Python package.
func eachProductFile(t *testing.T, each func(file string)) {
	eachFile(t, each)
	require.NoError(t, filepath.WalkDir("python/beameval", func(file string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(file) == ".py" {
			each(file)
		}
		return err
	}))
}
