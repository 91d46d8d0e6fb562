package config

import (
	"fmt"
	"slices"

	"github.com/beameval/beameval/metrics"
)

// Gate says between which bounds a metric must be.
type Gate struct {
	Metric string    `key:"metric" json:"metric"`
	Slice  GateSlice `key:"slice" json:"slice,omitzero"`
	Label  string    `key:"label" form:"label" json:"label,omitempty"` // empty: the metric of all labels together
	// Min and Max may be reached; nil is no bound.
	Min *float64 `key:"min" json:"min,omitempty"`
	Max *float64 `key:"max" json:"max,omitempty"`
	// AllowUndefined says that the gate does not fail where the metric is undefined or
	// missing.
	AllowUndefined bool `key:"allow_undefined" json:"allow_undefined,omitempty"`
}

// GateSlice is the slice with these values of columns; that of all examples if there are
// none. Each means every slice but that of all examples instead.
type GateSlice struct {
	Each   bool
	Values []GateValue
}

// GateValue is the value of a slice column.
type GateValue struct {
	Column string
	SliceValue
}

// eachSlice is the value of a gate's slice for every slice.
const eachSlice = "each"

// decode takes each, or a mapping of columns to values.
func (s *GateSlice) decode(d *decoder, n *node, path string) {
	switch {
	case n.kind == kindString && n.text == eachSlice:
		s.Each = true
	case n.kind == kindMap:
		d.pairs(n, path, func(p pair, path string) {
			value := GateValue{p.key.text, SliceValue{Null: p.value.kind == kindNull}}
			if !value.Null {
				value.Text = d.scalar(p.value, path, "a value")
			}
			s.Values = append(s.Values, value)
		})
	default:
		d.wrongType(path, eachSlice+" or a mapping of columns to values", n)
	}
}

// MarshalJSON writes the slice as in the file.
func (s GateSlice) MarshalJSON() ([]byte, error) {
	if s.Each {
		return marshal(eachSlice)
	}
	var o object
	for _, v := range s.Values {
		if v.Null {
			o.add(v.Column, nil)
		} else {
			o.add(v.Column, v.Text)
		}
	}
	return o.MarshalJSON()
}

func (v *validator) gates() {
	for i := range v.Gates {
		path := fmt.Sprintf("gates[%d]", i)
		g := &v.Gates[i]
		if g.Metric == "" {
			v.fail(path, "needs a metric")
		}
		v.bounds(path, g)
		v.gateSlice(join(path, "slice"), &g.Slice)
		if g.Label != "" {
			v.gateLabel(join(path, "label"), g.Label)
		}
	}
}

func (v *validator) bounds(path string, g *Gate) {
	if g.Min != nil {
		v.finite(join(path, "min"), *g.Min)
	}
	if g.Max != nil {
		v.finite(join(path, "max"), *g.Max)
	}
	switch {
	case g.Min == nil && g.Max == nil:
		v.fail(path, "needs min, max or both")
	case g.Min != nil && g.Max != nil && *g.Min > *g.Max:
		v.fail(path, "min %v is above max %v", *g.Min, *g.Max)
	}
}

// gateSlice checks that there are such slices.
func (v *validator) gateSlice(path string, s *GateSlice) {
	if s.Each && len(v.Slices) == 0 {
		v.fail(path, "there are no slices: set slices")
	}
	if len(s.Values) == 0 || slices.ContainsFunc(v.Slices, s.isIn) {
		return
	}
	columns := make([]string, len(s.Values))
	for i, value := range s.Values {
		columns[i] = value.Column
	}
	list, _ := marshal(columns)
	v.fail(path, "there is no such slice: add %s to slices", list)
}

// isIn says whether the slice is one of a set of slices, if rows have its values.
func (s *GateSlice) isIn(set Slice) bool {
	return len(set) == len(s.Values) && !slices.ContainsFunc(s.Values, func(v GateValue) bool {
		return !slices.ContainsFunc(set, func(c SliceColumn) bool {
			return c.Column == v.Column && (len(c.Values) == 0 || slices.Contains(c.Values, v.SliceValue))
		})
	})
}

// gateLabel checks that the report has rows of a label.
func (v *validator) gateLabel(path, label string) {
	v.onlyFor(path, metrics.Multiclass, metrics.Multilabel)
	v.known(path, label)
	if l := v.PerLabel; !l.All && l.Limit == 0 && !slices.Contains(l.Names, label) && !v.failed["per_label"] {
		v.fail(path, "per_label leaves out the metrics of %q", shorten(label))
	}
}
