package transforms

import (
	"slices"

	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/fold"
)

// mostBundles is how many [Spec].Bundles there may be: each gets a copy of what tasks need to
// know.
const mostBundles = fold.CopyLanes * fold.CopyLanes

// ExampleBundles is in how many bundles, at most, examples are put together whose rows are
// spread over shards.
const ExampleBundles = element.Buckets

// Bundles returns the fewest [Spec].Bundles, but at least these, with which none puts out more
// than most bytes, if each shard puts out so many as sizes says. It returns false if there would
// be more than 4096.
func Bundles(shards []input.Shard, sizes []int64, most int64, least int) (int, bool) {
	for n := least; n <= mostBundles; n *= 2 {
		bundles := make([]int64, n)
		for i := range shards {
			bundles[fold.Lane(&shards[i], n)] += sizes[i]
		}
		if slices.Max(bundles) <= most {
			return n, true
		}
	}
	return 0, false
}
