package metrics

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLeaveOneOut compares with merging all others, for lists of all lengths, with partials that
// are nil among them.
func TestLeaveOneOut(t *testing.T) {
	p := params(t, Binary, 1, Probability)
	r := source(4)
	var partials []*Partial
	for n := range 20 {
		var order []int
		require.NoError(t, LeaveOneOut(partials, nil, func(i int, without *Partial) error {
			order = append(order, i)
			want := new(Partial)
			for k, other := range partials {
				if k != i && other != nil {
					want.Merge(other)
				}
			}
			require.Equal(t, want.Append(nil), without.Append(nil))
			return nil
		}))
		require.Len(t, order, n)
		require.IsIncreasing(t, append([]int{-2, -1}, order...))
		next, err := p.New()
		require.NoError(t, err)
		next.Fold(drawBatch(r, p, 5), AllRows(nil, 5))
		if n%7 == 3 {
			next = nil
		}
		partials = append(partials, next)
	}
	failed := errors.New("failed")
	calls := 0
	require.ErrorIs(t, LeaveOneOut(partials, nil, func(int, *Partial) error { calls++; return failed }), failed)
	require.Equal(t, 1, calls)
}
