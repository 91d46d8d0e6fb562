package metrics

import (
	"slices"

	"github.com/beameval/beameval/metrics/exact"
)

// means totals quantities that each example has, weighted, for their means.
type means struct {
	cells[exact.Sum, *exact.Sum]
	chosen []quantityChoice
	eps    float64
}

// quantityChoice is a quantity with its cut-off, if it has one.
type quantityChoice struct {
	quantity quantity
	k        int
}

func (c quantityChoice) key() uint64 { return uint64(c.quantity)<<32 | uint64(c.k) }

// quantity names a quantity.
type quantity uint64

const (
	multiclassLogLoss quantity = iota
	multiclassBrier
	softmaxCrossEntropy
	reciprocalRank
	topKAccuracy
)

// settings are what some quantities depend on besides the example.
type settings struct {
	eps float64 // of log loss
	k   int     // a cut-off
}

// exampleQuantities is the table of quantities: what each is of row r of a batch.
var exampleQuantities = []func(b *Batch, r int, with settings) float64{
	multiclassLogLoss: func(b *Batch, r int, with settings) float64 {
		if b.Distribution != nil {
			return crossEntropy(b, r, with.eps)
		}
		at := r*b.Labels + int(b.Class[r])
		if b.Logit != nil {
			return logSumExp(b.Logit[r*b.Labels:][:b.Labels]).loss(b.Logit[at])
		}
		return clippedLoss(b.Probability[at], true, with.eps)
	},
	multiclassBrier: func(b *Batch, r int, _ settings) float64 {
		if b.Distribution != nil {
			return squaredDistance(b, r)
		}
		total := 0.0
		for label, p := range b.Probability[r*b.Labels:][:b.Labels] {
			if label == int(b.Class[r]) {
				p--
			}
			total += float64(p * p)
		}
		return total
	},
	softmaxCrossEntropy: func(b *Batch, r int, _ settings) float64 {
		logits := b.Logit[r*b.Labels:][:b.Labels]
		total, whole := 0.0, logSumExp(logits)
		for _, label := range b.True.Row(int32(r)) {
			total += whole.loss(logits[label])
		}
		return total
	},
	reciprocalRank: func(b *Batch, r int, _ settings) float64 {
		return 1 / float64(placeOfClass(b, r))
	},
	topKAccuracy: func(b *Batch, r int, with settings) float64 {
		if placeOfClass(b, r) <= with.k {
			return 1
		}
		return 0
	},
}

// placeOfClass is the place of the true class by score, best first; of equal
// scores the last classes come first, as in scikit-learn's top_k_accuracy_score.
func placeOfClass(b *Batch, r int) int {
	scores, candidates := b.Scored(int32(r))
	class, before, has := int(b.Class[r]), 0, true
	if candidates == nil {
		before = class
	} else {
		before, has = slices.BinarySearch(candidates, b.Class[r])
	}
	if !has {
		// Tied with all other classes without a score, after all that have one.
		return b.Labels - class + before
	}
	own, place := scores[before], 1
	// Counting without branches takes half the time: scores come in no order.
	for _, s := range scores[:before] {
		place += number(s > own)
	}
	for _, s := range scores[before+1:] {
		place += number(s >= own)
	}
	return place
}

// quantities returns those that the metrics ask for.
func (p *Params) quantities() []quantityChoice {
	var list []quantityChoice
	for c := range p.chosen() {
		if q, ok := c.metric.of.(meanOf); ok {
			list = append(list, quantityChoice{quantity(q), int(c.arg)})
		}
	}
	return list
}

func (s *means) fold(b *Batch, rows []int32) {
	for _, c := range s.chosen {
		of, total, with := exampleQuantities[c.quantity], s.at(c.key()), settings{s.eps, c.k}
		for _, r := range rows {
			total.Add(times(b.weight(r), of(b, int(r), with)))
		}
	}
}

func (s *means) merge(from statistic) { s.mergeCells(&from.(*means).cells) }

func (s *means) fits(*Params) bool { return true }
