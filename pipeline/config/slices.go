package config

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/slice"
)

// Slice is a set of slices of the data: one for each value of a column or, if there are several
// columns, for each combination of their values. Slices of the same configuration may overlap
// ([country] and {country: [de]}).
type Slice []SliceColumn

// SliceColumn is a column of a Slice: with all of its values, only with Values, or with the
// intervals into which Binning divides its numbers.
type SliceColumn struct {
	Column string
	Values []SliceValue
	Binning
}

// Binning divides numbers into intervals: at the bounds Bins, or into Quantiles with about equally
// many rows. The zero Binning does not divide them.
type Binning struct {
	// The bounds of the intervals, ascending.
	Bins []float64 `key:"bins" json:"bins,omitempty"`
	// How many intervals there are, with about equally many rows each.
	Quantiles int `key:"quantiles" json:"quantiles,omitempty"`
}

// divides reports whether numbers are divided.
func (b *Binning) divides() bool { return b.Bins != nil || b.Quantiles != 0 }

// maxIntervals is the maximum number of intervals.
const maxIntervals = 1000

// intervals returns the names of the intervals of Bins.
func (b *Binning) intervals() (names []string) {
	bounds := slices.Concat([]float64{math.Inf(-1)}, b.Bins, []float64{math.Inf(1)})
	for i, high := range bounds[1:] {
		names = append(names, slice.Interval(bounds[i], high).Text())
	}
	return names
}

// SliceValue is a value of a column: its text, or null.
type SliceValue struct {
	Text string
	Null bool
}

// mayBe reports whether two values are the same in a column of some type.
func (v SliceValue) mayBe(w SliceValue) bool {
	if v.Null || w.Null {
		return v == w
	}
	return slice.Written(v.Text).MayBe(slice.Written(w.Text))
}

// decode accepts a column, a mapping of columns to the wanted values or intervals, or a list of
// these.
func (s *Slice) decode(d *decoder, n *node, path string) {
	mapping := func(n *node, path string) {
		d.pairs(n, path, func(key, value *node, path string) {
			c := SliceColumn{Column: key.Value}
			if c.decode(d, value, path); len(c.Values) > 0 || c.divides() {
				*s = append(*s, c)
			}
		})
	}
	column := func(n *node, path string) {
		if n.Tag == kindMap && len(n.Content) > 0 {
			mapping(n, path)
		} else if text := d.text(n, path); !d.failed[path] {
			*s = append(*s, SliceColumn{Column: text})
		}
	}
	switch n.Tag {
	case kindString:
		column(n, path)
		return
	case kindList:
		d.items(n, path, "", column)
	case kindMap:
		mapping(n, path)
	default:
		d.wrongType(path, "a column, a list of columns or a mapping of columns to values", n)
		return
	}
	if len(n.Content) == 0 {
		d.fail(path, "needs at least one column (the overall slice is always there)")
	}
	if len(*s) == 0 {
		d.failed[path] = true
	}
}

// decode accepts a list of values, or a division of numbers.
func (c *SliceColumn) decode(d *decoder, n *node, path string) {
	if n.Tag == kindMap {
		c.Binning.decode(d, n, path)
		return
	}
	d.items(n, path, "a list of values, or bins or quantiles of numbers", func(n *node, path string) {
		var v SliceValue
		if v.decode(d, n, path); !d.failed[path] {
			c.Values = append(c.Values, v)
		}
	})
	if n.Tag == kindList && len(n.Content) == 0 {
		d.fail(path, "needs at least one value; list the column without values for all of them")
	}
}

// decode accepts bins or quantiles.
func (b *Binning) decode(d *decoder, n *node, path string) {
	problems := len(d.problems)
	d.mapping(n, path, keysOf(reflect.ValueOf(b).Elem()))
	if len(d.problems) > problems {
		return
	}
	bins, quantiles := join(path, "bins"), join(path, "quantiles")
	_, binned := d.at[bins]
	_, quantiled := d.at[quantiles]
	switch {
	case binned == quantiled:
		d.fail(path, "needs either bins or quantiles")
	case quantiled && (b.Quantiles < 2 || b.Quantiles > maxIntervals):
		d.fail(quantiles, "must be from 2 to %d, is %d", maxIntervals, b.Quantiles)
	case binned && len(b.Bins) == 0:
		d.fail(bins, "needs at least one bound; list the column without bins for each of its values")
	case len(b.Bins) > maxIntervals:
		d.fail(bins, "has %d bounds, more than %d", len(b.Bins), maxIntervals)
	}
	for i, x := range b.Bins {
		at := fmt.Sprintf("%s[%d]", bins, i)
		switch {
		case math.IsNaN(x) || math.IsInf(x, 0):
			d.fail(at, "must be finite; numbers below the first bound and from the last one on have intervals of their own")
		case i > 0 && x <= b.Bins[i-1]:
			d.fail(at, "%v is not above %v: bounds must ascend", x, b.Bins[i-1])
		}
	}
}

// MarshalJSON writes a slice in the form of the file: a list of columns, each either a name or, if
// it is limited to values or divided, an object. If all columns are objects, they are merged into
// one.
func (s Slice) MarshalJSON() ([]byte, error) {
	columns := []any{}
	var all object
	plain := false
	for _, c := range s {
		if value := c.chosen(); value == nil {
			plain = true
			columns = append(columns, c.Column)
		} else {
			o := new(object)
			o.add(c.Column, value)
			all.add(c.Column, value)
			columns = append(columns, o)
		}
	}
	if plain || len(s) == 0 {
		return marshal(columns)
	}
	return all.MarshalJSON()
}

// chosen returns the values of a column in the form of the file, or nil if the column is not
// limited.
func (c *SliceColumn) chosen() any {
	if c.divides() {
		return c.Binning
	}
	if c.Values == nil {
		return nil
	}
	return c.Values
}

// decode accepts a scalar or null.
func (v *SliceValue) decode(d *decoder, n *node, path string) {
	if v.Null = n.Tag == kindNull; !v.Null {
		v.Text = d.scalar(n, path, "a value")
	}
}

// MarshalJSON writes a string or null.
func (v SliceValue) MarshalJSON() ([]byte, error) {
	if v.Null {
		return marshal(nil)
	}
	return marshal(v.Text)
}

// String formats the value for messages.
func (v SliceValue) String() string {
	if v.Null {
		return "null"
	}
	return fmt.Sprintf("%q", v.Text)
}

// identity returns a text that is equal for slices that differ only in the order of columns or
// values.
func (s Slice) identity() string {
	columns := make([]string, 0, len(s))
	for _, c := range s {
		values := make([]string, 0, len(c.Values))
		for _, value := range c.Values {
			values = append(values, value.String())
		}
		slices.Sort(values)
		columns = append(columns, fmt.Sprintf("%q%q%v", c.Column, values, c.Binning))
	}
	slices.Sort(columns)
	return strings.Join(columns, " ")
}

func (v *validator) slices() {
	seen := map[string]int{}
	for i, s := range v.Slices {
		path := fmt.Sprintf("slices[%d]", i)
		if len(s) == 0 {
			v.fail(path, "needs at least one column")
			continue
		}
		if !v.slice(path, s) || v.failedBelow(path) {
			continue
		}
		id := s.identity()
		if j, repeated := seen[id]; repeated {
			v.fail(path, "repeats slices[%d]", j)
			continue
		}
		seen[id] = i
	}
}

// failedBelow reports whether a part of a value could not be read.
func (v *validator) failedBelow(path string) bool {
	if v.damaged == nil {
		v.damaged = map[string]bool{}
		for failed := range v.failed {
			for at := around(failed); at != "" && !v.damaged[at]; at = around(at) {
				v.damaged[at] = true
			}
		}
	}
	return v.damaged[path]
}

func (v *validator) slice(path string, s Slice) bool {
	before := len(v.found)
	columns := map[string]bool{}
	for _, c := range s {
		v.failIf(c.Column == "", path, "a column has no name")
		v.failIf(columns[c.Column], path, "column %q is there twice", c.Column)
		columns[c.Column] = true
		values, at := map[SliceValue]bool{}, join(path, c.Column)
		for i, value := range c.Values {
			v.failIf(values[value], fmt.Sprintf("%s[%d]", at, i), "%s is there twice", value)
			values[value] = true
		}
	}
	return len(v.found) == before
}
