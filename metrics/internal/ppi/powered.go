// Package ppi estimates the mean of labels that few rows have from the judgements of a model that all
// rows have: prediction-powered inference with power tuning (PPI++; Angelopoulos, Duchi & Zrnic 2023).
package ppi

import (
	"math"
	"math/big"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/multiprecision"
)

// Sums are what estimates are computed from. y is the label, f the judgement and w the weight of a row.
// Rows that weigh nothing are left out. The zero Sums are empty and ready to use.
type Sums struct {
	labelled, unlabelled judgements
	y                    first                   // of the labelled rows, as all sums of labels
	yy, yf               multiprecision.Products // Σ w² y², Σ w² y f
}

// judgements are the sums of judgements of the rows with a label, or of those without.
type judgements struct {
	rows    exact.Tally             // Σ w
	squares exact.Sum               // Σ w²
	f       first                   // of judgements
	ff      multiprecision.Products // Σ w² f²
}

// first are the first moments of a number x.
type first struct {
	mean exact.Sum // Σ w x
	sum  exact.Sum // Σ w² x
}

func (s *first) add(w, v, x float64) {
	s.mean.AddProduct(w, x)
	s.sum.AddProduct(v, x)
}

func (j *judgements) add(w, v, f float64) {
	j.rows.Add(w)
	j.squares.Add(v)
	j.f.add(w, v, f)
	j.ff.Add(v, f, f)
}

// AddLabelled adds a row with a label.
func (s *Sums) AddLabelled(w, y, f float64) {
	if w == 0 {
		return
	}
	v := float64(w * w)
	s.labelled.add(w, v, f)
	s.y.add(w, v, y)
	s.yy.Add(v, y, y)
	s.yf.Add(v, y, f)
}

// AddUnlabelled adds a row without a label.
func (s *Sums) AddUnlabelled(w, f float64) {
	if w != 0 {
		s.unlabelled.add(w, float64(w*w), f)
	}
}

// Fields lists the fields.
func (s *Sums) Fields(v *fields.Visitor, from *Sums) {
	s.labelled.fields(v, &from.labelled)
	s.unlabelled.fields(v, &from.unlabelled)
	s.y.fields(v, &from.y)
	s.yy.Fields(v, &from.yy)
	s.yf.Fields(v, &from.yf)
}

func (j *judgements) fields(v *fields.Visitor, from *judgements) {
	fields.Visit(v, &j.rows, &from.rows)
	fields.Visit(v, &j.squares, &from.squares)
	j.f.fields(v, &from.f)
	j.ff.Fields(v, &from.ff)
}

func (s *first) fields(v *fields.Visitor, from *first) {
	fields.Visit(v, &s.mean, &from.mean)
	fields.Visit(v, &s.sum, &from.sum)
}

// Estimate is an estimate of the mean of labels, with its standard error.
type Estimate struct {
	Mean, StdError float64
	// Lambda is how far judgements are trusted, from 0, as if there were none, to 1.
	Lambda float64
	// The mean of the labels alone, and its standard error.
	LabelMean, LabelStdError float64
	// Correlation is the correlation of labels and judgements, or NaN if labels or judgements are all equal.
	Correlation float64
}

// The reasons for which there is no estimate, or no standard error.
const (
	NoLabels     = "no labels"
	FewLabels    = "fewer than two labels"
	Constant     = "labels or judgements are all equal"
	NoJudgements = "no judgements"
	TooLarge     = "values are too large"
	TooLight     = "weights are too small"
)

// leastSquares is the smallest sum of squared weights whose terms have not lost digits that matter.
const leastSquares = 0x1p-960

// Estimate returns the estimate, or the reason for which there is none. With fewer than two labels, the
// standard errors and the correlation are NaN.
//
// Let ȳ and f̄ be the weighted means over the rows with a label, and f̃ the mean of the judgements
// of the rows without one. The estimate is λf̃ + ȳ - λf̄. The variance of a weighted mean is
// Σ w²(x - x̄)² / (Σ w)²; of rows of equal weight, that is the variance of x divided by their number.
// λ in [0, 1] minimizes the variance of the estimate,
//
//	λ² Var f̃ + Var(ȳ - λf̄) = λ² (Var f̃ + Var f̄) - 2 λ Cov(ȳ, f̄) + Var ȳ
//
// which is therefore never more than Var ȳ.
func (s *Sums) Estimate() (e Estimate, why string) {
	if s.labelled.rows.Empty() {
		return e, NoLabels
	}
	labelled, why := s.labelled.moments()
	if why != "" {
		return e, why
	}
	y, finite := s.y.of(labelled)
	yy, yf := s.yy.Big(), s.yf.Big()
	if !finite || yy == nil || yf == nil {
		return e, TooLarge
	}
	variance := labelled.covariance(yy, y, y)
	covariance := labelled.covariance(yf, y, labelled.f)
	ofJudgements := labelled.covariance(labelled.ff, labelled.f, labelled.f)
	e.Correlation = correlation(covariance, variance, ofJudgements)
	estimate := y.mean
	if !s.unlabelled.rows.Empty() {
		unlabelled, why := s.unlabelled.moments()
		if why != "" {
			return e, why
		}
		ofJudgements = multiprecision.Zero().Add(ofJudgements, unlabelled.covariance(unlabelled.ff, unlabelled.f, unlabelled.f))
		e.Lambda = within(covariance, ofJudgements)
		lambda := big.NewFloat(e.Lambda)
		estimate = multiprecision.Zero().Add(y.mean, multiprecision.Product(lambda, multiprecision.Difference(unlabelled.f.mean, labelled.f.mean)))
	}
	e.Mean, _ = estimate.Float64()
	e.LabelMean, _ = y.mean.Float64()
	e.StdError, e.LabelStdError = math.NaN(), math.NaN()
	if s.labelled.rows.Rows() < 2 {
		return e, ""
	}
	lambda := big.NewFloat(e.Lambda)
	spared := multiprecision.Difference(multiprecision.Product(multiprecision.Product(lambda, lambda), ofJudgements), multiprecision.Product(big.NewFloat(2), multiprecision.Product(lambda, covariance)))
	e.LabelStdError, e.StdError = root(variance), root(multiprecision.Zero().Add(variance, spared))
	return e, ""
}

// JudgedMean returns the mean of all judgements, or the reason for which there is none.
func (s *Sums) JudgedMean() (mean float64, why string) {
	var rows exact.Tally
	var sum exact.Sum
	for _, j := range []*judgements{&s.labelled, &s.unlabelled} {
		rows.Merge(&j.rows)
		sum.Merge(&j.f.mean)
	}
	total, finite := sum.Big()
	switch {
	case rows.Empty():
		return math.NaN(), NoJudgements
	case !finite:
		return math.NaN(), TooLarge
	}
	return multiprecision.Over(total, rows.Big()), ""
}

// Judged returns the number of rows with a judgement that have weight.
func (s *Sums) Judged() int64 { return s.labelled.rows.Rows() + s.unlabelled.rows.Rows() }

// moments are the moments of judgements, as numbers.
type moments struct {
	weight, squares *big.Float // Σ w, Σ w²
	f               moment
	ff              *big.Float
}

// moment has the moments of a number x.
type moment struct{ mean, total, sum *big.Float } // Σ w x / Σ w, Σ w x, Σ w² x

// moments returns the moments of judgements, or the reason for which they are unknown. There must
// be a judgement.
func (j *judgements) moments() (m moments, why string) {
	var squares, f bool // whether these are finite
	if m.weight = j.rows.Big(); m.weight.Sign() <= 0 {
		return m, TooLight
	}
	m.squares, squares = j.squares.Big()
	m.f, f = j.f.of(m)
	m.ff = j.ff.Big()
	switch {
	case !squares || !f || m.ff == nil:
		return m, TooLarge
	case m.squares.Cmp(big.NewFloat(leastSquares)) < 0:
		return m, TooLight
	}
	return m, ""
}

// of returns the moments of a number of the rows that have the moments m.
func (s *first) of(m moments) (of moment, finite bool) {
	total, finite := s.mean.Big()
	sum, also := s.sum.Big()
	if !finite || !also {
		return of, false
	}
	return moment{multiprecision.Zero().Quo(total, m.weight), total, sum}, true
}

// covariance returns the covariance of the means of a and b, Σ w² (a - ā)(b - b̄) / (Σ w)². ab is Σ w² a b.
// Only the last step divides, so that sums of few bits, such as sums of zeros and ones, stay so.
func (m moments) covariance(ab *big.Float, a, b moment) *big.Float {
	square := multiprecision.Product(m.weight, m.weight)
	crossed := multiprecision.Product(a.total, b.sum)
	crossed.Add(crossed, multiprecision.Product(b.total, a.sum))
	centred := multiprecision.Difference(multiprecision.Product(ab, square), multiprecision.Product(m.weight, crossed))
	centred.Add(centred, multiprecision.Product(multiprecision.Product(a.total, b.total), m.squares))
	return centred.Quo(centred, multiprecision.Product(square, square))
}

// within returns x/y, but at least 0 and at most 1. It is 0 if y is.
func within(x, y *big.Float) float64 {
	if x.Sign() <= 0 || y.Sign() <= 0 {
		return 0
	}
	return min(multiprecision.Over(x, y), 1)
}

// correlation returns the correlation that follows from a covariance and two variances, or NaN if one of these is 0.
func correlation(covariance, a, b *big.Float) float64 {
	if a.Sign() <= 0 || b.Sign() <= 0 {
		return math.NaN()
	}
	both := new(big.Float).SetPrec(128)
	return max(-1, min(multiprecision.Over(covariance, both.Sqrt(both.Mul(a, b))), 1))
}

// root returns the square root of a variance, which rounding may have made negative.
func root(variance *big.Float) float64 {
	if variance.Sign() <= 0 {
		return 0
	}
	v, _ := new(big.Float).SetPrec(128).Sqrt(new(big.Float).SetPrec(128).Set(variance)).Float64()
	return v
}
