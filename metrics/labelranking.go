package metrics

import (
	"math"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/internal/wire"
)

// labelRanking totals measures of how well the scores of each example rank its
// true labels above the others.
type labelRanking struct {
	cells[rankingTotal, *rankingTotal]
	chosen []rankingChoice
	totals []*rankingTotal // the cells of chosen; nil before they are needed
	view   ranking
}

// rankingTotal is the total of a measure, and the examples for which it is
// undefined, whose part of the total is 0.
type rankingTotal struct {
	undefined exact.Tally
	total     exact.Sum
}

func (t *rankingTotal) Empty() bool { return t.undefined.Empty() && t.total.Empty() }

func (t *rankingTotal) Merge(from *rankingTotal) {
	t.undefined.Merge(&from.undefined)
	t.total.Merge(&from.total)
}

func (t *rankingTotal) Append(dst []byte) []byte { return t.total.Append(t.undefined.Append(dst)) }

func (t *rankingTotal) Decode(d *wire.Decoder) {
	t.undefined.Decode(d)
	t.total.Decode(d)
}

// rankingChoice is a measure with its cut-off, if it has one.
type rankingChoice struct {
	measure rankingMeasure
	k       int
}

// key is beyond denseCells, so that cells stay where they are.
func (c rankingChoice) key() uint64 { return uint64(c.measure+1)<<32 | uint64(c.k) }

func (s *labelRanking) fold(b *Batch, rows []int32) {
	if s.totals == nil {
		for _, c := range s.chosen {
			s.totals = append(s.totals, s.at(c.key()))
		}
	}
	for _, r := range rows {
		s.view.read(b, r)
		w := b.weight(r)
		for i, c := range s.chosen {
			total := s.totals[i]
			if v, ok := rankingMeasures[c.measure].of(&s.view, c.k); ok {
				total.total.Add(times(w, v))
			} else {
				total.undefined.Add(w)
			}
		}
	}
}

func (s *labelRanking) merge(from statistic) { s.mergeCells(&from.(*labelRanking).cells) }

func (s *labelRanking) decode(d *wire.Decoder) {
	s.totals = nil
	s.cells.decode(d)
}

// reset keeps the cells: a fold would only make them again.
func (s *labelRanking) reset() {
	clear(s.dense)
	for _, t := range s.sparse {
		*t = rankingTotal{}
	}
}

func (s *labelRanking) fits(*Params) bool { return true }

// rankings returns the measures that the metrics ask for.
func (p *Params) rankings() []rankingChoice {
	var list []rankingChoice
	for c := range p.chosen() {
		switch m := c.metric.of.(type) {
		case ranked:
			list = append(list, rankingChoice{rankingMeasure(m), int(c.arg)})
		case rankedOfBest:
			list = append(list, rankingChoice{m.of, int(c.arg)}, rankingChoice{m.best, int(c.arg)})
		}
	}
	return list
}

// newLabelRanking returns a statistic of the measures that the metrics ask for.
func newLabelRanking(p *Params) *labelRanking {
	s := &labelRanking{chosen: p.rankings()}
	for _, c := range s.chosen {
		if c.measure >= propensityScoredAt && p.Propensity != nil {
			s.view.inverseOf = p.Propensity.inverse()
		}
	}
	return s
}

// ranked is the mean of a measure over examples.
type ranked rankingMeasure

func (ranked) kind(Task) kind         { return kindLabelRanking }
func (ranked) averages(Task) []string { return onlyItself }

func (m ranked) eval(e *evaluation, c choice) []Result {
	t := e.ranking(rankingMeasure(m), c)
	var defined exact.Tally
	defined.Merge(e.weight())
	defined.Subtract(&t.undefined)
	zeroDivision := math.NaN()
	if rankingMeasures[m].zeroDivision {
		zeroDivision = e.options.ZeroDivision
	}
	return e.aggregate(c, meanOfDefined(&t.total, &defined, &t.undefined, zeroDivision))
}

// rankedOfBest is the mean of a measure over examples, divided by the mean of
// the best that could be.
type rankedOfBest struct{ of, best rankingMeasure }

func (rankedOfBest) kind(Task) kind         { return kindLabelRanking }
func (rankedOfBest) averages(Task) []string { return onlyItself }

func (m rankedOfBest) eval(e *evaluation, c choice) []Result {
	of, best := e.ranking(m.of, c), e.ranking(m.best, c)
	return e.aggregate(c, quotient(of.total.Float64(), best.total.Float64(), noPositives))
}

// ranking returns the total of a measure.
func (e *evaluation) ranking(m rankingMeasure, c choice) *rankingTotal {
	s := statisticOf[*labelRanking](e, kindLabelRanking)
	if t := s.get(rankingChoice{m, int(c.arg)}.key()); t != nil {
		return t
	}
	return new(rankingTotal)
}
