package config

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
)

// Gate is a requirement on a metric.
type Gate struct {
	// A metric that the report has.
	Metric string `key:"metric" json:"metric"`
	// The slice with these values of columns, such as {country: de} or, of one column, country=de; or each:
	// every slice but the overall one. Without it, the gate is on the slice of all examples.
	Slice GateSlice `key:"slice" json:"slice,omitzero"`
	// The label, for a metric that each label has. Without it, it is the metric of all labels together.
	Label string `key:"label" form:"label" json:"label,omitempty"`
	// The least value, which may be reached: a number or, such as 90%, which is 0.9, a percentage.
	Min *float64 `key:"min" form:"share" json:"min,omitempty"`
	// The greatest value, which may be reached.
	Max *float64 `key:"max" form:"share" json:"max,omitempty"`
	// How far the metric may be below its value in the baseline: a number or, such as 2%, a share
	// of that value.
	MaxDrop *Limit `key:"max_drop" json:"max_drop,omitempty"`
	// How far the metric may be above its value in the baseline: a number or, such as 2%, a share
	// of that value.
	MaxRise *Limit `key:"max_rise" json:"max_rise,omitempty"`
	// Take chance into account: the whole confidence interval has to keep min and max, and only a
	// change that is statistically significant counts for max_drop and max_rise.
	Sure bool `key:"sure" json:"sure,omitempty"`
	// Do not fail where the gate cannot be judged, as where the metric is undefined.
	AllowUndefined bool `key:"allow_undefined" json:"allow_undefined,omitempty"`
}

// GateSlice selects the slice with these values of columns, or the slice of all examples if there
// are none. If Each is set, it selects every slice except the overall one instead.
type GateSlice struct {
	Each   bool
	Values []GateValue
}

// GateValue is the value of a slice column.
type GateValue struct {
	Column string
	SliceValue
}

// eachSlice is the value of a gate's slice that stands for every slice.
const eachSlice = "each"

// decode accepts "each", a mapping of columns to values, or a text such as country=de.
func (s *GateSlice) decode(d *decoder, n *node, path string) {
	switch {
	case n.Tag == kindString && n.Value == eachSlice:
		s.Each = true
	case n.Tag == kindMap:
		d.pairs(n, path, func(key, value *node, path string) {
			v := GateValue{Column: key.Value}
			v.decode(d, value, path)
			s.Values = append(s.Values, v)
		})
	case n.Tag == kindString && strings.Contains(n.Value, "="):
		s.decodeText(d, n, path)
	default:
		d.wrongType(path, eachSlice+" or a mapping of columns to values", n)
	}
}

// decodeText reads country=de. What could be read in two ways is refused.
func (s *GateSlice) decodeText(d *decoder, n *node, path string) {
	column, text, _ := strings.Cut(n.Value, "=")
	column, text = strings.TrimSpace(column), strings.TrimSpace(text)
	if column == "" || text == "" || strings.ContainsAny(text, "=,") || strings.EqualFold(text, "null") || text == "~" {
		d.fail(path, "%q can be read in several ways: write a mapping of columns to values, such as {country: de, device: ~}", shorten(n.Value))
		return
	}
	s.Values = []GateValue{{column, SliceValue{Text: text}}}
}

// MarshalJSON writes the slice in the form of the file.
func (s GateSlice) MarshalJSON() ([]byte, error) {
	if s.Each {
		return marshal(eachSlice)
	}
	var o object
	for _, v := range s.Values {
		o.add(v.Column, v.SliceValue)
	}
	return o.MarshalJSON()
}

// Compares reports whether the gate needs a report to compare with.
func (g *Gate) Compares() bool { return g.MaxDrop != nil || g.MaxRise != nil }

// ParseGates reads the gates from the text of a configuration file, to apply them to finished
// reports. It checks only the gates, and not whether a report has their slices and labels.
func ParseGates(data []byte, filename string) (*Config, error) {
	return parsePart(data, filename, (*validator).limits)
}

// parsePart reads a configuration and checks only a part of it.
func parsePart(data []byte, filename string, check func(*validator)) (*Config, error) {
	c, failed, problems, err := read(data, filename)
	if err == nil {
		err = c.src.join(slices.Concat(problems, c.problems(failed, check)))
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// limits checks the requirements of gates.
func (v *validator) limits() {
	for i := range v.Gates {
		path := fmt.Sprintf("gates[%d]", i)
		v.failIf(v.Gates[i].Metric == "", path, "needs a metric")
		v.bounds(path, &v.Gates[i])
	}
}

func (v *validator) gates() {
	v.limits()
	for i := range v.Gates {
		path := fmt.Sprintf("gates[%d]", i)
		g := &v.Gates[i]
		v.gateSlice(join(path, "slice"), &g.Slice)
		v.failIf(g.Sure && g.Compares() && v.BaselineWindow > 1, join(path, "sure"), "only the difference from a single report can be tested: set baseline_window to 1, or leave sure out")
		if g.Label != "" {
			v.gateLabel(join(path, "label"), g.Label)
		}
	}
}

func (v *validator) bounds(path string, g *Gate) {
	v.ends(path, g.Min, g.Max)
	v.change(join(path, "max_drop"), g.MaxDrop)
	v.change(join(path, "max_rise"), g.MaxRise)
	switch {
	case g.Min == nil && g.Max == nil && !g.Compares():
		v.fail(path, "needs min, max, max_drop or max_rise")
	case g.Min != nil && g.Max != nil && *g.Min > *g.Max:
		v.fail(path, "min %v is above max %v", *g.Min, *g.Max)
	}
}

// ends checks the bounds of a metric, if there are any.
func (v *validator) ends(path string, least, most *float64) {
	if least != nil {
		v.finite(join(path, "min"), *least)
	}
	if most != nil {
		v.finite(join(path, "max"), *most)
	}
}

// change checks a limit of how far a metric may change.
func (v *validator) change(path string, most *Limit) {
	v.failIf(most != nil && !(most.Value >= 0 && most.Value <= math.MaxFloat64), path, "must be a finite number or share, 0 or more, is %v", most)
}

// gateSlice checks that the slices of a gate exist.
func (v *validator) gateSlice(path string, s *GateSlice) {
	every := v.everySlice()
	v.failIf(s.Each && !every.some, path, "there are no slices: set slices")
	var columns []string
	for _, value := range s.Values {
		columns = append(columns, value.Column)
	}
	of := every.byColumns[columnsKey(columns)]
	if len(s.Values) == 0 || slices.ContainsFunc(of, s.isIn) {
		return
	}
	if v.noInterval(path, s, of) {
		return
	}
	meant := ""
	for _, column := range columns {
		if every.has[column] || len(v.found) >= maxShown {
			continue
		}
		if slip := quote.Slip(column, every.columns); slip != "" {
			meant = fmt.Sprintf("; did you mean %q?", slip)
		}
	}
	list, _ := marshal(columns)
	v.fail(path, "there is no such slice: add %s to slices%s", list, meant)
}

// everySlice has the slices that are evaluated, to find the slices of gates.
type everySlice struct {
	some      bool               // there are any
	byColumns map[string][]Slice // by columnsKey
	columns   []string           // without duplicates
	has       map[string]bool    // by column
}

func (v *validator) everySlice() *everySlice {
	if v.every != nil {
		return v.every
	}
	v.every = &everySlice{byColumns: map[string][]Slice{}, has: map[string]bool{}}
	for _, set := range v.AllSlices() {
		v.every.some = true
		var columns []string
		for _, c := range set {
			columns = append(columns, c.Column)
			if !v.every.has[c.Column] {
				v.every.has[c.Column], v.every.columns = true, append(v.every.columns, c.Column)
			}
		}
		key := columnsKey(columns)
		v.every.byColumns[key] = append(v.every.byColumns[key], set)
	}
	return v.every
}

// columnsKey identifies a set of columns.
func columnsKey(columns []string) string {
	return fmt.Sprintf("%q", slices.Sorted(slices.Values(columns)))
}

// isIn reports whether the slice belongs to a set of slices, provided that rows have its values.
func (s *GateSlice) isIn(set Slice) bool {
	return len(set) == len(s.Values) && !slices.ContainsFunc(s.Values, func(v GateValue) bool {
		return !slices.ContainsFunc(set, func(c SliceColumn) bool {
			return c.Column == v.Column && c.has(v.SliceValue)
		})
	})
}

// isInterval reports whether a text is one of the intervals.
func (c *SliceColumn) isInterval(text string) bool {
	low, high, is := slice.String(text).Ends()
	if !is {
		return false
	}
	i, found := slices.BinarySearch(c.Bins, low) // the bound at which it begins
	if math.IsInf(low, -1) {
		i, found = -1, true
	}
	return found && (i+1 < len(c.Bins) && c.Bins[i+1] == high || i+1 == len(c.Bins) && math.IsInf(high, 1))
}

// has reports whether a slice of the column can have the value.
func (c *SliceColumn) has(v SliceValue) bool {
	switch {
	case c.Bins != nil:
		return v.Null || v.Text == "NaN" || c.isInterval(v.Text)
	case len(c.Values) > 0:
		return slices.ContainsFunc(c.Values, v.mayBe)
	}
	return true
}

// noInterval fails and returns true if the slice has a value where it should have one of the
// intervals of bins.
func (v *validator) noInterval(path string, s *GateSlice, of []Slice) bool {
	for _, set := range of {
		for _, c := range set {
			for _, value := range s.Values {
				if c.Column == value.Column && c.Bins != nil && !c.has(value.SliceValue) {
					v.fail(join(path, c.Column), "%s is not one of its intervals: %s", value, quotedList(c.intervals()))
					return true
				}
			}
		}
	}
	return false
}

// quotedList lists the first names.
func quotedList(names []string) string {
	const most = 10
	list := make([]string, 0, most+1)
	for _, name := range names[:min(len(names), most)] {
		list = append(list, fmt.Sprintf("%q", name))
	}
	if n := len(names) - most; n > 0 {
		list = append(list, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(list, ", ")
}

// gateLabel checks that the report has rows of a label.
func (v *validator) gateLabel(path, label string) {
	v.onlyFor(path, metrics.Multiclass, metrics.Multilabel, metrics.Preference)
	v.known(path, label)
	if v.isPerLabel == nil {
		v.isPerLabel = collections.Set(slices.Values(v.PerLabel.Names))
	}
	if l := v.PerLabel; !l.All && l.Limit == 0 && !v.isPerLabel[label] && !v.failed["per_label"] {
		v.fail(path, "per_label leaves out the metrics of %q", shorten(label))
	}
}

// Checks says what follows from the checks of the data.
type Checks struct {
	// The names of checks that are gates: if one holds, the report is written and the exit code is 3.
	Fail []string `key:"fail" default:"[]"`
	// The names of checks that are not made.
	Off []string `key:"off" default:"[]"`
	// By what share the number of examples may differ from the baseline's, or from the median of its
	// reports: the check volume.
	Volume float64 `key:"volume" form:"share" default:"20%" range:"(0,)"`
	// The data that the model was trained on, for the check overlap: whether ids of the examples occur in it.
	Training Training `key:"training"`
}

// Training is the data that the model was trained on. It is not set if Files is empty.
type Training struct {
	// Files, globs and directories, as in input.files.
	Files []string `key:"files"`
	// The format of the files, as in input.format.
	Format string `key:"format" values:"parquet csv tsv jsonl arrow"`
	// Which column has the ids. Without a name, it is that of input.columns, or found by name.
	Columns TrainingColumns `key:"columns"`
}

// volumeCheck is the check that compares with the baseline.
const volumeCheck = "volume"

// ComparesVolume reports whether a baseline is compared even if no gate is on change.
func (c *Checks) ComparesVolume() bool { return !slices.Contains(c.Off, volumeCheck) }

// checks checks that no check is named twice. Which there are is left to the caller.
func (v *validator) checks() {
	v.distinct("checks.fail", v.Checks.Fail)
	v.distinct("checks.off", v.Checks.Off)
	for i, name := range v.Checks.Fail {
		v.failIf(slices.Contains(v.Checks.Off, name), fmt.Sprintf("checks.fail[%d]", i), "%q is one of checks.off", shorten(name))
	}
	v.failIf(v.src.has("checks.training") && len(v.Checks.Training.Files) == 0, "checks.training.files", "must say where the training data are")
}
