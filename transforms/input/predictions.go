package input

import (
	"reflect"

	"github.com/beameval/beameval/internal/roles"
)

// BothClasses says which of the scores of both classes in a row of a binary task is of the positive
// label: 0 or 1.
type BothClasses struct{ Positive int }

// Prediction is an example in memory, with its true labels and its predictions: an element of a
// PCollection. The task determines which fields are used.
type Prediction struct {
	// Example names the example in messages. In a ranking it is the query, by which
	// transforms.Spec.PerQuery reports metrics.
	Example string
	// Labels are the names of the true labels: exactly one in a binary or multiclass task, any
	// number in a multilabel task. In a binary task, the label is positive if it equals
	// PositiveLabel of the spec; without PositiveLabel, the labels are "1" and "0".
	Labels []string
	// Distribution is the true distribution over the classes, in their order, in a multiclass task
	// whose spec has the Encoding Distribution. Labels are ignored then.
	Distribution []float64
	// Items are the ids of the items retrieved for a query, without duplicates. Scores and
	// Relevance belong to them, in the same order. Items may be omitted if they do not break ties.
	Items     []string
	Relevance []float64
	// Categories and ItemFrequencies also belong to Items: what kind each is of, for diversity@k, and
	// how frequent it is, for novelty@k and others, if Columns names these fields.
	Categories      []string
	ItemFrequencies []float64
	// Target is the true value in a regression.
	Target float64
	// Scores are the scores of all labels, in their order; in a binary task, the score of the
	// positive label; if scores are sparse, the scores of ScoreLabels.
	Scores []float64
	// ScoreLabels are the names of the labels that have scores, if scores are sparse.
	ScoreLabels []string
	// Predicted are the names of the predicted labels, if they do not follow from the scores; see
	// transforms.Spec.Columns.
	Predicted []string
	// Baseline, BaselineScores and BaselineEstimate are what Predicted, Scores and Estimate are, of a
	// baseline, if Columns names these fields.
	Baseline         []string
	BaselineScores   []float64
	BaselineEstimate float64
	// Judged is the name of the class that another model judges to be the true one, with
	// metrics.HasJudgedClass.
	Judged []string
	// Set are the names of the classes in the prediction set, with metrics.HasPredictionSets.
	Set []string
	// Estimate is the predicted value in a regression.
	Estimate float64
	// Quantiles are the forecasts of the quantiles of Params.QuantileLevels in a regression, Ensemble
	// the members of an ensemble, and Scale divides errors, if Params has these.
	Quantiles, Ensemble []float64
	Scale               float64
	// CostFP and CostFN are what a false positive and a false negative cost in a binary task, with
	// metrics.HasErrorCosts.
	CostFP, CostFN float64
	// First and Second are the names of the two systems that a preference is about. Its only label is
	// the outcome: a if the first wins, b if the second does, or tie.
	First, Second string
	// Grades are what the attempts at the example are worth: numbers, or 1 and 0 for attempts that pass or do not.
	Grades []float64
	// FurtherGrades holds for each of Params.FurtherGrades what Grades holds, in the same order of the attempts.
	FurtherGrades [][]float64
	// Answers are what the attempts answered, "" being no answer, if Columns has Answer. The only label is then the right one.
	Answers []string
	// Raters, in a task of agreement, are the names of those who rate the example, and Grades their ratings: numbers or, with
	// Params.Raters.Names, a number for each name.
	Raters []string
	// Weight is the weight of the example; nil means 1.
	Weight *float64
	// Slices are the values of slice columns, by column; missing ones are null.
	Slices map[string]string
}

// fields are the indices of the fields of Prediction for roles of [roles.Numbers].
var fields = func() (of [roles.Count]int) {
	for r := range roles.Numbers() {
		field, _ := reflect.TypeFor[Prediction]().FieldByName(r.Of().Field)
		of[r] = field.Index[0]
	}
	return of
}()

// Number returns where the number of a role of [roles.Numbers] is.
func (p *Prediction) Number(r roles.Role) *float64 {
	return reflect.ValueOf(p).Elem().Field(fields[r]).Addr().Interface().(*float64)
}

// Columns are the names of the columns by role; "" for roles without a column.
type Columns struct {
	// Label has the true labels, Score the scores and Prediction the predictions.
	Label, Score, Prediction string
	// ScoreLabel says which labels the scores belong to, if scores are sparse: a list as long as
	// the list of Score, with each label at most once, in any order. Both may be parts of one list
	// of structs or map, such as scores.label and scores.score.
	ScoreLabel string
	Weight     string
	// Stratum says which stratum a row with a label was drawn from, for Params.Drawn; "" means that there is one.
	Stratum string
	// In a regression, Quantiles has a list of forecasts of the quantiles of Params.QuantileLevels,
	// Ensemble a list of the members of an ensemble, and Scale a positive number for mase and rmsse.
	Quantiles, Ensemble, Scale string
	// In a binary task, CostFP and CostFN have what it costs if the row is a false positive and if it is a
	// false negative, for expected_cost.
	CostFP, CostFN string
	// In a ranking, Category and ItemFrequency have, for each item, its category and how frequent it is,
	// such as the number of users who have it in the training data.
	Category, ItemFrequency string
	// In preferences, First and Second have the two systems, and Label the outcome: a, b or tie.
	First, Second string
	// In task grade, Grade has a number or a boolean. Rows of one Example, if there is such a column, are attempts at it. Answer
	// has what an attempt answered, for majority_accuracy, and Label what is right.
	Grade, Answer string
	// FurtherGrades has Params.FurtherGrades, in a column of each (see Wide), with a value a row.
	FurtherGrades string
	// In task agreement, Raters has the ratings of several raters, in a column of each (see Wide). Or each rating is a row: Grade has
	// the rating, Rater who gave it, and Example what was rated.
	Raters, Rater string
	// In a binary or multiclass task, Baseline and BaselineScore have what Prediction and Score have, of
	// another model whose predictions are compared. One of them suffices.
	Baseline, BaselineScore string
	// In a multiclass task, Judged has the class that another model judges to be the true one, for
	// metrics.HasJudgedClass.
	Judged string
	// In a multiclass task, Set has the classes of a prediction set, such as a conformal one: a list of classes, of
	// booleans, or, in several columns (see Wide), of 0 and 1.
	Set string
	// Example identifies the example (in a ranking, the query) that a row belongs to, if examples
	// are joined from several rows. Class then says which label a row is about, and Item which item
	// of a ranking.
	Example, Class, Item string
	// Wide defines columns of lists that the files do not have: by name, the columns with one value
	// in each row that they are made of, one for each label in order.
	Wide map[string][]string `json:",omitempty"`
}

// Of returns where the name of the column of a role is, or nil if Columns lack the role.
func (c *Columns) Of(r roles.Role) *string {
	field := r.Of().Field
	if field == "" {
		return nil
	}
	return reflect.ValueOf(c).Elem().FieldByName(field).Addr().Interface().(*string)
}

// Has returns the roles that have a column.
func (c *Columns) Has() (has roles.Set) {
	for r := range roles.All() {
		if name := c.Of(r); name != nil && *name != "" {
			has |= roles.SetOf(r)
		}
	}
	return has
}

// ByRole returns the names of the columns by role, "" where there is none.
func (c *Columns) ByRole() (names [roles.Count]string) {
	for r := range c.Has().All() {
		names[r] = *c.Of(r)
	}
	return names
}

// Encoding says how true labels are written, if they are lists.
type Encoding string

// The encodings of label lists: of multilabel examples, and of the distributions of multiclass
// examples, whose labels are otherwise single values.
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
