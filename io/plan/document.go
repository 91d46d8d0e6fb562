package plan

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/document"
)

// The limits of a screen.
const (
	mostRows    = 40
	mostReasons = 8
)

// Print prints the plan for a screen.
func (p *Plan) Print(w io.Writer, on document.Screen) error {
	d := &document.Document{Output: document.OnScreen}
	shown := p.Rows[:min(len(p.Rows), mostRows)]
	d.Add(document.Section{In: document.OnScreen, Plain: quote.Visible(p.Task) + ": what " + document.OneLine(p.Report) + " can show", Notes: []string{p.compared()}})
	d.AddWarnings(p.Warnings)
	d.Add(document.Section{In: document.OnScreen, Table: p.table(shown), Notes: []string{document.FirstOf(len(shown), len(p.Rows), "; --json has all"), reasons(shown), p.note()}})
	if slices.ContainsFunc(p.Rows, func(r Row) bool { return r.Labels != nil }) {
		d.Add(p.labels())
	}
	return d.Print(w, on)
}

// compared says what differences the plan is of.
func (p *Plan) compared() string {
	baseline := document.OneLine(p.Baseline)
	switch {
	case p.Baseline == "":
		return "differences from another, independent report of equal size; --baseline names one that is there"
	case p.Pairing == differences.Paired:
		return "differences from " + baseline + ", paired: both are of the same examples"
	}
	return "differences from " + baseline + ", unpaired"
}

// table returns the table of some rows.
func (p *Plan) table(rows []Row) *document.Table {
	number := func(of func(*Row) float64, format func(float64) string) func(Row) string {
		return func(r Row) string {
			if x := of(&r); !math.IsNaN(x) {
				return format(x)
			}
			return ""
		}
	}
	whole := func(x float64) string { return document.Weight(math.Ceil(x)) }
	nights := func(x float64) string {
		if math.IsInf(x, 1) {
			return "> 365"
		}
		return whole(x)
	}
	drop := strconv.FormatFloat(p.Drop, 'g', 4, 64)
	clustered := slices.ContainsFunc(rows, func(r Row) bool { return !math.IsNaN(r.Clusters) })
	return document.TableOf(rows,
		document.Text("metric", func(r Row) string { return quote.Visible(r.Metric) }),
		document.Text("slice", func(r Row) string { return r.Slice.String() }).If(slices.ContainsFunc(rows, func(r Row) bool { return len(r.Slice) > 0 })),
		document.Text("label", func(r Row) string { return document.Label(r.Label) }).Optional(),
		document.Numbers("value", number(func(r *Row) float64 { return r.Value }, document.Number)),
		document.Numbers("rows", func(r Row) string { return document.Grouped(r.Examples) }),
		document.Numbers("clusters", number(func(r *Row) float64 { return r.Clusters }, whole)).Optional(),
		document.Numbers("design effect", number(func(r *Row) float64 { return r.DesignEffect }, short)).If(slices.ContainsFunc(rows, func(r Row) bool { return r.DesignEffect != 1 && !math.IsNaN(r.DesignEffect) })),
		document.Numbers("visible", func(r Row) string { return r.visible() }),
		document.Numbers("power", number(func(r *Row) float64 { return r.Power }, short)).If(p.Given()),
		document.Numbers("rows for "+drop, number(func(r *Row) float64 { return r.Needed }, whole)).If(p.Given() && !clustered),
		document.Numbers("clusters for "+drop, number(func(r *Row) float64 { return r.ClustersNeeded }, whole)).If(p.Given() && clustered),
		document.Numbers("nights", number(func(r *Row) float64 { return r.Nights }, nights)).Optional(),
	)
}

// reasons says why rows have no plan, or what it is based on.
func reasons(rows []Row) string {
	var list []string
	for i := range rows {
		if r := &rows[i]; r.Reason != "" {
			of := report.Row{Name: r.Metric, Slice: r.Slice, Label: r.Label}
			name := quote.Visible(r.Metric)
			if len(r.Slice) > 0 || r.Label != nil {
				name += " of " + of.Place()
			}
			list = append(list, name+": "+document.Brief(r.Reason))
		}
	}
	if n := len(list); n > mostReasons {
		list = append(list[:mostReasons], fmt.Sprintf("and %d more", n-mostReasons))
	}
	return strings.Join(list, "; ")
}

// short formats a number with few digits.
func short(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }

// signs of the changes that are for the worse.
var signs = map[differences.Worsening]string{differences.Drop: "-", differences.Rise: "+", differences.Either: "±"}

// percent formats a share.
func percent(x float64) string { return strconv.FormatFloat(100*x, 'g', 4, 64) + "%" }

// visible formats the smallest change for the worse that is shown.
func (r *Row) visible() string {
	if math.IsNaN(r.VisibleDrop) {
		return ""
	}
	return signs[r.Direction] + document.Number(r.VisibleDrop)
}

// note explains the columns.
func (p *Plan) note() string {
	text := fmt.Sprintf("visible: the smallest change for the worse that is shown with a power of %s, at a level of %s", percent(p.Power), percent(p.Level))
	if slices.ContainsFunc(p.Rows, func(r Row) bool { return r.Level > p.Level }) {
		text += ", which is adjusted for all slices and labels of a metric (Bonferroni; Benjamini–Hochberg shows more)"
	}
	text += "."
	if p.Given() {
		text += fmt.Sprintf(" power: the probability with which a change of %s is shown, which takes so many rows or clusters in each report.", strconv.FormatFloat(p.Drop, 'g', 4, 64))
	}
	if p.Nights > 0 && p.Given() {
		text += fmt.Sprintf(" nights: until a monitor raises an alarm, in half of all cases, as values vary in %d nights.", p.Nights)
	}
	return text
}
