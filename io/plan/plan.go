// Package plan is the model of plans: how large a drop of a metric a report can show, and how many rows it
// takes to show a given one. It also writes them.
package plan

import (
	"io"
	"math"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// Plan says what a report can show.
type Plan struct {
	Task   string
	Report string // its location
	// Baseline is the location of the report that it is compared with. If it is empty, that is an independent one
	// of equal size.
	Baseline string
	// Nights is the number of earlier reports from which the variance between nights is known.
	Nights  int
	Pairing differences.Pairing
	// Level is the confidence level of a single difference; see Row.Level. Power is the probability with
	// which a drop is shown.
	Level, Power float64
	Drop         float64 // the given drop; NaN without one
	// HalfWidth is the wanted half of the width of intervals, and LabelCost and JudgeCost are the costs of a label and of
	// a judgement; 0 without them.
	HalfWidth, LabelCost, JudgeCost float64
	Rows                            []Row
	Warnings                        []string
}

// Row is a plan of one metric in one slice. Unknown numbers are NaN.
type Row struct {
	Metric    string
	Slice     slice.Key
	Label     *string
	Value     float64
	Direction differences.Worsening
	Examples  int64   // rows of the slice; of queries, for ranking
	Groups    int     // groups of the jackknife that have examples of the slice
	Clusters  float64 // that have examples of the slice; NaN if examples are independent, or their number is unknown
	// DesignEffect is how many times as large the variance is as if all rows were independent.
	DesignEffect  float64
	StdError, DOF float64 // of the difference
	// Level is the level of the difference if as many slices and labels are tested together as a
	// comparison tests.
	Level float64
	// VisibleDrop is the size of the smallest change for the worse that is shown with the power of the plan.
	VisibleDrop float64
	Power       float64 // the probability with which the given drop is shown
	// Needed is the number of rows in each report, and ClustersNeeded of clusters, that the given drop takes.
	Needed, ClustersNeeded float64
	// Nights is the number of nights from the given drop until a monitor raises an alarm, in half of all cases.
	Nights float64
	Reason string  // why there is no plan, or what it is based on
	Labels *Labels // of a prediction-powered mean; nil for other metrics
}

// Unknown returns a row without numbers.
func Unknown() Row {
	nan := math.NaN()
	return Row{Value: nan, Clusters: nan, DesignEffect: nan, StdError: nan, DOF: nan, Level: nan, VisibleDrop: nan, Power: nan, Needed: nan, ClustersNeeded: nan, Nights: nan}
}

// table returns the columns of rows.
func table() []tabular.Column[Row] {
	return append(tabular.Placed(tabular.Text("metric", func(r *Row) *string { return &r.Metric }),
		func(r *Row) *slice.Key { return &r.Slice }, func(r *Row) **string { return &r.Label }, nil,
		tabular.Number("value", func(r *Row) *float64 { return &r.Value }),
		tabular.Word("direction", func(r *Row) *differences.Worsening { return &r.Direction }, differences.Worsenings()),
		tabular.Whole("rows", func(r *Row) *int64 { return &r.Examples }),
		tabular.Count("groups", func(r *Row) *int { return &r.Groups }),
		tabular.Number("clusters", func(r *Row) *float64 { return &r.Clusters }),
		tabular.Number("design_effect", func(r *Row) *float64 { return &r.DesignEffect }),
		tabular.Number("std_error", func(r *Row) *float64 { return &r.StdError }),
		tabular.Number("dof", func(r *Row) *float64 { return &r.DOF }),
		tabular.Number("level", func(r *Row) *float64 { return &r.Level }),
		tabular.Number("visible_drop", func(r *Row) *float64 { return &r.VisibleDrop }),
		tabular.Number("power", func(r *Row) *float64 { return &r.Power }),
		tabular.Number("rows_needed", func(r *Row) *float64 { return &r.Needed }),
		tabular.Number("clusters_needed", func(r *Row) *float64 { return &r.ClustersNeeded }),
		tabular.Number("nights", func(r *Row) *float64 { return &r.Nights }),
		tabular.Note("reason", func(r *Row) *string { return &r.Reason }),
	), ofLabels()...)
}

// schema is the schema that the document names.
const schema = "beameval.plan/v1"

// planFile is a plan as JSON; see [tabular.WriteObject] for the layout.
type planFile struct {
	Schema   string              `json:"schema"`
	Task     string              `json:"task"`
	Report   string              `json:"report"`
	Baseline string              `json:"baseline,omitempty"`
	Nights   int                 `json:"nights,omitempty"`
	Pairing  differences.Pairing `json:"pairing"`
	Level    float64             `json:"level"`
	Power    float64             `json:"power"`
	Drop     *float64            `json:"drop,omitempty"`
	Half     float64             `json:"half_width,omitempty"`
	OfLabel  float64             `json:"label_cost,omitempty"`
	OfJudge  float64             `json:"judge_cost,omitempty"`
	Rows     *tabular.Rows[Row]  `json:"metrics" layout:"lines"`
	Warnings []string            `json:"warnings" layout:"lines"`
}

// WriteJSON writes the plan as JSON.
func (p *Plan) WriteJSON(w io.Writer) error {
	f := planFile{
		Schema: schema, Task: quote.Valid(p.Task), Report: quote.Valid(p.Report), Baseline: quote.Valid(p.Baseline), Nights: p.Nights, Pairing: p.Pairing,
		Level: p.Level, Power: p.Power, Half: p.HalfWidth, OfLabel: p.LabelCost, OfJudge: p.JudgeCost, Rows: tabular.RowsOf("metric", table(), p.Rows), Warnings: collections.Map(p.Warnings, quote.Valid),
	}
	if p.Given() {
		f.Drop = &p.Drop
	}
	return tabular.WriteObject(w, f)
}

// Given reports whether a drop is given.
func (p *Plan) Given() bool { return !math.IsNaN(p.Drop) }
