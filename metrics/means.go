package metrics

import (
	"slices"

	"github.com/beameval/beameval/metrics/exact"
)

// means totals quantities that each example has, weighted, for their means.
type means struct {
	cells[exact.Sum, *exact.Sum]
	quantities []quantity
	eps        float64
}

// quantity names a quantity; it is also its key.
type quantity uint64

const (
	multiclassLogLoss quantity = iota
	multiclassBrier
	softmaxCrossEntropy
)

// exampleQuantities is the table of quantities: what each is of row r of a batch.
var exampleQuantities = []func(b *Batch, r int, eps float64) float64{
	multiclassLogLoss: func(b *Batch, r int, eps float64) float64 {
		at := r*b.Labels + int(b.Class[r])
		if b.Logit != nil {
			return logSumExp(b.Logit[r*b.Labels:][:b.Labels]).loss(b.Logit[at])
		}
		return clippedLoss(b.Probability[at], true, eps)
	},
	multiclassBrier: func(b *Batch, r int, _ float64) float64 {
		total := 0.0
		for label, p := range b.Probability[r*b.Labels:][:b.Labels] {
			if label == int(b.Class[r]) {
				p--
			}
			total += float64(p * p)
		}
		return total
	},
	softmaxCrossEntropy: func(b *Batch, r int, _ float64) float64 {
		logits := b.Logit[r*b.Labels:][:b.Labels]
		total, whole := 0.0, logSumExp(logits)
		for _, label := range b.True.Row(int32(r)) {
			total += whole.loss(logits[label])
		}
		return total
	},
}

// quantities returns those that the metrics ask for.
func (p *Params) quantities() []quantity {
	chosen, err := p.compile()
	if err != nil {
		return nil
	}
	var list []quantity
	for _, c := range chosen {
		if m, ok := c.metric.of.(meanOf); ok && !slices.Contains(list, quantity(m)) {
			list = append(list, quantity(m))
		}
	}
	return list
}

func (s *means) fold(b *Batch, rows []int32) {
	for _, q := range s.quantities {
		of, total := exampleQuantities[q], s.at(uint64(q))
		for _, r := range rows {
			total.Add(times(b.weight(r), of(b, int(r), s.eps)))
		}
	}
}

func (s *means) merge(from statistic) { s.mergeCells(&from.(*means).cells) }

func (s *means) fits(*Params) bool { return true }
