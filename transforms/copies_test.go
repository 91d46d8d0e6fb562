package transforms

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/fold"
	"github.com/beameval/beameval/transforms/lanes"
)

// copied returns the copies by the keys that they have at last, and the largest number of copies of a bundle.
func copied(t *testing.T, d lanes.Division, n int, in element.TaskInput) (byKey map[int]int, largest int, err error) {
	of := []int{0}
	for i, level := range fold.CopyLevels(&d, n) {
		f := &fold.CopyPerKeyFn{CopyFn: level}
		var next []int
		for _, lane := range of {
			f.StartBundle(nil)
			before := len(next)
			emit := func(key int, in element.TaskInput) { next = append(next, key) }
			if i == 0 {
				err = f.CopyFn.ProcessElement(in, emit)
			} else {
				err = f.ProcessElement(nil, lane, in, emit)
			}
			if err != nil {
				return nil, 0, err
			}
			largest = max(largest, len(next)-before)
		}
		of = next
	}
	byKey = make(map[int]int)
	for _, key := range of {
		byKey[key]++
	}
	return byKey, largest, nil
}

// TestCopies: every lane gets one copy, and no bundle emits many if its output is limited.
func TestCopies(t *testing.T) {
	labels := element.TaskInput{Labels: &element.Spilled{Bytes: make([]byte, 10)}}
	for _, n := range []int{1, 2, 15, 16, 17, 255, 256, 257, 5000, 1 << 16} {
		for _, d := range []lanes.Division{{}, {Lanes: n}, {Lanes: n, Bundles: true}, {Lanes: n, BundlePerKey: true, Hashing: lanes.Flink}, {Lanes: n, BundlePerKey: true, Hashing: lanes.Spark}} {
			got, largest, err := copied(t, d, n, labels)
			require.NoError(t, err)
			want := make(map[int]int)
			for lane := range n {
				want[d.Key(lane)]++
			}
			require.Equal(t, want, got)
			require.True(t, largest <= 16 || !d.Bundles && !d.BundlePerKey, "%d copies from a bundle", largest)
		}
	}
}

// TestTooManyCopies: labels that would block a worker forever are an error.
func TestTooManyCopies(t *testing.T) {
	large := element.TaskInput{Labels: &element.Spilled{Bytes: make([]byte, 23_000_000)}}
	for _, n := range []int{16, 300} {
		_, _, err := copied(t, lanes.Division{Lanes: n, BundlePerKey: true}, n, large)
		require.ErrorContains(t, err, "the labels, or what else every task needs, take 23 MB, and Beam's job server takes at most 360 MB of copies from a worker: use another runner")
	}
	_, _, err := copied(t, lanes.Division{Lanes: 300, BundlePerKey: true}, 15, large)
	require.NoError(t, err)
	_, _, err = copied(t, lanes.Division{Lanes: 300}, 300, large)
	require.NoError(t, err)
}
