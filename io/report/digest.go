package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
)

// digest is what the tables for people show of a report: report.md and the summary.
type digest struct {
	names     []string        // of aggregated metrics of the overall slice
	headlines []string        // some of names
	overall   map[string]*Row // aggregated metrics of the overall slice, by name
	labels    []line          // metrics of labels in the overall slice
	columns   []string        // names of the metrics to show in labels
	slices    []line          // aggregated metrics of the other slices
}

// line is one line of a table: a label or a slice, and its metrics by name.
type line struct {
	label   string
	slice   slice.Key
	support int64
	rows    map[string]*Row
}

func (r *Report) digest() *digest {
	d := &digest{overall: map[string]*Row{}}
	labelNames := map[string]bool{}
	for i := range r.Metrics {
		row := &r.Metrics[i]
		switch {
		case len(row.Slice) > 0:
		case row.Label == nil:
			d.overall[row.Name] = row
		default:
			labelNames[row.Name] = true
		}
	}
	d.names = slices.SortedFunc(maps.Keys(d.overall), compareNames)
	d.headlines = chooseHeadlines(headlines[r.Task], d.names)
	d.columns = chooseHeadlines(labelHeadlines, slices.Collect(maps.Keys(labelNames)))

	wanted, wantedOfLabels := places(d.headlines), places(d.columns)
	bySlice, byLabel := map[string]*line{}, map[string]*line{}
	var key []byte
	for i := range r.Metrics {
		row := &r.Metrics[i]
		if row.Label == nil && len(row.Slice) > 0 {
			key = row.Slice.AppendBinary(key[:0])
			add(bySlice, string(key), row, wanted)
		} else if row.Label != nil && len(row.Slice) == 0 {
			add(byLabel, *row.Label, row, wantedOfLabels)
		}
	}
	rank := places(labelOrder(r.Labels, setOf(maps.Keys(byLabel))))
	for _, l := range byLabel {
		d.labels = append(d.labels, *l)
	}
	slices.SortFunc(d.labels, func(a, b line) int { return cmp.Compare(rank[a.label], rank[b.label]) })
	for _, l := range bySlice {
		d.slices = append(d.slices, *l)
	}
	slices.SortFunc(d.slices, func(a, b line) int { return a.slice.Compare(b.slice) })
	return d
}

// add adds row to the line with this key, if its metric is wanted. The support of a line
// is the largest of its rows: some metrics leave out some of the examples.
func add(lines map[string]*line, key string, row *Row, wanted map[string]int) {
	l := lines[key]
	if l == nil {
		l = &line{slice: row.Slice, rows: map[string]*Row{}}
		if row.Label != nil {
			l.label = *row.Label
		}
		lines[key] = l
	}
	if _, ok := wanted[row.Name]; ok {
		l.rows[row.Name] = row
		l.support = max(l.support, row.Support)
	}
}

func setOf(keys func(func(string) bool)) map[string]bool {
	set := map[string]bool{}
	for key := range keys {
		set[key] = true
	}
	return set
}

// largest returns the n lines with the largest support, in their order.
func largest(lines []line, n int) []line {
	if len(lines) <= n {
		return lines
	}
	at := make([]int, len(lines))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(i, j int) int { return cmp.Compare(lines[j].support, lines[i].support) })
	at = at[:n]
	slices.Sort(at)
	kept := make([]line, n)
	for i, from := range at {
		kept[i] = lines[from]
	}
	return kept
}

// undefinedMetric is a metric that is undefined in some rows for the same reason, and the
// first of these rows.
type undefinedMetric struct {
	name, reason string
	first        *Row
	rows         int64
}

// undefinedMetrics returns the undefined metrics, by name and then by reason.
func (r *Report) undefinedMetrics() []undefinedMetric {
	type key struct{ name, reason string }
	found := map[key]*undefinedMetric{}
	for i := range r.Metrics {
		row := &r.Metrics[i]
		reason := row.undefined()
		if reason == "" {
			continue
		}
		k := key{row.Name, reason}
		if found[k] == nil {
			found[k] = &undefinedMetric{name: row.Name, reason: reason, first: row}
		}
		found[k].rows++
	}
	list := make([]undefinedMetric, 0, len(found))
	for _, u := range found {
		list = append(list, *u)
	}
	slices.SortFunc(list, func(a, b undefinedMetric) int {
		return cmp.Or(compareNames(a.name, b.name), strings.Compare(a.reason, b.reason))
	})
	return list
}

// place says which slice and label the row is of.
func (r *Row) place() string {
	switch {
	case r.Label == nil:
		return r.Slice.String()
	case len(r.Slice) == 0:
		return "label " + quote.Visible(*r.Label)
	}
	return r.Slice.String() + ", label " + quote.Visible(*r.Label)
}

// tally says in words what became of the rows.
func (r *Report) tally() string {
	row, example := "row", "example"
	if r.Task == "ranking" {
		row, example = "query", "query"
	}
	b := []string{grouped(r.Rows.Evaluated) + " of " + plural(r.Rows.Read, row) + " evaluated"}
	var skipped int64
	var reasons []string
	for _, reason := range slices.Sorted(maps.Keys(r.Rows.Skipped)) {
		n := r.Rows.Skipped[reason]
		skipped += n
		reasons = append(reasons, quote.Visible(reason)+": "+grouped(n))
	}
	text := grouped(skipped) + " skipped"
	if len(reasons) > 0 {
		text += " (" + strings.Join(reasons, ", ") + ")"
	}
	b = append(b, text)
	if r.Examples > 0 && row != example {
		b = append(b, plural(r.Examples, example))
	}
	if p := r.Rows.Predictions; p != nil && p.Disagree > 0 {
		b = append(b, fmt.Sprintf("%s of %s not what the scores say", grouped(p.Disagree), plural(p.Compared, "prediction")))
	}
	if t := r.Rows.Truth; t != nil {
		b = append(b, fmt.Sprintf("%s of %s in the truth without prediction", grouped(t.Unmatched), plural(t.Examples, example)))
	}
	if n := max(len(r.Labels), r.NumLabels); n > 0 {
		b = append(b, plural(int64(n), "label"))
	}
	return strings.Join(b, ", ")
}

func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		noun = stem + "ie"
	}
	return grouped(n) + " " + noun + "s"
}

// grouped writes 1234567 as 1,234,567.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// number writes f with four to six significant digits.
func number(f float64) string {
	places, fixed := decimals(f)
	switch {
	case !finite(f):
		return "–"
	case f == 0:
		return "0.0000" // not negative
	case !fixed:
		return strconv.FormatFloat(f, 'e', 3, 64)
	}
	return strconv.FormatFloat(f, 'f', places, 64)
}

// decimals returns how many decimals of f to write. fixed is false if f is so small or
// large that it needs an exponent.
func decimals(f float64) (places int, fixed bool) {
	abs := math.Abs(f)
	switch {
	case abs == 0:
		return 4, true
	case !(abs >= 1e-4 && abs < 1e6):
		return 0, false
	case abs < 0.1:
		return 3 - elementary.Exponent10(abs), true
	case abs >= 10:
		return max(0, 4-elementary.Exponent10(abs)), true
	}
	return 4, true
}

// weight writes a sum of weights, which usually is a whole number.
func weight(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return grouped(int64(f))
	}
	return number(f)
}

// value writes the value of row, with its interval if it has one: that of confidence, which
// in practice is by far the wider. It writes – if the value
// is not finite, and nothing if row is nil.
func value(row *Row) string {
	switch {
	case row == nil:
		return ""
	case row.Confidence.hasInterval() && finite(row.Value):
		return row.Confidence.around(row.Value)
	case row.interval() != nil && finite(row.Value):
		return row.Interval.around(row.Value)
	case counts[row.Name] && finite(row.Value):
		return weight(row.Value)
	}
	return number(row.Value)
}

// marked is value with a star if the data do not define the metric, in whole or in part.
func marked(row *Row) string {
	if row != nil && row.Undefined != "" && finite(row.Value) {
		return value(row) + "*"
	}
	return value(row)
}
