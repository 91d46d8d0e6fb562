package metrics

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

var inf = math.Inf(1)

// near compares to 4 units in the last place.
func near(t *testing.T, want, got float64, args ...any) {
	t.Helper()
	if math.IsInf(want, 0) || want == 0 {
		require.Equal(t, want, got, args...)
		return
	}
	require.InDelta(t, 1, got/want, 0x1p-50, args...)
}

// The values are mpmath's, to 50 digits, rounded once.
func TestLogisticLossKeepsItsPrecision(t *testing.T) {
	for _, c := range []struct{ z, ofNegative, sigmoid float64 }{
		{0.0, 0.6931471805599453, 0.5},
		{1e-300, 0.6931471805599453, 0.5},
		{-1e-300, 0.6931471805599453, 0.5},
		{1e-09, 0.6931471810599453, 0.50000000025},
		{0.5, 0.9740769841801067, 0.6224593312018546},
		{-0.5, 0.4740769841801067, 0.37754066879814546},
		{1.0, 1.3132616875182228, 0.7310585786300049},
		{-1.0, 0.3132616875182228, 0.2689414213699951},
		{3.25, 3.288041371687783, 0.9626731126558705},
		{-3.25, 0.038041371687783126, 0.03732688734412946},
		{17.0, 17.000000041399375, 0.9999999586006245},
		{-17.0, 4.139937633089748e-08, 4.1399375473943306e-08},
		{36.5, 36.5, 0.9999999999999999},
		{-36.5, 1.4068617124461467e-16, 1.4068617124461467e-16},
		{40.0, 40.0, 1.0},
		{-40.0, 4.248354255291589e-18, 4.248354255291589e-18},
		{300.0, 300.0, 1.0},
		{-300.0, 5.148200222412013e-131, 5.148200222412013e-131},
		{700.0, 700.0, 1.0},
		{-700.0, 9.85967654375977e-305, 9.85967654375977e-305},
		{1000.0, 1000.0, 1.0},
		{-1000.0, 0.0, 0.0},
		{1e+308, 1e+308, 1.0},
		{-1e+308, 0.0, 0.0},
		{inf, inf, 1},
		{-inf, 0, 0},
	} {
		near(t, c.ofNegative, logisticLoss(c.z, false), "negative at %v", c.z)
		near(t, c.ofNegative, logisticLoss(-c.z, true), "positive at %v", -c.z)
		near(t, c.sigmoid, sigmoid(c.z), "sigmoid at %v", c.z)
	}
}

// The values are mpmath's, to 50 digits, rounded once.
func TestSoftmaxKeepsItsPrecision(t *testing.T) {
	for _, c := range []struct{ logits, losses []float64 }{
		{[]float64{0.0, 0.0}, []float64{0.6931471805599453, 0.6931471805599453}},
		{[]float64{0.2, 0.5, 0.1, 0.0}, []float64{1.404484654669492, 1.104484654669492, 1.504484654669492, 1.604484654669492}},
		{[]float64{1000.0, -1000.0}, []float64{0.0, 2000.0}},
		{[]float64{-1000.0, -1000.0, -1001.0}, []float64{0.8619948040582511, 0.8619948040582511, 1.861994804058251}},
		{[]float64{1000.0, 999.0, 998.5}, []float64{0.46436878410794485, 1.464368784107945, 1.964368784107945}},
		{[]float64{40.0, 0.0}, []float64{4.248354255291589e-18, 40.0}},
		{[]float64{0.0, -40.0, -41.5}, []float64{5.196290220642065e-18, 40.0, 41.5}},
		{[]float64{1000000.0, 999999.0, 999970.0}, []float64{0.31326168751829125, 1.3132616875182912, 30.313261687518292}},
		{[]float64{-745.5, -745.5, -800.0}, []float64{0.6931471805599453, 0.6931471805599453, 55.19314718055995}},
		{[]float64{1e+308, -1e+308}, []float64{0.0, inf}},
		{[]float64{1000000000000000.0, 1000000000000001.0, 3.0}, []float64{1.3132616875182228, 0.3132616875182228, 999999999999998.4}},
		// Infinite logits share all of the probability.
		{[]float64{inf, 0, -inf}, []float64{0, inf, inf}},
		{[]float64{inf, 3, inf}, []float64{math.Ln2, inf, math.Ln2}},
		{[]float64{-inf, 3}, []float64{inf, 0}},
		{[]float64{-inf, -inf, -inf, -inf}, []float64{2 * math.Ln2, 2 * math.Ln2, 2 * math.Ln2, 2 * math.Ln2}},
		{[]float64{7}, []float64{0}},
		{[]float64{-inf}, []float64{0}},
	} {
		p := make([]float64, len(c.logits))
		softmax(p, c.logits)
		whole := logSumExp(c.logits)
		for i, z := range c.logits {
			near(t, c.losses[i], whole.loss(z), "loss of %d of %v", i, c.logits)
			if want := math.Exp(-c.losses[i]); want == 0 {
				require.Zero(t, p[i])
			} else { // the loss itself was rounded
				require.InDelta(t, 1, p[i]/want, 1e-13, "softmax of %d of %v", i, c.logits)
			}
		}
	}
}

func TestTopLabelIsTheFirstOfEquals(t *testing.T) {
	require.Equal(t, 1, TopLabel([]float64{0.1, 0.45, 0.45}))
	require.Equal(t, 0, TopLabel([]float64{-inf, -inf}))
	require.Equal(t, 0, TopLabel([]float64{3}))
}

func TestCompleteReusesItsBuffers(t *testing.T) {
	b := &Batch{Rows: 2, Labels: 2, Class: []int32{0, 1}, Logit: []float64{0, 0, -inf, 5}}
	b.Complete(Multiclass)
	require.Equal(t, []float64{0.5, 0.5, 0, 1}, b.Probability)
	require.Equal(t, []float64{0.5, 1}, b.Confidence)
	require.Equal(t, []bool{true, true}, b.Correct)
	require.Zero(t, testing.AllocsPerRun(10, func() { b.Complete(Multiclass) }))
	b.Rows, b.Class, b.Logit = 1, b.Class[1:], b.Logit[2:]
	b.Complete(Multiclass)
	require.Equal(t, []float64{0, 1}, b.Probability)
	require.Equal(t, []bool{true}, b.Correct)
}
