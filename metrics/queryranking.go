package metrics

import (
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/metrics/exact"
)

// queryRanking totals measures of how the items of each query rank. Its cells
// are in the order of the measures that the metrics ask for.
type queryRanking struct {
	cells[rankingTotal, *rankingTotal]
	chosen []queryChoice
	reader queryReader
}

func newQueryRanking(p *Params) *queryRanking {
	return &queryRanking{chosen: p.queryChoices(), reader: newQueryReader(p.Ranking)}
}

func (s *queryRanking) fold(b *Batch, rows []int32) {
	for _, r := range rows {
		s.reader.read(b, r)
		w := b.weight(r)
		for i, c := range s.chosen {
			t := s.at(uint64(i))
			if v, ok := s.reader.value(c); ok {
				t.total.Add(times(w, v))
			} else {
				t.undefined.Add(w)
			}
		}
	}
}

func (s *queryRanking) merge(from statistic) { s.mergeCells(&from.(*queryRanking).cells) }

func (s *queryRanking) fits(p *Params) bool { return s.below(uint64(len(p.queryChoices()))) }

// queryChoices returns the measures that the metrics ask for, each once.
func (p *Params) queryChoices() []queryChoice {
	var list []queryChoice
	add := func(m queryMeasure, arg float64) {
		if c := (queryChoice{m, arg}); !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	for c := range p.chosen() {
		switch m := c.metric.of.(type) {
		case queried:
			add(queryMeasure(m), c.arg)
		case queriedByItems:
			add(m.total, 0)
			add(m.items, 0)
		case queriesWithout:
			add(queryMeasure(m), 0)
		}
	}
	return list
}

// queried is the mean of a measure over queries.
type queried queryMeasure

func (queried) kind(Task) kind         { return kindQueryRanking }
func (queried) averages(Task) []string { return onlyItself }

func (m queried) eval(e *evaluation, c choice) []Result {
	t := e.queryTotal(queryMeasure(m), c.arg)
	var defined exact.Tally
	defined.Merge(e.weight())
	defined.Subtract(&t.undefined)
	v := average(&t.total, &defined)
	switch out := t.undefined.Rows(); {
	case queryMeasure(m) == queryERR && math.IsNaN(t.total.Float64()):
		v = undefined("an item's relevance exceeds ranking.max_relevance")
	case v.Undefined != "" && out > 0: // no query is left
		v = undefined(queryMeasures[m].reason)
	case out > 0:
		v.Undefined = fmt.Sprintf("%d of %d queries undefined", out, out+defined.Rows())
	}
	return e.aggregate(c, v)
}

// queriedByItems is the mean of a measure over queries, by the number of their
// items.
type queriedByItems struct{ total, items queryMeasure }

func (queriedByItems) kind(Task) kind         { return kindQueryRanking }
func (queriedByItems) averages(Task) []string { return onlyItself }

func (m queriedByItems) eval(e *evaluation, c choice) []Result {
	total, items := e.queryTotal(m.total, 0), e.queryTotal(m.items, 0)
	out, reason := total.undefined.Rows(), noExamples
	if out > 0 {
		reason = queryMeasures[m.total].reason
	}
	v := quotient(total.total.Float64(), items.total.Float64(), reason)
	if out > 0 && v.Undefined == "" {
		v.Undefined = fmt.Sprintf("%d of %d queries undefined", out, e.part.Examples())
	}
	return e.aggregate(c, v)
}

// queriesWithout is the number of queries for which a measure is undefined.
type queriesWithout queryMeasure

func (queriesWithout) kind(Task) kind         { return kindQueryRanking }
func (queriesWithout) averages(Task) []string { return onlyItself }

func (m queriesWithout) eval(e *evaluation, c choice) []Result {
	return e.aggregate(c, defined(float64(e.queryTotal(queryMeasure(m), 0).undefined.Rows())))
}

// numberOfRows is the number of examples, whatever their weights.
type numberOfRows struct{}

func (numberOfRows) kind(Task) kind         { return kindExamples }
func (numberOfRows) averages(Task) []string { return onlyItself }

func (numberOfRows) eval(e *evaluation, c choice) []Result {
	return e.aggregate(c, defined(float64(e.part.Examples())))
}

// queryTotal returns the total of a measure.
func (e *evaluation) queryTotal(m queryMeasure, arg float64) *rankingTotal {
	if e.queryChoices == nil {
		e.queryChoices = e.params.queryChoices()
	}
	s := statisticOf[*queryRanking](e, kindQueryRanking)
	if t := s.get(uint64(slices.Index(e.queryChoices, queryChoice{m, arg}))); t != nil {
		return t
	}
	return new(rankingTotal)
}
