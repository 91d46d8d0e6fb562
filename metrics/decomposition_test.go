package metrics

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDecompositionIsExact: the parts of a score add up to it as real numbers, and as floats if they are
// added in the order of the documentation.
func TestDecompositionIsExact(t *testing.T) {
	names := []string{"brier", "log_loss", "miscalibration", "discrimination", "uncertainty", "log_loss_miscalibration", "log_loss_discrimination", "log_loss_uncertainty"}
	for _, score := range []ScoreType{Probability, Logit} {
		p := params(t, Binary, 1, score)
		p.Metrics = names
		p = curveParams(t, *p)
		finite := 0
		for seed := range uint64(300) {
			r := source(seed)
			b := drawBatch(r, p, 1+r.IntN(40))
			got := results(t, p, collected(t, r, p, b), Options{})
			for prefix, of := range map[string]string{"": "brier", "log_loss_": "log_loss"} {
				whole := got[key{of, -1}]
				if whole.Undefined != "" || whole.Number > 1e300 {
					continue
				}
				finite++
				mcb, dsc, unc := got[key{prefix + "miscalibration", -1}].Number, got[key{prefix + "discrimination", -1}].Number, got[key{prefix + "uncertainty", -1}].Number
				require.GreaterOrEqual(t, mcb, 0.0)
				require.GreaterOrEqual(t, dsc, 0.0)
				require.Equal(t, whole.Number, unc-dsc+mcb, "seed %d: %s", seed, of)
				of := func(x float64) *big.Float { return new(big.Float).SetPrec(3000).SetFloat64(x) }
				sum := of(mcb)
				sum.Add(sum.Sub(sum, of(dsc)), of(unc))
				require.Zero(t, sum.Cmp(of(whole.Number)), "seed %d: %s", seed, of)
			}
		}
		require.Greater(t, finite, 200)
	}
}
