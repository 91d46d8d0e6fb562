package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What names something in the code: a name in brackets, a name after its package, a package, and a file.
var (
	linkedName    = regexp.MustCompile(`(?:^|[^\w\])])\[\*?((?:[a-z]\w*\.)?[A-Z]\w*[a-z]\w*(?:\.\w+)?)\](?:[^(\w\[]|$)`)
	qualifiedName = regexp.MustCompile(`(?:^|[^\w./"])([a-z]\w*)\.([A-Z]\w*)(?:\.(\w+))?`)
	namedPackage  = regexp.MustCompile(`\b(?i:see|in|from|like|of) package ([a-z][\w/]*\w)`)
	namedFile     = regexp.MustCompile(`(?:^|[\s(])([\w/]+\.go)\b`)
)

// source is a package of this module.
type source struct {
	folder string
	name   string
	files  []*ast.File
	names  map[string]bool // what it declares
}

// TestCommentsNameWhatIsThere: renaming leaves names in comments behind, and nothing else finds them.
func TestCommentsNameWhatIsThere(t *testing.T) {
	set := token.NewFileSet()
	packages, members := sources(t, set)
	byName := map[string][]*source{}
	for _, p := range packages {
		byName[p.name] = append(byName[p.name], p)
	}
	for _, p := range packages {
		for _, parsed := range p.files {
			imported := foreign(parsed)
			for _, group := range parsed.Comments {
				for _, wrong := range unknownNames(p, byName, imported, members, group.Text()) {
					assert.Fail(t, "a comment names what is not there", "%s: %s", set.Position(group.Pos()), wrong)
				}
			}
		}
	}
}

// foreign returns the names of the packages that a file imports from elsewhere.
func foreign(f *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, i := range f.Imports {
		of := strings.Trim(i.Path.Value, `"`)
		switch {
		case strings.HasPrefix(of, module):
		case i.Name != nil:
			names[i.Name.Name] = true
		default:
			names[strings.TrimSuffix(path.Base(of), "-go")] = true
		}
	}
	return names
}

// unknownNames returns the names in a comment of a package that nothing has. A method or a field may be of any type:
// which type has it is not known, because types are embedded.
func unknownNames(p *source, byName map[string][]*source, imported, members map[string]bool, text string) (unknown []string) {
	declared := func(of, name string) bool {
		name, member, _ := strings.Cut(name, ".")
		if imported[of] || byName[of] == nil {
			return true // it is not ours
		}
		return slices.ContainsFunc(byName[of], func(other *source) bool { return other.names[name] }) && (member == "" || members[member])
	}
	for _, m := range linkedName.FindAllStringSubmatch(text, -1) {
		of, name := p.name, m[1]
		if before, after, _ := strings.Cut(name, "."); before == strings.ToLower(before) {
			of, name = before, after
		}
		if !declared(of, name) {
			unknown = append(unknown, m[1])
		}
	}
	for _, m := range qualifiedName.FindAllStringSubmatch(text, -1) {
		if !declared(m[1], m[2]) {
			unknown = append(unknown, m[1]+"."+m[2])
		}
	}
	for _, m := range namedPackage.FindAllStringSubmatch(text, -1) {
		if name := path.Base(m[1]); byName[name] == nil && !imported[name] {
			unknown = append(unknown, m[0])
		}
	}
	for _, m := range namedFile.FindAllStringSubmatch(text, -1) {
		if !isFile(p, m[1]) {
			unknown = append(unknown, m[1])
		}
	}
	return unknown
}

// isFile reports whether a file is in the folder of a package, or at its path from the root.
func isFile(p *source, name string) bool {
	for _, at := range []string{filepath.Join(p.folder, name), name} {
		if _, err := os.Stat(at); err == nil {
			return true
		}
	}
	return false
}

// sources parses all packages with their tests. members are the names of all methods and fields.
func sources(t *testing.T, set *token.FileSet) (all []*source, members map[string]bool) {
	byFolder, members := map[string]*source{}, map[string]bool{}
	eachWritten(t, func(file string) {
		if filepath.Ext(file) != ".go" {
			return
		}
		parsed, err := parser.ParseFile(set, file, nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		folder := filepath.Dir(file)
		p := byFolder[folder]
		if p == nil {
			p = &source{folder: folder, name: strings.TrimSuffix(parsed.Name.Name, "_test"), names: map[string]bool{}}
			byFolder[folder] = p
			all = append(all, p)
		}
		p.files = append(p.files, parsed)
		for _, d := range parsed.Decls {
			p.declare(d, members)
		}
	})
	return all, members
}

// declare adds what a declaration declares.
func (p *source) declare(d ast.Decl, members map[string]bool) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			p.names[d.Name.Name] = true
		} else {
			members[d.Name.Name] = true
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				for _, name := range s.Names {
					p.names[name.Name] = true
				}
			case *ast.TypeSpec:
				p.names[s.Name.Name] = true
				ast.Inspect(s.Type, func(n ast.Node) bool {
					if f, is := n.(*ast.Field); is {
						for _, name := range f.Names {
							members[name.Name] = true
						}
					}
					return true
				})
			}
		}
	}
}
