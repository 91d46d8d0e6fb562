package report

import (
	"cmp"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// WorstExample is one of the examples of a slice and label with the highest losses.
type WorstExample struct {
	Name  string // of the loss
	Slice slice.Key
	Label *string // nil for the loss of all labels together
	Rank  int     // among the examples of the slice and label; 1 is the worst
	ID    slice.Value
	// Loss is written as null if it is infinite, and Score if it is not finite: NaN means none.
	Loss, Score     float64
	True, Predicted string // "" if there are none
	// At is the place of the first row of the example; the file is "" if it is not from a file. It
	// depends on how the data are divided into files, so it is written only to run.json.
	At SkippedRow
}

// ChangedExample is an example that a baseline predicts right and that is now predicted wrong, or, if it
// improved, the reverse.
type ChangedExample struct {
	Improved bool
	Slice    slice.Key
	Label    *string // the true class, or nil for all classes together
	Rank     int     // among the regressions or improvements of the slice and label; 1 changed most
	ID       slice.Value
	True     string
	// Predicted and Score are what is predicted now, Baseline and BaselineScore what the baseline
	// predicts. Change is how far the score of the true class moved. Numbers that are not finite are
	// written as null: NaN means none.
	Predicted, Baseline          string
	Score, BaselineScore, Change float64
	At                           SkippedRow // as in WorstExample
}

// Name returns what happened to the example, by the name of the metric that counts it.
func (e *ChangedExample) Name() string {
	if e.Improved {
		return improvement
	}
	return regression
}

const (
	regression  = "regression"
	improvement = "improvement"
)

// ChangedPlace says in run.json where one of the ChangedExamples is.
type ChangedPlace struct {
	Name string `json:"name"`
	WorstPlace
}

// WorstPlace says in run.json where one of the WorstExamples is.
type WorstPlace struct {
	Slice    slice.Key `json:"slice"`
	Label    *string   `json:"label"`
	Rank     int       `json:"rank"`
	File     string    `json:"file"`
	RowGroup *int      `json:"row_group,omitempty"`
	Row      *int64    `json:"row,omitempty"`
	Line     int64     `json:"line,omitempty"` // of a text file, which has neither row groups nor row numbers; otherwise 0
}

// OverallWorst returns the worst of all examples.
func (r *Report) OverallWorst() []*WorstExample {
	return collections.Select(r.Worst, worstTable.Shown)
}

// WorstPlaces returns where the worst examples of a sorted report are, if they are from files.
func (r *Report) WorstPlaces() (places []WorstPlace) {
	for i := range r.Worst {
		e := &r.Worst[i]
		if e.At.File != "" {
			places = append(places, placeOf(e.Slice, e.Label, e.Rank, &e.At))
		}
	}
	return places
}

// ChangedPlaces does the same for the changed examples.
func (r *Report) ChangedPlaces() (places []ChangedPlace) {
	for i := range r.Changed {
		if e := &r.Changed[i]; e.At.File != "" {
			places = append(places, ChangedPlace{e.Name(), placeOf(e.Slice, e.Label, e.Rank, &e.At)})
		}
	}
	return places
}

func placeOf(key slice.Key, label *string, rank int, at *SkippedRow) WorstPlace {
	p := WorstPlace{Slice: key, Label: quote.Optional(label, quote.Escape), Rank: rank, File: at.File, Line: at.Line}
	if p.Slice == nil {
		p.Slice = slice.Key{}
	}
	if p.Line == 0 {
		p.RowGroup, p.Row = &at.RowGroup, &at.Row
	}
	return p
}

// OverallChanged returns the regressions, or the improvements, among all examples.
func (r *Report) OverallChanged(improved bool) []*ChangedExample {
	return collections.Select(r.Changed, func(e *ChangedExample) bool { return len(e.Slice) == 0 && e.Label == nil && e.Improved == improved })
}

// worstTable has the worst examples.
var worstTable = tabular.Table[WorstExample]{
	Name: "worst_examples", CSV: true, Parquet: true, Columns: columnsOfWorst, Empty: true,
	Shown: func(e *WorstExample) bool { return len(e.Slice) == 0 && e.Label == nil },
	Order: tabular.Order[WorstExample]{Then: func(a, b *WorstExample) int { return cmp.Compare(a.Rank, b.Rank) }},
}

func columnsOfWorst(ofSlices []string) []tabular.Column[WorstExample] {
	return tabular.Placed(tabular.Text("name", func(e *WorstExample) *string { return &e.Name }),
		func(e *WorstExample) *slice.Key { return &e.Slice }, func(e *WorstExample) **string { return &e.Label }, ofSlices,
		tabular.Count("rank", func(e *WorstExample) *int { return &e.Rank }),
		tabular.Example("example", func(e *WorstExample) *slice.Value { return &e.ID }),
		tabular.Number("loss", func(e *WorstExample) *float64 { return &e.Loss }),
		tabular.Class("true", func(e *WorstExample) *string { return &e.True }),
		tabular.Class("predicted", func(e *WorstExample) *string { return &e.Predicted }),
		tabular.Number("score", func(e *WorstExample) *float64 { return &e.Score }),
	)
}

// changedTable has the changed examples, regressions before improvements.
var changedTable = tabular.Table[ChangedExample]{
	Name: "changed_examples", CSV: true, Parquet: true, Columns: columnsOfChanged, Empty: true,
	Shown: func(e *ChangedExample) bool { return len(e.Slice) == 0 && e.Label == nil },
	Order: tabular.Order[ChangedExample]{Then: func(a, b *ChangedExample) int {
		return cmp.Or(-strings.Compare(a.Name(), b.Name()), cmp.Compare(a.Rank, b.Rank))
	}},
}

func columnsOfChanged(ofSlices []string) []tabular.Column[ChangedExample] {
	return tabular.Placed(tabular.Either("name", func(e *ChangedExample) *bool { return &e.Improved }, regression, improvement),
		func(e *ChangedExample) *slice.Key { return &e.Slice }, func(e *ChangedExample) **string { return &e.Label }, ofSlices,
		tabular.Count("rank", func(e *ChangedExample) *int { return &e.Rank }),
		tabular.Example("example", func(e *ChangedExample) *slice.Value { return &e.ID }),
		tabular.Class("true", func(e *ChangedExample) *string { return &e.True }),
		tabular.Class("baseline_predicted", func(e *ChangedExample) *string { return &e.Baseline }),
		tabular.Class("predicted", func(e *ChangedExample) *string { return &e.Predicted }),
		tabular.Number("baseline_score", func(e *ChangedExample) *float64 { return &e.BaselineScore }),
		tabular.Number("score", func(e *ChangedExample) *float64 { return &e.Score }),
		tabular.Number("change", func(e *ChangedExample) *float64 { return &e.Change }),
	)
}
