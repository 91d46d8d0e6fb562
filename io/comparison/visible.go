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

// visibleTable returns the columns of what could have been shown.
func visibleTable() []tabular.Column[Visible] {
	return []tabular.Column[Visible]{
		tabular.Text("metric", func(v *Visible) *string { return &v.Metric }),
		tabular.Word("direction", func(v *Visible) *differences.Worsening { return &v.Direction }, differences.Worsenings()),
		tabular.Number("visible_drop", func(v *Visible) *float64 { return &v.Drop }),
		tabular.Number("rows_needed", func(v *Visible) *float64 { return &v.Needed }),
	}
}

// visibleJSON returns rows as JSON files have them.
func visibleJSON(list []Visible) *tabular.Rows[Visible] {
	return tabular.RowsOf("visible", visibleTable(), list)
}

// couldHaveShown returns two lines about differences that are not significant, or none: "no significant change" of
// a comparison that could not have shown one says nothing.
func (c *Comparison) couldHaveShown() (lines []string) {
	var drops, needed []string
	for i := range c.Visible {
		v := &c.Visible[i]
		name := quote.Visible(v.Metric)
		drops = append(drops, name+" a "+string(v.Direction)+" of "+document.Number(v.Drop))
		if !math.IsNaN(v.Needed) {
			needed = append(needed, name+" "+document.Weight(math.Ceil(v.Needed)))
		}
	}
	if len(drops) > 0 {
		lines = append(lines, "Where there is no significant change, the comparison could have shown, in 80% of cases: "+strings.Join(drops, ", ")+".")
	}
	if len(needed) > 0 {
		lines = append(lines, "To show differences as small as these takes, in "+examplesOf(c.Task)+" of each report: "+strings.Join(needed, ", ")+".")
	}
	return lines
}
