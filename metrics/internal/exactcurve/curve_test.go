package exactcurve

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFullBinsOfEqualWeight: with 49 bins of one example each, 1/49·49 must not
// put two into the first.
func TestFullBinsOfEqualWeight(t *testing.T) {
	for _, bins := range []int{1, 7, 49, 98} {
		for above := range 98 {
			require.EqualValues(t, above*bins/98, quantile(float64(above), 98, bins))
		}
		require.EqualValues(t, bins-1, quantile(98, 98, bins))
	}
	require.EqualValues(t, 9, quantile(math.MaxFloat64, math.MaxFloat64, 10))
}
