package curves

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// sample holds examples in any order.
type sample struct {
	scores   []float64
	positive []bool
	weights  []float64
}

// everyCriterion has a criterion of every objective, with several bounds.
var everyCriterion = []Criterion{
	{KolmogorovSmirnov, 0}, {Youden, 0},
	{FBeta, 1}, {FBeta, 0.5}, {FBeta, 2}, {FBeta, 0},
	{RecallAtPrecision, 0.5}, {RecallAtPrecision, 0.9}, {RecallAtPrecision, 1}, {RecallAtPrecision, 0},
	{PrecisionAtRecall, 0}, {PrecisionAtRecall, 0.5}, {PrecisionAtRecall, 1},
	{RecallAtFPR, 0}, {RecallAtFPR, 0.1}, {RecallAtFPR, 1},
	{SpecificityAtSensitivity, 0}, {SpecificityAtSensitivity, 0.8}, {SpecificityAtSensitivity, 1},
	{SensitivityAtSpecificity, 0}, {SensitivityAtSpecificity, 0.8}, {SensitivityAtSpecificity, 1},
	{ThresholdAtRecall, 0}, {ThresholdAtRecall, 0.7}, {ThresholdAtRecall, 1},
	{RecallAtShare, 0.01}, {RecallAtShare, 0.3}, {RecallAtShare, 1},
	{NetBenefit, 0.5}, {NetBenefit, 1}, {NetBenefit, 10},
	{ROCAUCAtFPR, 0.01}, {ROCAUCAtFPR, 0.3}, {ROCAUCAtFPR, 1},
}

// distributions draw scores.
var distributions = []func(r *rand.Rand) float64{
	func(r *rand.Rand) float64 { return r.Float64() },
	func(r *rand.Rand) float64 { return float64(r.IntN(5)) / 4 },
	func(*rand.Rand) float64 { return 0.25 },
	func(r *rand.Rand) float64 { // neighbouring floats
		return math.Float64frombits(math.Float64bits(0.7) + uint64(r.IntN(6)))
	},
	func(r *rand.Rand) float64 { return math.Tan(3.14*(r.Float64()-0.5)) * 1e3 }, // heavy tails
	func(r *rand.Rand) float64 { return 2000 * (r.Float64() - 0.5) },             // logits
	func(r *rand.Rand) float64 { return float64(r.IntN(9)-4) * 5e-324 },
	func(r *rand.Rand) float64 {
		return []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), 5e-324, -math.MaxFloat64}[r.IntN(6)]
	},
	func(r *rand.Rand) float64 { return math.Float64frombits(r.Uint64() &^ (1 << 62)) }, // any but large
	func(r *rand.Rand) float64 { return float64(r.IntN(1000)) },
}

// drawSample draws n examples, and weights every other time, some of them 0.
func drawSample(r *rand.Rand, n int) *sample {
	s := new(sample)
	draw := distributions[r.IntN(len(distributions))]
	positives := []float64{0.02, 0.5, 0.9}[r.IntN(3)]
	skill := r.IntN(2) == 0
	for range n {
		score := draw(r)
		p := positives
		if skill && score > 0.5 {
			p = 1 - (1-p)/2
		}
		s.scores = append(s.scores, score)
		s.positive = append(s.positive, r.Float64() < p)
	}
	if r.IntN(2) == 0 {
		size := []float64{1, 1e-9, 1e12}[r.IntN(3)]
		for range n {
			s.weights = append(s.weights, size*[]float64{r.Float64(), 1, 0.1, 0, r.ExpFloat64()}[r.IntN(5)])
		}
	}
	return s
}

func (s *sample) weight(i int) float64 {
	if s.weights == nil {
		return 1
	}
	return s.weights[i]
}

func (s *sample) rows() []int32 {
	rows := make([]int32, len(s.scores))
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

// points returns the points of the curve, and its totals.
func (s *sample) points() ([]Point, Totals) {
	order := s.rows()
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(s.scores[b], s.scores[a]) })
	var tp, fp exact.Tally
	var list []Point
	for k, i := range order {
		if s.positive[i] {
			tp.Add(s.weight(int(i)))
		} else {
			fp.Add(s.weight(int(i)))
		}
		if k+1 == len(order) || s.scores[order[k+1]] != s.scores[i] {
			list = append(list, Point{s.scores[i], tp.Weight(), fp.Weight()})
		}
	}
	return list, Totals{tp.Weight(), fp.Weight()}
}

// drawCurve draws a curve of n points whose totals are large.
func drawCurve(r *rand.Rand, n int) ([]Point, Totals) {
	var tp, fp float64
	list := make([]Point, n)
	up := r.Float64()
	size := []float64{1, 100, 1e5}[r.IntN(3)]
	for i := range list {
		if r.Float64() < up {
			tp += math.Ceil(size * r.Float64())
		}
		if i > 0 && tp == list[i-1].TP || i == 0 && tp == 0 || r.IntN(10) == 0 {
			fp += math.Ceil(size * r.Float64())
		}
		if r.IntN(50) == 0 { // long runs of one class
			up = r.Float64() * r.Float64()
		}
		list[i] = Point{float64(n - i), tp, fp}
	}
	return list, Totals{tp, fp}
}

// cuts divides a curve into ranges, some of them empty.
func cuts(r *rand.Rand, n int) []int {
	ends := []int{0, n}
	for range r.IntN(5) {
		ends = append(ends, r.IntN(n+1))
	}
	slices.Sort(ends)
	return ends
}

// before returns the point before the i-th.
func before(points []Point, i int) Point {
	if i == 0 {
		return Point{}
	}
	return Point{Score: math.NaN(), TP: points[i-1].TP, FP: points[i-1].FP} // its score does not matter
}

func accumulated(points []Point, totals Totals) *Accumulator {
	a := New(totals, everyCriterion...).Interpolating()
	a.Add(movingOf(Point{}, points), false)
	return a
}

// movingOf is moving, but leaves the points as they are.
func movingOf(from Point, points []Point) []Point { return moving(from, slices.Clone(points)) }

// merge merges from into to.
func merge[T any, P fields.Record[T]](to P, from *T) error {
	v := fields.Merging()
	to.Fields(v, from)
	return v.Conflict()
}

func code[T any, P fields.Record[T]](c *wire.Coder, x *T) { P(x).Fields(fields.Coding(c), x) }

func encode[T any, P fields.Record[T]](x P) []byte {
	data, err := wire.Encode(x, code[T, P])
	if err != nil {
		panic(err)
	}
	return data
}

func decode[T any, P fields.Record[T]](data []byte, into P) error {
	return wire.Decode(data, into, code[T, P])
}

// throughBytes decodes into an empty statistic what another encodes to.
func throughBytes[T any, P fields.Record[T]](t require.TestingT, from P) P {
	data, into := encode(from), P(new(T))
	require.NoError(t, decode(data, into))
	require.Equal(t, data, encode(into))
	return into
}

// isExact says whether each score has its own bin.
func isExact(h *Histogram) bool {
	h.tidy()
	return h.dropped == 0
}
