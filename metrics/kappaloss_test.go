package metrics

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

var kappaLossNames = []string{"weighted_kappa_loss_linear", "weighted_kappa_loss_quadratic"}

// softBatch has rows of true distributions and probabilities.
func softBatch(truth, probability [][]float64) *Batch {
	b := &Batch{
		Rows: len(truth), Labels: len(truth[0]),
		Distribution: slices.Concat(truth...), Probability: slices.Concat(probability...),
	}
	for _, row := range truth {
		b.Class = append(b.Class, int32(TopLabel(row)))
	}
	b.Predicted = b.Class
	return finish(b, Multiclass)
}

// The worked examples of TensorFlow Addons' WeightedKappaLoss: the one with soft labels has linear
// weights, the one in its documentation has quadratic weights.
func TestKappaLossExamples(t *testing.T) {
	probabilities := [][]float64{{.1, .2, .6, .1}, {.1, .5, .3, .1}, {.8, .05, .05, .1}, {.01, .09, .1, .8}}
	other := slices.Clone(probabilities)
	other[0] = []float64{0, .1, .9, 0}
	hard := [][]float64{{0, 0, 1, 0}, {0, 1, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 1}}
	for _, c := range []struct {
		truth, probability [][]float64
		want               map[string]float64
	}{
		{probabilities, probabilities, map[string]float64{"weighted_kappa_loss_linear": -0.70533}},
		{probabilities, other, map[string]float64{"weighted_kappa_loss_linear": -0.80158}},
		{hard, probabilities, map[string]float64{"weighted_kappa_loss_quadratic": -1.1611923}},
	} {
		b := softBatch(c.truth, c.probability)
		got := evaluated(t, params(t, Multiclass, 4, Probability), b, Options{})
		for name, want := range c.want {
			require.InDelta(t, want, got[key{name, -1}].Number, 5e-6, name)
		}
	}
}

// naiveKappaLoss is the definition, in rational numbers but for the logarithm.
func naiveKappaLoss(b *Batch, of func(*big.Rat) *big.Rat) float64 {
	rat := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	mul := func(x, y *big.Rat) *big.Rat { return new(big.Rat).Mul(x, y) }
	margin := func() []*big.Rat { return fill(b.Labels, func() *big.Rat { return new(big.Rat) }) }
	truth, predicted, observed, n := margin(), margin(), new(big.Rat), new(big.Rat)
	for r := range b.Rows {
		w, mean := rat(b.weight(int32(r))), new(big.Rat)
		for k := range b.Labels {
			y := new(big.Rat)
			if b.Distribution != nil {
				y = rat(b.Distribution[r*b.Labels+k])
			} else if int(b.Class[r]) == k {
				y.SetInt64(1)
			}
			mean.Add(mean, mul(big.NewRat(int64(k), 1), y))
			truth[k].Add(truth[k], mul(w, y))
			predicted[k].Add(predicted[k], mul(w, rat(b.Probability[r*b.Labels+k])))
		}
		for k := range b.Labels {
			d := new(big.Rat).Sub(mean, big.NewRat(int64(k), 1))
			observed.Add(observed, mul(w, mul(of(d), rat(b.Probability[r*b.Labels+k]))))
		}
		n.Add(n, w)
	}
	chance := new(big.Rat)
	for i := range truth {
		for j := range predicted {
			chance.Add(chance, mul(of(big.NewRat(int64(i-j), 1)), mul(truth[i], predicted[j])))
		}
	}
	if chance.Sign() == 0 {
		return math.NaN()
	}
	ratio, _ := mul(observed, n).Quo(mul(observed, n), chance).Float64()
	return math.Log(ratio + 1e-6)
}

func TestKappaLossIsItsDefinition(t *testing.T) {
	t.Parallel()
	square := func(d *big.Rat) *big.Rat { return new(big.Rat).Mul(d, d) }
	abs := func(d *big.Rat) *big.Rat { return new(big.Rat).Abs(d) }
	found := 0
	for _, score := range []ScoreType{Probability, Logit} {
		p := params(t, Multiclass, 5, score)
		for seed := range uint64(60) {
			t.Logf("seed %d", seed)
			b := drawBatch(source(seed), p, 1+int(seed%7))
			got := evaluated(t, p, b, Options{})
			for name, of := range map[string]func(*big.Rat) *big.Rat{kappaLossNames[0]: abs, kappaLossNames[1]: square} {
				v, want := got[key{name, -1}], naiveKappaLoss(b, of)
				if math.IsNaN(want) {
					require.NotEmpty(t, v.Undefined, name)
					continue
				}
				// Near 10⁻⁶ the logarithm depends on the rounding of an example's distances.
				require.InDelta(t, 1, math.Exp(v.Number)/math.Exp(want), 1e-8, name)
				require.InDelta(t, math.Exp(want), math.Exp(v.Number), 1e-14, name)
				found++
			}
		}
	}
	require.Greater(t, found, 100)
}

// TestKappaLossOfDecisions: if all probability is on the predicted class, the
// loss follows from the kappa of the predictions.
func TestKappaLossOfDecisions(t *testing.T) {
	p := params(t, Multiclass, 6, Probability)
	r := source(3)
	b := &Batch{Rows: 40, Labels: 6, Weight: fill(40, r.Float64), Probability: make([]float64, 40*6)}
	b.Class = fill(40, func() int32 { return int32(r.IntN(6)) })
	b.Predicted = fill(40, func() int32 { return int32(r.IntN(6)) })
	for row, class := range b.Predicted {
		b.Probability[row*6+int(class)] = 1
	}
	got := evaluated(t, p, finish(b, Multiclass), Options{})
	for loss, kappa := range map[string]string{kappaLossNames[0]: "cohen_kappa_linear", kappaLossNames[1]: "cohen_kappa_quadratic"} {
		require.InDelta(t, math.Log(1-got[key{kappa, -1}].Number+1e-6), got[key{loss, -1}].Number, 1e-14)
	}
}

// TestKappaLossOfWholeWeights: an example of weight 3 is three examples.
func TestKappaLossOfWholeWeights(t *testing.T) {
	p := params(t, Multiclass, 4, Probability)
	for seed := range uint64(20) {
		b := drawBatch(source(seed), p, 10)
		b.Weight = nil
		var rows []int32
		weighted := *b
		for r := range 10 {
			weighted.Weight = append(weighted.Weight, float64(r%4))
			for range r % 4 {
				rows = append(rows, int32(r))
			}
		}
		want, got := evaluated(t, p, take(b, rows), Options{}), evaluated(t, p, &weighted, Options{})
		for _, name := range kappaLossNames {
			require.Equal(t, want[key{name, -1}].Value, got[key{name, -1}].Value)
		}
	}
}

func TestKappaLossWithoutValue(t *testing.T) {
	one, other := []float64{0, 1, 0}, []float64{1, 0, 0}
	for name, c := range map[string]struct {
		batch *Batch
		want  string
	}{
		"one class":      {softBatch([][]float64{one, one}, [][]float64{one, one}), noChanceDisagreement},
		"a single class": {softBatch([][]float64{{1}}, [][]float64{{1}}), noChanceDisagreement},
		"no probability": {softBatch([][]float64{one, other}, [][]float64{{0, 0, 0}, {0, 0, 0}}), noChanceDisagreement},
	} {
		got := evaluated(t, params(t, Multiclass, c.batch.Labels, Probability), c.batch, Options{ZeroDivision: 1})
		for _, metric := range kappaLossNames {
			require.Equal(t, c.want, got[key{metric, -1}].Undefined, name)
			require.True(t, math.IsNaN(got[key{metric, -1}].Number), name)
		}
	}
	b := softBatch([][]float64{one, other}, [][]float64{other, one})
	for want, weight := range map[string]float64{noExamples: 0, weightsTooLarge: math.MaxFloat64} {
		b.Weight = []float64{weight, weight}
		got := evaluated(t, params(t, Multiclass, 3, Probability), b, Options{})
		for _, metric := range kappaLossNames {
			require.Equal(t, want, got[key{metric, -1}].Undefined)
		}
	}
}

// TestKappaLossOfExtremes: weights neither vanish nor overflow.
func TestKappaLossOfExtremes(t *testing.T) {
	perfect := softBatch([][]float64{{1, 0}, {0, 1}}, [][]float64{{1, 0}, {0, 1}})
	wrong := softBatch([][]float64{{1, 0}, {0, 1}}, [][]float64{{0, 1}, {1, 0}})
	for _, weight := range []float64{5e-324, 1, heaviest / 2} {
		for b, want := range map[*Batch]float64{perfect: math.Log(1e-6), wrong: math.Log(2 + 1e-6)} {
			b.Weight = []float64{weight, weight}
			got := evaluated(t, params(t, Multiclass, 2, Probability), b, Options{})
			for _, name := range kappaLossNames {
				require.Equal(t, defined(want), got[key{name, -1}].Value, "%s of weight %v", name, weight)
			}
		}
	}
	b := &Batch{Rows: 2, Labels: 2, Class: []int32{0, 1}, Predicted: []int32{0, 1}, Logit: []float64{inf, -inf, -inf, inf}}
	got := evaluated(t, params(t, Multiclass, 2, Logit), finish(b, Multiclass), Options{})
	require.Equal(t, defined(math.Log(1e-6)), got[key{kappaLossNames[0], -1}].Value)
}
