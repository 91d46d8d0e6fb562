package baselinechanges

import (
	"math"

	"github.com/beameval/beameval/internal/elementary"
)

// McNemar returns the p-value of McNemar's exact test: of a and b examples on which only the one and
// only the other prediction is right, how probable a division as uneven as this one is if both are
// equally likely. It is twice a tail of the binomial distribution with a probability of ½, at most 1.
func McNemar(a, b int64) float64 {
	n, k := float64(a+b), float64(min(a, b))
	if a == b {
		return 1
	}
	// From the greatest term of the tail on, the terms decrease; after some 10 √n they are too small
	// to count.
	sum, term := 1.0, 1.0
	for i := k; i > 0 && term > sum*0x1p-60; i-- {
		term = float64(term * (i / (n - i + 1)))
		sum += term
	}
	return min(2*probability(n, k)*sum, 1)
}

// probability returns the probability of k successes in n trials that succeed with probability ½, by
// Loader's saddle-point expansion, which does not lose digits where n is large.
func probability(n, k float64) float64 {
	if k == 0 {
		return math.Ldexp(1, -int(min(n, 1<<20)))
	}
	exponent := stirling(n) - stirling(k) - stirling(n-k) - deviance(k, n/2) - deviance(n-k, n/2)
	return elementary.Exp(exponent) * math.Sqrt(n/(2*math.Pi*k*(n-k)))
}

// stirling returns log n! less Stirling's approximation (n+½) log n - n + ½ log 2π.
func stirling(n float64) float64 {
	if n < 16 {
		factorial := 1.0
		for i := 2.0; i <= n; i++ {
			factorial *= i
		}
		return elementary.Log(factorial) - float64((n+0.5)*elementary.Log(n)) + n - halfLogTau
	}
	square := float64(n * n)
	sum := 1.0 / 1188
	for _, c := range [...]float64{-1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12} {
		sum = c + sum/square
	}
	return sum / n
}

const halfLogTau = 0.918938533204672741780329736405617639

// deviance returns x log(x/m) + m - x.
func deviance(x, m float64) float64 {
	d := (x - m) / (x + m)
	if math.Abs(d) >= 0.1 {
		return float64(x*elementary.Log(x/m)) + m - x
	}
	// 2x atanh(d) + m - x, where the first term of the series is subtracted exactly.
	sum := float64((x - m) * d)
	term, square := float64(2*x*d), float64(d*d)
	for j := 3.0; ; j += 2 {
		term *= square
		next := sum + term/j
		if next == sum {
			return sum
		}
		sum = next
	}
}
