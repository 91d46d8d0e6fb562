// Package findings holds what stands out in a report: sentences for people who read nothing else of it.
package findings

import (
	"slices"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
)

// Finding is an entry of findings in metrics.json.
type Finding struct {
	Name    string  `json:"name"`
	Message string  `json:"message"`
	Metric  *string `json:"metric"` // nil if it is about none
	// Slice and Label are what it is about; empty for all examples and for all labels.
	Slice slice.Key `json:"slice"`
	Label *string   `json:"label"`
	// Values are the numbers of the message with all digits, by name.
	Values map[string]float64 `json:"values"`
	See    string             `json:"see"` // the section of the page that has more
}

// The names of findings that are presented in a way of their own.
const (
	NoIntervals = "no_intervals" // what cannot be said, and what adds it
	WorstSlice  = "worst_slice"
)

// JSON returns findings in the form of report files. Of findings that were not looked for, nil, it returns nil.
func JSON(list []Finding) []Finding {
	if list == nil {
		return nil
	}
	file := slices.Clone(list)
	for i := range file {
		f := &file[i]
		f.Message, f.Metric, f.Label = quote.Valid(f.Message), quote.Optional(f.Metric, quote.Escape), quote.Optional(f.Label, quote.Escape)
		if f.Values == nil {
			f.Values = map[string]float64{}
		}
	}
	return file
}

// Read is the inverse of JSON.
func Read(list []Finding) []Finding {
	for i := range list {
		f := &list[i]
		f.Metric, f.Label = quote.Optional(f.Metric, quote.Unescape), quote.Optional(f.Label, quote.Unescape)
		if len(f.Slice) == 0 {
			f.Slice = nil
		}
		if len(f.Values) == 0 {
			f.Values = nil
		}
	}
	return list
}
