package report

import (
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// Gate is a requirement on a metric: it must be within bounds, or not much worse than in another
// report.
type Gate struct {
	Metric string
	// Slice is the slice, with values as people write them, see [slice.Constant]; empty means all
	// examples. If Each is set, the gate applies to every slice except the overall one instead.
	Slice slice.Key
	Each  bool
	Label *string // nil for the metric of all labels together
	Limits
	// AllowUndefined means that the gate passes where it cannot be judged.
	AllowUndefined bool
}

// Compares reports whether the gate limits the change from another report.
func (l *Limits) Compares() bool { return l.MaxDrop != nil || l.MaxRise != nil }

// NoBaseline is the reason of a gate that needs a baseline where there is none.
const NoBaseline = "no baseline"

// NotMerged is the reason of a gate on a check that needs more than the statistics from which a report is merged.
const NotMerged = "not checked in merged reports"

// Baseline describes the reports that gates compare with.
type Baseline struct {
	// Reports is their number. If there are several, gates compare with the median of each metric.
	Reports int `json:"reports"`
	// Examples is their number of examples or, of several reports, the median of it.
	Examples float64 `json:"examples,omitempty"`
	// Note says what limits the comparison, or is "".
	Note string `json:"note,omitempty"`
}

// Notes says what gates compare with and what limits the comparison. There may be no baseline.
func (b *Baseline) Notes() (notes []string) {
	if b == nil {
		return nil
	}
	if b.Reports > 1 {
		notes = append(notes, fmt.Sprintf("differences are from the medians of %d reports", b.Reports))
	}
	if b.Note != "" {
		notes = append(notes, b.Note)
	}
	return notes
}

// Limits are the requirements of a gate. A value equal to a limit satisfies it; nil means no limit.
type Limits struct {
	Min, Max *float64
	// MaxDrop and MaxRise limit how far the metric may be below and above its value in another
	// report: as numbers, or as shares of that value.
	MaxDrop, MaxRise *Limit
	// Sure requires certainty: the whole interval, not only the value, must be within Min and Max,
	// and a drop or rise counts only if the difference is statistically significant.
	Sure bool
}

// Each yields the name and the text of each limit that is set.
func (l *Limits) Each() iter.Seq2[string, string] {
	return func(yield func(name, text string) bool) {
		texts := []string{GateNumber(l.Min), GateNumber(l.Max), l.MaxDrop.Text(), l.MaxRise.Text()}
		for i, name := range []string{"min", "max", "max drop", "max rise"} {
			if texts[i] != "" && !yield(name, texts[i]) {
				return
			}
		}
	}
}

// Verdict is the result of judging a gate in a slice.
type Verdict string

// The verdicts.
const (
	Pass    Verdict = "pass"
	Fail    Verdict = "fail"
	Unknown Verdict = "unknown" // the gate cannot be judged, and allows that or has no baseline
)

var verdicts = []Verdict{Pass, Fail, Unknown}

// GateResult is the result of a gate in a slice.
type GateResult struct {
	Metric string
	Slice  slice.Key
	Label  *string
	Limits
	Value float64 // NaN if undefined or missing
	// Low and High are the ends of the interval of Value; NaN if the gate does not need them.
	Low, High float64
	// Difference is the difference from the other report, and PAdjusted its adjusted p-value; NaN
	// if the gate does not need them.
	Difference, PAdjusted float64
	Verdict               Verdict
	Reason                string // why the gate cannot be judged
}

// IsFor reports whether the gate applies to a metric of a slice and label.
func (g *Gate) IsFor(name string, key slice.Key, label *string) bool {
	return name == g.Metric && SameLabel(label, g.Label) &&
		(g.Each && len(key) > 0 || !g.Each && key.AreWritten(g.Slice))
}

// SameLabel reports whether both labels are equal or both are nil.
func SameLabel(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

// GateItems returns, for each gate, the indexes of the items to which it applies, in ascending order. An item is
// anything with the name of a metric, a slice and a label. There may be many gates and many items, so
// it does not look at all items for each gate, and gates that apply to the same items share the list.
func GateItems[T any](gates []Gate, items []T, place func(*T) (name string, key slice.Key, label *string)) [][]int {
	of, metrics, targets := make([]*target, len(gates)), map[string]bool{}, map[string][]*target{}
	for i := range gates {
		g := &gates[i]
		near := targetKey(g.Each, g.Metric, g.Slice, g.Label)
		at := slices.IndexFunc(targets[near], func(t *target) bool { return slices.Equal(t.gate.Slice, g.Slice) })
		if at < 0 {
			at, targets[near] = len(targets[near]), append(targets[near], &target{gate: g})
		}
		of[i], metrics[g.Metric] = targets[near][at], true
	}
	for i := range items {
		name, key, label := place(&items[i])
		if !metrics[name] {
			continue
		}
		for _, each := range []bool{true, false} {
			for _, t := range targets[targetKey(each, name, key, label)] {
				if t.gate.IsFor(name, key, label) {
					t.items = append(t.items, i)
				}
			}
		}
	}
	return collections.Map(of, func(t *target) []int { return slices.Clip(t.items) })
}

// target is what gates apply to.
type target struct {
	gate  *Gate // one of them
	items []int
}

// targetKey returns a text that is the same for a target and all items that it may have, and for few others.
func targetKey(each bool, name string, key slice.Key, label *string) string {
	text := append([]byte(name), 0)
	if label != nil { // which may be empty
		text = append(append(append(text, 1), *label...), 0)
	}
	if each {
		return string(append(text, 2))
	}
	return string(key.AppendWritten(text))
}

// GateRows returns the indexes of the rows to which each gate applies.
func GateRows(gates []Gate, rows []Row) [][]int {
	return GateItems(gates, rows, func(row *Row) (string, slice.Key, *string) { return row.Name, row.Slice, row.Label })
}

// Failed returns the number of failed gates in all slices.
func (r *Report) Failed() int { return CountVerdicts(r.Gates)[Fail] }

// CountVerdicts returns the number of gates with each verdict.
func CountVerdicts(gates []GateResult) map[Verdict]int {
	counts := map[Verdict]int{}
	for i := range gates {
		counts[gates[i].Verdict]++
	}
	return counts
}

// GatesJSON returns results as JSON files have them.
func GatesJSON(gates []GateResult) *tabular.Rows[GateResult] {
	return tabular.RowsOf("gate", ColumnsOfGates(), gates)
}

// ColumnsOfGates returns the members of results of gates, which only JSON has.
func ColumnsOfGates() []tabular.Column[GateResult] {
	return []tabular.Column[GateResult]{
		tabular.Text("metric", func(g *GateResult) *string { return &g.Metric }),
		tabular.Slice(func(g *GateResult) *slice.Key { return &g.Slice }),
		tabular.Label(func(g *GateResult) **string { return &g.Label }),
		tabular.Limit("min", func(g *GateResult) **float64 { return &g.Min }),
		tabular.Limit("max", func(g *GateResult) **float64 { return &g.Max }),
		tabular.JSON("max_drop", func(g *GateResult) **Limit { return &g.MaxDrop }),
		tabular.JSON("max_rise", func(g *GateResult) **Limit { return &g.MaxRise }),
		tabular.Flag("sure", func(g *GateResult) *bool { return &g.Sure }).If(func(g *GateResult) bool { return g.Sure }).Omitted(),
		tabular.Number("value", func(g *GateResult) *float64 { return &g.Value }),
		tabular.Number("ci_low", func(g *GateResult) *float64 { return &g.Low }).Omitted(),
		tabular.Number("ci_high", func(g *GateResult) *float64 { return &g.High }).Omitted(),
		tabular.Number("difference", func(g *GateResult) *float64 { return &g.Difference }).Omitted(),
		tabular.Number("p_adjusted", func(g *GateResult) *float64 { return &g.PAdjusted }).Omitted(),
		tabular.Word("verdict", func(g *GateResult) *Verdict { return &g.Verdict }, verdicts),
		tabular.Note("reason", func(g *GateResult) *string { return &g.Reason }),
	}
}

// Limit is a number or, if Percent is set, a percentage of something else: of all rows, or of the
// value in another report.
type Limit struct {
	Value   float64
	Percent bool
}

// Of returns by how much a value may differ from baseline: infinitely without a limit. A percentage
// of 0 is NaN, because it would allow nothing.
func (l *Limit) Of(baseline float64) float64 {
	switch {
	case l == nil:
		return math.Inf(1)
	case !l.Percent:
		return l.Value
	case baseline == 0:
		return math.NaN()
	}
	return float64(l.Value*math.Abs(baseline)) / 100
}

// ValueIf returns the value of a limit of the requested kind, percentage or number; nil for the
// other kind and for no limit.
func (l *Limit) ValueIf(percent bool) *float64 {
	if l == nil || l.Percent != percent {
		return nil
	}
	return &l.Value
}

// Text returns the limit as written in a configuration, or "" if there is none.
func (l *Limit) Text() string {
	if l == nil {
		return ""
	}
	return l.String()
}

// String returns the limit as written in a configuration: 100 or 1%.
func (l Limit) String() string {
	text := GateNumber(&l.Value)
	if l.Percent {
		return text + "%"
	}
	return text
}

// ParsePercent parses a percentage such as 1%.
func ParsePercent(text string) (Limit, error) {
	percent, found := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(percent, 64)
	if !found || err != nil {
		return Limit{}, fmt.Errorf("expected a percentage such as 1%%, found %q", text)
	}
	return Limit{x, true}, nil
}

// MarshalJSON writes a number as such, and a percentage as a string.
func (l Limit) MarshalJSON() ([]byte, error) {
	if l.Percent {
		return json.Marshal(l.String())
	}
	return json.Marshal(l.Value)
}

// UnmarshalJSON reads the output of MarshalJSON.
func (l *Limit) UnmarshalJSON(data []byte) (err error) {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*l, err = ParsePercent(text)
		return err
	}
	l.Percent = false
	return json.Unmarshal(data, &l.Value)
}

// GateNumber writes all digits, because a rounded value could appear to be on the wrong side of a
// bound.
func GateNumber(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}
