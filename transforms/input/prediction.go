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
