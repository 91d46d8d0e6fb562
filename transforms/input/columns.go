package input

// Columns are the names of the columns by their roles; "" where there is none.
type Columns struct {
	// Label has the true labels, Score the scores and Prediction the predictions.
	Label, Score, Prediction string
	// ScoreLabel says which labels the scores are of, if scores are sparse: a list as
	// long as that of Score, with each label once, in any order. Both may be parts of one
	// list of structs or map, as scores.label and scores.score.
	ScoreLabel string
	Weight     string
	// Example identifies the example (in a ranking, the query) that a row belongs to, if
	// examples are joined from several rows. Class then says which label a row is about,
	// and Item which item of a ranking.
	Example, Class, Item string
	// Wide has columns of lists that the files do not have: by their names, the columns of
	// one value a row that they are made from, one for each label in order.
	Wide map[string][]string `json:",omitempty"`
}

// Encoding says how true labels are written, where that is a list.
type Encoding string

// The encodings of label lists: of multilabel examples, and the distribution of
// multiclass ones, whose labels are one value otherwise.
const (
	Indices      Encoding = "indices"      // label numbers, from 0
	Names        Encoding = "names"        // label names
	Indicator    Encoding = "indicator"    // a 0 or 1 for every label
	Distribution Encoding = "distribution" // the probability of every class
)

// Decision says how scores become predictions if there is no prediction column.
type Decision struct {
	Threshold float64            // positive if score >= threshold
	PerLabel  map[string]float64 // thresholds of single labels
	TopK      int                // multilabel: if not 0, the k highest scores are positive instead
}
