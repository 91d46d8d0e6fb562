package metrics

import (
	"fmt"
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

// ParseTask returns the task of that name.
func ParseTask(name string) (Task, error) {
	for _, t := range taskNames {
		if t.name == name {
			return t.task, nil
		}
	}
	return 0, fmt.Errorf("unknown task %q: expected binary, multiclass, multilabel, regression or ranking", name)
}

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

// ScoreType says what scores are.
type ScoreType uint8

// The score types.
const (
	Probability ScoreType = iota // in [0, 1]
	Logit                        // any real number; the probability is its sigmoid (multiclass: softmax)
	RawScore                     // any real number, with no probability
)

// ParseScoreType returns the score type of that name.
func ParseScoreType(name string) (ScoreType, error) {
	switch name {
	case "probability":
		return Probability, nil
	case "logit":
		return Logit, nil
	case "score":
		return RawScore, nil
	}
	return 0, fmt.Errorf("unknown score type %q: expected probability, logit or score", name)
}
