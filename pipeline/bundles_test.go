package pipeline

import (
	"fmt"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms"
	"github.com/beameval/beameval/transforms/input"
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
		p.shards = append(p.shards, shard{input.Shard{File: fmt.Sprint("f", i), Groups: len(rows)}, rows, 20})
	}
	return p
}

func repeated(n int, rows ...int64) (groups [][]int64) {
	for range n {
		groups = append(groups, rows)
	}
	return groups
}

// TestBundles: more output requires more bundles.
func TestBundles(t *testing.T) {
	counts := metrics.Params{Task: metrics.Binary, Labels: 2, Decisions: true, Metrics: []string{"f1"}}
	require.NoError(t, counts.Complete())
	long := func(p *Plan) { p.spec.Long = true }
	for _, c := range []struct {
		name string
		plan *Plan
		set  func(*Plan)
		want int
	}{
		{"little", sortedPlan(t, 2, repeated(16, 1_000_000)...), nil, 0},
		{"no curves", sortedPlan(t, 2, repeated(2000, 1_000_000)...), func(p *Plan) { p.spec.Params = counts }, 0},
		{"200 million scores", sortedPlan(t, 2, repeated(2000, 100_000)...), nil, 64},
		{"of as many labels", sortedPlan(t, 20, repeated(2000, 5_000)...), nil, 64},
		{"weighted", sortedPlan(t, 2, repeated(16, 1_000_000)...), func(p *Plan) { p.spec.Columns.Weight = "weight" }, 64},
		{"two billion scores", sortedPlan(t, 2, repeated(20_000, 100_000)...), nil, 256},
		{"rows of examples", sortedPlan(t, 2, repeated(16, 1_000_000)...), long, 64},
		{"without curves", sortedPlan(t, 2, repeated(16, 1_000_000)...), func(p *Plan) { long(p); p.spec.Params = counts }, 32},
		{"truth", sortedPlan(t, 2, repeated(1, 1000)...), func(p *Plan) {
			p.spec.Truth = new(transforms.Truth)
			p.truth = sortedPlan(t, 2, repeated(100, 100_000)...).shards
		}, 64},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.set != nil {
				c.set(c.plan)
			}
			got, err := c.plan.bundles()
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

// TestNoBundlesDo: input that would block forever is an error that says what to do.
func TestNoBundlesDo(t *testing.T) {
	for _, c := range []struct {
		plan *Plan
		want string
	}{
		{sortedPlan(t, 2, []int64{5, 20_000_000, 5}), "f0: row group 1 has 20000000 rows, of which about 171 MB would be shuffled; Beam's job server takes at most 150 MB of a row group: " +
			"write row groups of at most 17476266 rows, or set curves.mode to bounded"},
		{sortedPlan(t, 1000, []int64{20_000}), "f0: row group 0 has 20000 rows, of which about 171 MB would be shuffled; Beam's job server takes at most 150 MB of a row group: " +
			"write row groups of at most 17476 rows, or set curves.mode to bounded"},
		{sortedPlan(t, 2, repeated(8000, 15_000_000)...), "about 1005 GB would be shuffled, more than Beam's job server takes: use another runner, or set curves.mode to bounded"},
	} {
		_, err := c.plan.bundles()
		require.EqualError(t, err, c.want)
		_, scope := beam.NewPipelineWithRoot()
		require.EqualError(t, c.plan.Build(scope, "flink", time.Now()), "runner flink: "+c.want)
	}
}

// TestDividedShards: a shard with much output is divided into its row groups.
func TestDividedShards(t *testing.T) {
	p := sortedPlan(t, 2, []int64{1_000_000, 1_000_000}, []int64{3_000_000, 0, 2_000_000})
	_, err := p.bundles()
	require.NoError(t, err)
	require.Equal(t, []shard{
		{input.Shard{File: "f0", Groups: 2}, []int64{1_000_000, 1_000_000}, 20},
		{input.Shard{File: "f1", First: 0, Groups: 1}, []int64{3_000_000}, 20},
		{input.Shard{File: "f1", First: 2, Groups: 1}, []int64{2_000_000}, 20},
	}, p.shards)
}

// TestBundlesByRunner: on Flink and Spark, steps have a bundle for each key, and more bundles if
// the input is large.
func TestBundlesByRunner(t *testing.T) {
	preds := write(t, examples(10), 1, 10)
	for rows, limited := range map[int64]int{10: 2, 9_000_000: 4} {
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
