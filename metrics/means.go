package metrics

import (
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/forecast"
	"github.com/beameval/beameval/metrics/internal/multiprecision"
	"github.com/beameval/beameval/metrics/queries"
)

// means totals measures of single examples, for metrics that are means over examples: the losses of
// an example's probabilities, how its scores rank its labels, and how they rank the items of a
// query.
type means struct {
	*measuring             // nil if there are no measures, or the statistic cannot fold
	totals     []meanTotal // by measure; nil if the statistic cannot fold and is empty
	greatest   []greatest  // of those measures whose greatest value counts
}

// measuring measures examples. Statistics that are alike share it: with many folds, copies of it
// would fill the memory and the cache.
type measuring struct {
	measures []argMeasure
	row      row
	blocks   []float64 // the values of a block of rows, measure by measure

	measured *Batch // the batch whose rows were measured in advance, for several statistics; nil if there is none
	table    measured
	single   measured // of any other row
}

// measured are the measures of rows, row by row, and whether each is defined.
type measured struct {
	values  []float64
	defined []bool
}

// row returns the measures of a row, of n measures.
func (m *measured) row(r, n int) (values []float64, defined []bool) {
	return m.values[r*n:][:n], m.defined[r*n:][:n]
}

// of returns the measures of a row, valid until the next call, and whether each is defined.
func (m *measuring) of(b *Batch, r int32) (values []float64, defined []bool) {
	n := len(m.measures)
	if m.measured == b {
		return m.table.row(int(r), n)
	}
	m.single = measured{collections.Resize(m.single.values, n), collections.Resize(m.single.defined, n)}
	m.measure(b, r, m.single.values, m.single.defined)
	return m.single.values, m.single.defined
}

// measure measures a row.
func (m *measuring) measure(b *Batch, r int32, values []float64, defined []bool) {
	m.row.moveTo(b, r)
	for i := range m.measures {
		of := &m.measures[i]
		m.row.grade = of.grade
		values[i], defined[i] = of.value(&m.row, of.arg)
	}
}

// ahead measures rows of a batch for all statistics that share m.
func (m *measuring) ahead(b *Batch, rows []int32) {
	if m == nil {
		return
	}
	n := len(m.measures)
	m.table = measured{collections.Resize(m.table.values, b.Rows*n), collections.Resize(m.table.defined, b.Rows*n)}
	for _, r := range rows {
		values, defined := m.table.row(int(r), n)
		m.measure(b, r, values, defined)
	}
	m.measured = b
}

// forget forgets what was measured in advance.
func (m *measuring) forget() {
	if m != nil {
		m.measured = nil
	}
}

// measure is a number that is computed for each example and may be undefined.
type measure struct {
	value func(r *row, arg float64) (value float64, defined bool)
	// greatest says that the greatest product of a value and its weight is kept.
	greatest bool
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
	value    func(r *row, arg float64) (value float64, defined bool)
	arg      float64
	greatest bool
	grade    int // see choice
}

// greatest is the greatest of products that are not negative.
type greatest struct{ float64 }

func (g *greatest) Fields(v *fields.Visitor, from *greatest) { v.Largest(&g.float64, from.float64) }

// meanTotal totals a measure over the examples for which it is defined. It tallies the examples for
// which it is not: they are fewer, and all examples are tallied elsewhere. Examples of weight 0 are
// only counted.
type meanTotal struct {
	sum        exact.Sum
	undefined  exact.Tally
	weightless int64
}

func (t *meanTotal) addUndefined(w float64) {
	if w == 0 {
		t.weightless++
		return
	}
	t.undefined.Add(w)
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
		list = append(list, argMeasure{c.metric.measures[i].value, c.arg, c.metric.measures[i].greatest, c.grade})
	}
	return list
}

func newMeans(p *Params) *means {
	list := p.measures()
	if len(list) == 0 {
		return new(means)
	}
	return (&means{measuring: &measuring{measures: list, row: newRow(p)}}).like().(*means)
}

// like returns empty means of the same measures.
func (s *means) like() statistic {
	return &means{measuring: s.measuring, totals: make([]meanTotal, len(s.measures)), greatest: make([]greatest, greatestOf(s.measures))}
}

// greatestOf returns the number of measures whose greatest value is kept.
func greatestOf(list []argMeasure) (n int) {
	for _, m := range list {
		n += oneIf(m.greatest)
	}
	return n
}

func (s *means) Fold(b *Batch, rows []int32) { s.foldWith(nil, b, rows) }

// foldWith is Fold. It also adds the values of queries to spread, if that is not nil.
func (s *means) foldWith(spread *querySpread, b *Batch, rows []int32) {
	if s.measuring == nil {
		return
	}
	for block := range slices.Chunk(rows, blockOfRows) {
		s.foldBlock(spread, b, block)
	}
}

// foldBlock folds a block of rows, so that the values of each measure are added up together.
func (s *means) foldBlock(spread *querySpread, b *Batch, block []int32) {
	measures, totals := s.measures, s.totals[:len(s.measures)]
	s.blocks = collections.Resize(s.blocks, len(measures)*len(block))
	for k, r := range block {
		values, defined := s.of(b, r)
		w := b.weight(r)
		for i, v := range values {
			if spread != nil {
				spread.addMeasured(i, v, defined[i], w)
			}
			if !defined[i] {
				totals[i].addUndefined(w)
				v = 0 // adds nothing
			}
			s.blocks[i*len(block)+k] = times(w, v)
		}
	}
	kept := s.greatest
	for i := range totals {
		values := s.blocks[i*len(block):][:len(block)]
		totals[i].sum.AddAll(values)
		if measures[i].greatest {
			kept[0].float64 = max(kept[0].float64, slices.Max(values))
			kept = kept[1:]
		}
	}
}

func (t *meanTotal) Fields(v *fields.Visitor, from *meanTotal) {
	fields.Visit(v, &t.sum, &from.sum)
	fields.Visit(v, &t.undefined, &from.undefined)
	v.Count(&t.weightless, from.weightless)
}

func (s *means) visit(v *fields.Visitor, from statistic) {
	f := from.(*means)
	fields.List(v, &s.totals, f.totals)
	fields.List(v, &s.greatest, f.greatest)
}

// reused returns the totals of some measures.
func (s *means) reused(u *Reuse) statistic {
	if len(s.totals) == 0 {
		return s
	}
	some := new(means)
	for _, at := range u.measures {
		some.totals = append(some.totals, s.totals[at])
	}
	for _, at := range u.greatest {
		some.greatest = append(some.greatest, s.greatest[at])
	}
	return some
}

func (s *means) fits(p *Params) bool {
	if len(s.totals)+len(s.greatest) == 0 {
		return true
	}
	totals, greatest := 0, 0
	for c := range p.chosen() {
		totals += len(c.metric.measures)
		for i := range c.metric.measures {
			greatest += oneIf(c.metric.measures[i].greatest)
		}
	}
	return len(s.totals) == totals && len(s.greatest) == greatest
}

// row is a row of a batch, as measures see it. It computes what several measures share on first
// use.
type row struct {
	*Batch
	index int32

	logLossEps   float64
	levels       forecast.Levels
	emptyQueries EmptyQueries
	grades       []GradeOptions // of the main grade, and of further ones
	grade        int            // the one that is measured

	classPlace int // the cached result of placeOfClass; 0 if it is not computed yet
	labels     labelRanking
	labelsRead bool
	query      *queries.Ranking
	queryRead  bool
	members    []float64 // a copy of the members of an ensemble
}

func newRow(p *Params) row {
	r := row{logLossEps: p.LogLossEps, levels: p.QuantileLevels, emptyQueries: p.Ranking.EmptyQueries}
	for grade := range len(p.FurtherGrades) + 1 {
		r.grades = append(r.grades, p.optionsOf(grade))
	}
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

// withTails makes a metric say where it has heavy tails, as functions of squared residuals do (see
// mostKurtosis). It is a function of the mean of its only measure, which grows as squares of errors do, or
// faster; deviances of powers above 0 grow more slowly.
func withTails(ev evaluator) evaluator {
	of := ev.measures[0].value
	ev.measures = append(slices.Clone(ev.measures), measure{greatest: true, value: func(r *row, arg float64) (float64, bool) {
		x, ok := of(r, arg)
		return float64(x * x), ok
	}})
	value := ev.overall
	ev.overall = func(e *evaluation, c choice) Value {
		v := value(e, c)
		first, second := average(&e.totalsOf(c)[0].sum, e.weight()).Number, average(&e.totalsOf(c)[1].sum, e.weight()).Number
		v.HeavyTails = v.Undefined == "" && c.arg <= 0 && second/first/first > mostKurtosis && e.greatestOf(c) > mostOfOne*e.totalsOf(c)[1].sum.Float64()
		return v
	}
	return ev
}

// greatestOf returns the greatest value of the only measure of a metric that keeps it.
func (e *evaluation) greatestOf(c choice) float64 {
	kept := statisticOf[*means](e, kindMeans).greatest
	for other := range e.params.chosen() {
		if other.full == c.full {
			break
		}
		kept = kept[min(greatestOf(other.measures()), len(kept)):]
	}
	if len(kept) == 0 {
		return 0
	}
	return kept[0].float64
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
		v := ratioOfSums(&totals[0].sum, &totals[1].sum, reason)
		if v.Undefined != "" {
			return v
		}
		return e.withUndefined(v, &totals[0].undefined)
	}}
}

// ratioOfSums returns num/den, even if one of them exceeds float64 but the quotient does not.
func ratioOfSums(num, den *exact.Sum, reason string) Value {
	n, d := num.Float64(), den.Float64()
	if math.IsInf(n, 0) || math.IsInf(d, 0) {
		above, finite := num.Big()
		below, also := den.Big()
		if finite && also {
			return defined(multiprecision.Over(above, below))
		}
	}
	return quotient(n, d, reason)
}

// undefinedRows evaluates the number of examples for which a measure is undefined.
func undefinedRows(m measure) evaluator {
	return evaluator{from: kindMeans, measures: []measure{m}, overall: func(e *evaluation, c choice) Value {
		t := &e.totalsOf(c)[0]
		return defined(float64(t.undefined.Rows() + t.weightless))
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
