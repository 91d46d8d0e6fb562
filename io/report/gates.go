package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
)

// Gate says what a metric must be: between bounds, or not much worse than in another report.
type Gate struct {
	Metric string
	// Slice is the slice, whose values are texts ([slice.Value.AsText]); it is that of all
	// examples if it is empty. Each means every slice but that of all examples instead.
	Slice slice.Key
	Each  bool
	Label *string // nil: the metric of all labels together
	Limits
	// AllowUndefined says that the gate does not fail where it cannot be judged.
	AllowUndefined bool
}

// Limits are what a gate asks of a metric. A limit may be reached; nil is none.
type Limits struct {
	Min, Max *float64
	// MaxDrop and MaxRise are how far the metric may be below and above its value in
	// another report: as numbers, or as shares of that value.
	MaxDrop, MaxRise *Limit
	// Sure says that not the value must be within Min and Max but its whole interval, and
	// that a drop or rise counts only if it is sure that there is a difference.
	Sure bool
}

// Verdict says what became of a gate in a slice.
type Verdict string

// The verdicts.
const (
	Pass    Verdict = "pass"
	Fail    Verdict = "fail"
	Unknown Verdict = "unknown" // it cannot be judged, which the gate allows
)

var verdicts = []Verdict{Pass, Fail, Unknown}

// GateResult is what became of a gate in a slice.
type GateResult struct {
	Metric string
	Slice  slice.Key
	Label  *string
	Limits
	Value float64 // NaN if it is undefined or missing
	// Low and High are the interval of Value; NaN if the gate does not need it.
	Low, High float64
	// Difference from the other report and its adjusted p-value; NaN if the gate does not
	// need them.
	Difference, PAdjusted float64
	Verdict               Verdict
	Reason                string // why the gate cannot be judged
}

// Reasons for which gates cannot be judged.
const (
	missingRow     = "not in the report"
	noConfidence   = "no interval"
	nothingToTest  = "no p-value"
	notComparable  = "no difference"
	nothingBeneath = "no report to compare with"
	shareOfZero    = "a share of 0, the baseline, is undefined"
)

// Judge sets r.Gates to the results of gates, in the order of the gates and, where a gate is
// for each slice, of the slices. A value that the configuration sets for a metric that is
// undefined counts as its value. c is r compared with another report, or nil.
func (r *Report) Judge(gates []Gate, c *Comparison) {
	r.Gates = nil
	for i := range gates {
		r.Gates = append(r.Gates, gates[i].judge(r.Metrics, c)...)
	}
}

func (g *Gate) judge(rows []Row, c *Comparison) (results []GateResult) {
	changes := c.of(g)
	for i := range rows {
		if g.IsFor(&rows[i]) {
			results = append(results, g.result(&rows[i], c, changes))
		}
	}
	if len(results) == 0 {
		results = append(results, g.result(&Row{Slice: g.Slice, Value: nan, Undefined: missingRow}, c, nil))
	}
	slices.SortFunc(results, func(a, b GateResult) int { return a.Slice.Compare(b.Slice) })
	return results
}

// IsFor says whether the gate is for the metric of a row.
func (g *Gate) IsFor(row *Row) bool { return g.isFor(row.Name, row.Slice, row.Label) }

func (g *Gate) isFor(name string, key slice.Key, label *string) bool {
	return name == g.Metric && sameLabel(label, g.Label) &&
		(g.Each && len(key) > 0 || !g.Each && slices.EqualFunc(key, g.Slice, func(a, b slice.Pair) bool {
			return a.Column == b.Column && a.Value.AsText() == b.Value
		}))
}

func sameLabel(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

// of returns the changes that a gate is for, by slice.
func (c *Comparison) of(g *Gate) map[string]*Change {
	if c == nil || g.MaxDrop == nil && g.MaxRise == nil {
		return nil
	}
	found := map[string]*Change{}
	for i := range c.Changes {
		if d := &c.Changes[i]; g.isFor(d.Name, d.Slice, d.Label) {
			found[string(d.Slice.AppendBinary(nil))] = d
		}
	}
	return found
}

func (g *Gate) result(row *Row, c *Comparison, changes map[string]*Change) GateResult {
	result := GateResult{
		Metric: g.Metric, Slice: row.Slice, Label: g.Label, Limits: g.Limits, Verdict: Pass,
		Value: row.Value, Low: nan, High: nan, Difference: nan, PAdjusted: nan,
	}
	failed := result.judgeValue(row)
	if g.MaxDrop != nil || g.MaxRise != nil {
		change := changes[string(row.Slice.AppendBinary(nil))]
		failed = result.judgeChange(c, change) || failed
	}
	switch {
	case failed, result.Reason != "" && !g.AllowUndefined:
		result.Verdict = Fail
	case result.Reason != "":
		result.Verdict = Unknown
	}
	return result
}

// judgeValue says whether a value is beyond its bounds. If that cannot be known, there is a
// reason.
func (r *GateResult) judgeValue(row *Row) (failed bool) {
	low, high := row.Value, row.Value
	switch {
	case !finite(row.Value):
		r.Reason = row.undefined()
		return r.exceeded(low, high) // as an infinite loss is
	case r.Min == nil && r.Max == nil:
		return false
	case r.Sure && !row.Confidence.hasInterval():
		r.Reason = noConfidence
		if why := row.noInterval(); why != "" {
			r.Reason += ": " + why
		}
		return r.exceeded(low, high)
	case r.Sure:
		low, high = row.Confidence.Low, row.Confidence.High
		r.Low, r.High = low, high
	}
	return r.exceeded(low, high)
}

func (l *Limits) exceeded(low, high float64) bool {
	return l.Min != nil && low < *l.Min || l.Max != nil && high > *l.Max
}

// rounding is the share of a value by which a difference may exceed a limit: 0.93 − 0.92 is
// more than 0.01 in floating point.
const rounding = 1e-12

// judgeChange says whether a difference is beyond its limits. If that cannot be known, there
// is a reason.
func (r *GateResult) judgeChange(c *Comparison, change *Change) (failed bool) {
	switch {
	case c == nil:
		r.Reason = nothingBeneath
		return false
	case change == nil || !finite(change.Difference):
		if r.Reason == "" {
			r.Reason = notComparable
			if change != nil && change.Reason != "" {
				r.Reason += ": " + change.Reason
			}
		}
		return false
	}
	r.Difference = change.Difference
	slack := float64(rounding * max(math.Abs(change.A), math.Abs(change.B)))
	drop, rise := r.MaxDrop.of(change.A), r.MaxRise.of(change.A)
	exceeded := -change.Difference > drop+slack || change.Difference > rise+slack
	if math.IsNaN(drop) || math.IsNaN(rise) {
		r.Reason = cmp.Or(r.Reason, shareOfZero)
	}
	if !r.Sure {
		return exceeded
	}
	r.PAdjusted = change.PAdjusted
	switch {
	case !exceeded:
		return false
	case math.IsNaN(change.PAdjusted):
		r.Reason = nothingToTest
		if change.Reason != "" {
			r.Reason += ": " + change.Reason
		}
		return false
	}
	return c.Shown(change)
}

// percent returns the difference as a percentage of the baseline; NaN if that is 0, or if no
// limit is a share of it.
func (r *GateResult) percent() float64 {
	baseline := r.Value - r.Difference
	if r.MaxDrop.value(true) == nil && r.MaxRise.value(true) == nil || baseline == 0 {
		return nan
	}
	return float64(100*r.Difference) / math.Abs(baseline)
}

// Failed returns how many gates failed, in all slices.
func (r *Report) Failed() int { return failed(r.Gates) }

func failed(gates []GateResult) (n int) {
	for i := range gates {
		if gates[i].Verdict == Fail {
			n++
		}
	}
	return n
}

// gateJSON is a result in metrics.json.
type gateJSON struct {
	Metric     string    `json:"metric"`
	Slice      slice.Key `json:"slice"`
	Label      *string   `json:"label"`
	Min        *float64  `json:"min,omitempty"`
	Max        *float64  `json:"max,omitempty"`
	MaxDrop    *Limit    `json:"max_drop,omitempty"`
	MaxRise    *Limit    `json:"max_rise,omitempty"`
	Sure       bool      `json:"sure,omitempty"`
	Value      *float64  `json:"value"`
	Low        *float64  `json:"ci_low,omitempty"`
	High       *float64  `json:"ci_high,omitempty"`
	Difference *float64  `json:"difference,omitempty"`
	PAdjusted  *float64  `json:"p_adjusted,omitempty"`
	Verdict    Verdict   `json:"verdict"`
	Reason     string    `json:"reason,omitempty"`
}

func (r *GateResult) json() gateJSON {
	g := gateJSON{
		Metric: quote.Valid(r.Metric), Slice: r.Slice, Label: labelText(r.Label),
		Min: r.Min, Max: r.Max, MaxDrop: r.MaxDrop, MaxRise: r.MaxRise, Sure: r.Sure,
		Low: finiteOrNil(r.Low), High: finiteOrNil(r.High), Difference: finiteOrNil(r.Difference), PAdjusted: finiteOrNil(r.PAdjusted),
		Verdict: r.Verdict, Reason: quote.Valid(r.Reason),
	}
	if finite(r.Value) {
		g.Value = &r.Value
	}
	return g
}

// checkGates finds verdicts that no gate has. A file may have been edited.
func checkGates(list []gateJSON) error {
	for i, g := range list {
		if err := oneOf("verdict", g.Verdict, verdicts); err != nil {
			return fmt.Errorf("gate %d: %w", i+1, err)
		}
	}
	return nil
}

func (g gateJSON) result() GateResult {
	r := GateResult{
		Metric: g.Metric, Slice: g.Slice, Limits: Limits{g.Min, g.Max, g.MaxDrop, g.MaxRise, g.Sure},
		Value: *cmp.Or(g.Value, &nan), Low: *cmp.Or(g.Low, &nan), High: *cmp.Or(g.High, &nan),
		Difference: *cmp.Or(g.Difference, &nan), PAdjusted: *cmp.Or(g.PAdjusted, &nan), Verdict: g.Verdict, Reason: g.Reason,
	}
	if g.Label != nil {
		r.Label = new(quote.Unescape(*g.Label))
	}
	return r
}

// gateColumn is a column of a table of gates. The table leaves out columns that are empty in
// all rows, but for those that are always there.
type gateColumn struct {
	name   string
	always bool
	number bool
	cell   func(*GateResult) string
}

var gateColumns = []gateColumn{
	{"gate", true, false, func(r *GateResult) string { return string(r.Verdict) }},
	{"metric", true, false, func(r *GateResult) string { return quote.Visible(r.Metric) }},
	{"slice", true, false, func(r *GateResult) string { return r.Slice.String() }},
	{"label", true, false, (*GateResult).label},
	{"value", true, true, func(r *GateResult) string {
		if r.Reason != "" && !finite(r.Value) {
			return oneLine(r.Reason)
		}
		return gateNumber(&r.Value)
	}},
	{"low", false, true, func(r *GateResult) string { return gateRounded(r.Low) }},
	{"high", false, true, func(r *GateResult) string { return gateRounded(r.High) }},
	{"min", true, true, func(r *GateResult) string { return gateNumber(r.Min) }},
	{"max", true, true, func(r *GateResult) string { return gateNumber(r.Max) }},
	{"difference", false, true, func(r *GateResult) string {
		text := gateRounded(r.Difference)
		if share := r.percent(); finite(share) {
			text += ", " + gateRounded(share) + "%"
		}
		return text
	}},
	{"p adjusted", false, true, func(r *GateResult) string { return pValue(r.PAdjusted) }},
	{"max drop", false, true, func(r *GateResult) string { return r.MaxDrop.text() }},
	{"max rise", false, true, func(r *GateResult) string { return r.MaxRise.text() }},
	{"sure", false, false, func(r *GateResult) string {
		if r.Sure {
			return "sure"
		}
		return ""
	}},
	{"reason", false, false, func(r *GateResult) string {
		if !finite(r.Value) {
			return "" // it is in place of the value
		}
		return oneLine(r.Reason)
	}},
}

// firstGates returns the failed gates first, and at most so many.
func firstGates(gates []GateResult, most int) (shown []*GateResult) {
	for _, verdict := range []Verdict{Fail, Unknown, Pass} {
		for i := range gates {
			if g := &gates[i]; g.Verdict == verdict && len(shown) < most {
				shown = append(shown, g)
			}
		}
	}
	return shown
}

// gateLines are the cells of a table of gates, the failed ones first, of which there are at
// most so many; numbers are the columns of numbers, counted from 1.
func gateLines(gates []GateResult, most int) (header []string, lines [][]string, numbers []int) {
	shown := firstGates(gates, most)
	lines = make([][]string, len(shown))
	for _, column := range gateColumns {
		if !column.always && !slices.ContainsFunc(shown, func(r *GateResult) bool { return column.cell(r) != "" }) {
			continue
		}
		header = append(header, column.name)
		if column.number {
			numbers = append(numbers, len(header))
		}
		for i, r := range shown {
			lines[i] = append(lines[i], column.cell(r))
		}
	}
	return header, lines, numbers
}

// gateNumber writes all digits: rounded, a value below a bound could look as if it were not.
func gateNumber(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}

// gateRounded writes a number that explains a verdict.
func gateRounded(x float64) string {
	if !finite(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// gateTally says how many gates passed and failed.
func gateTally(gates []GateResult) string {
	counts := map[Verdict]int64{}
	for i := range gates {
		counts[gates[i].Verdict]++
	}
	text := fmt.Sprintf("gates: %s failed, %s passed", grouped(counts[Fail]), grouped(counts[Pass]))
	if n := counts[Unknown]; n > 0 {
		text += fmt.Sprintf(", %s unknown", grouped(n))
	}
	return text
}
