package ingest

import (
	"cmp"
	"slices"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

// thresholds are the thresholds of labels. Few labels have one of their own.
type thresholds struct {
	others float64
	own    map[int32]float64
}

func newThresholds(d *input.Decision, vocab *input.Vocabulary) thresholds {
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

func (t *thresholds) threshold(label int32) float64 {
	if own, ok := t.own[label]; ok {
		return own
	}
	return t.others
}

// decide returns the label sets predicted by the scores of a batch.
func (c *Converter) decide(out *setBuilder, b *metrics.Batch) metrics.Sets {
	out.reset()
	for r := range b.Rows {
		scores, labels := b.Scored(int32(r))
		if c.decision.TopK > 0 {
			out.Label = c.appendTop(out.Label, scores, labels)
		} else {
			out.Label = c.thresholds.appendAbove(out.Label, scores, labels)
		}
		out.endRow()
	}
	return out.Sets
}

// appendAbove appends the labels whose scores reach their thresholds. No branch depends on whether
// a score does, because the processor could not predict it.
func (t *thresholds) appendAbove(dst []int32, scores []float64, labels []int32) []int32 {
	n := len(dst)
	dst = slices.Grow(dst, len(scores))[:n+len(scores)]
	threshold, alike := t.others, t.own == nil
	for i, s := range scores {
		label := labelAt(labels, i)
		if !alike {
			threshold = t.threshold(label)
		}
		dst[n] = label
		above := 0
		if s >= threshold {
			above = 1
		}
		n += above
	}
	return dst[:n]
}

// appendTop appends, in order of the labels, as many labels with the highest scores as have to be
// predicted. If scores are equal, the first labels win.
func (c *Converter) appendTop(dst []int32, scores []float64, labels []int32) []int32 {
	c.order = metrics.AllRows(c.order[:0], len(scores))
	slices.SortStableFunc(c.order, func(a, b int32) int { return cmp.Compare(scores[b], scores[a]) })
	top := c.order[:min(c.decision.TopK, len(scores))]
	slices.Sort(top)
	for _, i := range top {
		dst = append(dst, labelAt(labels, int(i)))
	}
	return dst
}

// labelAt returns the label of score i. labels is nil if all labels have scores.
func labelAt(labels []int32, i int) int32 {
	if labels == nil {
		return int32(i)
	}
	return labels[i]
}
