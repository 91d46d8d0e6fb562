package columns

import (
	"fmt"
	"slices"
	"strings"
)

// name is the name of a leaf in two spellings. The plain spelling can mean two leaves if
// names contain dots: a column "a.b" beside a struct "a" with a field "b".
type name struct {
	path   string // for people: the plain spelling, or the quoted one if the plain one means several leaves
	plain  string // a.b
	quoted string // `a.b`, or `a`.`b`
}

// below returns the name of a child. It copies the text, which is part of the large buffer of
// the footer.
func (n name) below(child string) name {
	quoted := "`" + strings.ReplaceAll(child, "`", "``") + "`"
	if n.quoted == "" {
		plain := strings.Clone(child)
		return name{plain, plain, quoted}
	}
	plain := n.plain + "." + child
	return name{plain, plain, n.quoted + "." + quoted}
}

// distinguish quotes the paths of leaves that share a plain name.
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

// isCalled says whether a user's spelling means this name. A name in backquotes is taken
// literally; a backquote in it is written twice.
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

// ambiguous is the error for a plain name that means several leaves.
func ambiguous(path string, names []string) error {
	slices.Sort(names)
	if names = slices.Compact(names); len(names) < 2 {
		return fmt.Errorf("column %q is ambiguous: two columns have this name", path)
	}
	return fmt.Errorf("column %q is ambiguous: write %s", path, strings.Join(names, " or "))
}
