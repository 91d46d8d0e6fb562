package report

import (
	"cmp"
	"errors"
	"io"

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
		if e.At.File == "" {
			continue
		}
		p := WorstPlace{Slice: e.Slice, Label: tabular.LabelText(e.Label), Rank: e.Rank, File: e.At.File, Line: e.At.Line}
		if p.Slice == nil {
			p.Slice = slice.Key{}
		}
		if p.Line == 0 {
			p.RowGroup, p.Row = &e.At.RowGroup, &e.At.Row
		}
		places = append(places, p)
	}
	return places
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
