package metrics

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDistributionsOfOneClass: a soft label that is all on one class gives the
// same bits as that class.
func TestDistributionsOfOneClass(t *testing.T) {
	for _, score := range []ScoreType{Probability, Logit} {
		p := params(t, Multiclass, 4, score)
		for seed := range uint64(40) {
			t.Logf("seed %d", seed)
			b := drawBatch(source(seed), p, 12)
			b.Distribution = nil
			want := folded(t, p, b).Append(nil)
			b.Distribution = make([]float64, len(b.Probability))
			for r, class := range b.Class {
				b.Distribution[r*b.Labels+int(class)] = 1
			}
			require.Equal(t, want, folded(t, p, b).Append(nil))
		}
	}
}

func TestSoftLossesByHand(t *testing.T) {
	b := softBatch([][]float64{{.25, .75}, {.5, .5}}, [][]float64{{.5, .5}, {.2, .8}})
	b.Weight = []float64{1, 3}
	got := evaluated(t, params(t, Multiclass, 2, Probability), b, Options{})
	require.InDelta(t, (math.Ln2-1.5*math.Log(.2)-1.5*math.Log(.8))/4, got[key{"log_loss", -1}].Number, 1e-15)
	require.InDelta(t, (2*.0625+3*2*.09)/4, got[key{"brier", -1}].Number, 1e-15)
}

// TestImpossibleClasses: the loss of a class counts by its truth, so not at all
// where that is 0.
func TestImpossibleClasses(t *testing.T) {
	truth := [][]float64{{0, .5, .5}}
	of := func(b *Batch, score ScoreType) float64 {
		return evaluated(t, params(t, Multiclass, 3, score), finish(b, Multiclass), Options{})[key{"log_loss", -1}].Number
	}
	b := softBatch(truth, [][]float64{{0, .5, .5}})
	require.Equal(t, math.Ln2, of(b, Probability))
	b = softBatch(truth, [][]float64{{.5, .5, 0}})
	require.InDelta(t, math.Ln2/2-math.Log(machineEpsilon)/2, of(b, Probability), 1e-14)
	b.Probability, b.Logit = nil, []float64{-inf, 1, 1}
	require.Equal(t, math.Ln2, of(b, Logit))
	b.Probability, b.Logit = nil, []float64{0, 1, -inf}
	require.Equal(t, inf, of(b, Logit))
}

// TestSoftLabelsAreTheirTopClass: all but the losses take the most probable
// class, of equals the first, for the true one.
func TestSoftLabelsAreTheirTopClass(t *testing.T) {
	p := params(t, Multiclass, 3, Probability)
	b := softBatch([][]float64{{.4, .4, .2}, {.1, .2, .7}}, [][]float64{{.6, .3, .1}, {.5, .2, .3}})
	hard := *b
	hard.Distribution, hard.Class = nil, []int32{0, 2}
	soft, want := evaluated(t, p, b, Options{}), evaluated(t, p, finish(&hard, Multiclass), Options{})
	for k, r := range want {
		switch k.name {
		case "log_loss", "brier", kappaLossNames[0], kappaLossNames[1]:
			require.NotEqual(t, r.Number, soft[k].Number, k.name)
		default:
			require.Equal(t, math.Float64bits(r.Number), math.Float64bits(soft[k].Number), k.name)
		}
	}
}
