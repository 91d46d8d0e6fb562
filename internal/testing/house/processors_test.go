package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// numerical are the folders whose code computes numbers of reports.
var numerical = []string{"metrics", "analysis", "transforms", "io/report"}

// TestElementaryFunctions: numbers of reports come from functions whose bits are the same on
// every processor.
func TestElementaryFunctions(t *testing.T) {
	differ := []string{"Acosh", "Asinh", "Atanh", "Cbrt", "Cosh", "Erf", "Erfc", "Exp", "Exp2", "Expm1", "Gamma", "Hypot", "Lgamma", "Log", "Log10", "Log1p", "Log2", "Pow", "Sinh", "Tanh"}
	for _, folder := range numerical {
		err := filepath.WalkDir(folder, func(file string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
				return err
			}
			files := token.NewFileSet()
			parsed, err := parser.ParseFile(files, file, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			ast.Inspect(parsed, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if of, ok := s.X.(*ast.Ident); ok && of.Name == "math" && slices.Contains(differ, s.Sel.Name) {
						t.Errorf("%v: math.%s rounds differently on other processors; use package elementary", files.Position(n.Pos()), s.Sel.Name)
					}
				}
				return true
			})
			return nil
		})
		require.NoError(t, err)
	}
}
