package multiplecomparisons

import (
	"math"
	"math/bits"

	"github.com/beameval/beameval/metrics/confidence"
)

// PairedT returns the statistic of the paired t-test of differences, its degrees of freedom n − 1,
// and the two-sided p-value. t and p are NaN for fewer than two differences, and if all are equal.
func PairedT(differences []float64) (t, dof, p float64) {
	n := float64(len(differences))
	mean, squares := 0.0, 0.0
	for _, d := range differences {
		mean += d / n
	}
	for _, d := range differences {
		squares += float64((d - mean) * (d - mean))
	}
	dof = n - 1
	t = mean / math.Sqrt(squares/dof/n)
	if !(squares > 0) || math.IsInf(t, 0) {
		return math.NaN(), dof, math.NaN()
	}
	return t, dof, confidence.PValue(t, dof)
}

// Randomization returns the two-sided p-value of the paired randomization test (Fisher 1935; Smucker,
// Allan & Carterette 2007): the probability that the mean of the differences is as far from 0 as it
// is if each difference has either sign. If there are at most draws assignments of signs, it is
// exact. Otherwise, it is (1 + the number of draws as far from 0) / (1 + draws), from a generator
// that seed determines. Sums that differ by rounding errors count as equal. It is NaN without
// differences, and 1 if all are 0.
func Randomization(differences []float64, draws int, seed uint64) float64 {
	var changed []float64
	observed, magnitude := 0.0, 0.0
	for _, d := range differences {
		if d != 0 {
			changed = append(changed, d)
			observed, magnitude = observed+d, magnitude+math.Abs(d)
		}
	}
	if len(differences) == 0 || math.IsNaN(observed) {
		return math.NaN()
	}
	sums := newSignedSums(changed)
	bound := math.Abs(observed) - float64(magnitude*rounding)
	extreme := 0
	if n := len(changed); n < 63 && 1<<n <= draws {
		for signs := range uint64(1) << n {
			if math.Abs(sums.of(func(int) uint64 { return signs })) >= bound {
				extreme++
			}
		}
		return float64(extreme) / float64(uint64(1)<<n)
	}
	random := newGenerator(seed)
	for range draws {
		if math.Abs(sums.of(func(int) uint64 { return random.next() })) >= bound {
			extreme++
		}
	}
	return float64(1+extreme) / float64(1+draws)
}

// rounding is how far equal sums may differ, as a share of the sum of all magnitudes.
const rounding = 1e-12

// signedSums has, for each eight numbers, their sums with all combinations of signs.
type signedSums [][256]float64

func newSignedSums(numbers []float64) signedSums {
	sums := make(signedSums, (len(numbers)+7)/8)
	for i := range sums {
		for signs := range 256 {
			for j, x := range numbers[8*i : min(len(numbers), 8*i+8)] {
				if bits.Len8(uint8(signs)&(1<<j)) > 0 {
					x = -x
				}
				sums[i][signs] += x
			}
		}
	}
	return sums
}

// of returns the sum of all numbers. signs returns the signs of the 64 numbers of each word.
func (s signedSums) of(signs func(word int) uint64) (sum float64) {
	var word uint64
	for i := range s {
		if i%8 == 0 {
			word = signs(i / 8)
		}
		sum += s[i][uint8(word)]
		word >>= 8
	}
	return sum
}
