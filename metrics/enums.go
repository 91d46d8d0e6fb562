package metrics

import (
	"fmt"
	"slices"
	"strings"
)

// Task is the kind of prediction under evaluation. Tasks are bits, so that a
// metric can name several.
type Task uint8

// The tasks.
const (
	Binary     Task = 1 << iota // one label, positive or not
	Multiclass                  // exactly one of K classes
	Multilabel                  // any subset of L labels
	Regression                  // a number
	Ranking                     // the items that answer a query, best first
)

var taskNames = []struct {
	task Task
	name string
}{{Binary, "binary"}, {Multiclass, "multiclass"}, {Multilabel, "multilabel"}, {Regression, "regression"}, {Ranking, "ranking"}}

// String returns the task's name; of several tasks, their names with commas.
func (t Task) String() string {
	var names []string
	for _, n := range taskNames {
		if t&n.task != 0 {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, ", ")
}

// MarshalText returns the task's name; "" if there is no task.
func (t Task) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText sets the task of a name, as MarshalText returns it.
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
	Logit                        // any real number; the probability is its sigmoid (multiclass: softmax)
	RawScore                     // any real number, with no probability
)

var scoreTypeNames = []string{"probability", "logit", "score"}

// String returns the score type's name.
func (s ScoreType) String() string { return nameOf(scoreTypeNames, s) }

// MarshalText returns the score type's name.
func (s ScoreType) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText sets the score type of a name.
func (s *ScoreType) UnmarshalText(name []byte) error { return setNamed(s, scoreTypeNames, name) }

// UnknownNameError is the error of a name that no value of an enumeration has.
type UnknownNameError struct {
	Name  string
	Known []string // the names that the values have
}

// Error lists the known names.
func (e *UnknownNameError) Error() string {
	return fmt.Sprintf("unknown value %q (valid values: %s)", e.Name, strings.Join(e.Known, ", "))
}

// nameOf returns the name of a value: names are those of the values from 0 on.
func nameOf[T ~uint8](names []string, value T) string {
	if int(value) < len(names) {
		return names[value]
	}
	return fmt.Sprintf("unknown (%d)", value)
}

// setNamed sets the value that has a name.
func setNamed[T ~uint8](value *T, names []string, name []byte) error {
	i := slices.Index(names, string(name))
	if i < 0 {
		return &UnknownNameError{string(name), names}
	}
	*value = T(i)
	return nil
}

// Gain says what an item adds to DCG, by its relevance.
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

// Ties says how items of equal scores rank.
type Ties uint8

// The ways to rank items of equal scores.
const (
	ExpectedTies Ties = iota // in all orders alike: measures are expectations
	ItemTies                 // in the order of the batch
)

var tiesNames = []string{"expected", "item"}

// String returns the name.
func (t Ties) String() string { return nameOf(tiesNames, t) }

// MarshalText returns the name.
func (t Ties) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText sets the value of a name.
func (t *Ties) UnmarshalText(name []byte) error { return setNamed(t, tiesNames, name) }

// EmptyQueries says what queries without relevant items count as; for measures of
// gain, queries without gain.
type EmptyQueries uint8

// What empty queries count as.
const (
	SkipEmpty   EmptyQueries = iota // nothing: they are left out of means
	EmptyIsZero                     // 0
	EmptyIsOne                      // 1; in dcg 0, which has no best value
)

var emptyQueriesNames = []string{"skip", "zero", "one"}

// String returns the name.
func (e EmptyQueries) String() string { return nameOf(emptyQueriesNames, e) }

// MarshalText returns the name.
func (e EmptyQueries) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText sets the value of a name.
func (e *EmptyQueries) UnmarshalText(name []byte) error { return setNamed(e, emptyQueriesNames, name) }

// CurveMode says how the metrics of ROC and precision-recall curves are computed.
type CurveMode string

// The modes of curves.
const (
	NoCurves      CurveMode = ""        // not at all or, if metrics that are named need them, exactly
	ExactCurves   CurveMode = "exact"   // from all scores in order, as scikit-learn; see Params.Sweep
	BoundedCurves CurveMode = "bounded" // within an interval, from scores in at most CurveBins bins
)
