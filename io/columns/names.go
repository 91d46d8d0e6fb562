package columns

import (
	"fmt"
	"slices"
	"strings"
)

// name is the name of a leaf in two spellings. Names with dots in them can make the plain
// one mean two leaves: a column "a.b" beside a struct "a" with a field "b".
type name struct {
	path   string // for people: the plain spelling if that means one leaf, else the quoted one
	plain  string // a.b
	quoted string // `a.b`, or `a`.`b`
}

// below returns the name of a child. It keeps no reference to the text of the footer,
// which is one large buffer.
func (n name) below(child string) name {
	quoted := "`" + strings.ReplaceAll(child, "`", "``") + "`"
	if n.quoted == "" {
		plain := strings.Clone(child)
		return name{plain, plain, quoted}
	}
	plain := n.plain + "." + child
	return name{plain, plain, n.quoted + "." + quoted}
}

// distinguish quotes plain names that several leaves have.
func distinguish(leaves []leaf) {
	first := make(map[string]string, len(leaves)) // quoted, by plain name
	several := make(map[string]bool)
	for i := range leaves {
		n := &leaves[i].name
		if other, twice := first[n.plain]; !twice {
			first[n.plain] = n.quoted
		} else if other != n.quoted {
			several[n.plain] = true
		}
	}
	for i := range leaves {
		if n := &leaves[i].name; several[n.plain] {
			n.path = n.quoted
		}
	}
}

// isCalled says whether a user's spelling of a name means this one. In backquotes a name
// is taken as it is; a backquote in it is written twice.
func (n *name) isCalled(spelling string) bool {
	if n.path == spelling {
		return true
	}
	return strings.Contains(spelling, "`") && n.quoted == backquoted(spelling)
}

// backquoted puts every part of a name in backquotes.
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

// closing returns where the backquote is that ends the one at the start, or the end.
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

// ambiguous is the error for a plain name that means several leaves.
func ambiguous(path string, names []string) error {
	slices.Sort(names)
	if names = slices.Compact(names); len(names) < 2 {
		return fmt.Errorf("column %q is ambiguous: two columns have this name", path)
	}
	return fmt.Errorf("column %q is ambiguous: write %s", path, strings.Join(names, " or "))
}
