package ingest

import (
	"math"

	"github.com/beameval/beameval/metrics"
)

// Agreement counts how predictions that were read agree with the scores beside them.
type Agreement struct {
	Compared  int64 `json:",omitempty"` // rows
	Disagree  int64 `json:",omitempty"` // rows whose prediction is not what the scores say
	Explained int64 `json:",omitempty"` // those of them that ties and rounding explain
	// NotTop counts the rows in which a label that was not predicted scores higher
	// than one that was, beyond ties and rounding.
	NotTop int64 `json:",omitempty"`
	// Highest is the highest score of each label where it was not predicted, Lowest
	// the lowest where it was: one threshold explains all if they are in order. They
	// are finite, and missing where labels are more than maxThresholds.
	Highest, Lowest []float64 `json:",omitempty"`
}

// maxThresholds is of how many labels thresholds are looked for.
const maxThresholds = 4096

// rounding is how far scores may differ that are equal but for rounding.
const rounding = 1e-6

func near(a, b float64) bool {
	most := max(math.Abs(a), math.Abs(b))
	return a == b || math.Abs(a-b) <= rounding*most && !math.IsInf(most, 0)
}

func (a *Agreement) merge(from *Agreement) {
	a.Compared += from.Compared
	a.Disagree += from.Disagree
	a.Explained += from.Explained
	a.NotTop += from.NotTop
	if len(from.Highest) > 0 {
		a.follow(len(from.Highest))
	}
	for i := range from.Highest {
		a.Highest[i] = max(a.Highest[i], from.Highest[i])
		a.Lowest[i] = min(a.Lowest[i], from.Lowest[i])
	}
}

// follow makes room for the scores of labels.
func (a *Agreement) follow(labels int) {
	if len(a.Highest) > 0 || labels > maxThresholds {
		return
	}
	a.Highest, a.Lowest = make([]float64, labels), make([]float64, labels)
	for i := range labels {
		a.Highest[i], a.Lowest[i] = -math.MaxFloat64, math.MaxFloat64
	}
}

// score notes the score of a label that was predicted or not.
func (a *Agreement) score(label int, s float64, predicted bool) {
	switch s = min(max(s, -math.MaxFloat64), math.MaxFloat64); {
	case label >= len(a.Highest):
	case predicted:
		a.Lowest[label] = min(a.Lowest[label], s)
	default:
		a.Highest[label] = max(a.Highest[label], s)
	}
}

// Thresholds says whether one threshold of each label explains all predictions.
func (a *Agreement) Thresholds() bool {
	for i, highest := range a.Highest {
		if lowest := a.Lowest[i]; highest > lowest && !near(highest, lowest) {
			return false
		}
	}
	return true
}

func (a *Agreement) count(agrees, explained bool) {
	a.Compared++
	if agrees {
		return
	}
	a.Disagree++
	if explained {
		a.Explained++
	}
}

// compare compares the predictions of good rows with their dense scores.
func (c *Converter) compare(b *metrics.Batch) {
	switch a := &c.found.Agreement; c.spec.Params.Task {
	case metrics.Multiclass:
		for _, r := range c.rows {
			scores := b.Score[int(r)*b.Labels:][:b.Labels]
			top, predicted := metrics.TopLabel(scores), int(b.Predicted[r])
			a.count(top == predicted, near(scores[top], scores[predicted]))
		}
	case metrics.Binary:
		a.follow(1)
		for _, r := range c.rows {
			predicted := b.Predicted[r] == 1
			a.score(0, b.Score[r], predicted)
			a.count(predicted == (b.Score[r] >= c.spec.Decision.Threshold), near(b.Score[r], c.spec.Decision.Threshold))
		}
	case metrics.Multilabel:
		a.follow(b.Labels)
		for _, r := range c.rows {
			c.compareSet(a, b.Score[int(r)*b.Labels:][:b.Labels], b.PredictedSet.Row(r))
		}
	}
}

func (c *Converter) compareSet(a *Agreement, scores []float64, predicted []int32) {
	agrees, explained := true, true
	lowest, highest := math.Inf(1), math.Inf(-1)
	for label, s := range scores {
		is := len(predicted) > 0 && int(predicted[0]) == label
		if is {
			predicted, lowest = predicted[1:], min(lowest, s)
		} else {
			highest = max(highest, s)
		}
		a.score(label, s, is)
		if threshold := c.spec.Decision.Threshold; is != (s >= threshold) {
			agrees, explained = false, explained && near(s, threshold)
		}
	}
	a.count(agrees, explained)
	if highest > lowest && !near(highest, lowest) {
		a.NotTop++
	}
}
