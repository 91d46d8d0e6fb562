package config

import (
	"slices"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
)

// Groups defines the groups of examples that are compared. If By is empty, there are none.
type Groups struct {
	// The column that has the group of an example, or several columns: each alone and all of them
	// together. Their values are slices, too.
	By GroupColumns `key:"by"`
	// The group that others are compared with. If by has several columns, it is a mapping of columns
	// to groups. Without it, there is none.
	Reference References `key:"reference"`
	// Metrics that are compared besides accuracy, fnr, fpr, recall and predicted_positive_rate of
	// binary tasks. Other tasks need it.
	Metrics []string `key:"metrics"`
	// The least support of a group that is compared: differences, ratios, minima, maxima and findings
	// leave out smaller groups. A smaller reference still is what others are compared with. Without it, all groups are compared.
	MinSupport int `key:"min_support" range:"[1,)"`
}

// GroupColumns are columns. A report writes a single column as a string.
type GroupColumns []string

// MarshalJSON writes the columns in the form of the file.
func (c GroupColumns) MarshalJSON() ([]byte, error) {
	if len(c) == 1 {
		return marshal(c[0])
	}
	return marshal([]string(c))
}

// References are groups that others are compared with.
type References []GroupReference

// GroupReference is the group of a column that others are compared with. Column is empty if the file
// does not name it.
type GroupReference struct{ Column, Group string }

// decode accepts a label, or a mapping of columns to labels.
func (r *References) decode(d *decoder, n *node, path string) {
	add := func(column string, n *node, path string) {
		group := d.label(n, path)
		if group == "" && !d.failed[path] {
			d.fail(path, "must not be empty")
		}
		if !d.failed[path] {
			*r = append(*r, GroupReference{column, group})
		}
	}
	if n.Tag != kindMap {
		add("", n, path)
		return
	}
	if len(n.Content) == 0 {
		d.fail(path, "needs at least one column")
	}
	d.pairs(n, path, func(key, value *node, path string) { add(key.Value, value, path) })
}

// MarshalJSON writes the groups in the form of the file.
func (r References) MarshalJSON() ([]byte, error) {
	if len(r) == 1 && r[0].Column == "" {
		return marshal(r[0].Group)
	}
	var o object
	for _, one := range r {
		o.add(one.Column, one.Group)
	}
	return o.MarshalJSON()
}

// References returns the groups that others are compared with, by column.
func (g *Groups) References() map[string]string {
	found := map[string]string{}
	for _, r := range g.Reference {
		if r.Column == "" {
			r.Column = g.By[0]
		}
		found[r.Column] = r.Group
	}
	return found
}

// AllSlices returns the slices that are evaluated: Slices, and the slices of the groups.
func (c *Config) AllSlices() []Slice {
	all, met := slices.Clip(c.Slices), map[string]bool{}
	for i := range all {
		if len(c.Groups.By) > 0 {
			met[all[i].identity()] = true
		}
	}
	for _, columns := range slice.Crossed(c.Groups.By) {
		var of Slice
		for _, column := range columns {
			of = append(of, SliceColumn{Column: column})
		}
		if id := of.identity(); !met[id] {
			met[id] = true
			all = append(all, of)
		}
	}
	return all
}

func (v *validator) groups() {
	by := v.Groups.By
	v.failIf(len(by) == 0 && v.src.has("groups") && !v.failed["groups"] && !v.failed["groups.by"], "groups", "needs by: the column that says of which group an example is")
	isBy := map[string]bool{}
	for _, column := range by {
		v.failIf(isBy[column], "groups.by", "has the column %q twice", column)
		isBy[column] = true
	}
	if len(by) == 0 {
		return
	}
	for _, r := range v.Groups.Reference {
		v.failIf(r.Column == "" && len(by) > 1, "groups.reference", "say of which column it is, such as {%s: %s}", quote.Visible(by[0]), quote.Visible(r.Group))
		if r.Column != "" && !isBy[r.Column] && len(v.found) < maxShown { // all have the same place
			v.fail("groups.reference", "%q is no column of by; did you mean %q?", r.Column, quote.Nearest(r.Column, by))
		}
	}
}
