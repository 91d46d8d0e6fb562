package ingest

import (
	"math"
	"slices"
	"strings"

	"github.com/beameval/beameval/metrics"
)

// Findings are what converters observe about rows other than bad ones. They can be merged in any
// order.
type Findings struct {
	// Clipped counts probabilities that were outside [0, 1] within the tolerance, and Excess is the
	// largest distance.
	Clipped int64   `json:",omitempty"`
	Excess  float64 `json:",omitempty"`
	// Unlabelled counts the rows without a label that are not bad.
	Unlabelled int64 `json:",omitempty"`
	// Negative counts negative relevances that counted as 0.
	Negative int64 `json:",omitempty"`
	// Crossed counts rows whose forecasts of quantiles were sorted or kept although they decrease.
	Crossed int64 `json:",omitempty"`
	// Positives are those among the true labels, and Predicted those among the predictions, if the
	// positive label has a name.
	Positives
	Predicted Positives
	Agreement
	Scores Spread `json:",omitzero"`
	Sums   Sums   `json:",omitzero"`
}

// Positives says whether any row has the positive label. Until one has, Met lists the first labels
// of rows, ordered by their bytes and shortened.
type Positives struct {
	Positive bool     `json:",omitempty"`
	Met      []string `json:",omitempty"`
}

// Merge adds the findings of another converter.
func (f *Findings) Merge(from *Findings) {
	f.Clipped += from.Clipped
	f.Excess = max(f.Excess, from.Excess)
	f.Unlabelled += from.Unlabelled
	f.Negative += from.Negative
	f.Crossed += from.Crossed
	f.Agreement.merge(&from.Agreement)
	f.Scores.merge(&from.Scores)
	f.Sums.merge(&from.Sums)
	f.Positives.merge(&from.Positives)
	f.Predicted.merge(&from.Predicted)
}

func (f *Positives) merge(from *Positives) {
	if from.Positive {
		f.positive()
	}
	for _, label := range from.Met {
		f.Meet(label)
	}
}

const (
	mostMet    = 100
	longestMet = 100 // bytes
)

func (f *Positives) positive() { f.Positive, f.Met = true, nil }

// Meet records the label of a row. After the first positive row, labels do not matter.
func (f *Positives) Meet(label string) {
	if f.Positive {
		return
	}
	if len(label) > longestMet {
		label = strings.ToValidUTF8(label[:longestMet], "") + "…"
	}
	label = strings.ToValidUTF8(label, "\ufffd") // as JSON would make it
	i, found := slices.BinarySearch(f.Met, label)
	if found || i == mostMet {
		return
	}
	f.Met = slices.Insert(f.Met, i, label)
	f.Met = f.Met[:min(len(f.Met), mostMet)]
}

func (f *Findings) clip(excess float64) {
	f.Clipped++
	f.Excess = max(f.Excess, excess)
}

// Agreement counts how often predictions in a column agree with the scores beside them.
type Agreement struct {
	Compared  int64 `json:",omitempty"` // the number of rows
	Disagree  int64 `json:",omitempty"` // rows whose scores predict something else
	Explained int64 `json:",omitempty"` // those of Disagree that ties and rounding explain
	// NotTop counts the rows in which a label that was not predicted has a higher score than one
	// that was, beyond ties and rounding.
	NotTop int64 `json:",omitempty"`
	// Highest is, for each label, the highest score with which it was not predicted, and Lowest the
	// lowest score with which it was: if Highest is below Lowest, a threshold explains all
	// predictions. Both are finite, and nil if there are more than maxThresholds labels.
	Highest, Lowest []float64 `json:",omitempty"`
}

// maxThresholds is the largest number of labels for which thresholds are sought.
const maxThresholds = 4096

// rounding is the largest relative difference between scores that rounding can explain.
const rounding = 1e-6

// near reports whether two scores are equal up to rounding.
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

// follow makes room for the highest and lowest scores of all labels.
func (a *Agreement) follow(labels int) {
	if len(a.Highest) > 0 || labels > maxThresholds {
		return
	}
	a.Highest, a.Lowest = make([]float64, labels), make([]float64, labels)
	for i := range labels {
		a.Highest[i], a.Lowest[i] = -math.MaxFloat64, math.MaxFloat64
	}
}

// score records the score of a label, and whether the label was predicted.
func (a *Agreement) score(label int, s float64, predicted bool) {
	switch s = min(max(s, -math.MaxFloat64), math.MaxFloat64); {
	case label >= len(a.Highest):
	case predicted:
		a.Lowest[label] = min(a.Lowest[label], s)
	default:
		a.Highest[label] = max(a.Highest[label], s)
	}
}

// Thresholds reports whether one threshold for each label explains all predictions.
func (a *Agreement) Thresholds() bool {
	for i, highest := range a.Highest {
		if lowest := a.Lowest[i]; highest > lowest && !near(highest, lowest) {
			return false
		}
	}
	return true
}

// count counts a row.
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
			a.count(predicted == (b.Score[r] >= c.decision.Threshold), near(b.Score[r], c.decision.Threshold))
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
		chosen := len(predicted) > 0 && int(predicted[0]) == label
		if chosen {
			predicted, lowest = predicted[1:], min(lowest, s)
		} else {
			highest = max(highest, s)
		}
		a.score(label, s, chosen)
		if threshold := c.decision.Threshold; chosen != (s >= threshold) {
			agrees, explained = false, explained && near(s, threshold)
		}
	}
	a.count(agrees, explained)
	if highest > lowest && !near(highest, lowest) {
		a.NotTop++
	}
}
