package input

import "slices"

// Truth describes true labels that are in other files than the predictions; see Joined in package
// transforms. They belong to the predictions with the same value of Columns.Example.
type Truth struct {
	// Columns has Example and Label and, if there is a row for each label or item of an example,
	// Class or Item.
	Columns Columns
	// Slices are the slice columns in these files; all others are in the files of the predictions.
	// All rows of an example must have the same values.
	Slices []string
	// SkipMissing says that examples without truth are counted and skipped. Otherwise they fail the
	// run.
	SkipMissing bool
	// EvaluateUnmatched says that queries of a ranking that occur only in the truth are evaluated,
	// as queries for which nothing was retrieved. Otherwise they are counted and skipped. It needs
	// one row for each item of the truth. Such queries have no weight, and their values of slice
	// columns and of Confidence.By must be in the truth.
	EvaluateUnmatched bool
}

// Long reports whether an example has several rows of truth.
func (t *Truth) Long() bool { return t != nil && (t.Columns.Class != "" || t.Columns.Item != "") }

// Has reports whether all of the columns are slice columns of the truth.
func (t *Truth) Has(columns ...string) bool {
	own, _ := t.Split(columns)
	return len(own) == 0
}

// Split divides slice columns into columns of the predictions and columns of the truth. Without
// truth, all are columns of the predictions.
func (t *Truth) Split(columns []string) (own, ofTruth []string) {
	for _, c := range columns {
		if t != nil && slices.Contains(t.Slices, c) {
			ofTruth = append(ofTruth, c)
		} else {
			own = append(own, c)
		}
	}
	return own, ofTruth
}

// Baseline describes a baseline's predictions, if they are in other files than the model's; see
// JoinedWithBaseline in package transforms. Each row belongs to the prediction with the same value
// of Columns.Example, and rows that belong to none are ignored.
type Baseline struct {
	// Columns has Example and at least one of Baseline and BaselineScore.
	Columns Columns
	// SkipMissing says that examples for which the baseline predicts nothing are counted and skipped.
	// Otherwise they fail the run.
	SkipMissing bool
}

// Side says which of the rows that belong together a row is of. A side without files of its own is in the files of the
// predictions.
type Side int

// The sides that are joined.
const (
	OfPredictions Side = iota
	OfTruth
	OfBaseline
	Sides
)

// ColumnsOf returns the columns of a side: of its own files or, if it has none, of the predictions.
func (s *Spec) ColumnsOf(side Side) *Columns {
	switch {
	case side == OfTruth && s.Truth != nil:
		return &s.Truth.Columns
	case side == OfBaseline && s.Baseline != nil:
		return &s.Baseline.Columns
	}
	return &s.Columns
}
