package ppi

import (
	"math"
	"math/big"

	"github.com/beameval/beameval/metrics/internal/multiprecision"
)

// scatter is how the labels y and judgements f of a stratum scatter. All is relative to the weight of all rows of the sample.
type scatter struct {
	drawn, size float64 // π and N_h of the whole stratum
	share       float64 // W_h
	y, f        float64 // ȳ_h - ȳ, f̄_h - f̄
	// Q_h of y, of both and of f; NaN if a single row was drawn from the stratum.
	yy, yf, ff float64
	// The variances and the covariance within the stratum, divided by the number of rows.
	withinY, withinBoth, withinF float64
}

// scatter returns the scatter of each stratum, and how many rows have a label.
func (s *Sample) scatter(c Centre, d Design) (list []scatter, labels int64, why string) {
	for key, of := range s.strata.All() {
		m, why := of.labelled.moments()
		if why != "" {
			return nil, 0, why
		}
		y, finite := of.y.of(m)
		yy, yf := of.yy.Big(), of.yf.Big()
		if !finite || yy == nil || yf == nil {
			return nil, 0, TooLarge
		}
		labels += of.labelled.rows.Rows()
		whole, known := d.Strata[key]
		if !known {
			whole = Stratum{of.labelled.rows.Rows(), of.labelled.rows.Weight()}
		}
		list = append(list, newScatter(c, whole, m, y, m.covariance(yy, y, y), m.covariance(yf, y, m.f), m.covariance(m.ff, m.f, m.f)))
	}
	return list, labels, ""
}

// rounding is the largest share of Σ w² by which that may exceed (Σ w)² / n only because w² were rounded.
const rounding = 0x1p-40

// newScatter returns the scatter of a stratum from its moments, and from covariances of the means of its rows.
//
// Q_h(y, f) is n/(n-1) (Σ w² (y - ȳ)(f - f̄) - Σ w (y - ȳ) Σ w (f - f̄) / n) / (Σ w)², where n counts all rows that were drawn from the
// stratum, and the last sum is over all strata. Around the means ȳ_h and f̄_h of the rows at hand, the bracket is
//
//	Σ w² (y - ȳ_h)(f - f̄_h)  +  (Σ w² - (Σ w)²/n) b b'  +  Σ w² (a b' + a' b),
//
// with b = ȳ_h - ȳ and a, the mean of y - ȳ_h with weights w². If weights are equal, a is 0, and so is the second term if all
// rows are at hand. So a judge that says the same of all rows of a stratum has no variance there, not even one of rounding.
func newScatter(c Centre, whole Stratum, m moments, y moment, yy, yf, ff *big.Float) scatter {
	n := float64(whole.Rows)
	s := scatter{size: whole.Weight, drawn: min(n/whole.Weight, 1), share: multiprecision.Over(m.weight, c.weight), y: less(y.mean, c.y), f: less(m.f.mean, c.f)}
	square := multiprecision.Over(m.squares, multiprecision.Product(c.weight, c.weight))
	rows := multiprecision.Over(multiprecision.Product(m.weight, m.weight), m.squares) // as many of equal weight would vary as much
	left := 0.0
	if share := 1 - rows/n; share > rounding {
		left = float64(square * share)
	}
	asideY, asideF := float64(square*m.aside(y)), float64(square*m.aside(m.f))
	of := func(covariance *big.Float, b, other, aside, otherAside float64) (q, within float64) {
		ofMean, _ := covariance.Float64()
		q = float64(ofMean*float64(s.share*s.share)) + float64(left*float64(b*other)) + float64(aside*other) + float64(otherAside*b)
		return float64(n / (n - 1) * q), float64(ofMean * rows)
	}
	s.yy, s.withinY = of(yy, s.y, s.y, asideY, asideY)
	s.yf, s.withinBoth = of(yf, s.y, s.f, asideY, asideF)
	s.ff, s.withinF = of(ff, s.f, s.f, asideF, asideF)
	if whole.Rows < 2 {
		s.yy, s.yf, s.ff = math.NaN(), math.NaN(), math.NaN()
	}
	return s
}

// aside returns by how much the mean of a number with weights w² exceeds its mean with weights w.
func (m moments) aside(x moment) float64 {
	return less(multiprecision.Zero().Quo(x.sum, m.squares), x.mean)
}

// trust returns λ and κ, given R and (N - n) / N.
func trust(strata []scatter, ratio, unlabelled float64) (lambda, kappa float64) {
	both, own := 0.0, 0.0
	for _, h := range strata {
		if rest := 1 - h.drawn; !math.IsNaN(h.yf) {
			both += float64(rest * h.yf)
			own += float64(float64(rest*(rest+float64(h.drawn*ratio))) * h.ff)
		}
	}
	if !(both > 0) || !(own > 0) {
		return 0, 0
	}
	lambda = min(float64(both/own*unlabelled), 1)
	return lambda, lambda / unlabelled
}

// variance returns V.
func variance(strata []scatter, t Trust, finite bool) (sum float64) {
	for _, h := range strata {
		rest := 1 - h.drawn
		crossed, own := float64(float64(2*t.Kappa)*h.yf), float64(float64(t.Kappa*t.Kappa)*h.ff)
		if finite {
			sum += float64(rest * (h.yy - crossed + own))
			continue
		}
		sum += h.yy - float64(rest*crossed) + float64(float64(rest*(rest+float64(h.drawn*t.Ratio)))*own)
		moved := float64(h.share * h.y)
		sum += float64(moved*moved) / h.size
	}
	return sum
}

// expectedVariance returns the variance of the judgements of rows without a label that follows from rows with one.
func expectedVariance(strata []scatter) float64 {
	total, mean, variance := 0.0, 0.0, 0.0
	rest := func(h *scatter) float64 { return float64(h.share * (1 - h.drawn)) }
	for i := range strata {
		h := &strata[i]
		total += rest(h)
		mean += float64(rest(h) * h.f)
	}
	if !(total > 0) {
		return 0
	}
	mean /= total
	for i := range strata {
		h := &strata[i]
		apart := h.f - mean
		variance += float64(rest(h) / total * (h.withinF + float64(apart*apart)))
	}
	return variance
}

// correlated returns the correlation of labels and judgements with weights w, or NaN if either are all equal.
func correlated(strata []scatter) float64 {
	y, both, f := 0.0, 0.0, 0.0
	for _, h := range strata {
		y += float64(h.share * (h.withinY + float64(h.y*h.y)))
		both += float64(h.share * (h.withinBoth + float64(h.y*h.f)))
		f += float64(h.share * (h.withinF + float64(h.f*h.f)))
	}
	if !(y > 0) || !(f > 0) {
		return math.NaN()
	}
	return max(-1, min(both/float64(math.Sqrt(y)*math.Sqrt(f)), 1))
}
