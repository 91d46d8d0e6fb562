package confidence

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The simulation behind docs/studies.md: a tenth of many differences are five standard errors
// large. With few groups, Holm's adjustment shows fewer of these, because its p-values are in the
// far tails of Student's t. Benjamini and Hochberg's adjustment shows hardly fewer.
func TestSimulatedPowerOfFewGroups(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulation, which shares nothing between goroutines")
	}
	t.Parallel()
	const real, size = 10, 5.0 // one in ten is real
	adjusts := []func([]float64) []float64{Holm, BenjaminiHochberg}
	for _, n := range []int{100, 1000, 10_000} {
		for _, groups := range []int{20, 50, 100, 200} {
			r := rand.New(rand.NewPCG(uint64(n), uint64(groups)))
			var shown, exact [2]float64 // in percent
			for range 20_000 / n {
				p, normal, replicates := make([]float64, n), make([]float64, n), make([]float64, groups)
				for i := range p {
					for g := range replicates {
						replicates[g] = r.NormFloat64() * math.Sqrt(float64(groups)) / float64(groups-1) // standard error 1, but for chance
					}
					se, dof := Jackknife(replicates)
					d := -sum(replicates) * float64(groups-1) / float64(groups)
					if i%real == 0 {
						d += size
					}
					p[i], normal[i] = PValue(d/se, dof), math.Erfc(math.Abs(d)/math.Sqrt2)
				}
				for a, adjust := range adjusts {
					of, with := adjust(p), adjust(normal)
					for i := 0; i < n; i += real {
						shown[a] += 100 * share(of[i] <= 0.05) * real / 20_000
						exact[a] += 100 * share(with[i] <= 0.05) * real / 20_000
					}
				}
			}
			t.Logf("%d differences, %d groups: holm shows %.0f %%, bh %.0f %%; with known standard errors %.0f and %.0f %%", n, groups, shown[0], shown[1], exact[0], exact[1])
			coarse := NormalQuantile(1-0.05/float64(n))+1./3 < TQuantile(1-0.05/float64(n), float64(groups-1))
			require.Equal(t, coarse, exact[0]-shown[0] > 10, "compare warns of what misses a tenth")
			require.Less(t, exact[1]-shown[1], 6.0)
		}
	}
}

func share(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
