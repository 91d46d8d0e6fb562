package comparison

import (
	"math"
	"strings"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/tabular"
)

// Visible says what a comparison could have shown of a metric whose difference, over all examples, is not significant.
type Visible struct {
	Metric string
	// Direction says what a change for the worse is.
	Direction differences.Worsening
	// Drop is the size of the smallest true change for the worse that is significant in 80 % of cases.
	Drop float64
	// Needed is the number of examples in each report that it takes to show a difference as small as the
	// one that was seen; NaN if there is none.
	Needed float64
}

// SystemVisible is what the comparison of a system with the reference could have shown.
type SystemVisible struct {
	System, Data string // the data set, if there are several
	Visible
}

// columnsOfSystemVisible returns the columns of what comparisons of systems could have shown.
func columnsOfSystemVisible() []tabular.Column[SystemVisible] {
	return append([]tabular.Column[SystemVisible]{
		tabular.Text("system", func(v *SystemVisible) *string { return &v.System }),
		tabular.Note("data", func(v *SystemVisible) *string { return &v.Data }),
	}, tabular.Of(func(v *SystemVisible) *Visible { return &v.Visible }, columnsOfVisible()...)...)
}

// columnsOfVisible returns the columns of what could have been shown.
func columnsOfVisible() []tabular.Column[Visible] {
	return []tabular.Column[Visible]{
		tabular.Text("metric", func(v *Visible) *string { return &v.Metric }),
		tabular.Word("direction", func(v *Visible) *differences.Worsening { return &v.Direction }, differences.Worsenings()),
		tabular.Number("visible_drop", func(v *Visible) *float64 { return &v.Drop }),
		tabular.Number("rows_needed", func(v *Visible) *float64 { return &v.Needed }),
	}
}

// couldHaveShown returns two lines about differences that are not significant, or none: "no significant change" of
// a comparison that could not have shown one says nothing.
func couldHaveShown(task string, list []Visible) (lines []string) {
	var drops, needed []string
	for _, of := range byMetric(list) {
		name := quote.Visible(of[0].Metric)
		drops = append(drops, name+" a "+string(of[0].Direction)+" of "+span(of, func(v *Visible) float64 { return v.Drop }, document.Number))
		if rows := span(of, func(v *Visible) float64 { return math.Ceil(v.Needed) }, document.Weight); rows != "" {
			needed = append(needed, name+" "+rows)
		}
	}
	if len(drops) > 0 {
		lines = append(lines, "Where there is no significant change, the comparison could have shown, in 80% of cases: "+strings.Join(drops, ", ")+".")
	}
	if len(needed) > 0 {
		lines = append(lines, "To show differences as small as these takes, in "+examplesOf(task)+" of each report: "+strings.Join(needed, ", ")+".")
	}
	return lines
}

// byMetric returns what is of the same metric together, in the order in which metrics first occur.
func byMetric(list []Visible) (groups [][]Visible) {
	at := map[string]int{}
	for _, v := range list {
		i, met := at[v.Metric]
		if !met {
			i, at[v.Metric] = len(groups), len(groups)
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], v)
	}
	return groups
}

// span formats the range of the numbers that are known, or returns "".
func span(list []Visible, number func(*Visible) float64, format func(float64) string) string {
	low, high := math.Inf(1), math.Inf(-1)
	for i := range list {
		if x := number(&list[i]); !math.IsNaN(x) {
			low, high = min(low, x), max(high, x)
		}
	}
	switch {
	case low > high:
		return ""
	case format(low) == format(high):
		return format(low)
	}
	return format(low) + " to " + format(high)
}
