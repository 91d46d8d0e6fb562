package input

import (
	"strings"

	"github.com/beameval/beameval/metrics"
)

// outcomes are the labels of a preference, with the names that the data sets of Chatbot Arena have for
// them.
var outcomes = map[string]metrics.Outcome{
	"a": metrics.FirstWins, "model_a": metrics.FirstWins,
	"b": metrics.SecondWins, "model_b": metrics.SecondWins,
	"tie": metrics.Tie, "tie (bothbad)": metrics.Tie, "both_bad": metrics.Tie,
}

// Outcome returns the outcome that a label of a preference says, in capitals or not, and whether it says one.
func Outcome(label string) (o metrics.Outcome, known bool) {
	if o, known = outcomes[label]; !known {
		o, known = outcomes[strings.ToLower(label)]
	}
	return o, known
}

// IsOutcome reports whether a label of a preference says which system wins.
func IsOutcome(label string) bool {
	_, known := Outcome(label)
	return known
}
