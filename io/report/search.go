package report

import (
	"encoding/json"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// Search is what a search for the slices with the highest losses found.
type Search struct {
	Measure string  // the loss of an example
	Alpha   float64 // of the scores
	// Searched is the number of examples that were searched, and Confirming the number of the
	// others, which confirm what was found.
	Searched, Confirming int64
	Confirmed            bool         // whether it was confirmed at all
	Level                float64      // of the intervals and tests; 0 unless Confirmed
	LeftOut              []string     // what was not searched or is not listed, and why
	Found                []FoundSlice // the highest score first
}

// FoundSlice is a slice that was found. Unknown numbers are NaN.
type FoundSlice struct {
	Key slice.Key
	// Score, Size, ErrorSum and ErrorMax count the examples searched: SliceLine's score, the number
	// of examples, their total loss, which is weighted, and the highest loss.
	Score              float64
	Size               int64
	ErrorSum, ErrorMax float64
	// The others count the examples that confirm: the mean loss of the slice and of all others, the
	// difference and its interval, and the one-sided p-value, adjusted for all slices found.
	Value, Rest, Difference, Low, High float64
	PAdjusted                          float64
	Confirmed                          bool
	Reason                             string // why there is no p-value; "" if there is one
	// Metrics are the best known metrics of the slice that need no curves, of the examples that confirm.
	Metrics []FoundMetric
}

// FoundMetric is a metric of a slice that was found. An undefined value is NaN.
type FoundMetric struct {
	Name  string
	Value float64
}

// searchJSON is the search in metrics.json.
type searchJSON struct {
	Measure    string                    `json:"measure"`
	Alpha      float64                   `json:"alpha"`
	Searched   int64                     `json:"searched"`
	Confirming int64                     `json:"confirming"`
	Level      *float64                  `json:"level"`
	LeftOut    []string                  `json:"left_out" layout:"lines"`
	Found      *tabular.Rows[FoundSlice] `json:"found" layout:"lines"`
}

// json returns the search as metrics.json has it; nil if there is none.
func (s *Search) json() *searchJSON {
	if s == nil {
		return nil
	}
	j := &searchJSON{
		Measure: s.Measure, Alpha: s.Alpha, Searched: s.Searched, Confirming: s.Confirming,
		LeftOut: collections.Map(s.LeftOut, quote.Valid), Found: rowsOfSearch(s.Found),
	}
	if s.Confirmed {
		j.Level = &s.Level
	}
	return j
}

// UnmarshalJSON reads the search in metrics.json.
func (j *searchJSON) UnmarshalJSON(data []byte) error {
	type fields searchJSON // without this method
	j.Found = rowsOfSearch(nil)
	return json.Unmarshal(data, (*fields)(j))
}

// search returns the search that metrics.json describes; nil if there is none.
func (j *searchJSON) search() *Search {
	if j == nil {
		return nil
	}
	s := &Search{Measure: j.Measure, Alpha: j.Alpha, Searched: j.Searched, Confirming: j.Confirming, LeftOut: j.LeftOut, Found: j.Found.Read()}
	if j.Level != nil {
		s.Confirmed, s.Level = true, *j.Level
	}
	return s
}

func rowsOfSearch(found []FoundSlice) *tabular.Rows[FoundSlice] {
	return tabular.RowsOf("found slice", columnsOfFound(nil), found)
}

// foundSliceTable has the slices. In metrics.json they are in the object of the search.
var foundSliceTable = tabular.Table[FoundSlice]{Name: "found_slices", CSV: true, Parquet: true, Columns: columnsOfFound, OwnSlices: true}

func foundSlicesTable() table {
	t := in(&foundSliceTable, func(r *Report) *[]FoundSlice { return &r.Search.Found })
	t.wanted, t.show, t.places, t.names = func(r *Report) bool { return r.Search != nil }, nil, nil, nil
	return t
}

func columnsOfFound(ofSlices []string) []tabular.Column[FoundSlice] {
	return tabular.Keyed(func(f *FoundSlice) *slice.Key { return &f.Key }, ofSlices,
		tabular.Number("score", func(f *FoundSlice) *float64 { return &f.Score }),
		tabular.Whole("size", func(f *FoundSlice) *int64 { return &f.Size }),
		tabular.Number("error_sum", func(f *FoundSlice) *float64 { return &f.ErrorSum }),
		tabular.Number("error_max", func(f *FoundSlice) *float64 { return &f.ErrorMax }),
		tabular.Number("value", func(f *FoundSlice) *float64 { return &f.Value }),
		tabular.Number("rest", func(f *FoundSlice) *float64 { return &f.Rest }),
		tabular.Number("difference", func(f *FoundSlice) *float64 { return &f.Difference }),
		tabular.Number("ci_low", func(f *FoundSlice) *float64 { return &f.Low }),
		tabular.Number("ci_high", func(f *FoundSlice) *float64 { return &f.High }),
		tabular.Number("p_adjusted", func(f *FoundSlice) *float64 { return &f.PAdjusted }),
		tabular.Flag("confirmed", func(f *FoundSlice) *bool { return &f.Confirmed }),
		tabular.Note("reason", func(f *FoundSlice) *string { return &f.Reason }),
		tabular.Nested("metrics", func(f *FoundSlice) *[]FoundMetric { return &f.Metrics }, "metric", []tabular.Column[FoundMetric]{
			tabular.Text("name", func(m *FoundMetric) *string { return &m.Name }),
			tabular.Number("value", func(m *FoundMetric) *float64 { return &m.Value }),
		}).If(func(f *FoundSlice) bool { return len(f.Metrics) > 0 }).Omitted(),
	)
}
