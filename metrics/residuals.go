package metrics

import (
	"math"
	"math/big"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/forecast"
	"github.com/beameval/beameval/metrics/internal/multiprecision"
)

// residuals totals what regression metrics are computed from. y is the target, p the estimate, w
// the weight, and r = y - p.
type residuals struct {
	sums     [numMoments]exact.Sum
	products [numProducts]multiprecision.Products
	// largest is the largest |r|, and largestFourth the largest w r⁴.
	largest, largestFourth float64
	// belowLog counts rows with y or p <= -1, where log(1+x) is undefined. belowPoisson
	// counts rows with y < 0 or p <= 0.
	belowLog, belowPoisson int64
}

type moment int

const (
	momentY          moment = iota // Σ w y
	momentP                        // Σ w p
	momentR                        // Σ w r
	momentSize                     // Σ w |r|
	momentPercentage               // Σ w |r| / max(|y|, ε)
	momentSymmetric                // Σ w 2|r| / (|y|+|p|)
	momentLog                      // Σ w (log(1+y) - log(1+p))²
	momentPoisson                  // Σ w 2 (y log(y/p) - y + p)
	momentFourth                   // Σ w r⁴; each term is rounded
	numMoments
)

type product int

const (
	productYY product = iota // Σ w y²
	productPP                // Σ w p²
	productYP                // Σ w y p
	productRR                // Σ w r²
	numProducts
)

func (s *residuals) Fold(b *Batch, rows []int32) {
	for _, i := range rows {
		w := b.weight(i)
		if w == 0 {
			continue
		}
		y, p := b.Target[i], b.Estimate[i]
		r := y - p
		size := math.Abs(r)
		s.largest = max(s.largest, size)
		s.addOne(momentY, w, y)
		s.addOne(momentP, w, p)
		s.addOne(momentR, w, r)
		s.addOne(momentSize, w, size)
		s.products[productYY].Add(w, y, y)
		s.products[productPP].Add(w, p, p)
		s.products[productYP].Add(w, y, p)
		s.products[productRR].Add(w, r, r)
		fourth := float64(r * r)
		fourth = float64(w * float64(fourth*fourth))
		s.sums[momentFourth].Add(fourth)
		s.largestFourth = max(s.largestFourth, fourth)
		s.sums[momentPercentage].Add(float64(w * (size / max(math.Abs(y), epsilon))))
		if r != 0 {
			s.sums[momentSymmetric].Add(float64(w * (2 * (size / (math.Abs(y) + math.Abs(p))))))
		}
		if y <= -1 || p <= -1 {
			s.belowLog++
		} else {
			d := elementary.Log1p(y) - elementary.Log1p(p)
			s.sums[momentLog].Add(float64(w * float64(d*d)))
		}
		if y < 0 || p <= 0 {
			s.belowPoisson++
		} else {
			s.sums[momentPoisson].Add(float64(w * forecast.TweedieDeviance(y, p, 1)))
		}
	}
}

// epsilon is the machine epsilon, the smallest denominator of scikit-learn's percentage error.
const epsilon = 0x1p-52

// addOne adds w·x, exactly.
func (s *residuals) addOne(m moment, w, x float64) {
	if w == 1 {
		s.sums[m].Add(x)
		return
	}
	s.sums[m].AddProduct(w, x)
}

// of returns the exact value of a moment, or nil if a value is infinite.
func (s *residuals) of(m moment) *big.Float {
	total, finite := s.sums[m].Big()
	if !finite {
		return nil
	}
	return total
}

func (s *residuals) visit(v *fields.Visitor, from statistic) {
	f := from.(*residuals)
	for m := range s.sums {
		fields.Visit(v, &s.sums[m], &f.sums[m])
	}
	for p := range s.products {
		s.products[p].Fields(v, &f.products[p])
	}
	v.Largest(&s.largest, f.largest)
	v.Largest(&s.largestFourth, f.largestFourth)
	v.Count(&s.belowLog, f.belowLog)
	v.Count(&s.belowPoisson, f.belowPoisson)
}

func (s *residuals) fits(*Params) bool { return true }

// mean returns the weighted mean of a moment.
func (s *residuals) mean(m moment, weight *exact.Tally) Value {
	return average(&s.sums[m], weight)
}

// Residuals have heavy tails if their kurtosis exceeds mostKurtosis, which is 3 for the normal
// distribution and 6 for Laplace's, and if a single residual makes up more than mostOfOne of the
// sum of fourth powers. If fourth powers have no finite mean, as with Student's t of up to four
// degrees of freedom, both hold even for large samples; if they have one, large samples contain no
// such residual.
const (
	mostKurtosis = 10
	mostOfOne    = 0.1
)

// heavyTailed reports whether a few residuals determine how much the squares vary. It does not know
// if fourth powers exceed float64.
func (s *residuals) heavyTailed(w *exact.Tally) bool {
	square, fourth := meanSquaredError(s, w).Number, s.mean(momentFourth, w).Number
	return fourth/square/square > mostKurtosis && s.largestFourth > mostOfOne*s.sums[momentFourth].Float64()
}
