package ingest

import (
	"slices"
	"strings"
)

// Findings are what converters notice about rows besides bad ones. They can be
// merged in any order.
type Findings struct {
	// Clipped counts the probabilities that were outside [0, 1] by the tolerance or
	// less; Excess is by how much at most.
	Clipped int64   `json:",omitempty"`
	Excess  float64 `json:",omitempty"`
	// Negative counts the negative relevances that were taken as 0.
	Negative int64 `json:",omitempty"`
	// Of true labels and of predictions, where the positive label has a name.
	Positives
	Predicted Positives
	Agreement
}

// Positives says whether a row has the positive label. Met are the first labels by
// their bytes, shortened, as long as none has.
type Positives struct {
	Positive bool     `json:",omitempty"`
	Met      []string `json:",omitempty"`
}

// Merge adds what another converter found.
func (f *Findings) Merge(from *Findings) {
	f.Clipped += from.Clipped
	f.Excess = max(f.Excess, from.Excess)
	f.Negative += from.Negative
	f.Agreement.merge(&from.Agreement)
	f.Positives.merge(&from.Positives)
	f.Predicted.merge(&from.Predicted)
}

func (f *Positives) merge(from *Positives) {
	if from.Positive {
		f.positive()
	}
	for _, label := range from.Met {
		f.Meet(label)
	}
}

const (
	mostMet    = 100
	longestMet = 100 // bytes
)

func (f *Positives) positive() { f.Positive, f.Met = true, nil }

// Meet notes the label of a row, unless a row is positive: labels then matter no more.
func (f *Positives) Meet(label string) {
	if f.Positive {
		return
	}
	if len(label) > longestMet {
		label = strings.ToValidUTF8(label[:longestMet], "") + "…"
	}
	label = strings.ToValidUTF8(label, "\ufffd") // as it is after it has travelled
	i, found := slices.BinarySearch(f.Met, label)
	if found || i == mostMet {
		return
	}
	f.Met = slices.Insert(f.Met, i, label)
	f.Met = f.Met[:min(len(f.Met), mostMet)]
}

func (f *Findings) clip(excess float64) {
	f.Clipped++
	f.Excess = max(f.Excess, excess)
}
