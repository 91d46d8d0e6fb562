package input

// Prediction is an example in memory, with its true labels and what is predicted for it:
// an element of a PCollection. Which fields count depends on the task.
type Prediction struct {
	// Example names the example in messages. In a ranking it is the query, by which
	// transforms.Spec.PerQuery reports metrics.
	Example string
	// Labels are the names of the true labels: exactly one in a binary or multiclass
	// task, any number in a multilabel one. In a binary task the label is positive if it
	// is the spec's PositiveLabel; without PositiveLabel, labels are "1" and "0".
	Labels []string
	// Distribution is the true distribution over the classes, in their order, in a
	// multiclass task whose spec has the Encoding Distribution; Labels are ignored then.
	Distribution []float64
	// Items are the ids of the items that were retrieved for a query, each once. Scores
	// and Relevance are theirs, in the same order. Items may be left out if ties are not
	// broken by them.
	Items     []string
	Relevance []float64
	// Target is the true value in a regression.
	Target float64
	// Scores are the scores of all labels, in their order; in a binary task, the score of
	// the positive label; where scores are sparse, those of ScoreLabels.
	Scores []float64
	// ScoreLabels are the names of the labels that have scores, where scores are sparse.
	ScoreLabels []string
	// Predicted are the names of the predicted labels, where these do not follow from the
	// scores; see transforms.Spec.Columns.
	Predicted []string
	// Estimate is the predicted value in a regression.
	Estimate float64
	// Weight is the example's weight; nil means 1.
	Weight *float64
	// Slices are the values of slice columns, by column; a missing one is null.
	Slices map[string]string
}

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
