package metrics

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/forecast"
	"github.com/beameval/beameval/metrics/internal/multiprecision"
	"github.com/beameval/beameval/metrics/internal/ppi"
	"github.com/beameval/beameval/metrics/queries"
)

const angelopoulos = "Angelopoulos, Duchi & Zrnic 2023"

// judgedMetrics combine labels, which few rows have, with a model's judgements, which all rows
// have.
var judgedMetrics = []metric{
	{"prediction_powered_mean", Binary | Regression, needJudged, Neither, confidence.Identity, ofJudged(poweredMean).as(PoweredMean), "mean of the labels that all rows would have, $λ$ times the mean judgement of the rows without a label, plus the mean of $y - λ f$ over the rows with one, $f$ being the judgement", angelopoulos, []string{"ppi_mean"}},
	{"prediction_powered_mean_std_error", Binary | Regression, needJudged, Neither, confidence.Log, ofJudged(poweredStdError).as(ErrorOfMean), "standard error of prediction_powered_mean, if all rows are independent: $√ (λ² Var f / N + Var(y - λ f) / n)$, of $N$ rows without a label and $n$ with one; at most label_mean_std_error", angelopoulos, nil},
	{"prediction_powered_lambda", Binary | Regression, needJudged, Neither, confidence.NotSmooth, ofJudged(poweredLambda).as(ErrorOfMean), "$λ$ in [0, 1], how far judgements are trusted, for the least standard error: $Cov(y, f) / (Var f + n/N Var f)$, the first variance over the rows with a label, the second over the rows without", angelopoulos, []string{"ppi_lambda"}},
	{"prediction_powered_correlation", Binary | Regression, needJudged, Higher, confidence.Atanh, ofJudged(poweredCorrelation).ofLabels(), "Pearson correlation of $y$ and $f$ over the rows with a label; where $λ$ is below 1, the variance of prediction_powered_mean is about $1 - ρ² N / (n + N)$ times the variance of label_mean", "SciPy pearsonr", []string{"ppi_correlation"}},
	{"label_mean", Binary | Regression, needJudged, Neither, confidence.Identity, ofJudged(labelMean).ofLabels(), "mean of the labels of the rows that have one", "beameval", nil},
	{"label_mean_std_error", Binary | Regression, needJudged, Neither, confidence.Log, ofJudged(labelStdError).ofLabels().as(ErrorOfMean), "standard error of label_mean, $√ (Var y / n)$, if all rows are independent", "beameval", nil},
	{"judged_mean", Binary | Regression, needJudged, Neither, confidence.Identity, ofJudged(judgedMean).as(JudgedMean), "mean of the judgements of all rows, which is biased as the model is", "beameval", nil},
	{"judged_rows", Binary | Regression, needJudged, Neither, confidence.Count, ofJudged(func(s *estimand) Value { return defined(float64(s.Judged())) }), "number of rows that have weight, with a label or without", "beameval", nil},
	{"prediction_powered_accuracy", Multiclass, needJudgedToo, Higher, confidence.Identity, ofPredicted(poweredMean).as(PoweredMean), "accuracy if all rows had a label: prediction_powered_mean with $y = 1$ where the predicted class is the label, $f = 1$ where it is the judgement, and else 0", angelopoulos, []string{"ppi_accuracy"}},
	{"prediction_powered_accuracy_std_error", Multiclass, needJudgedToo, Neither, confidence.Log, ofPredicted(poweredStdError).as(ErrorOfMean), "standard error of prediction_powered_accuracy, if all rows are independent; at most $√ (Var y / n)$, the standard error of accuracy", angelopoulos, nil},
	{"prediction_powered_accuracy_lambda", Multiclass, needJudgedToo, Neither, confidence.NotSmooth, ofPredicted(poweredLambda).as(ErrorOfMean), "$λ$ of prediction_powered_accuracy", angelopoulos, nil},
	{"prediction_powered_accuracy_correlation", Multiclass, needJudgedToo, Higher, confidence.Atanh, ofPredicted(poweredCorrelation).ofLabels(), "Pearson correlation, over the rows with a label, of whether the predicted class is the label and whether it is the judgement", "SciPy pearsonr", nil},
	{"judged_accuracy", Multiclass, needJudgedToo, Higher, confidence.Identity, ofPredicted(judgedMean).as(JudgedMean), "share of all rows whose predicted class is the judgement, which is biased as the model that judges is", "beameval", nil},
	{"prediction_powered_mean", Multiclass, needJudged, Neither, confidence.Identity, ofShares(poweredMean).as(PoweredMean), "share of the class if all rows had a label: $y = 1$ where the label is the class, $f = 1$ where the judgement is, and else 0", angelopoulos, []string{"ppi_mean"}},
	{"prediction_powered_mean_std_error", Multiclass, needJudged, Neither, confidence.Log, ofShares(poweredStdError).as(ErrorOfMean), "standard error of prediction_powered_mean, if all rows are independent; at most label_mean_std_error", angelopoulos, nil},
	{"prediction_powered_lambda", Multiclass, needJudged, Neither, confidence.NotSmooth, ofShares(poweredLambda).as(ErrorOfMean), "$λ$ of prediction_powered_mean", angelopoulos, []string{"ppi_lambda"}},
	{"prediction_powered_correlation", Multiclass, needJudged, Higher, confidence.Atanh, ofShares(poweredCorrelation).ofLabels(), "Pearson correlation, over the rows with a label, of whether the label and whether the judgement is the class", "SciPy pearsonr", []string{"ppi_correlation"}},
	{"label_mean", Multiclass, needJudged, Neither, confidence.Identity, ofShares(labelMean).ofLabels(), "share of the class in the rows that have a label", "beameval", nil},
	{"label_mean_std_error", Multiclass, needJudged, Neither, confidence.Log, ofShares(labelStdError).ofLabels().as(ErrorOfMean), "standard error of label_mean, $√ (Var y / n)$, if all rows are independent", "beameval", nil},
	{"judged_mean", Multiclass, needJudged, Neither, confidence.Identity, ofShares(judgedMean).as(JudgedMean), "share of the class in the judgements of all rows, which is biased as the model is", "beameval", nil},
	{"judged_rows", Multiclass, needJudged, Neither, confidence.Count, judgedRows, "number of rows that have weight, with a label or without", "beameval", nil},
	{"judge_agreement", Multiclass, needJudged | needRole(roles.Judged), Higher, confidence.Proportion, ofAgreement(judgeAgreement).ofLabels(), "share of the rows with a label whose judgement is the label", sklearn + ", accuracy_score", nil},
	{"judge_cohen_kappa", Multiclass, needJudged | needRole(roles.Judged), Higher, confidence.Atanh, ofAgreement(judgeKappa).ofLabels(), "cohen_kappa of labels and judgements, of the rows with a label", sklearn, []string{"judge_kappa"}},
}

var needJudgedToo = NeedDecisions | needJudged | needRole(roles.Judged)

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

// judging is a statistic of judgements, which rows without a label have, too.
type judging interface {
	foldUnlabelled(b *Batch, rows []int32)
	Judged() int64
}

// judged is the statistic of labels and judgements that are numbers.
type judged struct{ ppi.Sums }

func (s *judged) Fold(b *Batch, rows []int32) {
	for _, r := range rows {
		s.AddLabelled(b.weight(r), b.truthAsNumber(r), b.judgement(r))
	}
}

func (s *judged) foldUnlabelled(b *Batch, rows []int32) {
	for _, r := range rows {
		s.AddUnlabelled(b.weight(r), b.judgement(r))
	}
}

func (s *judged) visit(v *fields.Visitor, from statistic) { s.Fields(v, &from.(*judged).Sums) }

func (s *judged) fits(*Params) bool { return true }

// judgedClasses is the statistic of labels and judgements that are classes: the shares of these, and
// whether predictions are right, according to them.
type judgedClasses struct {
	shares ppi.Shares
	right  ppi.Sums
}

func (s *judgedClasses) Fold(b *Batch, rows []int32) {
	judged := b.judgedClasses()
	for _, r := range rows {
		w, y, f := b.weight(r), b.Class[r], judged[r]
		s.shares.AddLabelled(w, y, f)
		if b.Predicted != nil {
			s.right.AddLabelled(w, float64(oneIf(b.Predicted[r] == y)), float64(oneIf(b.Predicted[r] == f)))
		}
	}
}

func (s *judgedClasses) foldUnlabelled(b *Batch, rows []int32) {
	judged := b.judgedClasses()
	for _, r := range rows {
		w, f := b.weight(r), judged[r]
		s.shares.AddUnlabelled(w, f)
		if b.Predicted != nil {
			s.right.AddUnlabelled(w, float64(oneIf(b.Predicted[r] == f)))
		}
	}
}

func (s *judgedClasses) visit(v *fields.Visitor, from statistic) {
	f := from.(*judgedClasses)
	s.shares.Fields(v, &f.shares)
	s.right.Fields(v, &f.right)
}

func (s *judgedClasses) Judged() int64 { return s.shares.Judged() }

func (s *judgedClasses) fits(p *Params) bool { return s.shares.Below(p.classes()) }

// drawn is the statistic of labels and judgements that are numbers, if the rows with a label were drawn.
type drawn struct{ ppi.Sample }

func (s *drawn) Fold(b *Batch, rows []int32) {
	for _, r := range rows {
		s.AddLabelled(b.stratum(r), b.weight(r), b.truthAsNumber(r), b.judgement(r))
	}
}

func (s *drawn) foldUnlabelled(b *Batch, rows []int32) {
	for _, r := range rows {
		s.AddUnlabelled(b.judgement(r))
	}
}

func (s *drawn) visit(v *fields.Visitor, from statistic) { s.Fields(v, &from.(*drawn).Sample) }

func (s *drawn) fits(*Params) bool { return true }

// drawnClasses are judgedClasses if the rows with a label were drawn.
type drawnClasses struct {
	shares ppi.SampleShares
	right  ppi.Sample
}

func (s *drawnClasses) Fold(b *Batch, rows []int32) {
	judged := b.judgedClasses()
	for _, r := range rows {
		h, w, y, f := b.stratum(r), b.weight(r), b.Class[r], judged[r]
		s.shares.AddLabelled(h, w, y, f)
		if b.Predicted != nil {
			s.right.AddLabelled(h, w, float64(oneIf(b.Predicted[r] == y)), float64(oneIf(b.Predicted[r] == f)))
		}
	}
}

func (s *drawnClasses) foldUnlabelled(b *Batch, rows []int32) {
	judged := b.judgedClasses()
	for _, r := range rows {
		s.shares.AddUnlabelled(judged[r])
		if b.Predicted != nil {
			s.right.AddUnlabelled(float64(oneIf(b.Predicted[r] == judged[r])))
		}
	}
}

func (s *drawnClasses) visit(v *fields.Visitor, from statistic) {
	f := from.(*drawnClasses)
	s.shares.Fields(v, &f.shares)
	s.right.Fields(v, &f.right)
}

func (s *drawnClasses) Judged() int64 { return s.shares.Judged() }

func (s *drawnClasses) fits(p *Params) bool { return s.shares.Below(p.classes()) }

// FoldUnlabelled adds the judgements of rows of a batch without a label. Nothing else can be folded
// without labels, but if the rows with a label were drawn, a digest has the others, too.
func (p *Partial) FoldUnlabelled(b *Batch, rows []int32) {
	for _, s := range p.stats {
		if s, ok := s.(judging); ok {
			s.foldUnlabelled(b, rows)
		}
	}
	if d, ok := p.stats[kindDigest].(*digest); ok && (p.stats[kindDrawn] != nil || p.stats[kindDrawnClasses] != nil) {
		d.foldUnlabelled(b, rows)
	}
}

// Design says how rows with a label were drawn, for Params.Drawn.
type Design = ppi.Design

// Drawn returns the strata of the rows with a label: the Strata of the Design of all examples.
func (p *Partial) Drawn() map[uint64]ppi.Stratum {
	if numbers, ok := p.stats[kindDrawn].(*drawn); ok {
		return numbers.Strata()
	}
	if classes, ok := p.stats[kindDrawnClasses].(*drawnClasses); ok {
		return classes.shares.Strata()
	}
	return nil
}

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

// judgedClasses returns what a model judges the classes of a multiclass task to be.
func (b *Batch) judgedClasses() []int32 {
	if b.JudgedClass != nil {
		return b.JudgedClass
	}
	return b.Predicted
}

// judgements are what a mean is estimated from: a ppi.Sums, or a ppi.Sample if rows were drawn.
type judgements interface {
	JudgedMean() (mean float64, why string)
	Judged() int64
}

// estimand is what metrics of judgements estimate. Several metrics share the estimate.
type estimand struct {
	judgements
	estimate ppi.Estimate
	trust    ppi.Trust
	why      string // there is none
	drawn    bool
}

func newEstimand(of judgements, d Design) *estimand {
	e := &estimand{judgements: of}
	switch s := of.(type) {
	case *ppi.Sums:
		e.estimate, e.why = s.Estimate()
	case *ppi.Sample:
		e.estimate, e.trust, e.why = s.Estimate(d)
		e.drawn = true
	}
	return e
}

// judged returns the labels and judgements that are numbers.
func (e *evaluation) judged() judgements {
	if e.params.Drawn {
		return &statisticOf[*drawn](e, kindDrawn).Sample
	}
	return &statisticOf[*judged](e, kindJudged).Sums
}

// right returns whether predicted classes are right, according to labels and to judgements.
func (e *evaluation) right() judgements {
	if e.params.Drawn {
		return &statisticOf[*drawnClasses](e, kindDrawnClasses).right
	}
	return &statisticOf[*judgedClasses](e, kindJudgedClasses).right
}

// shares returns the shares of classes by labels, which weigh, and by the judgements of the same rows.
func (e *evaluation) shares() *ppi.Shares {
	if e.params.Drawn {
		return statisticOf[*drawnClasses](e, kindDrawnClasses).shares.Weighted()
	}
	return &statisticOf[*judgedClasses](e, kindJudgedClasses).shares
}

// shareOf returns whether labels and judgements are a class.
func (e *evaluation) shareOf(class int) judgements {
	if e.params.Drawn {
		return statisticOf[*drawnClasses](e, kindDrawnClasses).shares.Of(class)
	}
	return statisticOf[*judgedClasses](e, kindJudgedClasses).shares.Of(class)
}

// ofJudged evaluates a function of labels and judgements that are numbers.
func ofJudged(f func(*estimand) Value) evaluator {
	return ofEstimand(kindJudged, (*evaluation).judged, f)
}

// ofPredicted evaluates a function of whether predicted classes are right, according to labels and to
// judgements.
func ofPredicted(f func(*estimand) Value) evaluator {
	return ofEstimand(kindJudgedClasses, (*evaluation).right, f)
}

// ofAll is the key of the estimand of all examples. A class is the key of its estimand.
const ofAll = -1

// ofEstimand evaluates a function of the estimand of the judgements that the function of returns.
func ofEstimand(from kind, of func(*evaluation) judgements, f func(*estimand) Value) evaluator {
	return evaluator{from: from, judgements: func(e *evaluation, _ int) judgements { return of(e) }, overall: func(e *evaluation, _ choice) Value {
		return f(e.estimand(ofAll, func() judgements { return of(e) }))
	}}
}

// ofShares evaluates a function of the share of each class, according to labels and to judgements.
func ofShares(f func(*estimand) Value) evaluator {
	return evaluator{from: kindJudgedClasses, averages: onlyItself, judgements: (*evaluation).shareOf, byLabel: func(e *evaluation, _ choice) labelValues {
		shares := e.shares()
		return labelValues{eachLabel(e.params.classes()), func(label int) Value {
			return f(e.estimand(label, func() judgements { return e.shareOf(label) }))
		}, func(label int) (float64, int64) {
			of := shares.Labelled(label)
			return of.Weight(), of.Rows()
		}}
	}}
}

// estimand returns what has been estimated for a key, or else does it from the judgements.
func (e *evaluation) estimand(key int, of func() judgements) *estimand {
	if e.estimands == nil {
		e.estimands = make(map[int]*estimand)
	}
	if e.estimands[key] == nil {
		e.estimands[key] = newEstimand(of(), e.options.Drawn)
	}
	return e.estimands[key]
}

// ofAgreement evaluates a function of the shares of all classes.
func ofAgreement(f func(*ppi.Shares) Value) evaluator {
	return evaluator{from: kindJudgedClasses, overall: func(e *evaluation, _ choice) Value { return f(e.shares()) }}
}

// judgedRows evaluates the number of rows with a judgement that is a class.
var judgedRows = evaluator{from: kindJudgedClasses, overall: func(e *evaluation, _ choice) Value {
	if e.params.Drawn {
		return defined(float64(statisticOf[*drawnClasses](e, kindDrawnClasses).Judged()))
	}
	return defined(float64(statisticOf[*judgedClasses](e, kindJudgedClasses).Judged()))
}}

func judgeAgreement(s *ppi.Shares) Value { return multiclassAccuracy(nil, marginsOf(s)) }

func judgeKappa(s *ppi.Shares) Value { return cohenKappa(nil, marginsOf(s)) }

// marginsOf returns the margins of the confusion matrix of labels and judgements.
func marginsOf(s *ppi.Shares) margins {
	a := s.Agreement()
	return margins{a.Classes, a.Label, a.Judged, a.Total, a.Differ}
}

func poweredMean(s *estimand) Value { return s.value(s.estimate.Mean, s.estimate.StdError) }

func poweredLambda(s *estimand) Value { return s.value(s.estimate.Lambda, 0) }

func poweredCorrelation(s *estimand) Value {
	if !math.IsNaN(s.estimate.LabelStdError) && math.IsNaN(s.estimate.Correlation) {
		return Undefined(cmp.Or(s.why, ppi.Constant))
	}
	return s.error(s.estimate.Correlation)
}

func labelMean(s *estimand) Value { return s.value(s.estimate.LabelMean, s.estimate.LabelStdError) }

func poweredStdError(s *estimand) Value { return s.error(s.estimate.StdError) }

func labelStdError(s *estimand) Value { return s.error(s.estimate.LabelStdError) }

// value returns a number of the estimate with its standard error, which is 0 if it is unknown.
func (s *estimand) value(number, stdError float64) Value {
	switch {
	case s.why != "":
		return Undefined(s.why)
	case s.drawn: // few rows of a stratum make its variance uncertain, which replicates show
		return defined(number)
	}
	return Value{Number: number, StdError: stdError}
}

// error returns a standard error of the estimate.
func (s *estimand) error(stdError float64) Value {
	switch {
	case s.why != "":
		return Undefined(s.why)
	case math.IsNaN(stdError):
		return Undefined(ppi.FewLabels)
	}
	return defined(stdError)
}

func judgedMean(s *estimand) Value {
	mean, why := s.JudgedMean()
	if why != "" {
		return Undefined(why)
	}
	return defined(mean)
}
