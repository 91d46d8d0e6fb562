package report

import (
	"cmp"

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

// moveTable has the moves: which predicted classes a baseline had for the examples of each class that is
// predicted now.
var moveTable = tabular.Table[Move]{
	Name: "moves", Schema: "row", Parquet: true, Columns: columnsOfMoves,
	Read: numberClasses, Shown: func(m *Move) bool { return len(m.Slice) == 0 },
	Order: tabular.Order[Move]{Then: func(a, b *Move) int {
		return cmp.Or(cmp.Compare(a.BaselineIndex, b.BaselineIndex), cmp.Compare(a.PredictedIndex, b.PredictedIndex))
	}},
}

func columnsOfMoves([]string) []tabular.Column[Move] {
	return tabular.Keyed(func(m *Move) *slice.Key { return &m.Slice }, nil,
		tabular.Label(func(m *Move) **string { return &m.Label }),
		tabular.Name("baseline", func(m *Move) *string { return &m.Baseline }),
		tabular.Name("predicted", func(m *Move) *string { return &m.Predicted }),
		tabular.Whole("count", func(m *Move) *int64 { return &m.Count }),
		tabular.Any("weight", func(m *Move) *float64 { return &m.Weight }),
		tabular.Any("became_right", func(m *Move) *float64 { return &m.BecameRight }),
		tabular.Any("became_wrong", func(m *Move) *float64 { return &m.BecameWrong }),
	)
}

// numberClasses numbers the classes of moves that were read: their indexes are different where the classes are.
func numberClasses(list []Move) {
	place := make(map[string]int)
	at := func(class string) int {
		if _, known := place[class]; !known {
			place[class] = len(place)
		}
		return place[class]
	}
	for i := range list {
		list[i].BaselineIndex, list[i].PredictedIndex = at(list[i].Baseline), at(list[i].Predicted)
	}
}
