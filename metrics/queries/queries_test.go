package queries

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x6a09e667f3bcc909)) }

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// draw returns a query of n items, of so many different scores at most.
func draw(r *rand.Rand, n, levels int) *query {
	q := new(query)
	judged := r.IntN(2) == 0
	relevance := pick(r,
		func() float64 { return float64(r.IntN(2)) },
		func() float64 { return float64(r.IntN(5)) },
		func() float64 { return pick(r, 0, 0, 0.3, 1, 2.5, 4*r.Float64()) },
		func() float64 { return float64(pick(r, 0, 0, 0, 0, 4)) })
	for range n {
		score := float64(r.IntN(levels)) - 1
		switch {
		case score == 0 && r.IntN(2) == 0:
			score = math.Copysign(0, -1)
		case score == 1:
			score = math.Inf(1)
		case score == -1:
			score = math.Inf(-1)
		}
		rel, known := relevance(), true
		if judged && r.IntN(3) == 0 {
			rel, known = 0, false
		}
		q.scores, q.relevances = append(q.scores, score), append(q.relevances, rel)
		if judged {
			q.judged = append(q.judged, known)
		}
	}
	for range r.IntN(4) {
		q.missed = append(q.missed, relevance())
	}
	return q
}

// measure is a measure with its naive form.
type measure struct {
	name  string
	fast  func(*Ranking) float64
	naive func(*naive) float64
}

func measures() []measure {
	list := []measure{
		{"r_precision", (*Ranking).RPrecision, func(v *naive) float64 { return v.hits(int(v.relevant())) / v.relevant() }},
		{"bpref", (*Ranking).Bpref, (*naive).bpref},
		{"first place", func(q *Ranking) float64 { place, _ := q.FirstPlace(); return place }, (*naive).firstPlace},
	}
	for _, k := range []int{1, 2, 3, 5, NoCut} {
		list = append(list,
			measure{fmt.Sprint("ndcg@", k), func(q *Ranking) float64 { return q.NDCG(k) }, func(v *naive) float64 { return v.ndcg(k) }},
			measure{fmt.Sprint("dcg@", k), func(q *Ranking) float64 { return q.DCG(k) }, func(v *naive) float64 { return v.dcg(k) }},
			measure{fmt.Sprint("map@", k), func(q *Ranking) float64 { return q.AveragePrecision(k) }, func(v *naive) float64 { return v.averagePrecision(k) }},
			measure{fmt.Sprint("mrr@", k), func(q *Ranking) float64 { return q.ReciprocalRank(k) }, func(v *naive) float64 { return v.reciprocalRank(k) }},
			measure{fmt.Sprint("hits@", k), func(q *Ranking) float64 { return q.Hits(k) }, func(v *naive) float64 { return v.hits(k) }},
			measure{fmt.Sprint("hit_rate@", k), func(q *Ranking) float64 { return q.HitRate(k) }, func(v *naive) float64 { return min(v.hits(k), 1) }},
			measure{fmt.Sprint("judged@", k), func(q *Ranking) float64 { return q.Judged(k) }, func(v *naive) float64 { return v.judged(k) }},
			measure{fmt.Sprint("err@", k), func(q *Ranking) float64 { return q.ERR(k) }, func(v *naive) float64 { return v.err(k) }},
		)
	}
	for _, p := range []float64{0, 0.5, 0.95} {
		list = append(list, measure{fmt.Sprint("rbp@", p), func(q *Ranking) float64 { return q.RBP(p) }, func(v *naive) float64 { return v.rbp(p) }})
	}
	return list
}

func requireClose(t *testing.T, want, got float64, name string) {
	t.Helper()
	if math.IsNaN(want) {
		require.True(t, math.IsNaN(got), "%s is %v, not undefined", name, got)
		return
	}
	require.InDelta(t, want, got, 2e-14*max(1, math.Abs(want)), name)
}

// TestExpectations compares the measures of small queries with their means over all orders of tied
// items or, for ties in the order of items, with the measures of this one order.
func TestExpectations(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{
		{Gain: ExponentialGain, Threshold: 1, MaxRelevance: 4},
		{Gain: LinearGain, Threshold: 2.5, MaxRelevance: 4.5},
		{Gain: ExponentialGain, Threshold: 0.2, MaxRelevance: 4, InOrder: true},
		{Gain: LinearGain, Threshold: 2, MaxRelevance: 10, InOrder: true},
	} {
		ranking := New(o)
		for seed := range uint64(150) {
			r := source(seed)
			q := draw(r, r.IntN(7), 1+r.IntN(4))
			ranking.Read(q.scores, q.relevances, q.judged, q.missed)
			for _, m := range measures() {
				requireClose(t, q.expected(o, m.naive), m.fast(ranking), fmt.Sprint(m.name, " of ", seed))
			}
			require.Equal(t, len(q.scores), ranking.Items())
			require.EqualValues(t, q.expected(o, (*naive).relevant), ranking.Relevant())
			require.Equal(t, slices.Max(append(slices.Concat(q.relevances, q.missed), 0)) > 0, ranking.HasGain())
		}
	}
}

func TestPairs(t *testing.T) {
	for _, o := range []Options{{Gain: LinearGain, Threshold: 1}, {Gain: LinearGain, Threshold: 2, InOrder: true}} {
		ranking := New(o)
		for seed := range uint64(300) {
			r := source(seed)
			q := draw(r, r.IntN(pick(r, 5, 20, 150)), 1+r.IntN(40))
			ranking.Read(q.scores, q.relevances, q.judged, q.missed)
			for name, of := range map[string]struct {
				fast  func() (float64, bool)
				naive float64
			}{"auc": {ranking.ROCAUC, q.auc(o)}, "tau": {ranking.KendallTau, q.tau()}} {
				value, defined := of.fast()
				require.Equal(t, !math.IsNaN(of.naive), defined, "%s of %d", name, seed)
				if defined {
					requireClose(t, of.naive, value, fmt.Sprint(name, " of ", seed))
				}
			}
		}
	}
}

// TestOrderOfItemsChangesNothing holds bit for bit where ties are expected, and
// a ranking that has read other queries gives the same.
func TestOrderOfItemsChangesNothing(t *testing.T) {
	o := Options{Gain: ExponentialGain, Threshold: 1, MaxRelevance: 4}
	used := New(o)
	for seed := range uint64(200) {
		r := source(seed)
		q := draw(r, r.IntN(60), 1+r.IntN(20))
		fresh := New(o)
		fresh.Read(q.scores, q.relevances, q.judged, q.missed)
		shuffled := query{missed: slices.Clone(q.missed)}
		for _, i := range r.Perm(len(q.scores)) {
			shuffled.scores, shuffled.relevances = append(shuffled.scores, q.scores[i]), append(shuffled.relevances, q.relevances[i])
			if q.judged != nil {
				shuffled.judged = append(shuffled.judged, q.judged[i])
			}
		}
		slices.Reverse(shuffled.missed)
		used.Read(shuffled.scores, shuffled.relevances, shuffled.judged, shuffled.missed)
		for _, m := range measures() {
			require.Equal(t, math.Float64bits(m.fast(fresh)), math.Float64bits(m.fast(used)), "%s of %d", m.name, seed)
		}
		tau, _ := fresh.KendallTau()
		again, _ := used.KendallTau()
		require.Equal(t, tau, again)
	}
}

// TestPlacesOfLargeGroups compares large tie groups, whose orders nobody counts, with
// what is computed place by place.
func TestPlacesOfLargeGroups(t *testing.T) {
	o := Options{Gain: LinearGain, Threshold: 1, MaxRelevance: 4}
	for seed := range uint64(40) {
		r := source(seed)
		above, size := r.IntN(30), 2+r.IntN(300)
		q := query{}
		for i := range above + size {
			q.scores = append(q.scores, float64(max(above-i, 0)))
			q.relevances = append(q.relevances, float64(pick(r, 0, 0, 0, 1, 2, 3, 4)))
		}
		ranking := New(o)
		ranking.Read(q.scores, q.relevances, nil, nil)
		want, left := 0.0, 1.0
		for i, rel := range q.relevances[:above] {
			stop := ExponentialGain(rel) / 16
			want += left * stop / float64(i+1)
			left *= 1 - stop
		}
		// The mean products over sets of j items, one more item at a time.
		of := []float64{1}
		for i, rel := range q.relevances[above:] {
			of = append(of, 0)
			n, goesOn := float64(i+1), 1-ExponentialGain(rel)/16
			for j := i + 1; j > 0; j-- {
				of[j] = (1-float64(j)/n)*of[j] + float64(j)/n*goesOn*of[j-1]
			}
		}
		for j := 1; j <= size; j++ {
			want += left * (of[j-1] - of[j]) / float64(above+j)
		}
		requireClose(t, want, ranking.ERR(NoCut), fmt.Sprint("err of ", seed))
	}
}

// TestEnormousGroups has a million tied items; the expectations have a simple form.
func TestEnormousGroups(t *testing.T) {
	t.Parallel()
	const n = 1_000_000
	harmonic := math.Log(n) + 0.57721566490153286061 + 1/(2.0*n) - 1/(12.0*n*n)
	ranking := New(Options{Gain: ExponentialGain, Threshold: 1, MaxRelevance: 4})
	q := query{scores: make([]float64, n), relevances: make([]float64, n)}
	of := func(relevant int, rel float64) {
		for i := range relevant {
			q.relevances[n-1-i*(n/relevant)] = rel
		}
		ranking.Read(q.scores, q.relevances, nil, nil)
	}
	of(1, 2)
	require.InEpsilon(t, harmonic/n, ranking.ReciprocalRank(NoCut), 1e-12)
	require.InEpsilon(t, harmonic/n, ranking.AveragePrecision(NoCut), 1e-12)
	require.InEpsilon(t, 3.0/16*harmonic/n, ranking.ERR(NoCut), 1e-9)
	require.InEpsilon(t, 10.0/n, ranking.HitRate(10), 1e-12)
	require.InEpsilon(t, 1.0/n, ranking.RBP(0.8), 1e-12)
	require.InEpsilon(t, (n+1)/2.0, must(ranking.FirstPlace()), 1e-12)
	require.Equal(t, 0.5, must(ranking.ROCAUC()))
	_, defined := ranking.KendallTau()
	require.False(t, defined)

	of(n/2, 2)
	none, err := 1.0, 0.0
	for i := range 3 {
		none *= float64(n/2-i) / float64(n-i)
	}
	require.InDelta(t, 1-none, ranking.HitRate(3), 1e-15)
	require.InDelta(t, math.Ln2, ranking.ReciprocalRank(NoCut), 1e-6)
	require.InEpsilon(t, (harmonic+float64(n/2-1)/(n-1)*(n-harmonic))/n, ranking.AveragePrecision(NoCut), 1e-12)

	of(n, 1)
	require.InDelta(t, 1, ranking.NDCG(NoCut), 1e-13)
	require.InDelta(t, 1, ranking.AveragePrecision(NoCut), 1e-13)
	require.Equal(t, 1.0, ranking.ReciprocalRank(NoCut))
	for place, left := 1, 1.0; left > 1e-20; place++ {
		err += left / 16 / float64(place)
		left *= 15.0 / 16
	}
	require.InDelta(t, err, ranking.ERR(NoCut), 1e-14)
}

func must(value float64, defined bool) float64 {
	if !defined {
		return math.NaN()
	}
	return value
}

// TestWorkedExample is the example of Järvelin & Kekäläinen 2002, as printed.
// They do not discount the first place and the second, and the others by
// log2(place): the first place is therefore apart.
func TestWorkedExample(t *testing.T) {
	gains := []float64{3, 2, 3, 0, 0, 1, 2, 2, 3, 0}
	ranking := New(Options{Gain: LinearGain, Threshold: 1, MaxRelevance: 3})
	ranking.Read([]float64{9, 8, 7, 6, 5, 4, 3, 2, 1}, gains[1:], nil, nil)
	for i, want := range []float64{3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61} {
		require.InDelta(t, want, gains[0]+ranking.DCG(i), 0.005, "%d places", i+1)
	}
}

func TestHostileItems(t *testing.T) {
	ranking := New(Options{Gain: ExponentialGain, Threshold: 1, MaxRelevance: 4})
	for _, q := range []query{
		{},
		{missed: []float64{0, 0, 3}},
		{scores: []float64{1}, relevances: []float64{5e-324}},
		{scores: []float64{1, 1, 1}, relevances: []float64{5e-324, 0, 5e-324}},
		{scores: []float64{1, 1, 1}, relevances: []float64{1e-300, 4, 1e-17}},
		{scores: []float64{1, 1, 1}, relevances: []float64{math.MaxFloat64, 0, 1}},
		{scores: []float64{math.Inf(1), math.Inf(1), math.Inf(-1)}, relevances: []float64{4, 4, 4}},
		{scores: []float64{1, 1}, relevances: []float64{0, 0}, judged: []bool{false, false}},
	} {
		ranking.Read(q.scores, q.relevances, q.judged, q.missed)
		for _, m := range measures() {
			require.NotPanics(t, func() { m.fast(ranking) }, "%s of %v", m.name, q)
		}
	}
	ranking.Read([]float64{2, 1}, []float64{1, 1}, nil, []float64{4.5})
	require.True(t, math.IsNaN(ranking.ERR(1)), "a missed item is above the highest grade")
}

func TestReadingAllocatesNothing(t *testing.T) {
	for _, levels := range []int{0, 20} {
		q := benchmarkQuery(100, levels)
		ranking := New(Options{Gain: ExponentialGain, Threshold: 1, MaxRelevance: 4})
		require.Zero(t, testing.AllocsPerRun(5, func() {
			ranking.Read(q.scores, q.relevances, nil, nil)
			everyMeasure(ranking)
		}))
	}
}
