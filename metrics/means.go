package metrics

import (
	"math"
	"slices"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/forecast"
	"github.com/beameval/beameval/metrics/queries"
)

// means totals measures of single examples, for metrics that are means over examples: the losses of
// an example's probabilities, how its scores rank its labels, and how they rank the items of a
// query.
type means struct {
	measures []argMeasure
	totals   []meanTotal // by measure; nil if the statistic cannot fold and is empty
	row      row
	values   []float64 // of a block of rows, measure by measure
}

// measure is a number that is computed for each example and may be undefined.
type measure struct {
	value func(r *row, arg float64) (value float64, defined bool)
	// zeroDivision says that Options.ZeroDivision replaces the measure where it is undefined.
	zeroDivision bool
	// reason is why the mean is undefined if the measure is undefined for all examples; "" means
	// that the value says how many these are. notANumber, if not nil, returns why the mean is
	// undefined if the measure of some example is NaN.
	reason     string
	notANumber func(*Params) string
}

// argMeasure is a measure with its argument.
type argMeasure struct {
	value func(r *row, arg float64) (value float64, defined bool)
	arg   float64
}

// meanTotal totals a measure over the examples for which it is defined, and counts the examples for
// which it is not: these are fewer, and the former follow from all examples.
type meanTotal struct {
	sum       exact.Sum
	undefined exact.Tally
}

// measures returns the measures of all metrics, metric by metric.
func (p *Params) measures() []argMeasure {
	var list []argMeasure
	for c := range p.chosen() {
		list = append(list, c.measures()...)
	}
	return list
}

func (c choice) measures() []argMeasure {
	var list []argMeasure
	for i := range c.metric.measures {
		list = append(list, argMeasure{c.metric.measures[i].value, c.arg})
	}
	return list
}

func newMeans(p *Params) *means {
	list := p.measures()
	return &means{measures: list, totals: make([]meanTotal, len(list)), row: newRow(p)}
}

func (s *means) Fold(b *Batch, rows []int32) { s.foldWith(nil, b, rows) }

// foldWith is Fold. It also adds the values of queries to spread, if that is not nil.
func (s *means) foldWith(spread *querySpread, b *Batch, rows []int32) {
	for block := range slices.Chunk(rows, blockOfRows) {
		s.foldBlock(spread, b, block)
	}
}

// foldBlock folds a block of rows, so that the values of each measure are added up together.
func (s *means) foldBlock(spread *querySpread, b *Batch, block []int32) {
	measures, totals := s.measures, s.totals[:len(s.measures)]
	s.values = lists.Resize(s.values, len(measures)*len(block))
	for k, r := range block {
		s.row.moveTo(b, r)
		w := b.weight(r)
		for i := range measures {
			m := &measures[i]
			v, ok := m.value(&s.row, m.arg)
			if spread != nil {
				spread.addMeasured(i, v, ok, w)
			}
			if !ok {
				totals[i].undefined.Add(w)
				v = 0 // adds nothing
			}
			s.values[i*len(block)+k] = times(w, v)
		}
	}
	for i := range totals {
		totals[i].sum.AddAll(s.values[i*len(block):][:len(block)])
	}
}

func (t *meanTotal) Fields(v *fields.Visitor, from *meanTotal) {
	fields.Visit(v, &t.sum, &from.sum)
	fields.Visit(v, &t.undefined, &from.undefined)
}

func (s *means) visit(v *fields.Visitor, from statistic) {
	fields.List(v, &s.totals, from.(*means).totals)
}

func (s *means) fits(p *Params) bool {
	return len(s.totals) == 0 || len(s.totals) == len(p.measures())
}

// row is a row of a batch, as measures see it. It computes what several measures share on first
// use.
type row struct {
	*Batch
	index int32

	logLossEps   float64
	levels       forecast.Levels
	emptyQueries EmptyQueries

	classPlace int // the cached result of placeOfClass; 0 if it is not computed yet
	labels     labelRanking
	labelsRead bool
	query      *queries.Ranking
	queryRead  bool
	members    []float64 // a copy of those of an ensemble
}

func newRow(p *Params) row {
	r := row{logLossEps: p.LogLossEps, levels: p.QuantileLevels, emptyQueries: p.Ranking.EmptyQueries}
	if p.Task == Ranking {
		r.query = queries.New(p.Ranking.reading())
	}
	for c := range p.chosen() {
		if c.metric.needs&needPropensity != 0 && p.Propensity != nil {
			r.labels.inverseOf = p.Propensity.inverse()
		}
	}
	return r
}

// moveTo moves to a row of a batch.
func (r *row) moveTo(b *Batch, index int32) {
	r.Batch, r.index, r.classPlace, r.labelsRead, r.queryRead = b, index, 0, false, false
}

// mean evaluates the mean of a measure over the examples for which it is defined.
func mean(m measure) evaluator {
	return evaluator{from: kindMeans, measures: []measure{m}, isMean: true, overall: func(e *evaluation, c choice) Value {
		t, zeroDivision := &e.totalsOf(c)[0], math.NaN()
		if m.zeroDivision {
			zeroDivision = e.options.ZeroDivision
		}
		if m.notANumber != nil && math.IsNaN(t.sum.Float64()) {
			return Undefined(m.notANumber(e.params))
		}
		var defined exact.Tally
		defined.Merge(e.weight())
		defined.Subtract(&t.undefined)
		v := meanOfDefined(&t.sum, &defined, &t.undefined, zeroDivision)
		if m.reason != "" && v.Undefined == noExamples && !t.undefined.Empty() {
			return Undefined(m.reason)
		}
		return e.withUndefined(v, &t.undefined)
	}}
}

// total evaluates the sum of a measure that is defined for every example.
func total(m measure) evaluator {
	return evaluator{from: kindMeans, measures: []measure{m}, overall: func(e *evaluation, c choice) Value {
		return sumOver(&e.totalsOf(c)[0].sum, e.weight())
	}}
}

// sumOver returns a sum over all examples. It is undefined if they have no weight, as their mean is.
func sumOver(sum *exact.Sum, all *exact.Tally) Value {
	if all.Weight() == 0 {
		return Undefined(noExamples)
	}
	return defined(sum.Float64())
}

// rootMean evaluates the square root of the mean of a measure.
func rootMean(m measure) evaluator {
	ev := mean(m)
	of := ev.overall
	ev.isMean, ev.overall = false, func(e *evaluation, c choice) Value { return of(e, c).then(math.Sqrt) }
	return ev
}

// ratioOfMeans evaluates the mean of a measure divided by the mean of another that is defined for
// the same examples.
func ratioOfMeans(num, den measure) evaluator {
	return evaluator{from: kindMeans, measures: []measure{num, den}, overall: func(e *evaluation, c choice) Value {
		totals := e.totalsOf(c)
		reason := den.reason
		if !totals[0].undefined.Empty() {
			reason = num.reason
		}
		v := quotient(totals[0].sum.Float64(), totals[1].sum.Float64(), reason)
		if v.Undefined != "" {
			return v
		}
		return e.withUndefined(v, &totals[0].undefined)
	}}
}

// undefinedRows evaluates the number of examples for which a measure is undefined.
func undefinedRows(m measure) evaluator {
	return evaluator{from: kindMeans, measures: []measure{m}, overall: func(e *evaluation, c choice) Value {
		return defined(float64(e.totalsOf(c)[0].undefined.Rows()))
	}}
}

// totalsOf returns the totals of the measures of a metric.
func (e *evaluation) totalsOf(c choice) []meanTotal {
	if e.totals == nil {
		e.totals = make(map[string][]meanTotal)
		all := statisticOf[*means](e, kindMeans).totals
		for c := range e.params.chosen() {
			n := len(c.metric.measures)
			if len(all) == 0 {
				e.totals[c.full] = make([]meanTotal, n)
				continue
			}
			e.totals[c.full], all = all[:n], all[n:]
		}
	}
	return e.totals[c.full]
}
