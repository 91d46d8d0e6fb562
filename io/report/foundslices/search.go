// Package foundslices is the part of a report about the slices that a search found: those with the highest
// losses.
package foundslices

import (
	"encoding/json"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// Search is what a search found.
type Search struct {
	Measure string  // the loss of an example
	Alpha   float64 // of the scores
	// Searched is the number of examples that were searched, and Confirming the number of the
	// others, which confirm what was found.
	Searched, Confirming int64
	Confirmed            bool     // whether it was confirmed at all
	Level                float64  // of the intervals and tests; 0 unless Confirmed
	LeftOut              []string // what was not searched or is not listed, and why
	Found                []Slice  // the highest score first
}

// Slice is a slice that was found. Unknown numbers are NaN.
type Slice struct {
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
	Metrics []Metric
}

// Metric is a metric of a slice. An undefined value is NaN.
type Metric struct {
	Name  string
	Value float64
}

// SearchJSON is the search in metrics.json.
type SearchJSON struct {
	Measure    string               `json:"measure"`
	Alpha      float64              `json:"alpha"`
	Searched   int64                `json:"searched"`
	Confirming int64                `json:"confirming"`
	Level      *float64             `json:"level"`
	LeftOut    []string             `json:"left_out" layout:"lines"`
	Found      *tabular.Rows[Slice] `json:"found" layout:"lines"`
}

// JSON returns the search as metrics.json has it; nil if there is none.
func (s *Search) JSON() *SearchJSON {
	if s == nil {
		return nil
	}
	j := &SearchJSON{
		Measure: s.Measure, Alpha: s.Alpha, Searched: s.Searched, Confirming: s.Confirming,
		LeftOut: collections.Map(s.LeftOut, quote.Valid), Found: rowsOf(s.Found),
	}
	if s.Confirmed {
		j.Level = &s.Level
	}
	return j
}

// UnmarshalJSON reads the search in metrics.json.
func (j *SearchJSON) UnmarshalJSON(data []byte) error {
	type fields SearchJSON // without this method
	j.Found = rowsOf(nil)
	return json.Unmarshal(data, (*fields)(j))
}

// Search returns the search that metrics.json describes; nil if there is none.
func (j *SearchJSON) Search() *Search {
	if j == nil {
		return nil
	}
	s := &Search{Measure: j.Measure, Alpha: j.Alpha, Searched: j.Searched, Confirming: j.Confirming, LeftOut: j.LeftOut, Found: j.Found.Read()}
	if j.Level != nil {
		s.Confirmed, s.Level = true, *j.Level
	}
	return s
}

func rowsOf(found []Slice) *tabular.Rows[Slice] {
	return tabular.RowsOf("found slice", columns(nil), found)
}

// Table has the slices. In metrics.json they are in the object of the search.
var Table = tabular.Table[Slice]{Name: "found_slices", CSV: true, Parquet: true, Columns: columns, OwnSlices: true}

func columns(ofSlices []string) []tabular.Column[Slice] {
	return tabular.Keyed(func(f *Slice) *slice.Key { return &f.Key }, ofSlices,
		tabular.Number("score", func(f *Slice) *float64 { return &f.Score }),
		tabular.Whole("size", func(f *Slice) *int64 { return &f.Size }),
		tabular.Number("error_sum", func(f *Slice) *float64 { return &f.ErrorSum }),
		tabular.Number("error_max", func(f *Slice) *float64 { return &f.ErrorMax }),
		tabular.Number("value", func(f *Slice) *float64 { return &f.Value }),
		tabular.Number("rest", func(f *Slice) *float64 { return &f.Rest }),
		tabular.Number("difference", func(f *Slice) *float64 { return &f.Difference }),
		tabular.Number("ci_low", func(f *Slice) *float64 { return &f.Low }),
		tabular.Number("ci_high", func(f *Slice) *float64 { return &f.High }),
		tabular.Number("p_adjusted", func(f *Slice) *float64 { return &f.PAdjusted }),
		tabular.Flag("confirmed", func(f *Slice) *bool { return &f.Confirmed }),
		tabular.Note("reason", func(f *Slice) *string { return &f.Reason }),
		tabular.Nested("metrics", func(f *Slice) *[]Metric { return &f.Metrics }, "metric", []tabular.Column[Metric]{
			tabular.Text("name", func(m *Metric) *string { return &m.Name }),
			tabular.Number("value", func(m *Metric) *float64 { return &m.Value }),
		}).If(func(f *Slice) bool { return len(f.Metrics) > 0 }).Omitted(),
	)
}
