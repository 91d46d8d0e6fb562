package ranks

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/forecast"
)

type example struct{ target, estimate, weight float64 }

// draw returns n examples with ties among targets, estimates and whole pairs.
func draw(r *rand.Rand, n int, weighted bool) []example {
	levels := float64(1 + r.IntN(2*n))
	list := make([]example, n)
	for i := range list {
		list[i] = example{math.Floor(levels * r.Float64()), math.Floor(levels*r.Float64()) / 3, 1}
		if weighted {
			list[i].weight = []float64{0, 0.5, 3 * r.Float64(), 1e-3}[r.IntN(4)]
		}
	}
	return list
}

func tableOf(limit int, list []example) *Table {
	t := NewTable(limit)
	for _, e := range list {
		t.Add(e.target, e.estimate, e.weight)
	}
	return t
}

func sign(a, b float64) float64 {
	switch {
	case a > b:
		return 1
	case a < b:
		return -1
	}
	return 0
}

// naive computes from the definitions, pair by pair.
func naive(list []example) (spearman, kendall, concordance float64) {
	var tt, ee, te, byTarget, byEstimate, both, half float64
	for _, a := range list {
		x, y := 0.0, 0.0 // the centred ranks: weight below less weight above
		for _, b := range list {
			u, v, w := sign(a.target, b.target), sign(a.estimate, b.estimate), a.weight*b.weight
			x += b.weight * u
			y += b.weight * v
			byTarget += w * u * u
			byEstimate += w * v * v
			both += w * u * v
			half += w * u * u * (1 + u*v) / 2
		}
		tt += a.weight * x * x
		ee += a.weight * y * y
		te += a.weight * x * y
	}
	return te / math.Sqrt(tt*ee), both / math.Sqrt(byTarget*byEstimate), half / byTarget
}

func TestOrderEqualsDefinitions(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		list := draw(r, 2+r.IntN(60), seed%2 == 0)
		pairs, ok := tableOf(1000, list).Pairs()
		require.True(t, ok)
		o := pairs.Order()
		spearman, kendall, concordance := naive(list)
		for _, c := range []struct {
			of   func() (float64, bool)
			want float64
		}{{o.Spearman, spearman}, {o.Kendall, kendall}, {o.Concordance, concordance}} {
			got, defined := c.of()
			require.Equal(t, !math.IsNaN(c.want), defined, "seed %d", seed)
			if defined {
				require.InDelta(t, c.want, got, 1e-12, "seed %d", seed)
			}
		}
	}
}

// TestPerfect: neither rounding nor weights of any size move the values of a perfect order.
func TestPerfect(t *testing.T) {
	for _, scale := range []float64{1, 0.1, 1e-300, 1e140} {
		r := rand.New(rand.NewPCG(7, 7))
		up, down := NewTable(1000), NewTable(1000)
		for i := range 300 {
			w := scale * (0.1 + r.Float64())
			up.Add(float64(i), float64(i), w)
			down.Add(float64(i), -float64(i), w)
		}
		for sign, table := range map[float64]*Table{1: up, -1: down} {
			pairs, _ := table.Pairs()
			o := pairs.Order()
			spearman, _ := o.Spearman()
			kendall, _ := o.Kendall()
			concordance, _ := o.Concordance()
			require.Equal(t, []float64{sign, sign, (1 + sign) / 2}, []float64{spearman, kendall, concordance}, "scale %v", scale)
		}
	}
}

// TestPinball: no constant has a lower loss than the quantile.
func TestPinball(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 2))
		list := draw(r, 1+r.IntN(30), seed%2 == 0)
		pairs, _ := tableOf(1000, list).Pairs()
		for _, q := range []float64{0, 0.1, 0.5, 0.9, 1} {
			estimates, constant := pairs.Pinball(q)
			loss := func(of func(example) float64) (sum float64) {
				for _, e := range list {
					sum += e.weight * forecast.Pinball(e.target, of(e), q)
				}
				return sum
			}
			least := math.Inf(1)
			for _, at := range list {
				least = min(least, loss(func(example) float64 { return at.target }))
			}
			// both are multiples of one power of two
			if constant > 0 {
				require.InDelta(t, loss(func(e example) float64 { return e.estimate })/least, estimates/constant, 1e-9, "seed %d, q %v", seed, q)
			} else {
				require.InDelta(t, 0, least, 1e-12, "seed %d, q %v", seed, q)
			}
		}
	}
}

// TestLimit: a table gives up if there are too many triples, in whatever parts they come.
func TestLimit(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		list := draw(r, 3000, true)
		all, _ := tableOf(1<<30, list).Pairs()
		for _, limit := range []int{len(all) - 1, len(all)} {
			merged := new(Table)
			for rest := list; len(rest) > 0; {
				n := 1 + r.IntN(len(rest))
				merged.Fields(fields.Merging(), tableOf(limit, rest[:n]))
				rest = rest[n:]
			}
			pairs, ok := merged.Pairs()
			if require.Equal(t, limit == len(all), ok); ok {
				require.Equal(t, all, pairs)
			}
		}
	}
}

func TestEqualNumbersAreOne(t *testing.T) {
	table := NewTable(10)
	table.Add(0, math.Copysign(0, -1), 1)
	table.Add(math.Copysign(0, -1), 0, 1)
	table.Add(5, 5, 0)
	pairs, ok := table.Pairs()
	require.True(t, ok)
	require.Len(t, pairs, 1)
}

func FuzzDecode(f *testing.F) {
	decode := func(data []byte) (*Table, error) {
		t := new(Table)
		return t, wire.Decode(data, t, func(c *wire.Coder, t *Table) { t.Fields(fields.Coding(c), t) })
	}
	data, err := wire.Encode(tableOf(10, []example{{1, 2, 1}, {1, 2, 1}, {0, 3, 0.5}}), func(c *wire.Coder, t *Table) { t.Fields(fields.Coding(c), t) })
	require.NoError(f, err)
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := decode(data)
		if err != nil {
			return
		}
		pairs, _ := table.Pairs()
		pairs.Order()
		pairs.Pinball(0.5)
	})
}
