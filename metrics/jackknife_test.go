package metrics

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLeaveOneOut compares with merging all others, for lists of all lengths, with partials that
// are nil among them.
func TestLeaveOneOut(t *testing.T) {
	p := params(t, Binary, 1, Probability)
	leavingOneOut(t, p, 20, func(r *rand.Rand) *Batch { return drawBatch(r, p, 5) })
}

// TestLeaveOneOutOfEveryTask does the same for the statistics of all tasks, whether they can be removed or have
// to be merged, such as sums of infinite numbers.
func TestLeaveOneOutOfEveryTask(t *testing.T) {
	for i, c := range lawCases {
		if c.Labels > 60 {
			continue
		}
		p := c
		if p.Metrics == nil {
			p = *everyMetric(t, p)
		}
		t.Run(fmt.Sprint(i, p.Task), func(t *testing.T) {
			t.Parallel()
			leavingOneOut(t, &p, 7, func(r *rand.Rand) *Batch {
				b := drawBatch(r, &p, r.IntN(8))
				if p.Task == Regression && b.Rows > 0 && r.IntN(3) == 0 {
					b.Target[0] = math.Inf(1 - 2*r.IntN(2))
				}
				return b
			})
		})
	}
}

// leavingOneOut compares LeaveOneOut with merging all others, for lists of up to n partials of batches, and returns
// the longest list.
func leavingOneOut(t *testing.T, p *Params, n int, draw func(*rand.Rand) *Batch) (partials []*Partial) {
	r := source(4)
	for n := range n {
		var order []int
		require.NoError(t, LeaveOneOut(partials, nil, func(i int, without *Partial) error {
			order = append(order, i)
			want := new(Partial)
			if h, _ := histogramsOfAll(partials); h != nil { // all partials together say how coarse bins are
				want.stats[kindLabelHistograms] = h.bins()
			}
			for k, other := range partials {
				if k != i && other != nil {
					want.Merge(other)
				}
			}
			require.Equal(t, want.Append(nil), without.Append(nil))
			without.Merge(want) // it may be modified
			return nil
		}))
		require.Len(t, order, n)
		require.IsIncreasing(t, append([]int{-2, -1}, order...))
		next, err := p.New()
		require.NoError(t, err)
		b := draw(r)
		if next.Fold(b, AllRows(nil, b.Rows)); n%7 == 3 {
			next = nil
		}
		partials = append(partials, next)
	}
	return partials
}

// TestLeaveOneOutFails returns the error of the first call.
func TestLeaveOneOutFails(t *testing.T) {
	partials := make([]*Partial, 3)
	failed := errors.New("failed")
	calls := 0
	require.ErrorIs(t, LeaveOneOut(partials, nil, func(int, *Partial) error { calls++; return failed }), failed)
	require.Equal(t, 1, calls)
}

// TestLeaveOneOutOfDifferentBins: histograms of curves with different numbers of bins do not belong together.
func TestLeaveOneOutOfDifferentBins(t *testing.T) {
	var partials []*Partial
	var p *Params
	for _, bins := range []int{8, 16, 8} {
		p = &Params{Task: Binary, Scores: true, Curves: BoundedCurves, CurveBins: bins, Metrics: []string{"roc_auc"}}
		require.NoError(t, p.Complete())
		b := drawBatch(source(1), p, 20)
		one, err := p.New()
		require.NoError(t, err)
		one.Fold(b, AllRows(nil, b.Rows))
		partials = append(partials, one)
	}
	refused := func(of *Partial) {
		_, err := p.Evaluate(of, Options{})
		require.ErrorContains(t, err, "other Params")
	}
	require.NoError(t, LeaveOneOut(partials, nil, func(_ int, without *Partial) error {
		refused(without)
		return nil
	}))
	refused(Whole(partials, partials[0]))
}
