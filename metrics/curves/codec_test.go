package curves

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// TestDecodingRefusesWhatNothingEncodesTo: decoding refuses bytes that no statistic encodes to,
// above all those with contents that merging would lose.
func TestDecodingRefusesWhatNothingEncodesTo(t *testing.T) {
	floats := func(dst []byte, list ...float64) []byte {
		for _, x := range list {
			dst = wire.AppendFloat(dst, x)
		}
		return dst
	}
	var one exact.Sum
	one.Add(1)
	ofNothing := append(one.Append(append(floats(nil, 0, 0), 0)), 0, 0, 0, 0, 0, 0, 0, 0) // the other sums are empty
	for name, c := range map[string]struct {
		data []byte
		into func([]byte) error
		want string
	}{
		"negative totals":       {floats(nil, 1, math.Copysign(0, -1)), decodes[Accumulator], "1 positives and -0 negatives"},
		"totals that are NaN":   {floats(nil, math.NaN(), 1), decodes[Accumulator], "NaN positives"},
		"sums of nothing":       {ofNothing, decodes[Accumulator], "sums over a curve of nothing"},
		"no such kind":          {floats(append(floats(nil, 1, 1), 1, 99), 0.5, 1, 1), decodes[Accumulator], "no such criterion"},
		"totals without lines":  {append(floats(nil, 1, 2), 0, 0), decodes[Outline], "without lines"},
		"points without lines":  {append(floats(nil, 0, 0), 0, 1, 1, 0, 1, 0, 1, 1), decodes[Outline], "a point that is NaN, or of no curve"},
		"points that are NaN":   {floats(append(floats(nil, 1, 1), 5, 1, 1, 0, 0, 0), math.NaN(), 1), decodes[Outline], "a point that is NaN, or of no curve"},
		"scores that are NaN":   {append(floats(nil, 1, 1), 5, 1, 1, 0, 1, 0, 1, 1), decodes[Outline], "a point that is NaN, or of no curve"},
		"scores below all":      {append(floats(nil, 1, 1), 5, 1, 1, 0, 1, 2, 1, 1), decodes[Outline], "scores of an outline that no image has"},
		"shifts of all bits":    {append(floats(nil, 1, 1), 5, 1, 1, 64, 1, 2, 1, 1), decodes[Outline], "count 64 exceeds 63"},
		"bits without bins":     {[]byte{0, 3, 0, 0}, decodes[Histogram], "0 of 0 bins, 3 bits dropped"},
		"more bins than bound":  {[]byte{2, 0, 2, 1, 2, 0, 1, 2, 0}, decodes[Histogram], "2 of 1 bins"},
		"even without bins":     {[]byte{1, 0, 0}, decodes[Histogram], "0 of 0 bins, 0 bits dropped"},
		"too many bits dropped": {[]byte{18, 65, 0}, decodes[Histogram], "count 65 exceeds 64"},
		"keys of dropped bits":  {[]byte{19, 65, 1, 0, 1, 0}, decodes[Histogram], "are too large"},
		"other weights of none": {[]byte{18, 0, 1, 0, 1, 5, 0, 0}, decodes[Histogram], "no weight but 1"},
		"keys of 65 bits":       {[]byte{18, 0, 2, 63, 1, 0, 2, 0}, decodes[Histogram], "keys do not increase"},
		"bins of nothing":       {[]byte{18, 0, 1, 0, 1, 4, 0}, decodes[Histogram], "a bin without examples"},
		"keys that do not grow": {[]byte{18, 0, 2, 0, 1, 0, 0, 0}, decodes[Histogram], "keys do not increase"},
	} {
		require.ErrorContains(t, c.into(c.data), c.want, name)
	}
}

// decodes decodes a statistic.
func decodes[T any, P fields.Record[T]](data []byte) error { return decode(data, P(new(T))) }
