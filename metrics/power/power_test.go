package power

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// known is a test with a known standard error at the usual level.
var known = Test{Level: 0.95, DOF: math.Inf(1)}

// TestPublishedSizes: Miller (2024), Adding Error Bars to Evals, section 5, in its own numbers. The
// variance of the difference of a question is ω² plus the variances within both models, divided by
// the number of answers.
func TestPublishedSizes(t *testing.T) {
	const omega, sigma, effect = 1. / 9, 1. / 6, 0.03
	for _, c := range []struct{ variance, questions float64 }{{omega, 969}, {omega + sigma + sigma, 3876}} {
		require.Equal(t, c.questions, math.Ceil(known.Examples(1, math.Sqrt(c.variance), effect, Usual)))
	}
	// 164 questions, half of them right, asked two models that have nothing in common.
	require.InDelta(t, 15.47, 100*known.Effect(math.Sqrt(2*0.25/164), Usual), 0.005)
}

// TestQuantiles: t and z as in tables, from scipy.stats.t.ppf and norm.ppf.
func TestQuantiles(t *testing.T) {
	for _, c := range []struct{ dof, level, power, want float64 }{
		{9, 0.95, 0.8, 2.2621571627409915 + 0.8834038596855346},
		{49, 0.95, 0.8, 2.0095752371292392 + 0.8490183985380773},
		{math.Inf(1), 0.95, 0.8, 1.959963984540054 + 0.8416212335729143},
		{math.Inf(1), 0.95, 0.5, 1.959963984540054},
		{math.Inf(1), 0.9, 0.2, 1.6448536269514722 - 0.8416212335729143},
	} {
		require.InDelta(t, c.want, Test{c.level, c.dof}.Effect(1, c.power), 1e-8)
	}
}

// TestInverse: the three questions have one answer.
func TestInverse(t *testing.T) {
	for _, dof := range []float64{1, 9, 49.5, math.Inf(1)} {
		for _, power := range []float64{0.3, 0.5, 0.8, 0.99} {
			test := Test{Level: 0.99, DOF: dof}
			effect := test.Effect(0.02, power)
			require.InDelta(t, power, test.Power(effect, 0.02), 1e-12)
			require.InDelta(t, power, test.Power(-effect, 0.02), 1e-12)
			require.InDelta(t, 500, test.Examples(500, 0.02, effect, power), 1e-9)
			require.InDelta(t, 2000, test.Examples(500, 0.02, effect/2, power), 1e-8, "half the effect takes four times the examples")
		}
	}
	require.InDelta(t, 0.025, known.Power(0, 1), 1e-15, "chance, in this direction")
}

// TestNoncentral: the power of Student's test has no closed form. Integrated over the estimates of the
// standard error, it is what the sum of two quantiles says, to a point. (At a power of 0.5, the sum is too long: the
// power is 0.52 with 9 degrees of freedom.)
func TestNoncentral(t *testing.T) {
	for _, dof := range []float64{5, 9, 19, 49} {
		for _, power := range []float64{0.8, 0.9, 0.95} {
			test := Test{Level: 0.95, DOF: dof}
			effect, sum, mass := test.Effect(1, power), 0.0, 0.0
			for s := 0.0005; s < 5; s += 0.001 { // the density of √(χ²/dof), but for a constant
				density := math.Exp((dof-1)*math.Log(s) - dof*s*s/2 + dof/2)
				mass += density
				sum += density * (math.Erfc((test.critical()*s-effect)/math.Sqrt2) / 2)
			}
			require.InDelta(t, power, sum/mass, 0.01, "%v degrees of freedom, power %v", dof, power)
		}
	}
}

// TestAUC: two published sizes for one curve against 0.5, as power.roc.test of pROC computes them.
func TestAUC(t *testing.T) {
	require.InDelta(t, 0.80, SmallestAUC(20, 20, 0.95, 0.95), 0.01)
	require.InDelta(t, 0.72, SmallestAUC(40, 40, 0.95, 0.95), 0.01)
	for _, auc := range []float64{0.55, 0.7, 0.9, 0.99} {
		for _, ratio := range []float64{0.1, 1, 20} {
			n := CasesForAUC(auc, ratio, 0.95, Usual)
			require.InDelta(t, auc, SmallestAUC(n, n*ratio, 0.95, Usual), 1e-9)
		}
	}
	require.Less(t, CasesForAUC(0.7, 10, 0.95, Usual), CasesForAUC(0.7, 1, 0.95, Usual), "negatives help")
	require.Equal(t, 1.0, SmallestAUC(2, 2, 0.95, Usual), "no area is shown by so few")
}

func TestRuleOfThree(t *testing.T) {
	require.InDelta(t, 3./1000, NoneSeen(1000, 0.95), 1e-5)
	require.InDelta(t, 1-math.Pow(0.05, 1./20), NoneSeen(20, 0.95), 1e-15)
	for _, n := range []float64{1, 30, 1e6} {
		require.InEpsilon(t, n, ExamplesWithNone(NoneSeen(n, 0.99), 0.99), 1e-9)
	}
}

// TestDesignEffect: rows that are copies of each other say no more than one of them.
func TestDesignEffect(t *testing.T) {
	independent := math.Sqrt(0.3 * 0.7 / 400)
	require.InDelta(t, 1, DesignEffect(0.3, 400, independent), 1e-12)
	require.InDelta(t, 5, DesignEffect(0.3, 5*400, independent), 1e-12)
}
