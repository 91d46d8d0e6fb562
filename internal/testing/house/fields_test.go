package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/collections"
)

// fieldTables are the tables of docs/fields.md: the heading above each, and the struct that it
// describes, by its fields or by the columns of its table. Structs that have a table of their own are no part of
// the tables of others.
var fieldTables = map[string]string{
	"## metrics.json":      "report.fileJSON",
	"### Metric rows":      "report.Row",
	"### Gates":            "report.GateResult",
	"### Findings":         "findings.Finding",
	"### Checks":           "checks.Check",
	"### Differences":      "differences.Change",
	"## comparison.json":   "comparison.comparisonFile",
	"### Several systems":  "comparison.leaderboardFile",
	"## monitor.json":      "monitor.monitorFile",
	"### Several monitors": "monitor.eachFile",
	"## Plans":             "plan.planFile",
	"## run.json":          "report.Run",
}

// structsOfReports are the packages that have the structs.
var structsOfReports = []string{"io/report", "io/report/checks", "io/report/findings", "io/report/differences", "io/comparison", "io/monitor", "io/plan"}

var fieldPattern = regexp.MustCompile("(?m)^\\| `([^`]*)` \\|")

func TestDocsNameEveryField(t *testing.T) {
	page, err := os.ReadFile("docs/fields.md")
	require.NoError(t, err)
	structs := structsOf(t, structsOfReports)
	for heading, name := range fieldTables {
		require.Contains(t, structs.structs, name)
		_, section, found := strings.Cut(string(page), "\n"+heading+"\n")
		require.True(t, found, "docs/fields.md has no heading %q", heading)
		section, _, _ = strings.Cut(section, "\n#")
		var documented []string
		for _, row := range fieldPattern.FindAllStringSubmatch(section, -1) {
			documented = append(documented, row[1])
		}
		require.ElementsMatch(t, structs.fields(name, ""), documented, "docs/fields.md, %q", heading)
	}
}

// structTypes has the structs by name; a struct without a name has the name of its method.
type structTypes struct {
	structs map[string]*ast.StructType
	columns map[string][]string // the members that the columns of a struct are in JSON
	tables  map[string][]string // the same, by the functions that return columns
	rows    map[string]string   // the structs of the rows of tables, by the members of metrics.json
}

func structsOf(t *testing.T, packages []string) structTypes {
	all := structTypes{map[string]*ast.StructType{}, map[string][]string{}, map[string][]string{}, map[string]string{}}
	found := all.structs
	for _, folder := range packages {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		require.NoError(t, err)
		tables := tablesByName{map[string]*ast.FuncDecl{}, all.tables}
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			within, method := parsed.Name.Name, ""
			ast.Inspect(parsed, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					method = n.Name.Name
					if n.Recv == nil && rowOfTable(n, within) != "" {
						tables.own[n.Name.Name] = n
					}
					if n.Recv != nil {
						method = nameOfType(n.Recv.List[0].Type, within) + "." + method
					}
				case *ast.TypeSpec:
					if s, ok := n.Type.(*ast.StructType); ok {
						found[within+"."+n.Name.Name] = s
						return false
					}
				case *ast.StructType:
					found[within+"."+method] = n
				case *ast.CompositeLit:
					if name, row := tableInJSON(n, within); name != "" {
						all.rows[name] = row
					}
				}
				return true
			})
		}
		for name, f := range tables.own {
			if !slices.Contains(slices.Collect(maps.Values(fieldTables)), rowOfTable(f, filepath.Base(folder))) {
				all.tables[filepath.Base(folder)+"."+name] = tables.membersOf(f.Body, "")
			}
			if row, members := rowOfTable(f, filepath.Base(folder)), tables.membersOf(f.Body, ""); len(all.columns[row]) < len(members) { // of several, Placed adds to others
				all.columns[row] = members
			}
		}
	}
	return all
}

// tableInJSON returns the member of metrics.json that a value declares, and the type of its rows, if it is a table with rows there.
func tableInJSON(value *ast.CompositeLit, within string) (name, row string) {
	of, generic := value.Type.(*ast.IndexExpr)
	if !generic || nameOfType(of.X, "") != "tabular.Table" {
		return "", ""
	}
	fields := map[string]string{}
	for _, e := range value.Elts {
		if text, ok := e.(*ast.KeyValueExpr).Value.(*ast.BasicLit); ok {
			fields[e.(*ast.KeyValueExpr).Key.(*ast.Ident).Name] = strings.Trim(text.Value, `"`)
		}
	}
	if fields["Row"] == "" {
		return "", ""
	}
	return fields["Name"], nameOfType(of.Index, within)
}

// tablesByName are the functions of a package that return columns, and what those of the packages before it return.
type tablesByName struct {
	own    map[string]*ast.FuncDecl
	others map[string][]string
}

// rowOfTable returns the type of the rows if a function returns columns.
func rowOfTable(f *ast.FuncDecl, within string) string {
	if f.Type.Results == nil {
		return ""
	}
	list, ok := f.Type.Results.List[0].Type.(*ast.ArrayType)
	if !ok {
		return ""
	}
	if column, ok := list.Elt.(*ast.IndexExpr); ok && nameOfType(column.X, "") == "tabular.Column" {
		return nameOfType(column.Index, within)
	}
	return ""
}

// membersOf returns what the columns that an expression makes are in JSON.
func (tables tablesByName) membersOf(in ast.Node, prefix string) (members []string) {
	ast.Inspect(in, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if f, ok := call.Fun.(*ast.Ident); ok && tables.own[f.Name] != nil {
			members = append(members, tables.membersOf(tables.own[f.Name].Body, prefix)...)
		}
		f, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		for _, member := range tables.others[nameOfType(f, "")] {
			members = append(members, prefix+member)
		}
		name := ""
		if text, ok := slices.Concat(call.Args, []ast.Expr{nil})[0].(*ast.BasicLit); ok {
			name = strings.Trim(text.Value, `"`)
		}
		switch method := f.Sel.Name; {
		case method == "ColumnsOfEstimate":
			members = append(members, prefix+name, prefix+name+"_ci_low", prefix+name+"_ci_high")
		case method == "Member":
			members = append(members, prefix+name)
			return false
		case nameOfType(f.X, "") != ".tabular":
		case method == "Placed":
			members = append(members, prefix+"slice", prefix+"label")
		case method == "Keyed", method == "Slice":
			members = append(members, prefix+"slice")
		case method == "Label":
			members = append(members, prefix+"label")
		case method == "Nested":
			members = append(append(members, prefix+name), tables.membersOf(call.Args[3], prefix+name+"[].")...)
			return false
		case name != "":
			members = append(members, prefix+name)
		}
		return true
	})
	return members
}

// fields returns the paths of all fields of a struct in JSON.
func (structs structTypes) fields(name, prefix string) (paths []string) {
	if columns := structs.columns[name]; columns != nil {
		return collections.Map(columns, func(column string) string { return prefix + column })
	}
	within, _, _ := strings.Cut(name, ".")
	if name == "report.fileJSON" {
		for member, row := range structs.rows {
			paths = append(append(paths, member), structs.within(row, member+"[].")...)
		}
	}
	for _, field := range structs.structs[name].Fields.List {
		inner := nameOfType(field.Type, within)
		if len(field.Names) == 0 { // embedded
			if slices.Contains(slices.Collect(maps.Values(fieldTables)), inner) {
				continue
			}
			paths = append(paths, structs.fields(inner, prefix)...)
			continue
		}
		if field.Tag == nil {
			continue
		}
		key, _, _ := strings.Cut(reflect.StructTag(strings.Trim(field.Tag.Value, "`")).Get("json"), ",")
		if key == "-" {
			continue
		}
		paths = append(paths, prefix+key)
		if structs.structs[inner] != nil {
			if isList(field.Type) {
				key += "[]"
			}
			paths = append(paths, structs.within(inner, prefix+key+".")...)
		}
	}
	return paths
}

// within returns the paths of the fields of a struct in another, unless it has a table of its own.
func (structs structTypes) within(name, prefix string) []string {
	if slices.Contains(slices.Collect(maps.Values(fieldTables)), name) {
		return nil
	}
	return structs.fields(name, prefix)
}

// nameOfType returns the name of a type, of what it points to, or of its items, with the package that
// it is in. It occurs in the package within.
func nameOfType(e ast.Expr, within string) string {
	switch e := e.(type) {
	case *ast.Ident:
		return within + "." + e.Name
	case *ast.SelectorExpr:
		if of, ok := e.X.(*ast.Ident); ok {
			return of.Name + "." + e.Sel.Name
		}
	case *ast.StarExpr:
		return nameOfType(e.X, within)
	case *ast.ArrayType:
		return nameOfType(e.Elt, within)
	case *ast.IndexExpr:
		if isList(e) {
			return nameOfType(e.Index, within)
		}
		return nameOfType(e.X, within)
	}
	return ""
}

// isList reports whether a type is an array in JSON: a slice, or rows of a table.
func isList(e ast.Expr) bool {
	if pointer, ok := e.(*ast.StarExpr); ok {
		return isList(pointer.X)
	}
	if of, generic := e.(*ast.IndexExpr); generic {
		return nameOfType(of.X, "") == "tabular.Rows"
	}
	_, list := e.(*ast.ArrayType)
	return list
}
