package input

import "github.com/beameval/beameval/metrics"

// Outcomes are the labels of a preference, with the names that the data sets of Chatbot Arena have for
// them.
var Outcomes = map[string]metrics.Outcome{
	"a": metrics.FirstWins, "model_a": metrics.FirstWins,
	"b": metrics.SecondWins, "model_b": metrics.SecondWins,
	"tie": metrics.Tie, "tie (bothbad)": metrics.Tie, "both_bad": metrics.Tie,
}

// IsOutcome reports whether a label of a preference says which system wins.
func IsOutcome(label string) bool {
	_, known := Outcomes[label]
	return known
}
