package metrics

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
)

// lawCases are what the laws of statistics are tested on: whatever statistics the
// metrics need. Labels are few, so that all cells are array elements, and many, so that
// most are not.
var lawCases = []Params{
	{Task: Binary, Decisions: true, Scores: true, Digest: true},
	{Task: Binary, Scores: true, ScoreType: Logit, Bins: 1},
	{Task: Binary, Scores: true, Curves: BoundedCurves, CurveBins: 8, Metrics: []string{"roc_auc"}},
	{Task: Multiclass, Labels: 1, Scores: true},
	{Task: Multiclass, Labels: 3, Decisions: true, Scores: true, Digest: true},
	{Task: Multiclass, Labels: 4, Scores: true, Bins: 15},
	{Task: Multiclass, Labels: 5, Scores: true, ScoreType: Logit, Bins: 2000},
	{Task: Multiclass, Labels: 30, Scores: true, Sparse: true},
	{Task: Multiclass, Labels: 40, Decisions: true},
	{Task: Multiclass, Labels: 1100, Scores: true},
	{Task: Multiclass, Labels: 1 << 20, Decisions: true},
	{Task: Multiclass, Labels: 3, Scores: true, Curves: BoundedCurves, CurveBins: 1000, Metrics: []string{"roc_auc_ovr_micro"}},
	{Task: Multilabel, Labels: 1, Decisions: true, Scores: true},
	{Task: Multilabel, Labels: 6, Decisions: true, Scores: true, Digest: true},
	{Task: Multilabel, Labels: 60, Scores: true, ScoreType: Logit},
	{Task: Multilabel, Labels: 300, Scores: true, Bins: 7},
	{Task: Multilabel, Labels: 1100, Scores: true, ScoreType: Logit},
	{Task: Multilabel, Labels: 6, Scores: true, Sparse: true},
	{Task: Multilabel, Labels: 1500, Decisions: true},
	{Task: Multilabel, Labels: 1 << 20, Decisions: true, Scores: true, Sparse: true},
	{Task: Multilabel, Labels: 4, Scores: true, ScoreType: Logit, Curves: BoundedCurves, CurveBins: 64, Metrics: []string{"roc_auc", "roc_auc_micro"}},
	{Task: Regression, Digest: true},
	{Task: Ranking, Scores: true, Digest: true, Ranking: usualRanking},
	{Task: Ranking, Scores: true, Ranking: RankingOptions{LinearGain, ItemTies, 0.5, 2, EmptyIsOne}},
}

// sweptKinds are the statistics that no fold makes; TestLawsOfSweeps has their laws.
var sweptKinds = map[kind]bool{kindLabelCurves: true}

// statisticLaws holds the laws of a commutative monoid, bit for bit.
type statisticLaws struct {
	*require.Assertions
	r      *rand.Rand
	kind   kind
	params *Params
}

// fresh returns an empty statistic that can fold.
func (l *statisticLaws) fresh() statistic { return statistics[l.kind].empty(l.params) }

// bare returns an empty statistic as decoding and the zero Partial make it.
func (l *statisticLaws) bare() statistic { return statistics[l.kind].empty(new(Params)) }

func (l *statisticLaws) fold(b *Batch, rows []int32) statistic {
	s := l.fresh()
	s.fold(b, rows)
	return s
}

func bytesOf(s statistic) []byte { return s.append(nil) }

// merged returns a new statistic that holds what all of the list do.
func (l *statisticLaws) merged(list ...statistic) statistic {
	sum := l.bare()
	for _, s := range list {
		sum.merge(s)
	}
	return sum
}

func (l *statisticLaws) decoded(into statistic, data []byte) statistic {
	d := wire.NewDecoder(data)
	into.decode(d)
	l.NoError(d.Err())
	l.Zero(d.Len(), "bytes left over")
	return into
}

// hold checks the laws on the rows of a batch.
func (l *statisticLaws) hold(b *Batch) {
	all := AllRows(nil, b.Rows)
	rows := parts(l.r, b.Rows, 3)
	x, y, z := l.fold(b, rows[0]), l.fold(b, rows[1]), l.fold(b, rows[2])
	bx, by := bytesOf(x), bytesOf(y)
	whole := bytesOf(l.fold(b, all))
	l.True(x.fits(l.params))
	l.True(l.bare().fits(l.params))

	// Identity.
	l.Equal(bx, bytesOf(l.merged(x)))
	l.Equal(bx, bytesOf(l.merged(l.fresh(), x)))
	l.Equal(bx, bytesOf(l.merged(x, l.fresh())))
	l.Equal(bx, bytesOf(l.merged(x, l.bare())))
	// Commutativity, associativity, and merging as folding.
	l.Equal(bytesOf(l.merged(x, y)), bytesOf(l.merged(y, x)))
	l.Equal(whole, bytesOf(l.merged(l.merged(x, y), z)))
	l.Equal(whole, bytesOf(l.merged(x, l.merged(y, z))))
	l.Equal(whole, bytesOf(l.merged(z, x, y)))
	// Merging left its right arguments as they were, and shares nothing with them.
	sum := l.fresh()
	sum.merge(x)
	sum.merge(y)
	sum.fold(b, rows[2])
	sum.merge(sum)
	l.Equal(bytesOf(l.merged(x, y, z, z, y, x)), bytesOf(sum))
	l.Equal(bx, bytesOf(x))
	l.Equal(by, bytesOf(y))
	// Rows in another order, in several calls, and in a batch of their own.
	order := shuffled(l.r, all)
	cut := l.r.IntN(len(order) + 1)
	steps := l.fold(b, order[:cut])
	steps.fold(b, order[cut:])
	l.Equal(whole, bytesOf(steps))
	l.Equal(whole, bytesOf(l.fold(take(b, order), all)))
	// Codec; what was decoded merges like what was encoded.
	back := l.decoded(l.bare(), bx)
	l.Equal(bx, bytesOf(back))
	l.Equal(bx, bytesOf(l.decoded(l.fold(b, all), bx)), "decoding replaces what was there")
	l.Equal(whole, bytesOf(l.merged(z, back, y)))
	back.merge(y)
	back.merge(z)
	l.Equal(whole, bytesOf(back))
	// Reset.
	steps.reset()
	l.Equal(bytesOf(l.fresh()), bytesOf(steps))
	steps.fold(b, rows[0])
	l.Equal(bx, bytesOf(steps))
	// Appending appends, and changes nothing.
	l.Equal(append([]byte("before"), bx...), x.append([]byte("before")))
}

func shuffled(r *rand.Rand, rows []int32) []int32 {
	order := make([]int32, len(rows))
	for i, j := range r.Perm(len(rows)) {
		order[i] = rows[j]
	}
	return order
}

// rowsOf says how many rows the batch of a seed has; few, if they are wide.
func rowsOf(seed uint64, p *Params) int {
	n := []int{0, 1, 2, 3, 10, 40}[seed%6]
	if p.Scores && p.Labels > 100 {
		n = min(n, 4)
	}
	return n
}

func TestLaws(t *testing.T) {
	var met [numKinds]bool
	for _, c := range lawCases {
		p := c
		if p.Metrics == nil {
			p = *everyMetric(t, p)
		}
		require.NoError(t, p.Complete())
		empty, err := p.New()
		require.NoError(t, err)
		for k, s := range empty.stats {
			if s == nil {
				continue
			}
			met[k] = true
			t.Run(fmt.Sprintf("%s %s %d", statistics[k].name, p.Task, p.Labels), func(t *testing.T) {
				t.Parallel()
				seeds := uint64(18)
				if p.Scores && p.Labels > 100 { // take long
					seeds = 6
				}
				for seed := range seeds {
					t.Logf("seed %d", seed)
					r := source(seed)
					l := &statisticLaws{require.New(t), r, kind(k), &p}
					l.hold(drawBatch(r, &p, rowsOf(seed, &p)))
				}
			})
		}
	}
	for k := range numKinds {
		require.NotEqual(t, sweptKinds[k], met[k], "laws of %s", statistics[k].name)
	}
}

// TestLawsOfPartials checks what Beam relies on: that a Partial's bytes and
// results do not depend on how its rows were divided.
func TestLawsOfPartials(t *testing.T) {
	for _, n := range taskNames {
		for _, score := range []ScoreType{Probability, Logit, RawScore} {
			t.Run(fmt.Sprintf("%s %d", n.name, score), func(t *testing.T) {
				t.Parallel()
				p := params(t, n.task, 5, score)
				for seed := range uint64(20) {
					t.Logf("seed %d", seed)
					r := source(seed)
					b := drawBatch(r, p, rowsOf(seed, p))
					whole := folded(t, p, b)
					want := whole.Append(nil)
					require.EqualValues(t, b.Rows, whole.Examples())
					for range 3 {
						partial := reassembled(t, p, b, parts(r, b.Rows, 1+r.IntN(5)))
						require.Equal(t, want, partial.Append(nil))
					}
					back, err := DecodePartial(want)
					require.NoError(t, err)
					require.Equal(t, want, back.Append(nil))

					whole.Reset()
					empty, err := p.New()
					require.NoError(t, err)
					require.Equal(t, empty.Append(nil), whole.Append(nil))
				}
			})
		}
	}
}
