package pipeline

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/lanes"
)

// sortedPlan is a plan of exact curves for shards with row groups of the given sizes.
func sortedPlan(t *testing.T, labels int, groups ...[]int64) *Plan {
	t.Helper()
	task := metrics.Binary
	if labels > 2 {
		task = metrics.Multilabel
	}
	p := &Plan{spec: transforms.Spec{Params: metrics.Params{Task: task, Labels: labels, Scores: true, Curves: metrics.ExactCurves, Metrics: []string{"roc_auc"}}}}
	require.NoError(t, p.spec.Params.Complete())
	for i, rows := range groups {
		p.shards = append(p.shards, shard{input.Shard{File: fmt.Sprint("f", i), RowGroups: len(rows)}, rows, 20})
	}
	return p
}

func repeated(n int, rows ...int64) (groups [][]int64) {
	for range n {
		groups = append(groups, rows)
	}
	return groups
}

// TestDivision: more output requires more lanes, which are bundles, and more buckets of examples.
func TestDivision(t *testing.T) {
	t.Parallel()
	counts := metrics.Params{Task: metrics.Binary, Labels: 2, Decisions: true, Metrics: []string{"f1"}}
	require.NoError(t, counts.Complete())
	long := func(p *Plan) { p.spec.Long = true }
	flink := func(n, ranges, buckets int, bundles bool) lanes.Division {
		return lanes.Division{Lanes: n, RangeLanes: ranges, Bundles: bundles, BundlePerKey: true, Buckets: buckets, Hashing: lanes.Flink}
	}
	for _, c := range []struct {
		name string
		plan *Plan
		set  func(*Plan)
		want lanes.Division
	}{
		{"little", sortedPlan(t, 2, repeated(16, 1_000_000)...), nil, flink(16, 17, 0, false)},
		{"no curves", sortedPlan(t, 2, repeated(5000, 1_000_000)...), func(p *Plan) { p.spec.Params = counts }, flink(4096, 0, 0, false)},
		{"200 million scores", sortedPlan(t, 2, repeated(2000, 100_000)...), nil, flink(1024, 214, 0, true)},
		{"of as many labels", sortedPlan(t, 20, repeated(2000, 5_000)...), nil, flink(1024, 214, 0, true)},
		{"weighted", sortedPlan(t, 2, repeated(16, 1_000_000)...), func(p *Plan) { p.spec.Columns.Weight = "weight" }, flink(16, 32, 0, true)},
		{"20 billion scores", sortedPlan(t, 2, repeated(40_000, 500_000)...), nil, flink(1430, 1144, 0, true)},
		{"rows of examples", sortedPlan(t, 2, repeated(16, 1_000_000)...), long, flink(64, 17, 256, true)},
		{"billions of rows of examples", sortedPlan(t, 2, repeated(100_000, 1_000_000)...), long, flink(100_000, 5722, 16384, true)},
		{"few rows of examples", sortedPlan(t, 2, repeated(4, 100_000)...), long, flink(4, 16, 0, false)},
		{"a row group of examples", sortedPlan(t, 2, []int64{1_700_000}), long, flink(4, 16, 256, true)},
		{"many rows of examples", sortedPlan(t, 2, repeated(10_000, 1_000_000)...), long, flink(16384, 1024, 16384, true)},
		{"lanes of a bucket or two", sortedPlan(t, 2, repeated(2, 1_000_000, 1_000_000, 1_000_000, 1_000_000, 1_000_000, 1_000_000)...), long, flink(32, 16, 256, true)},
		{"without curves", sortedPlan(t, 2, repeated(500, 100_000)...), func(p *Plan) { long(p); p.spec.Params = counts }, flink(256, 0, 256, true)},
		{"truth", sortedPlan(t, 2, repeated(1, 1000)...), func(p *Plan) {
			p.spec.Truth = new(transforms.Truth)
			p.truth = sortedPlan(t, 2, repeated(100, 100_000)...).shards
		}, flink(100, 16, 256, true)},
		{"truth in a row group", sortedPlan(t, 2, repeated(1, 1000)...), func(p *Plan) {
			p.spec.Truth = new(transforms.Truth)
			p.truth = sortedPlan(t, 2, []int64{1_900_000}).shards
		}, flink(4, 16, 256, true)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.set != nil {
				c.set(c.plan)
			}
			got, err := c.plan.divide("flink")
			require.NoError(t, err)
			require.Equal(t, c.want, got)
			require.True(t, got.Valid())
			sizes := make(map[int]int64)
			for i, size := range c.plan.sizes(c.plan.shards, c.plan.scoresOfRow()) {
				sizes[c.plan.shards[i].Lane] += size
			}
			for lane, size := range sizes {
				require.LessOrEqual(t, size, int64(bundleBytes), lane)
				require.True(t, 1 <= lane && lane <= got.Lanes, lane)
			}
			if c.plan.byExample() && got.Bundles && got.Buckets < mostRowLanes { // the rows of a lane are those of some buckets
				output := int64(0)
				for _, side := range c.plan.sides() {
					output += collections.Sum(slices.Values(c.plan.sizes(*side.shards, side.scores)))
				}
				n := min(got.Lanes, got.Buckets)
				require.LessOrEqual(t, output*int64((got.Buckets+n-1)/n), int64(rowLaneBytes*got.Buckets))
			}
		})
	}
}

// TestTooLargeRowGroups: what blocks forever is an error that says what to do.
func TestTooLargeRowGroups(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		plan *Plan
		want string
	}{
		{sortedPlan(t, 2, []int64{5, 20_000_000, 5}), "f0: row group 1 has 20000000 rows, of which about 171 MB would be shuffled; Beam's job server takes at most 150 MB of a row group: " +
			"write row groups of at most 17476266 rows, or set curves.mode to bounded"},
		{sortedPlan(t, 1000, []int64{20_000}), "f0: row group 0 has 20000 rows, of which about 171 MB would be shuffled; Beam's job server takes at most 150 MB of a row group: " +
			"write row groups of at most 17476 rows, or set curves.mode to bounded"},
	} {
		_, err := c.plan.divide("spark")
		require.EqualError(t, err, c.want)
		_, scope := beam.NewPipelineWithRoot()
		require.EqualError(t, c.plan.Build(scope, "flink", time.Now()), "runner flink: "+c.want)
	}
}

// TestDividedShards: a shard with much output is divided into its row groups.
func TestDividedShards(t *testing.T) {
	p := sortedPlan(t, 2, []int64{1_000_000, 1_000_000}, []int64{3_000_000, 0, 2_000_000})
	p.shards[0].rowBytes, p.shards[1].rowBytes = 1, 1
	_, err := p.divide("flink")
	require.NoError(t, err)
	require.Equal(t, []shard{
		{input.Shard{File: "f0", RowGroups: 2, Lane: 2}, []int64{1_000_000, 1_000_000}, 1},
		{input.Shard{File: "f1", First: 0, RowGroups: 1, Lane: 1}, []int64{3_000_000}, 1},
		{input.Shard{File: "f1", First: 2, RowGroups: 1, Row: 3_000_000, Lane: 3}, []int64{2_000_000}, 1},
	}, p.shards)

	p = sortedPlan(t, 2, []int64{100_000, 100_000, 0, 100_000, 300_000, 1, 200_000}) // of 20 bytes each
	d, err := p.divide("dataflow")
	require.NoError(t, err)
	require.Equal(t, lanes.Division{Lanes: 3}, d)
	require.Equal(t, []shard{
		{input.Shard{File: "f0", First: 0, RowGroups: 4, Lane: 2}, []int64{100_000, 100_000, 0, 100_000}, 20},
		{input.Shard{File: "f0", First: 4, RowGroups: 2, Row: 300_000, Lane: 1}, []int64{300_000, 1}, 20},
		{input.Shard{File: "f0", First: 6, RowGroups: 1, Row: 600_001, Lane: 3}, []int64{200_000}, 20},
	}, p.shards)
}

// TestBundlesByRunner: on Flink and Spark, steps have a bundle for each key, and more bundles if
// the input is large.
func TestBundlesByRunner(t *testing.T) {
	preds := write(t, examples(10), 1, 10)
	for rows, limited := range map[int64]int{10: 4, 9_000_000: 5} {
		for runner, want := range map[string]int{"flink": limited, "spark": limited, "prism": 0, "dataflow": 0, "universal": 0} {
			cfg := parse(t, "{}", preds)
			cfg.Output.Dir = t.TempDir() + "/out"
			plan, err := Make(t.Context(), cfg)
			require.NoError(t, err)
			plan.shards[0].groups[0] = rows
			other := plan.shards[0]
			other.First = 1
			plan.shards = append(plan.shards, other)
			pipeline, scope := beam.NewPipelineWithRoot()
			require.NoError(t, plan.Build(scope, runner, time.Now()))
			edges, _, err := pipeline.Build()
			require.NoError(t, err)
			perKey := 0
			for _, e := range edges {
				if e.DoFn != nil {
					perKey += len(e.DoFn.PipelineState())
				}
			}
			require.Equal(t, want, perKey, "%s, %d rows", runner, rows)
		}
	}
}
