package metrics

import (
	"fmt"
	"iter"
	"math"
)

// QueryMetrics returns the names of those of p.Metrics that single queries have: the
// means over queries. It is nil if a name is wrong; see Complete.
func (p *Params) QueryMetrics() []string {
	p = p.orNothing()
	var names []string
	for c := range p.queryMeans() {
		names = append(names, c.full)
	}
	return names
}

// queryMeans yields the metrics that are means over queries.
func (p *Params) queryMeans() iter.Seq2[choice, queryChoice] {
	return func(yield func(choice, queryChoice) bool) {
		for c := range p.chosen() {
			if m, ok := c.metric.of.(queried); ok && !yield(c, queryChoice{queryMeasure(m), c.arg}) {
				return
			}
		}
	}
}

// QueryEvaluator computes the metrics of single queries. It is not safe for
// concurrent use.
type QueryEvaluator struct {
	reader queryReader
	chosen []queryChoice
	values []float64
}

// NewQueryEvaluator returns an evaluator of p.QueryMetrics; an error if p cannot be
// folded, or is not of task Ranking.
func (p *Params) NewQueryEvaluator() (*QueryEvaluator, error) {
	p, err := p.completed()
	if err != nil {
		return nil, err
	}
	if p.Task != Ranking {
		return nil, fmt.Errorf("examples of task %s are no queries", p.Task)
	}
	e := &QueryEvaluator{reader: newQueryReader(p.Ranking)}
	for _, c := range p.queryMeans() {
		e.chosen = append(e.chosen, c)
	}
	return e, nil
}

// Values returns the metrics of row r of a batch, in the order of QueryMetrics; NaN
// where one is undefined, which an empty query is not if it counts as something. They
// are valid until the next call.
func (e *QueryEvaluator) Values(b *Batch, r int32) []float64 {
	e.reader.read(b, r)
	e.values = e.values[:0]
	for _, c := range e.chosen {
		v, ok := e.reader.value(c)
		if !ok {
			v = math.NaN()
		}
		e.values = append(e.values, v)
	}
	return e.values
}
