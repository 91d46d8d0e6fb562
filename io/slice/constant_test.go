package slice

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestConstants: a constant is the same as a value in the type of the value, whatever its spelling.
func TestConstants(t *testing.T) {
	for _, c := range []struct {
		text      string
		same, not []Value
	}{
		{"1", []Value{Int(1), Float(1), String("1")}, []Value{Bool(true), String("1.0"), Null(), Int(2)}},
		{"1.0", []Value{Int(1), Float(1), String("1.0")}, []Value{Bool(true), String("1")}},
		{"+1e0", []Value{Int(1), String("+1e0")}, []Value{String("1")}},
		{"007", []Value{Int(7), String("007")}, []Value{String("7")}},
		{"-0.0", []Value{Int(0), Float(math.Copysign(0, -1))}, []Value{Bool(false), String("0")}},
		{"0.7", []Value{Float(0.7), String("0.7")}, []Value{Float(float64(float32(0.7))), Int(0)}},
		{".7", []Value{Float(0.7)}, []Value{String("0.7")}},
		{"True", []Value{Bool(true), String("True")}, []Value{Int(1), Bool(false), String("true")}},
		{"FALSE", []Value{Bool(false)}, []Value{Int(0), Null(), Bool(true)}},
		{"", []Value{String("")}, []Value{Null(), Int(0), Bool(false)}},
		{"null", []Value{String("null")}, []Value{Null()}},
		{".inf", []Value{Float(math.Inf(1))}, []Value{Float(math.Inf(-1))}},
		{"-.inf", []Value{Float(math.Inf(-1))}, nil},
		{".nan", []Value{Float(math.NaN())}, []Value{Null(), Int(0)}},
		{"NaN", []Value{Float(math.NaN()), String("NaN")}, nil},
		{"9007199254740993", []Value{Int(1<<53 + 1)}, []Value{Int(1 << 53), Int(1<<53 + 2)}},
		{"9007199254740992.0", []Value{Int(1 << 53), Float(1 << 53)}, []Value{Int(1<<53 + 1)}},
		{"9223372036854775808", []Value{Float(1 << 63)}, []Value{Int(math.MaxInt64), Int(math.MinInt64)}},
		{"-9223372036854775808", []Value{Int(math.MinInt64), Float(-1 << 63)}, nil},
		{"1e400", []Value{String("1e400")}, []Value{Float(math.Inf(1))}},
		{"1e-400000000", []Value{Int(0)}, nil},
		{"a", []Value{String("a")}, []Value{String("A"), Null(), Float(math.NaN())}},
	} {
		for _, v := range c.same {
			require.True(t, Written(c.text).Is(v), "%s, %s", c.text, v)
		}
		for _, v := range c.not {
			require.False(t, Written(c.text).Is(v), "%s, %s", c.text, v)
		}
	}
	require.True(t, Constant{}.Is(Null()))
	for _, v := range []Value{Int(0), Bool(false), String(""), Float(math.NaN())} {
		require.False(t, Constant{}.Is(v), v)
	}
}

// TestConstantsOfText: what a report writes of a value means the value, in every spelling of a number.
func TestConstantsOfText(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 10_000 {
		i, f := r.Int64()>>r.IntN(63), math.Float64frombits(r.Uint64())
		for _, v := range []Value{Int(i), Float(f), Bool(i&1 == 0), String(strconv.FormatInt(i, 36)), Null()} {
			require.True(t, v.Written().Is(v), v)
			require.True(t, v.AsText().Written().Is(v), v)
		}
		if max(i, -i) <= 1<<53 {
			require.True(t, Written(strconv.FormatInt(i, 10)+".0").Is(Int(i)), i)
		}
		if f == f && !math.IsInf(f, 0) {
			require.True(t, Written(strconv.FormatFloat(f, 'e', -1, 64)).Is(Float(f)), f)
		}
		require.False(t, Written(strconv.FormatInt(i, 10)).Is(Int(i^1)), i)
	}
}
