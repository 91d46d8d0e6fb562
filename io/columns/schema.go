package columns

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Type is the kind of Go slice that a column is read into.
type Type uint8

// The types of columns.
const (
	Bool   Type = iota + 1 // Ints, 0 or 1
	Int                    // Ints
	Float                  // Floats
	String                 // Codes
)

func (t Type) String() string {
	switch t {
	case Bool:
		return "bool"
	case Int:
		return "int"
	case Float:
		return "float"
	case String:
		return "string"
	}
	return fmt.Sprintf("Type(%d)", uint8(t))
}

// Field is one leaf column that can be read.
type Field struct {
	Path     string // as users write it, see the package documentation
	Type     Type
	Bits     int    // Float: significant width of the values as stored: 16, 32 or 64 (decimal: 64); Int: 64; otherwise 0
	List     bool   // below exactly one list or map
	Physical string // for messages: "list<double>", "string", "timestamp[us]"
}

// Unreadable is one leaf column that cannot be read, and why.
type Unreadable struct {
	Path   string
	Reason string
}

// Schema describes the leaf columns of a file, each kind in file order.
type Schema struct {
	Fields     []Field
	Unreadable []Unreadable
}

// Lookup returns the field of exactly this path. If there is none, the error
// says why, and which columns there are.
func (s Schema) Lookup(path string) (Field, error) {
	found := -1
	for i := range s.Fields {
		if s.Fields[i].Path != path {
			continue
		}
		if found >= 0 {
			return Field{}, fmt.Errorf("column %q is ambiguous: two columns have this path", path)
		}
		found = i
	}
	if found >= 0 {
		return s.Fields[found], nil
	}
	for _, u := range s.Unreadable {
		if u.Path == path {
			return Field{}, fmt.Errorf("column %q cannot be read: %s", path, u.Reason)
		}
	}
	return Field{}, s.missing(path)
}

func (s Schema) missing(path string) error {
	var names, below []string
	for _, f := range s.Fields {
		names = append(names, f.Path)
		if strings.HasPrefix(f.Path, path+".") {
			below = append(below, f.Path)
		}
	}
	switch {
	case len(names) == 0 && len(s.Unreadable) == 0:
		return fmt.Errorf("no column %q: the file has no columns", path)
	case len(names) == 0:
		return fmt.Errorf("no column %q: the file has no column that can be read", path)
	case len(below) > 0:
		return fmt.Errorf("column %q is a group of columns: name one of %s", path, list(below))
	}
	if name, ok := nearest(path, names); ok {
		return fmt.Errorf("no column %q; did you mean %q? The file has %s", path, name, list(names))
	}
	return fmt.Errorf("no column %q; the file has %s", path, list(names))
}

// nearest returns the name most like path, if any is like it at all: case does
// not count, nor do parents that were left out.
func nearest(path string, names []string) (string, bool) {
	path = strings.ToLower(path)
	best, least := "", 1+len(path)/2
	for _, name := range names {
		lower := strings.ToLower(name)
		d := 2 * levenshtein.ComputeDistance(path, lower)
		if strings.HasSuffix(lower, "."+path) {
			d = 1
		}
		if d/2 < least {
			best, least = name, d/2
		}
	}
	return best, best != ""
}

// list joins names, but not hundreds of them.
func list(names []string) string {
	const most = 20
	if n := len(names) - most; n > 1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n)
	}
	return strings.Join(names, ", ")
}
