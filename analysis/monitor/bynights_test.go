package monitor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestByNights: each metric is explained once, also if another one comes between two of the same nights.
func TestByNights(t *testing.T) {
	a, b := changed{"a", []int{0, 1}, []int{2, 3}}, changed{"b", []int{1}, []int{2}}
	c := changed{"c", a.before, a.since}
	require.Equal(t, []together{{a, []string{"a", "c"}}, {b, []string{"b"}}}, byNights([]changed{a, b, c}))
	require.Empty(t, byNights(nil))
}
