package config

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/beameval/beameval/io/report"
)

// The types in this file have their own representation in the configuration file and in reports.

// Origin says where the values of a role come from: one column or, if each label has its own
// column, several. The zero Origin is not set.
type Origin struct {
	// Column is the column. If it contains one *, it stands for all columns that match it, unless a
	// column has exactly this name. If Wide is set, Column is used only in messages.
	Column string
	Wide   []WideColumn
	// Off says that there is no column, even if one has a usual name of the role.
	Off bool
}

// WideColumn is the column of one label. Label is empty if the columns are in the order of the
// labels.
type WideColumn struct{ Label, Column string }

// Widen sets the columns of the labels.
func (o *Origin) Widen(columns []WideColumn) {
	o.Wide = columns
	o.Column = cmp.Or(o.Column, fmt.Sprintf("%s … %s", columns[0].Column, columns[len(columns)-1].Column))
}

// decode accepts a column, a list of columns, or a mapping of labels to columns.
func (o *Origin) decode(d *decoder, n *node, path string) {
	var wide []WideColumn
	add := func(label string, n *node, path string) {
		if column := d.text(n, path); !d.failed[path] {
			wide = append(wide, WideColumn{label, column})
		}
	}
	switch n.Tag {
	case kindNull, kindString:
		(*single)(o).decode(d, n, path)
		return
	case kindList:
		d.items(n, path, "", func(n *node, path string) { add("", n, path) })
	case kindMap:
		d.pairs(n, path, func(key, value *node, path string) { add(key.Value, value, path) })
	default:
		d.wrongType(path, "a string, a list of columns or a mapping of labels to columns", n)
		return
	}
	if len(n.Content) == 0 {
		d.fail(path, "needs at least one column")
	}
	if len(wide) > 0 {
		o.Widen(wide)
	}
}

// single is an origin that has at most one column.
type single Origin

// decode accepts a column, or null.
func (o *single) decode(d *decoder, n *node, path string) {
	switch n.Tag {
	case kindNull:
		o.Off = true
	case kindString:
		o.Column = d.text(n, path)
	default:
		d.wrongType(path, "a string", n)
	}
}

// MarshalJSON writes an origin in the form of the file.
func (o single) MarshalJSON() ([]byte, error) { return Origin(o).MarshalJSON() }

// MarshalJSON writes an origin in the form of the file.
func (o Origin) MarshalJSON() ([]byte, error) {
	switch {
	case o.Off:
		return marshal(nil)
	case o.Wide == nil:
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
	return byLabel.MarshalJSON()
}

// PassThreshold says which grades pass.
type PassThreshold struct {
	// Grade is the threshold of the grade itself, unless ByName has one; nil if there is none.
	Grade *float64
	// ByName has the thresholds of grades by their names.
	ByName map[string]float64
}

// decode accepts a number, or a mapping of names to numbers.
func (t *PassThreshold) decode(d *decoder, n *node, path string) {
	switch n.Tag {
	case kindNumber:
		x := d.number(n, path, "")
		t.Grade = &x
	case kindMap:
		t.ByName = map[string]float64{}
		d.pairs(n, path, func(key, value *node, path string) { t.ByName[key.Value] = d.number(value, path, "a number") })
	default:
		d.wrongType(path, "a number or a mapping of grades to numbers", n)
	}
}

// MarshalJSON writes the threshold in the form of the file.
func (t PassThreshold) MarshalJSON() ([]byte, error) {
	if t.Grade != nil {
		return marshal(*t.Grade)
	}
	var byName object
	for _, name := range sortedKeys(t.ByName) {
		byName.add(name, t.ByName[name])
	}
	return byName.MarshalJSON()
}

// Thresholds are the minimum scores with which labels are predicted.
type Thresholds struct {
	// Default is the threshold of labels that are not in ByLabel; nil means the threshold of the score
	// type, see [Config.Threshold].
	Default *float64
	// ByLabel holds the thresholds of single labels.
	ByLabel map[string]float64
	// File is a file with thresholds, as a run with TuneThresholds writes it. The code that reads
	// it sets Default and ByLabel and clears File.
	File string
}

// defaultThreshold is the key of the threshold of all other labels, including a label of this name.
const defaultThreshold = "default"

// decode accepts a number, a mapping of labels to numbers, or the name of a file.
func (t *Thresholds) decode(d *decoder, n *node, path string) {
	switch {
	case n.Tag == kindNumber || isPercent(n):
		x := d.share(n, path)
		t.Default = &x
	case n.Tag == kindString:
		t.File = n.Value
	case n.Tag == kindMap:
		d.pairs(n, path, func(key, value *node, path string) { t.set(d, key.Value, value, path) })
	default:
		d.wrongType(path, "a number, a mapping of labels to numbers or the name of a file with one", n)
	}
}

func (t *Thresholds) set(d *decoder, label string, value *node, path string) {
	x := d.share(value, path)
	switch {
	case d.failed[path]:
	case label == defaultThreshold:
		t.Default = &x
	default:
		if t.ByLabel == nil {
			t.ByLabel = map[string]float64{}
		}
		t.ByLabel[label] = x
	}
}

// MarshalJSON writes the default first and the labels in order.
func (t Thresholds) MarshalJSON() ([]byte, error) {
	switch {
	case t.File != "":
		return marshal(t.File)
	case len(t.ByLabel) == 0:
		return marshal(t.Default)
	}
	var o object
	if t.Default != nil {
		o.add(defaultThreshold, t.Default)
	}
	for _, name := range sortedKeys(t.ByLabel) {
		o.add(name, t.ByLabel[name])
	}
	return o.MarshalJSON()
}

// ZeroDivision is the value of a metric whose denominator is zero: 0, 1 or nan.
type ZeroDivision string

func (z *ZeroDivision) decode(d *decoder, n *node, path string) {
	x := math.Inf(1)
	switch {
	case n.Tag == kindNumber:
		if x = d.number(n, path, "a number"); d.failed[path] {
			return
		}
	case n.Tag == kindString && strings.EqualFold(n.Value, "nan"):
		x = math.NaN()
	}
	if *z = ZeroDivision(strings.ToLower(formatNumber(x))); !z.valid() {
		d.wrongType(path, "0, 1 or nan", n)
		*z = ""
	}
}

func (z ZeroDivision) valid() bool { return z == "0" || z == "1" || z == "nan" }

// MarshalJSON writes a number or, because JSON has no NaN, the string "nan".
func (z ZeroDivision) MarshalJSON() ([]byte, error) {
	if z == "nan" {
		return marshal("nan")
	}
	return []byte(z), nil
}

// PerLabel selects the labels that get metric rows of their own: all of them, those in Names, or up
// to Limit (none if 0).
type PerLabel struct {
	All   bool
	Names []string
	Limit int
}

// The values of per_label for all labels and for none.
const (
	perLabelAll  = "all"
	perLabelNone = "none"
)

// decode accepts all, none, a list of labels or the maximum number of labels.
func (l *PerLabel) decode(d *decoder, n *node, path string) {
	switch {
	case n.Tag == kindString && n.Value == perLabelAll:
		l.All = true
	case n.Tag == kindString && n.Value == perLabelNone:
	case n.Tag == kindNumber:
		l.Limit = d.whole(n, path)
	case n.Tag == kindList && len(n.Content) == 0:
		d.fail(path, "the list is empty; use %s", perLabelNone)
	case n.Tag == kindList:
		d.items(n, path, "", func(n *node, path string) {
			if name := d.label(n, path); !d.failed[path] {
				l.Names = append(l.Names, name)
			}
		})
	default:
		d.wrongType(path, fmt.Sprintf("%s, %s, a list of labels or a whole number", perLabelAll, perLabelNone), n)
	}
}

// MarshalJSON writes the selection in the form of the file.
func (l PerLabel) MarshalJSON() ([]byte, error) {
	switch {
	case l.All:
		return marshal(perLabelAll)
	case len(l.Names) > 0:
		return marshal(l.Names)
	case l.Limit == 0:
		return marshal(perLabelNone)
	}
	return marshal(l.Limit)
}

// Limit is a number or a percentage.
type Limit report.Limit

// String returns the limit in the form of the file.
func (l Limit) String() string { return report.Limit(l).String() }

// MarshalJSON writes the limit in the form of the file.
func (l Limit) MarshalJSON() ([]byte, error) { return report.Limit(l).MarshalJSON() }

// decode accepts a number or, as a string, a percentage.
func (l *Limit) decode(d *decoder, n *node, path string) {
	*l = Limit(d.limit(n, path, "a number or a share, such as 1%"))
}

// share accepts a number or, as a string, a percentage, and returns the number: 90% is 0.9.
func (d *decoder) share(n *node, path string) float64 {
	limit := d.limit(n, path, "a number or a share, such as 90%")
	if !limit.Percent {
		return limit.Value
	}
	if x, err := strconv.ParseFloat(strings.TrimSuffix(n.Value, "%")+"e-2", 64); err == nil {
		return x // rounded once, as 0.901 is, where 90.1 / 100 is rounded twice
	}
	return limit.Value / 100 // of 9e1%
}

// limit accepts a number or, as a string, a percentage.
func (d *decoder) limit(n *node, path, want string) (l report.Limit) {
	if !isPercent(n) {
		l.Value = d.number(n, path, want)
		return l
	}
	l, _ = report.ParsePercent(n.Value)
	return l
}

// isPercent reports whether a string is a percentage, such as 90%.
func isPercent(n *node) bool {
	_, err := report.ParsePercent(n.Value)
	return n.Tag == kindString && err == nil
}

func formatNumber(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
