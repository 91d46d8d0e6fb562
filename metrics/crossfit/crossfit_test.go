package crossfit_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/crossfit"
)

// cost of a false positive is 1, and of a false negative 4.
func saved(c *crossfit.Counts) float64 { return -(c[crossfit.FP] + 4*c[crossfit.FN]) }

// TestChoose compares with counts of each example.
func TestChoose(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	const folds, bins, parts = 13, 9, 3
	type example struct {
		fold, bin          int
		positive, decision bool
	}
	for range 50 {
		var examples []example
		list := make([]crossfit.Fold, folds)
		for range r.IntN(300) {
			e := example{r.IntN(folds - 1), r.IntN(bins), r.IntN(3) == 0, r.IntN(2) == 0} // the last fold is empty
			examples = append(examples, e)
			f := &list[e.fold]
			if f.Positives == nil {
				f.Positives, f.Negatives = make([]float64, bins), make([]float64, bins)
			}
			if f.Decided[crossfit.Outcome(e.positive, e.decision)]++; e.positive {
				f.Positives[e.bin]++
			} else {
				f.Negatives[e.bin]++
			}
		}
		count := func(some func(example) bool, predicted func(example) bool) (c crossfit.Counts) {
			for _, e := range examples {
				if some(e) {
					c[crossfit.Outcome(e.positive, predicted(e))]++
				}
			}
			return c
		}
		choose := func(some func(example) bool) (bin int) {
			bin = -1
			for b := -1; b < bins; b++ {
				now := count(some, func(e example) bool { return e.bin <= b })
				before := count(some, func(e example) bool { return e.bin <= bin })
				if saved(&now) > saved(&before) {
					bin = b
				}
			}
			return bin
		}
		every := func(example) bool { return true }
		decided := func(e example) bool { return e.decision }
		var chosen [parts]int
		for part := range parts {
			chosen[part] = choose(func(e example) bool { return e.fold%parts != part })
		}
		byOthers := func(e example) bool { return e.bin <= chosen[e.fold%parts] }

		got := crossfit.Choose(list, parts, saved)
		require.Equal(t, choose(every), got.Bin)
		require.Equal(t, count(every, decided), got.Before)
		require.Equal(t, count(every, byOthers), got.After)
		require.Len(t, got.Without, folds)
		for fold, pair := range got.Without {
			others := func(e example) bool { return e.fold != fold }
			require.Equal(t, crossfit.Pair{Before: count(others, decided), After: count(others, byOthers)}, pair)
		}
	}
}

// TestChoiceIsMeasuredElsewhere: scores that say nothing have a threshold that is the best by chance, and it does not look
// better than it is.
func TestChoiceIsMeasuredElsewhere(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	const folds, bins = 50, 40
	better, inSample := 0.0, 0.0
	for range 200 {
		list := make([]crossfit.Fold, folds)
		for i := range list {
			list[i].Positives, list[i].Negatives = make([]float64, bins), make([]float64, bins)
		}
		for range 1000 {
			f, positive := &list[r.IntN(folds)], r.IntN(5) == 0 // all thresholds cost the same in the long run
			if f.Decided[crossfit.Outcome(positive, false)]++; positive {
				f.Positives[r.IntN(bins)]++
			} else {
				f.Negatives[r.IntN(bins)]++
			}
		}
		got := crossfit.Choose(list, 5, saved)
		better += saved(&got.After) - saved(&got.Before)
		var chosen crossfit.Counts
		for _, f := range list {
			for i := range f.Positives {
				chosen[crossfit.Outcome(true, i <= got.Bin)] += f.Positives[i]
				chosen[crossfit.Outcome(false, i <= got.Bin)] += f.Negatives[i]
			}
		}
		inSample += saved(&chosen) - saved(&got.Before)
	}
	require.Less(t, better/200, 5.0, "costs that other folds' threshold saves")
	require.Greater(t, inSample/200, 15.0, "costs that a threshold saves where it was chosen")
}
