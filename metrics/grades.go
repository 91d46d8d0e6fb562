package metrics

import (
	"errors"
	"fmt"
	"math"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/multiprecision"
	"github.com/beameval/beameval/metrics/internal/ranks"
)

const (
	chen   = "Chen et al. 2021"
	miller = "Miller 2024"
)

// gradeMetrics are of the grades of attempts. Every example counts once, however many attempts there are at it. Those that
// ofFurther marks are of each of Params.FurtherGrades, too.
var gradeMetrics = []metric{
	{"mean", Grading, 0, Higher, confidence.Identity, mean(meanGrade).ofFurther().inUnits(), "mean over examples of the mean grade of their attempts", "NumPy mean", nil},
	{"pass_rate", Grading, needPass, Higher, confidence.Proportion, passRate.ofFurther(), "mean over examples of the share of their attempts that pass", chen, nil},
	{"pass@<k>", Grading, needPass, Higher, confidence.Logit, mean(passAt).ofFurther(), "mean probability that at least one of $k$ attempts passes, which are drawn from all $n$ at an example without replacement: $1 - C(n - c, k) / C(n, k)$, where $c$ of $n ≥ k$ pass", chen, nil},
	{"all_pass@<k>", Grading, needPass, Higher, confidence.Logit, mean(allPassAt).ofFurther(), "mean probability that all of $k$ attempts pass, drawn as for pass@k: $C(c, k) / C(n, k)$", "Yao et al. 2024", []string{"pass^<k>"}},
	{"best@<k>", Grading, needNumbers, Higher, confidence.Identity, mean(bestAt).ofFurther().inUnits(), "mean expectation of the best grade of $k$ attempts, drawn as for pass@k: of the highest or, if lower is better, of the lowest", "beameval", nil},
	{"flaky_rate", Grading, needPass, Lower, confidence.Proportion, mean(flaky).ofFurther(), "share of the examples with several attempts at which some pass and some do not", "beameval", nil},
	{"majority_accuracy", Grading, needRole(roles.Answer), Higher, confidence.Logit, mean(majority), "share of the examples whose most frequent answer, of all attempts, is the label; where $n$ answers are equally frequent and one of them is, $1/n$", "Wang et al. 2023", nil},
	{"std", Grading, 0, Neither, confidence.Log, ofGrades(stdOfMeans).ofFurther(), "standard deviation of the examples' mean grades, $√ (Σ w (x - m)² / Σ w · N / (N - 1))$ of $N$ examples with the mean $m$", "NumPy std, ddof=1", nil},
	{"variance_within", Grading, 0, Neither, confidence.Log, ofGrades(varianceWithin).asMean().ofFurther(), "mean over the examples with several attempts of the variance of their grades, with $n - 1$", miller, nil},
	{"variance_between", Grading, 0, Neither, confidence.Identity, ofGrades(varianceBetween).ofFurther(), "variance of the true means of examples, of those with several attempts: the variance of their mean grades less the mean of $(their variance) / n$", miller, nil},
	{"median", Grading, 0, Higher, confidence.NotSmooth, quantileOfMeans.with(0.5).ofFurther().inUnits(), "median of the examples' mean grades, by weight; where just half of the weight is on either side of two values, their mean", "NumPy median", nil},
	{"quantile@<rank>", Grading, 0, Higher, confidence.NotSmooth, quantileOfMeans.ofFurther().inUnits(), "quantile of the examples' mean grades, by weight; where just that share of the weight is up to a value, the mean of it and the next", "NumPy quantile, averaged_inverted_cdf", nil},
	{"attempts", Grading, 0, Neither, confidence.Count, ofGrades(func(s *grades, _ *evaluation) Value { return defined(float64(s.attempts)) }), "number of attempts at examples that have weight", "beameval", nil},
}

// GradeOptions say what grades mean.
type GradeOptions struct {
	// Booleans says that grades are 0 or 1; 1 passes.
	Booleans bool
	// PassThreshold, if not nil, is the lowest grade that passes or, if LowerIsBetter, the highest. It is for grades that are not
	// Booleans.
	PassThreshold *float64
	// LowerIsBetter says that lower grades are better, such as costs. Of Booleans, 0 then passes.
	LowerIsBetter bool
	// FailFew says that an example with fewer attempts than a metric needs is an error. Otherwise the metric is undefined for it.
	// It is up to whoever makes batches; see LeastAttempts.
	FailFew bool
}

func (o GradeOptions) check() error {
	switch pass := o.PassThreshold; {
	case pass == nil:
	case o.Booleans:
		return errors.New("PassThreshold is for grades that are numbers, and Booleans says that they are not: leave one out")
	case !floats.Finite(*pass):
		return fmt.Errorf("PassThreshold of %v: it must be finite", *pass)
	}
	return nil
}

// provides returns what grades have.
func (o GradeOptions) provides() (n Needs) {
	if o.Booleans || o.PassThreshold != nil {
		n |= needPass
	}
	if !o.Booleans {
		n |= needNumbers
	}
	return n
}

// passes reports whether a grade passes.
func (o *GradeOptions) passes(grade float64) bool {
	least := 0.5 // between the two Booleans
	if o.PassThreshold != nil {
		least = *o.PassThreshold
	}
	if o.LowerIsBetter {
		return grade <= least
	}
	return grade >= least
}

// FurtherGrade is a number or boolean that attempts have besides their grade, such as what they cost. Its metrics are called
// <metric>_<Name>.

// ofFurther marks a metric that each further grade has.
func (ev evaluator) ofFurther() evaluator {
	ev.further = true
	return ev
}

// inUnits marks a metric whose values are as good as grades of the same values.
func (ev evaluator) inUnits() evaluator {
	ev.units = true
	return ev
}

// LeastAttempts returns how many attempts every example must have: none unless p.Grades.FailFew.
func (p *Params) LeastAttempts() (k int) {
	if !p.Grades.FailFew {
		return 0
	}
	for c := range p.chosen() {
		k = max(k, int(c.arg)) // arguments of other metrics are below 1
	}
	return k
}

// tooFew is why a metric of k attempts is undefined.
const tooFew = "no example has so many attempts"

// The measures of the attempts at an example. Arguments are the number k of attempts that are drawn.
var (
	meanGrade = measure{value: func(r *row, _ float64) (float64, bool) { return meanOf(r.attempts()), true }}
	passShare = measure{value: func(r *row, _ float64) (float64, bool) {
		n, c := r.passing()
		return float64(c) / float64(n), true
	}}
	majority = measure{value: func(r *row, _ float64) (float64, bool) { return r.Majority[r.index], true }}
	several  = measure{value: func(r *row, _ float64) (float64, bool) { return float64(oneIf(len(r.attempts()) > 1)), true }}
	passAt   = measure{reason: tooFew, value: func(r *row, k float64) (float64, bool) {
		switch n, c := r.passing(); {
		case float64(n) < k:
			return 0, false
		case k == 1: // to the last bit what pass_rate has
			return float64(c) / float64(n), true
		default:
			return 1 - allAmong(n-c, n, int(k)), true
		}
	}}
	allPassAt = measure{reason: tooFew, value: func(r *row, k float64) (float64, bool) {
		n, c := r.passing()
		if float64(n) < k {
			return 0, false
		}
		return allAmong(c, n, int(k)), true
	}}
	bestAt = measure{reason: tooFew, value: func(r *row, k float64) (float64, bool) {
		list := r.attempts()
		switch {
		case float64(len(list)) < k:
			return 0, false
		case k == 1:
			return meanOf(list), true
		}
		return expectedBest(list, int(k), r.grades[r.grade].LowerIsBetter), true
	}}
	flaky = measure{reason: "no example has several attempts", value: func(r *row, _ float64) (float64, bool) {
		n, c := r.passing()
		return float64(oneIf(c > 0 && c < n)), n > 1
	}}
)

// passRate evaluates the share of attempts that pass. It is a proportion of trials only if no example has several attempts.
var passRate = func() evaluator {
	ev := mean(passShare)
	of := ev.overall
	ev.measures = append(ev.measures, several)
	ev.overall = func(e *evaluation, c choice) Value {
		v := of(e, c)
		if !e.totalsOf(c)[1].sum.Empty() {
			v.Trials = 0
		}
		return v
	}
	return ev
}()

// attempts returns the grades of the row: the main ones, 0, or further ones, from 1.
func (b *Batch) attempts(grade int, r int32) []float64 {
	column := b.Grade
	if grade > 0 {
		column = b.FurtherGrade[grade-1]
	}
	return column[b.GradeOffset[r]:b.GradeOffset[r+1]]
}

func (r *row) attempts() []float64 { return r.Batch.attempts(r.grade, r.index) }

// passing returns how many attempts there are, and how many of them pass.
func (r *row) passing() (n, passing int) {
	of := &r.grades[r.grade]
	for _, x := range r.attempts() {
		passing += oneIf(of.passes(x))
	}
	return len(r.attempts()), passing
}

// meanOf returns the mean of grades, rounded once or twice, whatever their order.
func meanOf(list []float64) float64 {
	if len(list) == 1 {
		return list[0]
	}
	var sum exact.Sum
	sum.AddAll(list)
	if total := sum.Float64(); floats.Finite(total) {
		return total / float64(len(list))
	}
	total, _ := sum.Big()
	n := multiprecision.Zero().SetInt64(int64(len(list)))
	return multiprecision.Over(total, n)
}

// varianceOf returns Σ (x - x̄)² / (n - 1) of two or more grades.
func varianceOf(list []float64, mean float64) float64 {
	sum := 0.0
	for _, x := range list {
		d := x - mean
		sum += float64(d * d)
	}
	return sum / float64(len(list)-1)
}

// allAmong returns C(m, k) / C(n, k): how likely k of n attempts, drawn without replacement, are all among m of them. k is at
// most n.
func allAmong(m, n, k int) float64 {
	if m < k {
		return 0
	}
	// Π (m - i) / (n - i) over i < k is Π (n - k - i) / (n - i) over i < n - m: the shorter one is rounded less often.
	factors, from := k, m
	if n-m < k {
		factors, from = n-m, n-k
	}
	p := 1.0
	for i := range factors {
		p = float64(p * (float64(from-i) / float64(n-i)))
	}
	return p
}

// expectedBest returns the expected maximum or, if lower is better, minimum of k of the grades, drawn without replacement. The grades
// are sorted.
func expectedBest(sorted []float64, k int, lower bool) float64 {
	// The i-th grade from the worst, from 1, is the best in C(i-1, k-1) of the C(n, k) cases.
	n := len(sorted)
	total, p := 0.0, float64(k)/float64(n)
	for i := n; i >= k; i-- {
		grade := sorted[i-1]
		if lower {
			grade = sorted[n-i]
		}
		total += float64(p * grade)
		p = float64(p * (float64(i-k) / float64(i-1)))
	}
	return total
}

// grades is the statistic of how grades vary, between examples and between attempts at one.
type grades struct {
	attempts int64
	// all are the mean grades of all examples, repeated the mean grades of examples with several attempts. within and ofMeans total
	// the variances s² of the latter, and s²/n, by weight.
	all, repeated   multiprecision.Moments
	within, ofMeans exact.Sum
}

// variance estimates the variance in the population that numbers are from.
func variance(m *multiprecision.Moments) Value {
	if m.Weight().Rows() < 2 {
		return Undefined(fewExamples)
	}
	v := m.Variance()
	if math.IsNaN(v) {
		return Undefined(tooLarge)
	}
	return defined(v)
}

func (s *grades) Fold(b *Batch, rows []int32) { s.fold(b, rows, 0) }

// fold folds the grades of the rows, of the main grade, 0, or of a further one, from 1.
func (s *grades) fold(b *Batch, rows []int32, grade int) {
	for _, r := range rows {
		list, w := b.attempts(grade, r), b.weight(r)
		s.attempts += int64(len(list))
		mean := meanOf(list)
		s.all.Add(w, mean)
		if len(list) > 1 {
			s.repeated.Add(w, mean)
			variance := varianceOf(list, mean)
			s.within.AddProduct(w, variance)
			s.ofMeans.AddProduct(w, variance/float64(len(list)))
		}
	}
}

func (s *grades) visit(v *fields.Visitor, from statistic) { s.Fields(v, from.(*grades)) }

func (s *grades) Fields(v *fields.Visitor, f *grades) {
	v.Count(&s.attempts, f.attempts)
	s.all.Fields(v, &f.all)
	s.repeated.Fields(v, &f.repeated)
	fields.Visit(v, &s.within, &f.within)
	fields.Visit(v, &s.ofMeans, &f.ofMeans)
}

func (s *grades) fits(p *Params) bool { return p.Task == Grading }

// ofGrades evaluates a function of how grades vary.
func ofGrades(f func(*grades, *evaluation) Value) evaluator {
	return evaluator{from: kindGrades, overall: func(e *evaluation, c choice) Value {
		if c.grade == 0 {
			return f(statisticOf[*grades](e, kindGrades), e)
		}
		all := statisticOf[*furtherGrades](e, kindFurtherGrades).list
		if len(all) == 0 {
			return f(new(grades), e)
		}
		return f(&all[c.grade-1], e)
	}}
}

func stdOfMeans(s *grades, _ *evaluation) Value { return variance(&s.all).then(math.Sqrt) }

func varianceWithin(s *grades, e *evaluation) Value {
	return s.ofRepeated(e, average(&s.within, s.repeated.Weight()))
}

func varianceBetween(s *grades, e *evaluation) Value {
	v := variance(&s.repeated)
	return s.ofRepeated(e, v.then(func(ofMeans float64) float64 { return ofMeans - average(&s.ofMeans, s.repeated.Weight()).Number }))
}

// ofRepeated returns a value of the examples with several attempts, which says how many others there are.
func (s *grades) ofRepeated(e *evaluation, v Value) Value {
	if s.repeated.Weight().Empty() && !s.all.Weight().Empty() {
		return Undefined(flaky.reason)
	}
	if v.Trials = 0; v.Undefined != "" {
		return v
	}
	var single exact.Tally
	single.Merge(s.all.Weight())
	single.Subtract(s.repeated.Weight())
	return e.withUndefined(v, &single)
}

// quantileOfMeans evaluates a quantile of the mean grades of examples, on request because their table is large.
var quantileOfMeans = evaluator{from: kindPairs, requested: true, overall: func(e *evaluation, c choice) Value {
	t := meansOf(e, c)
	means, whole := t.Pairs()
	switch {
	case !whole:
		return Undefined(fmt.Sprintf("more than %d distinct means of examples, see %s", t.Limit(), e.params.Names.Of(settings.MaxDistinct)))
	case len(means) == 0:
		return Undefined(noExamples)
	}
	return defined(means.Quantile(c.arg))
}}

// meansOf returns the table of the mean grades of examples, of the grade of a metric.
func meansOf(e *evaluation, c choice) *ranks.Table {
	if c.grade == 0 {
		return &statisticOf[*pairTable](e, kindPairs).Table
	}
	all := statisticOf[*furtherMeans](e, kindFurtherMeans).list
	if len(all) == 0 {
		return ranks.NewTable(e.params.MaxDistinct)
	}
	return &all[c.grade-1].Table
}
