package transforms

import (
	"slices"

	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/fold"
)

// mostBundles is the largest valid [Spec].Bundles: each bundle gets a copy of what tasks need to
// know.
const mostBundles = fold.CopyLanes * fold.CopyLanes

// ExampleBundles is the largest number of bundles in which examples with rows in several shards are
// put together.
const ExampleBundles = element.Buckets

// Bundles returns the smallest [Spec].Bundles, but no less than least, with which no bundle emits
// more than most bytes, if sizes are the bytes that the shards emit. It returns false if more than
// 4096 would be needed.
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
