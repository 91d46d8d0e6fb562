package transforms

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/transforms/internal/fold"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/lanes"
)

// copied returns the copies by the keys that they have at last, and the largest number of copies of a bundle.
func copied(d lanes.Division, n int) (byKey map[int]int, largest int) {
	of := []int{0}
	for i, level := range fold.CopyLevels(&d, n) {
		var next []int
		emit := func(key int, _ shuffle.TaskInput) { next = append(next, key) }
		for _, lane := range of {
			before := len(next)
			if i == 0 {
				level.ProcessElement(shuffle.TaskInput{}, emit)
			} else {
				f := &fold.CopyPerKeyFn{CopyFn: level}
				f.ProcessElement(nil, lane, shuffle.TaskInput{}, emit)
			}
			largest = max(largest, len(next)-before)
		}
		of = next
	}
	byKey = make(map[int]int)
	for _, key := range of {
		byKey[key]++
	}
	return byKey, largest
}

// TestCopies: every lane gets one copy, and no bundle emits many if its output is limited.
func TestCopies(t *testing.T) {
	for _, n := range []int{1, 2, 11, 12, 13, 143, 144, 145, 5000, 1 << 16} {
		for _, d := range []lanes.Division{{}, {Lanes: n}, {Lanes: n, Bundles: true}, {Lanes: n, BundlePerKey: true, Hashing: lanes.Flink}, {Lanes: n, BundlePerKey: true, Hashing: lanes.Spark}} {
			got, largest := copied(d, n)
			want := make(map[int]int)
			for lane := range n {
				want[d.Key(lane)]++
			}
			require.Equal(t, want, got)
			require.True(t, largest <= 12 || !d.Bundles && !d.BundlePerKey, "%d copies from a bundle", largest)
		}
	}
}
