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

var typeNames = [...]string{Bool: "bool", Int: "int", Float: "float", String: "string"}

func (t Type) String() string { return typeNames[t] }

// Field is a leaf column.
type Field struct {
	Path     string // as users write it; see the package documentation and [SchemaOf]
	Type     Type
	Bits     int    // Float: width of the stored values, 16, 32 or 64 (decimals: 64); Int: 64; otherwise 0
	Null     bool   // every value is null, so that the type says nothing
	List     bool   // below a list or map; a column below several cannot be read
	Physical string // for messages: "list<double>", "string", "timestamp[us]"
	Reason   string // why it cannot be read; empty if it can

	Name Name // from which Path was made
	Leaf int  // for the reader: its number among the leaves of the file
}

// NullAs reports whether all values are null, so that the column may stand for one of lists or, without lists, for
// one of single values.
func (f Field) NullAs(list bool) bool { return f.Null && (list || !f.List) }

// NewField returns the leaf column with the given number, below a number of lists and maps. It
// cannot be read if there is a reason or if it lies below several lists.
func NewField(name Name, leaf, lists int, l Logical, reason string) Field {
	if reason == "" && lists > 1 {
		reason = fmt.Sprintf("it lies below %d nested lists; one is the most: write one list a row", lists)
	}
	f := Field{Type: l.Type, Bits: l.Bits, Null: l.Name == Null.Name || l.Name == Empty.Name, List: lists > 0, Physical: l.Name, Reason: reason, Name: name, Leaf: leaf}
	if f.List {
		f.Physical = "list<" + f.Physical + ">"
	}
	return f
}

// Schema describes the leaf columns of a file: those that can be read, and the others. Both lists
// are in the order of the file.
type Schema struct{ Fields, Unreadable []Field }

// SchemaOf returns the schema of n leaf columns and sets their paths.
func SchemaOf(n int, leaf func(i int) Field) Schema {
	var s Schema
	for i := range n {
		if f := leaf(i); f.Reason == "" {
			s.Fields = append(s.Fields, f)
		} else {
			s.Unreadable = append(s.Unreadable, f)
		}
	}
	s.setPaths()
	return s
}

// Lookup returns the field with exactly this path, in which names may be backquoted. If there is
// none, the error gives the reason and lists the columns of the file.
func (s Schema) Lookup(path string) (Field, error) {
	var named []*Field     // first those that can be read
	var spellings []string // of all columns to which the plain path could refer
	for _, list := range [][]Field{s.Fields, s.Unreadable} {
		for i := range list {
			f := &list[i]
			if f.isCalled(path) {
				named = append(named, f)
			}
			if f.Name.plain == path {
				spellings = append(spellings, f.Name.quoted)
			}
		}
	}
	switch {
	case len(named) > 1 && named[1].Reason == "":
		return Field{}, ambiguous(path, nil)
	case len(named) > 0 && named[0].Reason == "":
		return *named[0], nil
	case len(named) > 0:
		return Field{}, fmt.Errorf("column %q cannot be read: %s", quote.Short(path), named[0].Reason)
	case len(spellings) > 0:
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
