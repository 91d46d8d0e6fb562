// Package moves holds which predicted classes a baseline had for the examples of each class that is
// predicted now: who moved where.
package moves

import (
	"errors"
	"io"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// Move counts the examples of a slice that the baseline predicts to be of one class and the model of
// another, or of the same. In a multilabel task it is about a label, with the classes 0 (absent) and 1.
type Move struct {
	Slice                         slice.Key // nil for all examples
	Label                         *string
	Baseline, Predicted           string // the classes
	BaselineIndex, PredictedIndex int    // their places in the order of the labels
	Count                         int64  // of the examples
	Weight                        float64
	// What of Weight became right and what became wrong; 0 if both classes are the same.
	BecameRight, BecameWrong float64
}

// Changed reports whether the classes differ.
func (m *Move) Changed() bool { return m.BaselineIndex != m.PredictedIndex }

// row is a row of moves.parquet.
type row struct {
	Slice       string  `parquet:"slice"` // JSON
	Label       *string `parquet:"label,optional"`
	Baseline    string  `parquet:"baseline"`
	Predicted   string  `parquet:"predicted"`
	Count       int64   `parquet:"count"`
	Weight      float64 `parquet:"weight"`
	BecameRight float64 `parquet:"became_right"`
	BecameWrong float64 `parquet:"became_wrong"`
}

// WriteParquet writes moves.parquet.
func WriteParquet(w io.Writer, list []Move) error {
	var slice tabular.SliceText
	return tabular.WriteRows(w, list, func(m *Move, add func(row)) {
		add(row{
			Slice: slice.JSON(m.Slice), Label: tabular.LabelText(m.Label), Baseline: quote.Escape(m.Baseline), Predicted: quote.Escape(m.Predicted),
			Count: m.Count, Weight: m.Weight, BecameRight: m.BecameRight, BecameWrong: m.BecameWrong,
		})
	})
}

// Read returns the moves of all examples in a moves.parquet. Their indexes are different where the
// classes are.
func Read(file columns.Source) ([]Move, error) {
	list, place := []Move{}, make(map[string]int)
	at := func(class string) int {
		if _, known := place[class]; !known {
			place[class] = len(place)
		}
		return place[class]
	}
	err := tabular.ReadRows[row](file, "report: moves.parquet", func(batch []columns.Column, i int) error {
		slice, baseline, predicted := tabular.TextAt(&batch[0], i), tabular.NameAt(&batch[2], i), tabular.NameAt(&batch[3], i)
		switch {
		case slice == nil || baseline == nil || predicted == nil:
			return errors.New("a slice or class is null")
		case *slice != "{}":
			return nil
		}
		list = append(list, Move{
			Label: tabular.NameAt(&batch[1], i), Baseline: *baseline, Predicted: *predicted, BaselineIndex: at(*baseline), PredictedIndex: at(*predicted),
			Count: batch[4].Ints[i], Weight: tabular.NumberAt(&batch[5], i), BecameRight: tabular.NumberAt(&batch[6], i), BecameWrong: tabular.NumberAt(&batch[7], i),
		})
		return nil
	})
	return list, err
}
