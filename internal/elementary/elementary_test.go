package elementary

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// functions have one argument.
var functions = map[string]struct {
	here, inMath func(float64) float64
	units        float64 // in the last place: the greatest error
}{
	"Log":   {Log, math.Log, 0.52},
	"Log1p": {Log1p, math.Log1p, 0.52},
	"Log2":  {Log2, math.Log2, 0.52},
	"Exp":   {Exp, math.Exp, 0.52},
	"Expm1": {Expm1, math.Expm1, 0.52},
	"Tanh":  {Tanh, math.Tanh, 2},
	"Atanh": {Atanh, math.Atanh, 2},
	"Pow":   {nil, nil, 0.52},
}

// TestValues: values equal Python's decimal, which rounds correctly. Where ours differ, they are
// the other neighbour of the true value, which is then close to the middle.
func TestValues(t *testing.T) {
	file, err := os.Open("testdata/golden.txt")
	require.NoError(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	wrong, all := map[string]int{}, map[string]int{}
	for lines.Scan() {
		name, numbers, _ := strings.Cut(lines.Text(), " ")
		x := parse(t, numbers)
		got, want := 0.0, x[len(x)-1]
		if name == "Pow" {
			got = Pow(x[0], x[1])
		} else {
			got = functions[name].here(x[0])
		}
		unit := math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want)
		require.LessOrEqual(t, math.Abs(got-want), math.Ceil(functions[name].units)*unit, lines.Text())
		all[name]++
		if got != want {
			wrong[name]++
		}
	}
	require.NoError(t, lines.Err())
	require.Len(t, all, len(functions))
	for name, n := range all {
		if f := functions[name]; f.units < 1 {
			require.LessOrEqual(t, float64(wrong[name]), 2*(f.units-0.5)*float64(n), name)
		}
	}
}

func parse(t *testing.T, text string) (list []float64) {
	for _, field := range strings.Fields(text) {
		x, err := strconv.ParseFloat(field, 64)
		require.NoError(t, err)
		list = append(list, x)
	}
	return list
}

// TestSpecialCases: special cases are as in package math, and so are the values around them, but
// for the last places; math.Log2 has few correct places near 1.
func TestSpecialCases(t *testing.T) {
	arguments := []float64{0, 5e-324, 1e-310, 0x1p-1022, 1e-300, 1e-20, 0.5, 0.6875, 0.99999, 1, 1.00001, 1.375, 2, 19.9, 20.1, 37, 41, 709, 709.8, 711, 745.1, 745.2, 747, 1e10, 1e300,
		math.MaxFloat64, math.Inf(1)}
	for _, x := range arguments[:len(arguments):len(arguments)] {
		arguments = append(arguments, -x)
	}
	arguments = append(arguments, math.Copysign(0, -1), math.NaN())
	for _, x := range arguments {
		for name, f := range functions {
			if name != "Pow" && !(name == "Log" && subnormal(x)) {
				requireClose(t, f.inMath(x), f.here(x), name, x)
			}
		}
		for _, y := range arguments {
			requireClose(t, math.Hypot(x, y), Hypot(x, y), "Hypot", x, y)
			if !subnormal(x) {
				requireClose(t, math.Pow(x, y), Pow(x, y), "Pow", x, y)
			}
		}
	}
}

// subnormal says whether math.Log is wrong on amd64, and math.Pow with it.
func subnormal(x float64) bool { return x != 0 && math.Abs(x) < 0x1p-1022 }

func requireClose(t *testing.T, want, got float64, of ...any) {
	t.Helper()
	if math.IsNaN(want) || math.IsInf(want, 0) || want == 0 {
		require.Equal(t, math.Float64bits(want), math.Float64bits(got), of)
		return
	}
	require.InEpsilon(t, want, got, 1e-10, of)
}

// TestExact: whole results are exact.
func TestExact(t *testing.T) {
	for k := -1074; k <= 1023; k++ {
		x := math.Ldexp(1, k)
		require.Equal(t, float64(k), Log2(x))
		require.Equal(t, x, Pow(2, float64(k)))
	}
	require.Zero(t, math.Float64bits(Log(1)))
	require.Equal(t, -1074*math.Ln2, Log(0x1p-1074))
	require.Equal(t, 1.0, Exp(0))
	for k := range 22 {
		require.Equal(t, math.Pow10(k), Pow(10, float64(k)))
	}
}

func TestExponent10(t *testing.T) {
	for e := -307; e <= 308; e++ {
		x := parse(t, fmt.Sprint("1e", e))[0]
		require.Equal(t, e, Exponent10(x))
		require.Equal(t, e-1, Exponent10(-0.999*x), x)
		require.Equal(t, e, Exponent10(math.Nextafter(x, 0)))
	}
}

// TestSameBits: the values of many arguments are the same, bit for bit, as on another processor.
func TestSameBits(t *testing.T) {
	h := fnv.New64a()
	write := func(x float64) {
		require.NoError(t, binary.Write(h, binary.LittleEndian, x))
	}
	draw := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		x := draw.Float64()
		for _, y := range []float64{Log(x), Log1p(x), Log1p(-x), Log2(x), Exp(40 * x), Exp(-40 * x), Expm1(x), Expm1(-3 * x), Tanh(x), Atanh(x), Pow(x, 7.3), Hypot(x, 0.3)} {
			write(y)
		}
	}
	require.Equal(t, uint64(0xc7d9552affdd5b73), h.Sum64())
}

func BenchmarkFunctions(b *testing.B) {
	for name, f := range functions {
		if f.here == nil {
			continue
		}
		for from, f := range map[string]func(float64) float64{"here": f.here, "math": f.inMath} {
			b.Run(name+"/"+from, func(b *testing.B) {
				sum := 0.0
				for b.Loop() {
					for i := range 1000 {
						sum += f(float64(i) / 1001)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/value")
			})
		}
	}
}
