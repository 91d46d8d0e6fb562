package metrics

import (
	"math"
	"slices"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/forecast"
	"github.com/beameval/beameval/metrics/internal/powered"
	"github.com/beameval/beameval/metrics/queries"
)

const angelopoulos = "Angelopoulos, Duchi & Zrnic 2023"

// judgedMetrics are of labels that few rows have, and of judgements of a model that all rows have.
var judgedMetrics = []metric{
	{"prediction_powered_mean", Binary | Regression, needJudged, Neither, confidence.Identity, ofPowered(func(e *powered.Estimate) (mean, stdError float64) { return e.Mean, e.StdError }), "mean of the labels that all rows would have, λ times the mean judgement of the rows without a label + mean of y - λ f over the rows with one, f being the judgement", angelopoulos, []string{"ppi_mean"}},
	{"prediction_powered_mean_std_error", Binary | Regression, needJudged, Neither, confidence.Log, ofStdError(func(e *powered.Estimate) float64 { return e.StdError }), "standard error of prediction_powered_mean, if all rows are independent: √ (λ² Var f / N + Var(y - λ f) / n), of N rows without a label and n with one; at most label_mean_std_error", angelopoulos, nil},
	{"prediction_powered_lambda", Binary | Regression, needJudged, Neither, confidence.NotSmooth, ofPowered(func(e *powered.Estimate) (lambda, stdError float64) { return e.Lambda, 0 }), "λ in [0, 1], how far judgements are trusted: that of the least standard error, Cov(y, f) / (Var f + n/N Var f), where the first variance is of the rows with a label and the second of those without", angelopoulos, []string{"ppi_lambda"}},
	{"label_mean", Binary | Regression, needJudged, Neither, confidence.Identity, ofPowered(func(e *powered.Estimate) (mean, stdError float64) { return e.LabelMean, e.LabelStdError }), "mean of the labels of the rows that have one", "beameval", nil},
	{"label_mean_std_error", Binary | Regression, needJudged, Neither, confidence.Log, ofStdError(func(e *powered.Estimate) float64 { return e.LabelStdError }), "standard error of label_mean, √ (Var y / n), if all rows are independent", "beameval", nil},
	{"judged_mean", Binary | Regression, needJudged, Neither, confidence.Identity, ofJudged(judgedMean), "mean of the judgements of all rows, which is biased as the model is", "beameval", nil},
	{"judged_rows", Binary | Regression, needJudged, Neither, confidence.Count, ofJudged(func(s *powered.Sums) Value { return defined(float64(s.Judged())) }), "number of rows that have weight, with a label or without", "beameval", nil},
}

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

// judged is the statistic of labels and judgements.
type judged struct{ powered.Sums }

func (s *judged) Fold(b *Batch, rows []int32) {
	for _, r := range rows {
		s.AddLabelled(b.weight(r), b.truthAsNumber(r), b.judgement(r))
	}
}

// FoldUnlabelled adds the judgements of rows of a batch without a label. All else that is folded of
// examples needs their labels.
func (p *Partial) FoldUnlabelled(b *Batch, rows []int32) {
	s, ok := p.stats[kindJudged].(*judged)
	if !ok {
		return
	}
	for _, r := range rows {
		s.AddUnlabelled(b.weight(r), b.judgement(r))
	}
}

func (s *judged) visit(v *fields.Visitor, from statistic) { s.Fields(v, &from.(*judged).Sums) }

func (s *judged) fits(*Params) bool { return true }

// truthAsNumber returns the target of a row in a regression, and its class, 0 or 1, in a binary task.
func (b *Batch) truthAsNumber(r int32) float64 {
	if b.Target != nil {
		return b.Target[r]
	}
	return float64(b.Class[r])
}

// judgement returns what a model judges the truth of a row to be: in a binary task its score, which is a
// probability unless it is of another type, or else the decision.
func (b *Batch) judgement(r int32) float64 {
	switch {
	case b.Estimate != nil:
		return b.Estimate[r]
	case b.Probability != nil:
		return b.Probability[r]
	case b.Score != nil:
		return b.Score[r]
	}
	return float64(b.Predicted[r])
}

// ofJudged evaluates a function of the sums of labels and judgements.
func ofJudged(f func(*powered.Sums) Value) evaluator {
	return evaluator{from: kindJudged, overall: func(e *evaluation, _ choice) Value {
		return f(&statisticOf[*judged](e, kindJudged).Sums)
	}}
}

// ofPowered evaluates a function of the prediction-powered estimate: a number and its standard error, or
// 0 if that is unknown.
func ofPowered(f func(*powered.Estimate) (number, stdError float64)) evaluator {
	return ofJudged(func(s *powered.Sums) Value {
		e, why := s.Estimate()
		if why != "" {
			return Undefined(why)
		}
		v := Value{}
		v.Number, v.StdError = f(&e)
		return v
	})
}

// ofStdError evaluates a standard error.
func ofStdError(f func(*powered.Estimate) float64) evaluator {
	return ofJudged(func(s *powered.Sums) Value {
		switch e, why := s.Estimate(); {
		case why != "":
			return Undefined(why)
		case math.IsNaN(f(&e)):
			return Undefined(powered.FewLabels)
		default:
			return defined(f(&e))
		}
	})
}

func judgedMean(s *powered.Sums) Value {
	mean, why := s.JudgedMean()
	if why != "" {
		return Undefined(why)
	}
	return defined(mean)
}
