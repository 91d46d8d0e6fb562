package metrics

import (
	"math"
	"slices"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
)

// labelLosses totals, for each label, what its probabilities cost: log loss and
// squared error. A binary task has the one label 0.
type labelLosses struct {
	cells[losses, *losses]
	eps float64
}

type losses struct {
	positive           exact.Tally
	logLoss, squareErr exact.Sum // weighted
}

func (l *losses) Empty() bool {
	return l.positive.Empty() && l.logLoss.Empty() && l.squareErr.Empty()
}

func (l *losses) Merge(from *losses) {
	l.positive.Merge(&from.positive)
	l.logLoss.Merge(&from.logLoss)
	l.squareErr.Merge(&from.squareErr)
}

func (l *losses) Append(dst []byte) []byte {
	return l.squareErr.Append(l.logLoss.Append(l.positive.Append(dst)))
}

func (l *losses) Decode(d *wire.Decoder) {
	l.positive.Decode(d)
	l.logLoss.Decode(d)
	l.squareErr.Decode(d)
}

// blockOfRows is how many rows are folded label by label: few enough that their
// scores stay in the cache.
const blockOfRows = 64

func (s *labelLosses) fold(b *Batch, rows []int32) {
	for block := range slices.Chunk(rows, blockOfRows) {
		for label := range b.Labels {
			c := s.at(uint64(label))
			for _, r := range block {
				s.add(c, b, r, int(r)*b.Labels+label)
			}
		}
	}
}

// add adds value i of a batch, which is of row r.
func (s *labelLosses) add(c *losses, b *Batch, r int32, i int) {
	w, positive, miss := b.weight(r), b.Truth[i], b.Probability[i]
	if positive {
		c.positive.Add(w)
		miss--
	}
	loss := 0.0
	if b.Logit != nil {
		loss = logisticLoss(b.Logit[i], positive)
	} else {
		loss = clippedLoss(b.Probability[i], positive, s.eps)
	}
	c.logLoss.Add(times(w, loss))
	c.squareErr.Add(times(w, float64(miss*miss)))
}

func (s *labelLosses) merge(from statistic) { s.mergeCells(&from.(*labelLosses).cells) }

func (s *labelLosses) fits(p *Params) bool { return s.below(uint64(p.scored())) }

// clippedLoss is -log p of a positive and -log(1-p) of a negative, with
// probabilities clipped to [eps, 1-eps] as scikit-learn's log_loss does.
func clippedLoss(p float64, positive bool, eps float64) float64 {
	if !positive {
		p = 1 - p
	}
	return -math.Log(min(max(p, eps), 1-eps))
}

// logisticLoss is the log loss of a logit, which neither overflows nor
// saturates: log(1 + e^-z) of a positive, log(1 + e^z) of a negative.
func logisticLoss(z float64, positive bool) float64 {
	if positive {
		z = -z
	}
	return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z)))
}

// times is w·x; an example of weight 0 adds nothing, even to an infinite loss.
// The conversion keeps compilers from fusing the product with a sum.
func times(w, x float64) float64 {
	if w == 0 {
		return 0
	}
	return float64(w * x)
}
