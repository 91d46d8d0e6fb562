package transforms

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// Spec says what predictions look like and what to compute. It is settled once, and travels to workers as it is.
type Spec = input.Spec

// Confidence says how to compute confidence intervals.
type Confidence = input.Confidence

// Worst says which examples a report lists.
type Worst = input.Worst

// Search asks for the slices with the highest losses.
type Search = input.Search

// Groups asks how metrics differ between groups of examples.
type Groups = input.Groups

// PerLabel says which labels have metric rows of their own.
type PerLabel = input.PerLabel

// settled is the job of a spec in which nothing is left open, except perhaps the labels.
type settled struct{ shuffle.Job }

// DefaultFolds is the number of folds if neither Folds nor Each is set.
const DefaultFolds = input.DefaultFolds

// defaultRangeBytes is the RangeBytes that is not set.
const defaultRangeBytes = 32 << 20

// MostEach is the largest number of values of a column that are a fold each.
const MostEach = shuffle.MostFolds

// BothClasses says which of two scores in a row is of the positive label, as predict_proba of scikit-learn
// returns them. If they are logits, the score is the positive label's logit less the other.
// Params.ScoreType must be Probability or Logit: nothing says what two scores of another type mean
// together.
type BothClasses = input.BothClasses

// Truth describes true labels that are in other files than the predictions; see [Joined].
type Truth = input.Truth

// Baseline describes a baseline's predictions, if they are in other files than the model's; see
// [JoinedWithBaseline].
type Baseline = input.Baseline

// Slice is a set of slices: one for each combination of values of its columns.
type Slice = input.Slice

// SliceColumn is a column of a [Slice].
type SliceColumn = input.SliceColumn

// SliceValue is a value of a [SliceColumn].
type SliceValue = input.SliceValue

// sliceNames returns names of the columns of slices, sorted and without duplicates.
func sliceNames(list []Slice, of func(*SliceColumn) []string) []string {
	var names []string
	for _, c := range slices.Concat(list...) {
		names = append(names, of(&c)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Estimated is the column that the keys of slices have in addition if their metrics are estimated;
// its value is true.
const Estimated = report.Estimated

// MaxRows is the approximate largest number of metric rows in a report: of one slice, and of all
// slices unless the spec sets their number.
const MaxRows = shuffle.MaxRows

// derive sets what follows from a spec that obeys the rules.
func (s *settled) derive() {
	s.Compare, s.Stage = s.Params.Has.Has(roles.BaselinePrediction), shuffle.Confirm
	switch {
	case s.Params.Task == metrics.Binary:
		s.Labels = input.BinaryLabels(s.PositiveLabel)
	case s.Params.Task&metrics.Unlabelled != 0:
		s.Labels = input.NumberedLabels(1)
	}
	s.Decision = cmp.Or(s.Decision, new(input.Decision))
	s.MaxExampleRows, s.RangeBytes = cmp.Or(s.MaxExampleRows, 100_000), cmp.Or(s.RangeBytes, defaultRangeBytes)
	if c := s.Confidence; c != nil {
		s.Params.Digest, s.Params.Replicated = true, c.Metrics
	}
	s.FindConstants()
	s.Division.PartialBytes = partialLimit(&s.Job)
}

// nameFields names the columns that have no name: after the fields of input.Prediction.
func (s *settled) nameFields() {
	p, c := &s.Params, &s.Columns
	label, prediction, task := "Labels", "", roles.Task(p.Task)
	switch {
	case s.Encoding == input.Distribution:
		label = "Distribution"
	case p.Task == metrics.Regression:
		label = "Target"
	case p.Task == metrics.Ranking:
		label = "Relevance"
	case !task.Labelled() && !p.Has.Has(roles.Answer):
		label = ""
	}
	switch {
	case p.Task == metrics.Regression && !p.NoEstimate:
		prediction = "Estimate"
	case p.Task&metrics.Classifying != 0 && !p.Scores:
		prediction = "Predicted"
	}
	needed := p.Has | task.OwnNeeds(c.Has()) | roles.SetOf(roles.Score, roles.Weight)
	if p.Has.Has(roles.BaselinePrediction) && c.BaselineScore != "" { // which is enough
		needed &^= roles.SetOf(roles.BaselinePrediction)
	}
	if p.Sparse || s.CompleteScores {
		needed |= roles.SetOf(roles.ScoreLabel)
	}
	if p.Ranking.Ties == metrics.ItemTies {
		needed |= roles.SetOf(roles.Item)
	}
	if len(p.QuantileLevels) > 0 {
		needed |= roles.SetOf(roles.Quantiles)
	}
	for r := range needed.All() {
		name := c.Of(r)
		*name = cmp.Or(*name, r.Of().Memory, r.Of().Field)
	}
	c.Label, c.Prediction = cmp.Or(c.Label, label), cmp.Or(c.Prediction, prediction)
}

// labelled reports whether the spec has the labels.
func (s *settled) labelled() bool { return s.Labels.Len() > 0 }

// checkAverages returns an error if AverageLabels has a name that is not one of the labels.
func (s *settled) checkAverages(v *input.Vocabulary) error {
	for _, name := range s.AverageLabels {
		if _, found := v.Label(name); !found {
			return fmt.Errorf("%s has %q, which is not one of the %d labels", s.Params.Names.Of(settings.AverageLabels), name, v.Len())
		}
	}
	return nil
}

// functionName matches valid names of slice functions.
var functionName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// RegisterSlice registers a function that computes a slice value from the value of a column, such
// as the hour of a time or the band of a length, or from the values of several columns, such as
// whether two are equal. A [SliceColumn] names the function and the columns, whose values are its
// arguments. It is called for single rows, by several goroutines at once: it must be pure and must
// not retain its arguments, and it should return few distinct values. Null is slice.Null. In files
// that is so whatever the type of the column; values of predictions in memory and of hive-style
// folders are text.
//
// Call RegisterSlice in an init function, so that the programs of all workers have the function
// before they need it. Like Beam's registration, it panics if the function cannot be registered,
// for example because its name is taken.
func RegisterSlice(name string, of func(...slice.Value) slice.Value) {
	switch {
	case !functionName.MatchString(name):
		panic(fmt.Sprintf("transforms.RegisterSlice: %q: a name has lower-case letters, digits and _, a letter first", name))
	case shuffle.SliceFunctions[name] != nil:
		panic(fmt.Sprintf("transforms.RegisterSlice: there is a slice function %q already", name))
	case of == nil:
		panic(fmt.Sprintf("transforms.RegisterSlice: %q: no function", name))
	}
	shuffle.SliceFunctions[name] = of
}
