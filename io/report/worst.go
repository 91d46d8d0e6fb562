package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/io/columns"
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

func compareWorst(a, b *ranked[WorstExample]) int {
	return cmp.Or(cmp.Compare(a.slice, b.slice), cmp.Compare(a.label, b.label), cmp.Compare(a.item.Rank, b.item.Rank))
}

// OverallWorst returns the worst of all examples.
func (r *Report) OverallWorst() []*WorstExample {
	return lists.Select(r.Worst, func(e *WorstExample) bool { return len(e.Slice) == 0 && e.Label == nil })
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
	p := WorstPlace{Slice: key, Label: tabular.LabelText(label), Rank: rank, File: at.File, Line: at.Line}
	if p.Slice == nil {
		p.Slice = slice.Key{}
	}
	if p.Line == 0 {
		p.RowGroup, p.Row = &at.RowGroup, &at.Row
	}
	return p
}

// compareChanged lists regressions before improvements.
func compareChanged(a, b *ranked[ChangedExample]) int {
	return cmp.Or(cmp.Compare(a.slice, b.slice), cmp.Compare(a.label, b.label), -strings.Compare(a.item.Name(), b.item.Name()), cmp.Compare(a.item.Rank, b.item.Rank))
}

// OverallChanged returns the regressions, or the improvements, among all examples.
func (r *Report) OverallChanged(improved bool) []*ChangedExample {
	return lists.Select(r.Changed, func(e *ChangedExample) bool { return len(e.Slice) == 0 && e.Label == nil && e.Improved == improved })
}

// worstTable returns the columns of worst_examples.csv and worst_examples.parquet.
func (r *Report) worstTable() []tabular.Column[WorstExample] {
	keyOf := func(e *WorstExample) slice.Key { return e.Slice }
	return tabular.Placed(func(e *WorstExample) (string, slice.Key, *string) { return e.Name, e.Slice, e.Label }, tabular.SliceColumns(r.SliceColumns, r.Worst, keyOf),
		tabular.Count("rank", func(e *WorstExample) int { return e.Rank }),
		tabular.Text("example", func(e *WorstExample) string { return e.ID.Plain() }).If(func(e *WorstExample) bool { return e.ID.Kind() != slice.KindNull }),
		tabular.Number("loss", func(e *WorstExample) float64 { return e.Loss }),
		tabular.Note("true", func(e *WorstExample) string { return quote.Escape(e.True) }),
		tabular.Note("predicted", func(e *WorstExample) string { return quote.Escape(e.Predicted) }),
		tabular.Number("score", func(e *WorstExample) float64 { return e.Score }),
	)
}

// WriteWorstCSV writes worst_examples.csv.
func (r *Report) WriteWorstCSV(w io.Writer) error {
	return tabular.WriteCSV(w, r.worstTable(), r.Worst)
}

// WriteWorst writes worst_examples.parquet.
func (r *Report) WriteWorst(w io.Writer) error {
	return tabular.WriteParquet(w, "worst_examples", r.worstTable(), r.Worst)
}

// worstParquet has the columns of worst_examples.parquet that are read.
type worstParquet struct {
	Name      string   `parquet:"name"`
	Slice     string   `parquet:"slice"` // JSON
	Label     *string  `parquet:"label,optional"`
	Example   *string  `parquet:"example,optional"`
	Loss      *float64 `parquet:"loss,optional"`
	True      *string  `parquet:"true,optional"`
	Predicted *string  `parquet:"predicted,optional"`
	Score     *float64 `parquet:"score,optional"`
}

// ReadWorst reads what report.html shows of the worst_examples.parquet of r, which [Read] returned:
// the worst of all examples. IDs become strings, and null numbers NaN.
func (r *Report) ReadWorst(file columns.Source) error {
	r.Worst = []WorstExample{}
	return tabular.ReadRows[worstParquet](file, "report: "+WorstParquet, func(batch []columns.Column, i int) error {
		name, key, label := tabular.TextAt(&batch[0], i), tabular.TextAt(&batch[1], i), tabular.TextAt(&batch[2], i)
		switch {
		case name == nil || key == nil:
			return errors.New("a name or slice is null")
		case *key != overallSlice || label != nil:
			return nil
		}
		e := WorstExample{Name: *name, Rank: len(r.Worst) + 1, Loss: tabular.NumberAt(&batch[4], i), Score: tabular.NumberAt(&batch[7], i)}
		if id := tabular.NameAt(&batch[3], i); id != nil {
			e.ID = slice.String(*id)
		}
		for to, from := range map[*string]*string{&e.True: tabular.NameAt(&batch[5], i), &e.Predicted: tabular.NameAt(&batch[6], i)} {
			if from != nil {
				*to = *from
			}
		}
		r.Worst = append(r.Worst, e)
		return nil
	})
}

// changedTable returns the columns of changed_examples.csv and changed_examples.parquet.
func (r *Report) changedTable() []tabular.Column[ChangedExample] {
	keyOf := func(e *ChangedExample) slice.Key { return e.Slice }
	return tabular.Placed(func(e *ChangedExample) (string, slice.Key, *string) { return e.Name(), e.Slice, e.Label }, tabular.SliceColumns(r.SliceColumns, r.Changed, keyOf),
		tabular.Count("rank", func(e *ChangedExample) int { return e.Rank }),
		tabular.Text("example", func(e *ChangedExample) string { return e.ID.Plain() }).If(func(e *ChangedExample) bool { return e.ID.Kind() != slice.KindNull }),
		tabular.Note("true", func(e *ChangedExample) string { return quote.Escape(e.True) }),
		tabular.Note("baseline_predicted", func(e *ChangedExample) string { return quote.Escape(e.Baseline) }),
		tabular.Note("predicted", func(e *ChangedExample) string { return quote.Escape(e.Predicted) }),
		tabular.Number("baseline_score", func(e *ChangedExample) float64 { return e.BaselineScore }),
		tabular.Number("score", func(e *ChangedExample) float64 { return e.Score }),
		tabular.Number("change", func(e *ChangedExample) float64 { return e.Change }),
	)
}

// WriteChangedCSV writes changed_examples.csv.
func (r *Report) WriteChangedCSV(w io.Writer) error {
	return tabular.WriteCSV(w, r.changedTable(), r.Changed)
}

// WriteChanged writes changed_examples.parquet.
func (r *Report) WriteChanged(w io.Writer) error {
	return tabular.WriteParquet(w, "changed_examples", r.changedTable(), r.Changed)
}

// changedParquet has the columns of changed_examples.parquet that are read.
type changedParquet struct {
	Name          string   `parquet:"name"`
	Slice         string   `parquet:"slice"` // JSON
	Label         *string  `parquet:"label,optional"`
	Example       *string  `parquet:"example,optional"`
	True          *string  `parquet:"true,optional"`
	Baseline      *string  `parquet:"baseline_predicted,optional"`
	Predicted     *string  `parquet:"predicted,optional"`
	BaselineScore *float64 `parquet:"baseline_score,optional"`
	Score         *float64 `parquet:"score,optional"`
	Change        *float64 `parquet:"change,optional"`
}

// ReadChanged reads what report.html shows of the changed_examples.parquet of r, which [Read] returned:
// the changes among all examples. IDs become strings, and null numbers NaN.
func (r *Report) ReadChanged(file columns.Source) error {
	r.Changed = []ChangedExample{}
	return tabular.ReadRows[changedParquet](file, "report: "+ChangedParquet, func(batch []columns.Column, i int) error {
		name, key, label := tabular.TextAt(&batch[0], i), tabular.TextAt(&batch[1], i), tabular.TextAt(&batch[2], i)
		switch {
		case name == nil || key == nil:
			return errors.New("a name or slice is null")
		case *name != regression && *name != improvement:
			return fmt.Errorf("name %s: expected %s or %s", quote.Value(*name), regression, improvement)
		case *key != overallSlice || label != nil:
			return nil
		}
		e := ChangedExample{Improved: *name == improvement}
		e.Rank = len(r.OverallChanged(e.Improved)) + 1
		if id := tabular.NameAt(&batch[3], i); id != nil {
			e.ID = slice.String(*id)
		}
		for k, to := range []*string{&e.True, &e.Baseline, &e.Predicted} {
			if from := tabular.NameAt(&batch[4+k], i); from != nil {
				*to = *from
			}
		}
		e.BaselineScore, e.Score, e.Change = tabular.NumberAt(&batch[7], i), tabular.NumberAt(&batch[8], i), tabular.NumberAt(&batch[9], i)
		r.Changed = append(r.Changed, e)
		return nil
	})
}
