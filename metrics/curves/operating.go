package curves

import (
	"math"

	"github.com/beameval/beameval/internal/wire"
)

// Operating is an operating point: the best value of its criterion, and the
// threshold that has it.
type Operating struct{ Value, Threshold Value }

// best is the best point met, by a criterion.
type best struct{ value, score float64 }

// none is worse than any point.
var none = best{math.Inf(-1), math.Inf(-1)}

// consider takes a point that is better, or as good with a higher score.
func (b *best) consider(value, score float64) {
	if value > b.value || value == b.value && score > b.score {
		*b = best{value, score}
	}
}

func (b best) append(dst []byte) []byte {
	return wire.AppendFloat(wire.AppendFloat(dst, b.value), b.score)
}

func (b *best) decode(d *wire.Decoder) {
	*b = best{d.Float(), d.Float()}
	if math.IsNaN(b.value) || math.IsNaN(b.score) {
		d.Fail("NaN where only a number makes sense")
	}
}

// considerAll shows a point to every criterion.
func considerAll(criteria []Criterion, bests []best, r *rates, score float64) {
	for i, c := range criteria {
		if value, ok := c.of(r); ok {
			bests[i].consider(value, score)
		}
	}
}

// operating is what the criterion comes to if b is the best point.
func (c Criterion) operating(b best, s *scale, t Totals) Operating {
	if reason := t.missing(c.needsNegatives()); reason != "" {
		return Operating{undefined(reason), undefined(reason)}
	}
	found := b != none
	if c.Kind == ThresholdAtRecall {
		v := undefined(noPoint)
		if found {
			v = defined(b.score)
		}
		return Operating{v, v}
	}
	nothing := s.rates(Point{}, t) // no positives are predicted
	without, ok := c.of(&nothing)
	switch {
	case found && !(ok && without > b.value):
		return Operating{defined(min(b.value, 1)), defined(b.score)} // 1: rounding may exceed it
	case ok:
		return Operating{defined(without), undefined(onlyWithout)}
	}
	return Operating{undefined(noPoint), undefined(noPoint)}
}
