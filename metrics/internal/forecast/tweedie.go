package forecast

import (
	"math"

	"github.com/beameval/beameval/internal/elementary"
)

// TweedieDeviance returns the unit deviance of y from the positive mean p under Tweedie's
// distribution whose variance is p^power (Jørgensen 1987, as in scikit-learn): (y − p)² for power 0,
// Poisson's for 1, Gamma's for 2. It is NaN if it is undefined: unless power is 0, if p is not
// positive; from power 1 on if y is negative, from 2 on also if it is 0.
func TweedieDeviance(y, p, power float64) float64 {
	switch {
	case power == 0:
		return float64((y - p) * (y - p))
	case !(p > 0), power >= 1 && y < 0, power >= 2 && y == 0:
		return math.NaN()
	case power == 1 && y == 0:
		return float64(2 * p)
	case power == 1:
		return 2 * poissonLoss(y, p)
	case power == 2:
		return max(2*(elementary.Log(p/y)+(y-p)/p), 0)
	}
	// Divided by p^a, the deviance is a function of u = y/p: 2 (u^a − 1 − a (u − 1)) / (a (a − 1)).
	// A negative y counts as 0 in the power only.
	a, over := 2-power, (y-p)/p
	grown := -1.0 // u^a − 1
	if y > 0 {
		grown = elementary.Expm1(float64(a * elementary.Log1p(over)))
	}
	return max(float64(2*elementary.Pow(p, a)*((grown-float64(a*over))/float64(a*(a-1)))), 0)
}

// poissonLoss returns y log(y/p) - y + p, for positive numbers. If both are close, the terms nearly
// cancel; then it uses the series of Loader 2000 in (y-p)/(y+p).
func poissonLoss(y, p float64) float64 {
	r := y - p
	if !(math.Abs(r) < 0.1*(y+p)) || math.IsInf(y+p, 0) {
		return float64(y*elementary.Log(y/p)) - r
	}
	v := r / (y + p)
	total, term := float64(r*v), 2*float64(y*v)
	for k := 3.0; ; k += 2 {
		term = float64(term * float64(v*v))
		next := total + term/k
		if next == total {
			return total
		}
		total = next
	}
}
