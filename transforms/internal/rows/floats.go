package rows

import (
	"math"
	"math/bits"
)

// form is a way to send floats as integers.
type form struct {
	integer func(float64) int64
	float   func(int64) float64
}

// The forms, from the shortest. The sign becomes the lowest bit: magnitudes, other
// than numbers of both signs, share their upper bits.
var forms = []form{
	{ // whole numbers
		func(f float64) int64 { return int64(f) },
		func(v int64) float64 { return float64(v) },
	},
	{ // float32
		func(f float64) int64 { return int64(bits.RotateLeft32(math.Float32bits(float32(f)), 1)) },
		func(v int64) float64 { return float64(math.Float32frombits(bits.RotateLeft32(uint32(v), -1))) },
	},
	{ // float64; the top bit is turned for magnitudes to ascend as signed integers do
		func(f float64) int64 { return int64(bits.RotateLeft64(math.Float64bits(f), 1) ^ 1<<63) },
		func(v int64) float64 { return math.Float64frombits(bits.RotateLeft64(uint64(v)^1<<63, -1)) },
	},
}

// formOf returns the first form in which all floats keep their bits.
func formOf(values []float64) byte {
	whole, single := true, true
	for _, f := range values {
		whole = whole && math.Abs(f) <= 1<<53 && sameBits(f, float64(int64(f)))
		single = single && sameBits(f, float64(float32(f)))
		if !single && !whole {
			return 2
		}
	}
	if whole {
		return 0
	}
	return 1
}

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
