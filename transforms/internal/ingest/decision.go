package ingest

import (
	"slices"

	"github.com/beameval/beameval/metrics"
)

// Decision says how scores become predictions where there is no prediction
// column.
type Decision struct {
	Threshold float64            // positive if score >= threshold
	PerLabel  map[string]float64 // thresholds of single labels
	TopK      int                // multilabel, if not 0: the k highest instead
}

// thresholds are the thresholds of labels: few have one of their own.
type thresholds struct {
	others float64
	own    map[int32]float64
}

func newThresholds(d *Decision, vocab *Vocabulary) thresholds {
	t := thresholds{others: d.Threshold}
	for name, own := range d.PerLabel {
		if label, ok := vocab.Label(name); ok {
			if t.own == nil {
				t.own = make(map[int32]float64)
			}
			t.own[int32(label)] = own
		}
	}
	return t
}

func (t *thresholds) of(label int32) float64 {
	if own, ok := t.own[label]; ok {
		return own
	}
	return t.others
}

// decide predicts the label sets of a batch from its scores.
func (c *Converter) decide(b *metrics.Batch) {
	out := &c.predicted
	out.reset()
	for r := range b.Rows {
		scores, labels := b.Scored(int32(r))
		start := len(out.sets.Label)
		if c.spec.Decision.TopK > 0 {
			c.topK(scores, labels)
			slices.Sort(out.sets.Label[start:])
		} else {
			c.aboveThreshold(scores, labels)
		}
		out.endRow()
	}
}

// aboveThreshold predicts the labels whose score reaches their threshold.
func (c *Converter) aboveThreshold(scores []float64, labels []int32) {
	out := &c.predicted.sets
	threshold, alike := c.thresholds.others, c.thresholds.own == nil
	for i, s := range scores {
		label := labelAt(labels, i)
		if !alike {
			threshold = c.thresholds.of(label)
		}
		if s >= threshold {
			out.Label = append(out.Label, label)
		}
	}
}

// topK predicts the k labels with the highest scores; of equal scores, the
// first labels.
func (c *Converter) topK(scores []float64, labels []int32) {
	c.order = c.order[:0]
	for i := range scores {
		c.order = append(c.order, int32(i))
	}
	slices.SortStableFunc(c.order, func(a, b int32) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	out := &c.predicted.sets
	for _, i := range c.order[:min(c.spec.Decision.TopK, len(scores))] {
		out.Label = append(out.Label, labelAt(labels, int(i)))
	}
}

// labelAt is the label of score i; nil labels are all of them.
func labelAt(labels []int32, i int) int32 {
	if labels == nil {
		return int32(i)
	}
	return labels[i]
}
