package metrics

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
)

func TestDecodingRefusesWhatNoPartialIs(t *testing.T) {
	of := func(k kind, numbers ...uint64) []byte {
		data := []byte{byte(k)}
		for _, n := range numbers {
			data = wire.AppendUint(data, n)
		}
		return data
	}
	// The curve of one row, with all but its median empty.
	curve := of(kindLabelCurves, 1, 0, 1, 0, 0, 0)
	curve = append(curve, make([]byte, 2*8+1+5*2+2*8+2)...) // areas and outline
	curve = append(curve, 0, 0, 0, 0)                       // gain, pairs and bins
	median := func(lower, upper float64) []byte {
		return append(wire.AppendFloat(wire.AppendFloat(slices.Clip(curve), lower), upper), 0, 0, 0) // isotonic fit
	}
	_, err := DecodePartial(median(1, 2))
	require.NoError(t, err)
	// A grid of cells of side 1, with two of them; and another that is empty.
	grid := func(exponent, tallied uint64, corners ...float64) []byte {
		data := of(kindErrorSpread, 0, 0, exponent, uint64(len(corners)/2))
		for i, x := range corners {
			if data = wire.AppendUint(data, bits.Reverse64(math.Float64bits(x))); i%2 == 1 {
				data = append(data, byte(tallied), 0)
			}
		}
		return append(data, 0, 0, 0, 0)
	}
	_, err = DecodePartial(grid(0, 1, -3, 0, 1, 7))
	require.NoError(t, err)
	sums := make([]uint64, 2*(int(numMoments)+3*int(numProducts)))
	negative := append(wire.AppendFloat(of(kindResiduals, sums...), -1), 0, 0)
	for want, data := range map[string][]byte{
		"-3 is negative":                            median(-3, 2),
		"curve: 2 and 1 are no median":              median(2, 1),
		"curve: 1 and NaN are no median":            median(1, math.NaN()),
		fmt.Sprintf("unexpected kind %d", numKinds): {byte(numKinds)},
		"unexpected kind 0":                         {0, 0, 0, 0, 0},
		"truncated":                                 {0},
		"tally: 3 of 2 rows":                        of(kindExamples, 2, 3),
		"tally: 0 of -1 rows":                       of(kindExamples, math.MaxUint64, 0),
		"sum: unknown flag 9":                       of(kindExamples, 2, 1, 9, 0),
		"sum: unknown sign 2":                       of(kindExamples, 2, 1, 2, 2, 0),
		"count 69 exceeds 68":                       of(kindExamples, 2, 1, 0, 69, 0),
		"count 7 exceeds 0":                         of(kindExamples, 2, 1, 0, 68, 7),
		"confusion matrix: cell 9 of 3 classes":     of(kindConfusion, 3, 1, 9, 1, 0),
		"confusion matrix: cell 0 of 0 classes":     of(kindConfusion, 0, 1, 0, 1, 0),
		"keys do not increase":                      of(kindConfusion, 3, 2, 1, 1, 0, 0, 1, 0),
		"nothing has key 7":                         of(kindConfusion, 3, 1, 7, 0, 0),
		"calibration: no bins":                      of(kindCalibration, 0, 1, 0, 1, 0, 0, 0, 0, 0),
		"count 99 exceeds":                          of(kindLabelCounts, 99),
		"-1 is negative":                            negative,
		"grid: 0 cells of side 2^1001":              grid(2002, 1),
		"grid: 2000 cells of side 2^0":              grid(0, 1, make([]float64, 4000)...),
		"grid: 0.5, 0 is no corner":                 grid(0, 1, 0.5, 0),
		"grid: -0, 0 is no corner":                  grid(0, 1, math.Copysign(0, -1), 0),
		"grid: NaN, 0 is no corner":                 grid(0, 1, math.NaN(), 0),
		"grid: 1, 7 is no corner":                   grid(0, 1, 1, 8, 1, 7),
		"grid: a cell without points":               grid(0, 0, 1, 7),
		"count 99 exceeds 43":                       append(of(kindQuerySpread, 99), make([]byte, 2*(queryBins+1))...),
	} {
		_, err := DecodePartial(data)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "decoding statistics: ")
	}
	for cut := range len(negative) {
		_, err := DecodePartial(negative[:cut])
		require.Equal(t, cut == 0, err == nil, "cut to %d bytes", cut)
	}
}
