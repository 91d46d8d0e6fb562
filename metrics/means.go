package metrics

import (
	"math"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/queries"
)

// means totals measures of single rows, for their means: of examples, of the labels
// of an example as its scores rank them, and of the items of a query.
type means struct {
	measures []argMeasure
	totals   []meanTotal // of each measure; none if nothing was folded or merged
	row      row
}

// measure is a number that each row has, unless it is undefined for it.
type measure struct {
	value func(r *row, arg float64) (value float64, defined bool)
	// zeroDivision says that Options.ZeroDivision stands in where it is undefined.
	zeroDivision bool
	// reason is why there is no mean if no row defines it, "" if there are too few to
	// say; notANumber why, if it is NaN for some row.
	reason, notANumber string
}

// argMeasure is a measure with the argument of a metric.
type argMeasure struct {
	*measure
	arg float64
}

// meanTotal is the total of a measure, and the rows for which it is undefined. They
// add nothing to the total, and are mostly few: those that define it are the rest of
// all examples.
type meanTotal struct {
	sum       exact.Sum
	undefined exact.Tally
}

// measures returns those that the metrics ask for, metric by metric.
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
		list = append(list, argMeasure{&c.metric.measures[i], c.arg})
	}
	return list
}

func newMeans(p *Params) *means {
	list := p.measures()
	return &means{measures: list, totals: make([]meanTotal, len(list)), row: newRow(p)}
}

func (s *means) fold(b *Batch, rows []int32) {
	for _, r := range rows {
		s.row.moveTo(b, r)
		w := b.weight(r)
		for i := range s.measures {
			m, t := &s.measures[i], &s.totals[i]
			if v, ok := m.value(&s.row, m.arg); ok {
				t.sum.Add(times(w, v))
			} else {
				t.undefined.Add(w)
			}
		}
	}
}

func (s *means) merge(from statistic) {
	f := from.(*means)
	if missing := len(f.totals) - len(s.totals); missing > 0 {
		s.totals = append(s.totals, make([]meanTotal, missing)...)
	}
	for i := range f.totals {
		s.totals[i].sum.Merge(&f.totals[i].sum)
		s.totals[i].undefined.Merge(&f.totals[i].undefined)
	}
}

func (s *means) append(dst []byte) []byte {
	dst = wire.AppendUint(dst, uint64(len(s.totals)))
	for i := range s.totals {
		dst = s.totals[i].undefined.Append(s.totals[i].sum.Append(dst))
	}
	return dst
}

func (s *means) decode(d *wire.Decoder) {
	s.totals = make([]meanTotal, d.Elements())
	for i := range s.totals {
		s.totals[i].sum.Decode(d)
		s.totals[i].undefined.Decode(d)
	}
}

func (s *means) fits(p *Params) bool {
	return len(s.totals) == 0 || len(s.totals) == len(p.measures())
}

func (s *means) reset() {
	for i := range s.totals {
		s.totals[i].sum.Reset()
		s.totals[i].undefined.Reset()
	}
}

// row is a row of a batch as measures see it. What several of them share is
// computed when the first one asks for it.
type row struct {
	*Batch
	index int32

	logLossEps   float64
	emptyQueries EmptyQueries

	classPlace int // see placeOfClass; 0: not known yet
	labels     labelRanking
	labelsRead bool
	query      *queries.Ranking
	queryRead  bool
}

func newRow(p *Params) row {
	r := row{logLossEps: p.LogLossEps, emptyQueries: p.Ranking.EmptyQueries}
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

// moveTo goes to a row of a batch.
func (r *row) moveTo(b *Batch, index int32) {
	r.Batch, r.index, r.classPlace, r.labelsRead, r.queryRead = b, index, 0, false, false
}

// mean is the mean of a measure over the rows that define it.
func mean(m measure) evaluator {
	return evaluator{from: kindMeans, measures: []measure{m}, isMean: true, overall: func(e *evaluation, c choice) Value {
		t, zeroDivision := &e.totalsOf(c)[0], math.NaN()
		if m.zeroDivision {
			zeroDivision = e.options.ZeroDivision
		}
		if m.notANumber != "" && math.IsNaN(t.sum.Float64()) {
			return undefined(m.notANumber)
		}
		var defined exact.Tally
		defined.Merge(e.weight())
		defined.Subtract(&t.undefined)
		v := meanOfDefined(&t.sum, &defined, &t.undefined, zeroDivision)
		if m.reason != "" && v.Undefined == noExamples && !t.undefined.Empty() {
			return undefined(m.reason)
		}
		return e.withUndefined(v, &t.undefined)
	}}
}

// ratioOfMeans is the mean of a measure divided by that of another, which is
// defined for the same rows.
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

// undefinedRows is the number of rows for which a measure is undefined.
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
