package metrics

import (
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// labelLosses totals the losses of the probabilities of each label: log loss and squared error. A
// binary task has a single label, 0.
type labelLosses struct {
	fields.Keyed[losses, *losses]
	*lossTable
}

// lossTable has the losses of the rows of a batch, a value per score, if they were computed in advance for all of the
// statistics that share the table.
type lossTable struct {
	eps                float64
	measured           *Batch // nil if there is none
	logLoss, squareErr []float64
}

func newLabelLosses(p *Params) *labelLosses {
	return &labelLosses{lossTable: &lossTable{eps: p.LogLossEps}}
}

// like returns empty labelLosses with the same table.
func (s *labelLosses) like() statistic { return &labelLosses{lossTable: s.lossTable} }

// ahead computes the losses of rows of a batch.
func (t *lossTable) ahead(b *Batch, rows []int32) {
	t.logLoss, t.squareErr = collections.Resize(t.logLoss, len(b.Probability)), collections.Resize(t.squareErr, len(b.Probability))
	var logLoss, squareErr [blockOfRows]float64
	for block := range slices.Chunk(rows, blockOfRows) {
		for label := range b.Labels {
			t.compute(b, block, label, &logLoss, &squareErr)
			for i, r := range block {
				at := int(r)*b.Labels + label
				t.logLoss[at], t.squareErr[at] = logLoss[i], squareErr[i]
			}
		}
	}
	t.measured = b
}

// forget forgets the losses of the batch.
func (t *lossTable) forget() { t.measured = nil }

// compute computes the losses of a label in a block of rows. No branch depends on whether the label is true,
// because the processor could not predict it.
func (t *lossTable) compute(b *Batch, block []int32, label int, logLoss, squareErr *[blockOfRows]float64) {
	for i, r := range block {
		at := int(r)*b.Labels + label
		p, truth := b.Probability[at], oneIf(b.Truth[at])
		miss := p - float64(truth)
		squareErr[i] = float64(miss * miss)
		if b.Logit == nil {
			logLoss[i] = clippedLoss(math.Abs(float64(1-truth)-p), t.eps)
		} else {
			logLoss[i] = logisticLoss(b.Logit[at], b.Truth[at])
		}
	}
}

type losses struct {
	positive           exact.Tally
	logLoss, squareErr exact.Sum // weighted
}

func (s *labelLosses) Fold(b *Batch, rows []int32) {
	if len(rows) > 0 {
		s.Cover(uint64(b.Labels))
	}
	for block := range slices.Chunk(rows, blockOfRows) {
		for label := range b.Labels {
			s.add(s.Value(uint64(label)), b, block, label)
		}
	}
}

func (l *losses) Empty() bool {
	return l.positive.Empty() && l.logLoss.Empty() && l.squareErr.Empty()
}

func (l *losses) Fields(v *fields.Visitor, from *losses) {
	fields.Visit(v, &l.positive, &from.positive)
	fields.Visit(v, &l.logLoss, &from.logLoss)
	fields.Visit(v, &l.squareErr, &from.squareErr)
}

// blockOfRows is the number of rows that are folded label by label: few enough for their scores to
// stay in the cache.
const blockOfRows = 64

// add adds the probabilities of a label in a block of rows.
func (s *labelLosses) add(to *losses, b *Batch, block []int32, label int) {
	var positive, logLoss, squareErr [blockOfRows]float64
	positives := 0
	for i, r := range block {
		at := int(r)*b.Labels + label
		positive[positives] = b.weight(r)
		positives += oneIf(b.Truth[at])
		if s.measured == b {
			logLoss[i], squareErr[i] = s.logLoss[at], s.squareErr[at]
		}
	}
	if s.measured != b {
		s.compute(b, block, label, &logLoss, &squareErr)
	}
	if b.Weight != nil {
		for i, r := range block {
			logLoss[i], squareErr[i] = times(b.Weight[r], logLoss[i]), times(b.Weight[r], squareErr[i])
		}
	}
	to.positive.AddAll(positive[:positives])
	to.logLoss.AddAll(logLoss[:len(block)])
	to.squareErr.AddAll(squareErr[:len(block)])
}

func (s *labelLosses) visit(v *fields.Visitor, from statistic) {
	s.Keyed.Fields(v, &from.(*labelLosses).Keyed)
}
func (s *labelLosses) fits(p *Params) bool { return s.Below(uint64(p.scored())) }
