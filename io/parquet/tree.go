package parquet

import (
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
)

// maxDepth limits how deeply schemas nest, because a damaged footer could nest without limit.
const maxDepth = 64

// leaf is a leaf column of the schema, including those that cannot be read.
type leaf struct {
	columns.Field
	physical format.Type
	length   int // of fixed-length values, in bytes
	levels
	logical logical
}

// levels holds the highest repetition and definition level of a leaf: how many nodes on the path to
// it are repeated, and how many are repeated or optional. An element of the outermost list exists
// where the definition level is at least list.
type levels struct{ rep, def, list int }

func (l levels) enter(r format.FieldRepetitionType) levels {
	if r != format.Required {
		l.def++
	}
	if r == format.Repeated {
		l.rep++
		if l.list == 0 {
			l.list = l.def
		}
	}
	return l
}

// node is a node of the schema tree.
type node struct {
	*format.SchemaElement
	children []*node
}

func (n *node) leaf() bool { return n.Type.Valid }

func (n *node) repetition() format.FieldRepetitionType {
	if n.RepetitionType.Valid {
		return n.RepetitionType.V
	}
	return format.Required
}

// leavesOf returns the leaves of a schema, which the footer stores in depth-first order.
func leavesOf(schema []format.SchemaElement, o columns.Options) ([]leaf, error) {
	if len(schema) == 0 {
		return nil, errors.New("no schema")
	}
	if schema[0].NumChildren.V == 0 && schema[0].Type.Valid {
		return nil, errors.New("schema: the root is not a group")
	}
	schema[0].Type.Valid = false // some writers give the root a type, which means nothing
	root, rest, err := newNode(schema, 0)
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("schema: %d elements outside the root", len(rest))
	}
	w := walker{options: o}
	for _, child := range root.children {
		w.node(child, columns.Name{}.Below(child.Name), levels{})
	}
	return w.leaves, nil
}

func newNode(schema []format.SchemaElement, depth int) (n *node, rest []format.SchemaElement, err error) {
	if len(schema) == 0 {
		return nil, nil, errors.New("schema: a group has fewer children than it says")
	}
	n, rest = &node{SchemaElement: &schema[0]}, schema[1:]
	if r := n.repetition(); r < format.Required || r > format.Repeated {
		return nil, nil, fmt.Errorf("schema: %q has repetition type %d", quote.Short(n.Name), r)
	}
	if n.leaf() {
		return n, rest, nil
	}
	if depth >= maxDepth {
		return nil, nil, fmt.Errorf("schema: nested deeper than %d groups", maxDepth)
	}
	for i := int32(0); i < n.NumChildren.V; i++ {
		var child *node
		if child, rest, err = newNode(rest, depth+1); err != nil {
			return nil, nil, err
		}
		n.children = append(n.children, child)
	}
	return n, rest, nil
}

// walker collects the leaves and their names.
type walker struct {
	options columns.Options
	leaves  []leaf
}

func (w *walker) node(n *node, path columns.Name, l levels) {
	w.inside(n, path, l.enter(n.repetition()))
}

// inside visits the children of n. l already includes the repetition of n.
func (w *walker) inside(n *node, path columns.Name, l levels) {
	switch {
	case n.leaf():
		w.leaf(n, path, l)
	case isList(n):
		// https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#backward-compatibility-rules
		repeated := n.children[0]
		l = l.enter(format.Repeated)
		if isElement(repeated, n.Name) {
			w.inside(repeated, path, l)
		} else {
			w.node(repeated.children[0], path, l)
		}
	case isMap(n):
		entry := n.children[0]
		l = l.enter(format.Repeated)
		for i, child := range entry.children {
			w.node(child, path.Below([]string{"key", "value"}[i]), l)
		}
	default:
		for _, child := range n.children {
			w.node(child, path.Below(child.Name), l)
		}
	}
}

func (w *walker) leaf(n *node, path columns.Name, l levels) {
	leaf := leaf{physical: n.Type.V, levels: l}
	if n.TypeLength.Valid {
		leaf.length = int(n.TypeLength.V)
	}
	var reason string
	leaf.logical, reason = logicalOf(n.SchemaElement, w.options)
	leaf.Field = columns.NewField(path, len(w.leaves), l.rep, leaf.logical.Logical, reason)
	w.leaves = append(w.leaves, leaf)
}

func isList(n *node) bool {
	_, list := n.LogicalType.Value.(*format.ListType)
	list = list || n.ConvertedType.Valid && n.ConvertedType.V == deprecated.List
	return list && len(n.children) == 1 && n.children[0].repetition() == format.Repeated
}

func isMap(n *node) bool {
	_, m := n.LogicalType.Value.(*format.MapType)
	m = m || n.ConvertedType.Valid &&
		(n.ConvertedType.V == deprecated.Map || n.ConvertedType.V == deprecated.MapKeyValue)
	if !m || len(n.children) != 1 {
		return false
	}
	entry := n.children[0]
	return entry.repetition() == format.Repeated && !entry.leaf() && len(entry.children) <= 2
}

// isElement reports whether the repeated child of a list is itself the element, as in two-level
// lists. Otherwise the child only wraps the element.
func isElement(repeated *node, list string) bool {
	return repeated.leaf() ||
		len(repeated.children) != 1 ||
		repeated.Name == "array" || repeated.Name == list+"_tuple" ||
		repeated.children[0].repetition() == format.Repeated ||
		isList(repeated) || isMap(repeated)
}
