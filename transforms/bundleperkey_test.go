package transforms

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics/scoreruns"
	"github.com/beameval/beameval/transforms/internal/ranges"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
	"github.com/beameval/beameval/transforms/lanes"
)

// TestMessagesOfBundle: a bundle may put out as many messages as a job server takes, and no more.
func TestMessagesOfBundle(t *testing.T) {
	for _, c := range []struct{ bytes, fit int }{
		{workers.MessageBytes, 90}, {workers.MessageBytes/2 + 1, 90}, {workers.MessageBytes / 3, 3 * 90}, {workers.MessageBytes / 10, 10 * 90},
	} {
		f := &sliceLaneFn{Limit: workers.BundleBytes}
		for range 2 {
			f.StartBundle(nil)
			for range c.fit {
				require.NoError(t, f.count(c.bytes))
			}
		}
		require.EqualError(t, f.count(c.bytes), "the statistics of the slices that a worker has met come to more than about 360 MB, and Beam's job server takes no more of a bundle: "+
			"slice by columns of fewer values, list the values that matter, set fewer Params.CurveBins or Confidence.Folds, or use another runner")
	}
}

// TestMergePerKey: partials that arrive one by one in lanes merge to the same as partials that
// arrive by slice, and all partials of a slice are in one lane.
func TestMergePerKey(t *testing.T) {
	s := scenarioNamed(t, "binary")
	var parts []folded
	for _, rows := range divided(drawExamples(300), 3) {
		parts = append(parts, foldPredictions(t, s, rows, 100))
	}
	want := mergedBundles(t, parts...)
	byLane := make(map[int][]outcomeElement)
	laneOf := &sliceLaneFn{Limit: workers.BundleBytes}
	for _, part := range parts {
		laneOf.StartBundle(nil)
		for key, data := range part {
			require.NoError(t, laneOf.ProcessElement([]byte(key), mustDecode(t, data), func(lane int, e outcomeElement) { byLane[lane] = append(byLane[lane], e) }))
		}
	}
	got, counted := make(folded), 0
	f := new(mergePerKeyFn)
	for lane, list := range byLane {
		f.StartBundle(nil, nil)
		for _, e := range list {
			require.NoError(t, f.ProcessElement(nil, lane, e, nil, nil))
		}
		f.FinishBundle(collected(t, got), func(_, n int) { counted += n })
	}
	require.Len(t, want, counted)
	require.Equal(t, want, got)
}

// TestInputsOfPassesAreApart: the inputs of each further pass have a bundle of their own where partials are merged, and
// slices keep to the first mergeLanes lanes.
func TestInputsOfPassesAreApart(t *testing.T) {
	f, met := &sliceLaneFn{Limit: workers.BundleBytes}, make(map[int]bool)
	f.StartBundle(nil)
	for lane := range 3 * mergeLanes {
		p := shuffle.NewPartial()
		p.Again = []shuffle.TaskInput{{Lane: lane}}
		require.NoError(t, f.ProcessElement(shuffle.InputKey(lane), p, func(lane int, _ outcomeElement) {
			require.True(t, lane >= mergeLanes && !met[lane])
			met[lane] = true
		}))
		key := slice.Key{{Column: "n", Value: slice.Int(int64(lane))}}.AppendBinary(nil)
		require.NoError(t, f.ProcessElement(key, shuffle.NewPartial(), func(lane int, _ outcomeElement) { require.Less(t, lane, mergeLanes) }))
	}
}

// TestCollectPerKey: pieces that arrive one by one, in lanes of several ranges, give the same as
// all pieces of each range at once.
func TestCollectPerKey(t *testing.T) {
	s := scenarioNamed(t, "binary")
	parts := divided(drawExamples(300), 3)
	bounds := shuffle.TaskInput{Bounds: &shuffle.Bounds{Images: []uint64{scoreruns.Image(0.7), scoreruns.Image(0.5), scoreruns.Image(0.4), scoreruns.Image(0.2)}}}
	others, pieces := foldedScores(t, s, bounds, parts)
	require.Len(t, pieces, 5)
	want := mergedBundles(t, append(tracedRanges(t, s.spec, pieces, 5), others)...)

	d := lanes.Division{Lanes: 1, BundlePerKey: true, RangeLanes: 2}
	byLane := make(byKey[int, ranges.Piece])
	for at, list := range pieces {
		byLane[d.RangeKey(at)] = append(byLane[d.RangeKey(at)], list...)
	}
	require.Len(t, byLane, 2)
	got := []folded{others}
	f := &ranges.CollectPerKeyFn{CollectFn: *newCollectFn(s.spec)}
	for lane, list := range byLane {
		rand.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
		f.StartBundle(nil)
		f.ProcessElement(nil, lane, list[0], nil) // of a bundle that failed
		f.StartBundle(nil)
		for _, p := range list {
			f.ProcessElement(nil, lane, p, nil)
		}
		out := make(folded)
		require.NoError(t, f.FinishBundle(t.Context(), collected(t, out)))
		got = append(got, out)
	}
	f.Teardown()
	require.Equal(t, want, mergedBundles(t, got...))
}

// TestGathered: a bundle with only some of the slices, or with one twice in place of another, is an
// error and no report.
func TestGathered(t *testing.T) {
	of := func(value int64) outcomeElement {
		return outcomeElement{Slice: slice.Key{{Column: "n", Value: slice.Int(value)}}.AppendBinary(nil)}
	}
	labels := outcomeElement{Labels: new(shuffle.Spilled)}
	all := gathered{of(1), {Slices: 3}, of(2), labels, of(3)}
	next, err := all.take()
	require.NoError(t, err)
	require.Empty(t, all)
	var got []outcomeElement
	for e := (outcomeElement{}); next(&e); {
		got = append(got, e)
	}
	require.Equal(t, []outcomeElement{of(1), of(2), labels, of(3)}, got)

	for _, wrong := range []gathered{{{Slices: 3}, of(1), of(2)}, {{Slices: 3}, of(1), of(2), of(2)}, {of(1), of(2), of(3)}, {{Slices: 3}}} {
		_, err := wrong.take()
		require.ErrorContains(t, err, "slices: it divides a key into bundles")
	}
}
