package metrics

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/roles"
)

// Task says what is predicted. Tasks are bits, so that a metric can belong to several.
type Task uint16

// The tasks.
const (
	Binary     = Task(roles.Binary)     // one label, positive or not
	Multiclass = Task(roles.Multiclass) // exactly one of K classes
	Multilabel = Task(roles.Multilabel) // any subset of L labels
	Regression = Task(roles.Regression) // a number
	Ranking    = Task(roles.Ranking)    // the items that answer a query, best first
	Preference = Task(roles.Preference) // which of two systems wins a comparison, if any
	Grading    = Task(roles.Grading)    // nothing: attempts at an example have been graded
	Agreement  = Task(roles.Agreement)  // nothing: several raters have rated each example
)

// Sets of tasks. Those that are not Classifying predict no labels; Unlabelled ones have no vocabulary of labels either. The rows
// of Results are results already, such as grades: nothing is predicted. The examples of Joined ones may have several rows: one for each label, item, attempt or rater.
const (
	AnyTask     = Task(roles.AnyTask)
	Classifying = Task(roles.Classifying)
	Unlabelled  = Task(roles.Unlabelled)
	Results     = Task(roles.Results)
	Joined      = Task(roles.Joined)
)

type taskName struct {
	task Task
	name string
}

var taskNames = func() (all []taskName) {
	for i, name := range roles.TaskNames {
		all = append(all, taskName{1 << i, name})
	}
	return all
}()

// Tasks returns all tasks.
func Tasks() (all []Task) {
	for _, n := range taskNames {
		all = append(all, n.task)
	}
	return all
}

// String returns the name of the task, or the names of several, separated by commas.
func (t Task) String() string {
	var names []string
	for _, n := range taskNames {
		if t&n.task != 0 {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, ", ")
}

// MarshalText returns the name of the task, or "" for none.
func (t Task) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText sets the task to the one with this name.
func (t *Task) UnmarshalText(name []byte) error {
	known := []string{}
	*t = 0
	for _, n := range taskNames {
		if n.name == string(name) {
			*t = n.task
		}
		known = append(known, n.name)
	}
	if *t == 0 && len(name) > 0 {
		return &UnknownNameError{string(name), known}
	}
	return nil
}

// ScoreType says what scores are.
type ScoreType uint8

// The score types.
const (
	Probability ScoreType = iota // in [0, 1]
	Logit                        // any real number; its sigmoid (multiclass: softmax) is the probability
	RawScore                     // any real number, with no probability
)

var scoreTypeNames = []string{"probability", "logit", "score"}

// String returns the name of the score type.
func (s ScoreType) String() string { return nameOf(scoreTypeNames, s) }

// MarshalText returns the name of the score type.
func (s ScoreType) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText sets the score type to the one with this name.
func (s *ScoreType) UnmarshalText(name []byte) error { return setNamed(s, scoreTypeNames, name) }

// UnknownNameError says that no value of an enumeration has the given name.
type UnknownNameError struct {
	Name  string
	Known []string // the names of the values
}

// Error lists the known names.
func (e *UnknownNameError) Error() string {
	return fmt.Sprintf("unknown value %q (valid values: %s)", e.Name, strings.Join(e.Known, ", "))
}

// nameOf returns the name of a value. names[i] is the name of value i.
func nameOf[T ~uint8](names []string, value T) string {
	if int(value) < len(names) {
		return names[value]
	}
	return fmt.Sprintf("unknown (%d)", value)
}

// setNamed sets value to the one with this name. names[i] is the name of value i.
func setNamed[T ~uint8](value *T, names []string, name []byte) error {
	i := slices.Index(names, string(name))
	if i < 0 {
		return &UnknownNameError{string(name), names}
	}
	*value = T(i)
	return nil
}

// Gain says what an item contributes to DCG, by its relevance.
type Gain uint8

// The gains.
const (
	ExponentialGain Gain = iota // 2^relevance - 1
	LinearGain                  // the relevance
)

var gainNames = []string{"exponential", "linear"}

// String returns the name.
func (g Gain) String() string { return nameOf(gainNames, g) }

// MarshalText returns the name.
func (g Gain) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// UnmarshalText sets the value of a name.
func (g *Gain) UnmarshalText(name []byte) error { return setNamed(g, gainNames, name) }

// Ties says how items with equal scores rank.
type Ties uint8

// The ways to rank items with equal scores.
const (
	ExpectedTies Ties = iota // in every order: a measure is its mean over all orders
	ItemTies                 // in the order of the batch
)

var tiesNames = []string{"expected", "item"}

// String returns the name.
func (t Ties) String() string { return nameOf(tiesNames, t) }

// MarshalText returns the name.
func (t Ties) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText sets the value of a name.
func (t *Ties) UnmarshalText(name []byte) error { return setNamed(t, tiesNames, name) }

// EmptyQueries says what queries without relevant items count as. For measures of gain, these are
// the queries without gain.
type EmptyQueries uint8

// What empty queries count as.
const (
	SkipEmpty   EmptyQueries = iota // they are left out of means
	EmptyIsZero                     // 0
	EmptyIsOne                      // 1; for dcg, which has no maximum, 0
)

var emptyQueriesNames = []string{"skip", "zero", "one"}

// String returns the name.
func (e EmptyQueries) String() string { return nameOf(emptyQueriesNames, e) }

// MarshalText returns the name.
func (e EmptyQueries) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText sets the value of a name.
func (e *EmptyQueries) UnmarshalText(name []byte) error { return setNamed(e, emptyQueriesNames, name) }

// RatingWeights say how far two ratings agree that are numbers.
type RatingWeights uint8

// The weights of ratings: how far values agree that differ by d, of values with a range.
const (
	QuadraticWeights RatingWeights = iota // 1 - (d / range)²
	LinearWeights                         // 1 - d / range
)

var ratingWeightsNames = []string{"quadratic", "linear"}

// String returns the name.
func (w RatingWeights) String() string { return nameOf(ratingWeightsNames, w) }

// MarshalText returns the name.
func (w RatingWeights) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText sets the value of a name.
func (w *RatingWeights) UnmarshalText(name []byte) error {
	return setNamed(w, ratingWeightsNames, name)
}

// CurveMode says how metrics of ROC and precision-recall curves are computed.
type CurveMode string

// The modes of curves.
const (
	NoCurves      CurveMode = ""        // not at all; exact if Params.Metrics names metrics of curves
	ExactCurves   CurveMode = "exact"   // from all scores in order, as in scikit-learn; see Collector
	BoundedCurves CurveMode = "bounded" // within an interval, from histograms of Params.CurveBins bins
)

// Better says which values of a metric are better.
type Better uint8

// Which values are better.
const (
	Neither Better = iota // the metric describes the data, or it depends on them which values are better
	Higher
	Lower
	NearZero // on either side of 0
	NearOne
)

var betterNames = []string{"", "higher", "lower", "near 0", "near 1"}

// String returns the word for it in reports, such as "higher"; it is "" for Neither.
func (b Better) String() string { return nameOf(betterNames, b) }

// Loss returns a number that is lower for better values: value itself if neither higher nor lower ones
// are better.
func (b Better) Loss(value float64) float64 {
	if target, near := b.Target(); near {
		return math.Abs(value - target)
	}
	if b == Higher {
		return -value
	}
	return value
}

// Target returns the number that values should be near. near is false if there is none.
func (b Better) Target() (target float64, near bool) {
	switch b {
	case NearZero:
		return 0, true
	case NearOne:
		return 1, true
	}
	return 0, false
}
