package transforms

import (
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/fold"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/lanes"
)

// TestLaneCount: the division of a cluster decides, then what each lane gets a copy of; a bucket of rows is in one lane.
func TestLaneCount(t *testing.T) {
	var plain, searching, windowed, long, few shuffle.Job
	searching.Search, searching.Stage = &Search{}, shuffle.Count
	windowed.Windowed = true
	long.Long, few.Long = true, true
	few.Division.Buckets = 8
	divided := func(j shuffle.Job) shuffle.Job {
		j.Division.Lanes = 5000
		return j
	}
	for _, c := range []struct {
		job              shuffle.Job
		labels, ofShards bool
		want             int
	}{
		{plain, false, false, fold.BoundLanes}, {plain, true, false, fold.LabelLanes}, {searching, false, false, fold.LabelLanes},
		{windowed, true, false, fold.WindowLanes}, {divided(plain), true, false, 5000}, {divided(windowed), false, false, 5000},
		{long, false, false, 256}, {long, true, true, fold.LabelLanes}, {few, false, false, 8}, {few, false, true, fold.BoundLanes},
		{divided(long), false, false, 256}, {divided(long), false, true, 5000}, {divided(few), true, false, 8},
	} {
		require.Equal(t, c.want, laneCount(&c.job, c.labels, c.ofShards), "%+v", c)
	}
}

// TestGrouped: a key has a bundle only where the division says so and it has many elements.
func TestGrouped(t *testing.T) {
	for _, c := range []struct {
		division   lanes.Division
		many, want bool
	}{{lanes.Division{}, true, false}, {lanes.Division{BundlePerKey: true}, false, false}, {lanes.Division{BundlePerKey: true}, true, true}} {
		p, s := beam.NewPipelineWithRoot()
		tasks := beam.ParDo(s, fold.ShardTask, beam.CreateList(s, []input.Shard{{}}))
		require.Len(t, grouped(s, &c.division, c.many, &fold.Fn{}, tasks), 3)
		require.Equal(t, c.want, keepsState(t, p))
	}
}
