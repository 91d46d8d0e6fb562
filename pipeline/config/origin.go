package config

import (
	"cmp"
	"fmt"
)

// Origin is where the values of a role come from: one column or, where each label has
// a column of its own, several. The zero Origin is not set.
type Origin struct {
	// Column is the column. With one * in it, and where no column has that very name,
	// it stands for all columns of such names. If there is Wide, it only names that in
	// messages.
	Column string
	Wide   []WideColumn
}

// WideColumn is the column of one label. Where labels have their order from
// elsewhere, Label is empty.
type WideColumn struct{ Label, Column string }

// Widen makes o the columns of labels.
func (o *Origin) Widen(columns []WideColumn) {
	o.Wide = columns
	o.Column = cmp.Or(o.Column, fmt.Sprintf("%s … %s", columns[0].Column, columns[len(columns)-1].Column))
}

// origin is a column, a list of columns, or a mapping of labels to columns.
func origin(target func(*Config) *Origin) setter {
	return func(d *decoder, n *node, path string) {
		o := target(d.c)
		*o = Origin{}
		var wide []WideColumn
		add := func(d *decoder, label string, n *node, path string) {
			if column, ok := d.text(n, path); ok {
				wide = append(wide, WideColumn{label, column})
			}
		}
		switch n.kind {
		case kindString:
			o.Column, _ = d.text(n, path)
			return
		case kindList:
			d.items(n, path, "", func(d *decoder, n *node, path string) { add(d, "", n, path) })
		case kindMap:
			for _, p := range n.pairs {
				here := join(path, p.key.text)
				d.place(here, p)
				add(d, p.key.text, p.value, here)
			}
		default:
			d.wrongType(path, "a string, a list of columns or a mapping of labels to columns", n)
			return
		}
		if len(n.items)+len(n.pairs) == 0 {
			d.fail(path, "needs at least one column")
		}
		if len(wide) > 0 {
			o.Widen(wide)
		}
	}
}

// IsZero says that the origin is not set, and is left out of the report.
func (o Origin) IsZero() bool { return o.Column == "" }

// MarshalJSON writes an origin as in the file.
func (o Origin) MarshalJSON() ([]byte, error) {
	if o.Wide == nil {
		return marshal(o.Column)
	}
	var byLabel object
	columns := make([]string, len(o.Wide))
	for i, w := range o.Wide {
		columns[i] = w.Column
		byLabel.add(w.Label, w.Column)
	}
	if o.Wide[0].Label == "" {
		return marshal(columns)
	}
	return byLabel.bytes()
}
