package columns

import (
	"fmt"
	"strings"

	"github.com/beameval/beameval/io/quote"
)

// Type selects the slice in which a column keeps its values.
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

// Field is a leaf column that can be read.
type Field struct {
	Path     string // as users write it; see the package documentation and [SchemaOf]
	Type     Type
	Bits     int    // Float: width of the stored values, 16, 32 or 64 (decimals: 64); Int: 64; otherwise 0
	List     bool   // below exactly one list or map
	Physical string // for messages: "list<double>", "string", "timestamp[us]"

	Name Name // from which Path was made
	Leaf int  // for the reader: its number among the leaves of the file
}

// Unreadable is a leaf column that cannot be read, with the reason.
type Unreadable struct {
	Path   string
	Reason string

	Name Name
}

// Schema describes the leaf columns of a file. Both lists are in the order of the file.
type Schema struct {
	Fields     []Field
	Unreadable []Unreadable
}

// SchemaOf returns the schema of n leaves.
func SchemaOf(n int, leaf func(i int) Leaf) Schema {
	var s Schema
	for i := range n {
		l := leaf(i)
		if l.Reason != "" {
			s.Unreadable = append(s.Unreadable, Unreadable{Name: l.Name, Reason: l.Reason})
			continue
		}
		f := Field{Type: l.Type, Bits: l.Bits, List: l.Lists > 0, Physical: l.Logical.Name, Name: l.Name, Leaf: l.Number}
		if f.List {
			f.Physical = "list<" + f.Physical + ">"
		}
		s.Fields = append(s.Fields, f)
	}
	s.setPaths()
	return s
}

// Lookup returns the field with exactly this path, in which names may be backquoted. If there is
// none, the error gives the reason and lists the columns of the file.
func (s Schema) Lookup(path string) (Field, error) {
	found, twice := -1, false
	var spellings []string // spellings of all leaves to which the plain path could refer
	for i := range s.Fields {
		f := &s.Fields[i]
		if isCalled(f.Path, f.Name, path) {
			twice = found >= 0
			found = i
		}
		if f.Name.plain == path {
			spellings = append(spellings, f.Name.quoted)
		}
	}
	switch {
	case twice:
		return Field{}, ambiguous(path, nil)
	case found >= 0:
		return s.Fields[found], nil
	}
	for i := range s.Unreadable {
		u := &s.Unreadable[i]
		if isCalled(u.Path, u.Name, path) {
			return Field{}, fmt.Errorf("column %q cannot be read: %s", quote.Short(path), u.Reason)
		}
		if u.Name.plain == path {
			spellings = append(spellings, u.Name.quoted)
		}
	}
	if len(spellings) > 0 {
		return Field{}, ambiguous(path, spellings)
	}
	return Field{}, s.missing(path)
}

func (s Schema) missing(path string) error {
	var names, below []string
	wanted := quote.Short(path)
	for _, f := range s.Fields {
		names = append(names, f.Path)
		if strings.HasPrefix(f.Path, path+".") {
			below = append(below, f.Path)
		}
	}
	switch {
	case len(names) == 0 && len(s.Unreadable) == 0:
		return fmt.Errorf("no column %q: the file has no columns", wanted)
	case len(names) == 0:
		return fmt.Errorf("no column %q: the file has no column that can be read", wanted)
	case len(below) > 0:
		return fmt.Errorf("column %q is a group of columns: name one of %s", wanted, list(below))
	}
	if name := meant(path, names); name != "" {
		return fmt.Errorf("no column %q; did you mean %q? The file has %s", wanted, quote.Short(name), list(names))
	}
	return fmt.Errorf("no column %q; the file has %s", wanted, list(names))
}

// meant returns the name that path was probably meant to be, or "". The path may lack parents.
func meant(path string, names []string) string {
	for _, name := range names {
		if strings.HasSuffix(strings.ToLower(name), "."+strings.ToLower(path)) {
			return name
		}
	}
	return quote.Slip(path, names)
}

// list joins names. It shortens the list to about twenty.
func list(names []string) string {
	const most = 20
	more := len(names) - most
	if more > 1 {
		names = names[:most]
	}
	short := make([]string, len(names))
	for i, name := range names {
		short[i] = quote.Short(name)
	}
	if more > 1 {
		return fmt.Sprintf("%s and %d more", strings.Join(short, ", "), more)
	}
	return strings.Join(short, ", ")
}
