package columns

import (
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/quote"
)

// Name is the name of a leaf in two spellings. If names contain dots, two leaves may share the
// plain spelling: a column "a.b" and the field "b" of a struct "a". The zero Name is that of the
// root.
type Name struct {
	plain  string // a.b
	quoted string // `a.b`, or `a`.`b`
}

// Below returns the name of a child. It copies child, which may be part of a large buffer.
func (n Name) Below(child string) Name {
	quoted := "`" + strings.ReplaceAll(child, "`", "``") + "`"
	if n.quoted == "" {
		return Name{strings.Clone(child), quoted}
	}
	return Name{n.plain + "." + child, n.quoted + "." + quoted}
}

// setPaths sets the path of each column to its plain name, or to its quoted name if another column
// has the same plain name.
func (s *Schema) setPaths() {
	first := make(map[string]string, len(s.Fields)) // quoted names by plain name
	several := make(map[string]bool)
	lists := [][]Field{s.Fields, s.Unreadable}
	for _, list := range lists {
		for _, f := range list {
			if other, twice := first[f.Name.plain]; !twice {
				first[f.Name.plain] = f.Name.quoted
			} else if other != f.Name.quoted {
				several[f.Name.plain] = true
			}
		}
	}
	for _, list := range lists {
		for i := range list {
			f := &list[i]
			if f.Path = f.Name.plain; several[f.Path] {
				f.Path = f.Name.quoted
			}
		}
	}
}

// isCalled reports whether a user's spelling refers to a column. A name in backquotes is taken
// literally; a backquote in it is doubled.
func (f *Field) isCalled(spelling string) bool {
	return f.Path == spelling || strings.Contains(spelling, "`") && f.Name.quoted == backquoted(spelling)
}

// backquoted encloses every part of a name in backquotes.
func backquoted(spelling string) string {
	var parts []string
	for rest := spelling; ; {
		end := strings.IndexByte(rest, '.')
		if strings.HasPrefix(rest, "`") {
			end = closing(rest) + 1
		}
		if end <= 0 || end > len(rest) {
			end = len(rest)
		}
		part := rest[:end]
		if !strings.HasPrefix(part, "`") {
			part = "`" + part + "`"
		}
		parts = append(parts, part)
		if rest = rest[end:]; rest == "" {
			return strings.Join(parts, ".")
		}
		rest = strings.TrimPrefix(rest, ".")
	}
}

// closing returns the index of the backquote that closes the first one, or len(s).
func closing(s string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] != '`':
		case i+1 < len(s) && s[i+1] == '`':
			i++
		default:
			return i
		}
	}
	return len(s)
}

// ambiguous returns the error for a plain name that several leaves share.
func ambiguous(path string, names []string) error {
	slices.Sort(names)
	if names = slices.Compact(names); len(names) < 2 {
		return fmt.Errorf("column %q is ambiguous: two columns have this name", quote.Short(path))
	}
	for i, name := range names {
		names[i] = quote.Short(name)
	}
	return fmt.Errorf("column %q is ambiguous: write %s", quote.Short(path), strings.Join(names, " or "))
}
