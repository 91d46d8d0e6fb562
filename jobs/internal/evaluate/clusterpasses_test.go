//go:build flink || spark

package evaluate

import (
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/synthetic"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/lanes"
)

// evaluateInPasses evaluates inputs whose statistics are several times what a bundle may emit, or whose rows of a lane
// are more than Flink can sort as one record. Without further passes, or with a GroupByKey, the runs would fail.
func evaluateInPasses(t *testing.T, runner, endpoint string) {
	*jobopts.Endpoint, *jobopts.EnvironmentType = endpoint, "LOOPBACK"
	t.Cleanup(func() { *jobopts.Endpoint, *jobopts.EnvironmentType = "", "" })
	columns := []synthetic.Slice{{Name: "group", Values: 2000}, {Name: "other", Values: 1000}}
	one := []transforms.Slice{{{Column: "group"}}}
	three := append(one, transforms.Slice{{Column: "other"}}, transforms.Slice{{Column: "group"}, {Column: "other"}})
	for name, c := range map[string]struct {
		data    synthetic.Spec
		params  metrics.Params
		columns input.Columns
		long    bool
		truth   *transforms.Truth
		slices  []transforms.Slice
		lanes   int
		limit   int
		ranges  int // the size of a range of scores
	}{
		"exact curves": {
			data:    synthetic.Spec{Rows: 16_000},
			params:  metrics.Params{Task: metrics.Binary, Scores: true, Decisions: true, Curves: metrics.ExactCurves, Metrics: []string{"roc_auc", "ece", "log_loss", "f1"}},
			columns: input.Columns{Label: "label", Score: "score"},
			slices:  one, lanes: 8, limit: 150_000, ranges: 8 << 10,
		},
		"bounded curves": {
			data:    synthetic.Spec{Rows: 16_000},
			params:  metrics.Params{Task: metrics.Binary, Scores: true, Decisions: true, Curves: metrics.BoundedCurves},
			columns: input.Columns{Label: "label", Score: "score"},
			slices:  one, lanes: 8, limit: 150_000,
		},
		"rows of examples": {
			data:    synthetic.Spec{Task: synthetic.Multilabel, Layout: synthetic.LayoutLabel, Rows: 40_000, Shuffle: true},
			params:  metrics.Params{Task: metrics.Multilabel, Scores: true, Decisions: true, Curves: metrics.BoundedCurves},
			columns: input.Columns{Example: "example_id", Class: "label_name", Label: "label", Score: "score"},
			long:    true,
			slices:  three, lanes: 8, limit: 4_000_000,
		},
		"more rows than Flink can sort as one record": {
			data:    synthetic.Spec{Task: synthetic.Multilabel, Labels: 40, Rows: 60_000},
			params:  metrics.Params{Task: metrics.Multilabel, Labels: 40, Scores: true, Decisions: true, Curves: metrics.ExactCurves, Metrics: []string{"roc_auc", "f1"}},
			columns: input.Columns{Example: "example_id", Score: "scores"},
			truth:   &transforms.Truth{Columns: input.Columns{Example: "example_id", Label: "labels"}},
			slices:  one, lanes: 1, ranges: 4 << 20,
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c.data.Files, c.data.Slices, c.data.Seed = 4, columns, 1
			writeGenerated(t, filepath.Join(dir, "preds"), c.data, "")
			shards, err := input.FindShards(t.Context(), filepath.Join(dir, "preds", "*.parquet"))
			require.NoError(t, err)
			spec := transforms.Spec{
				Params: c.params, Columns: c.columns, Long: c.long, Truth: c.truth, Slices: c.slices, Histograms: true, RangeBytes: c.ranges,
			}
			evaluate := func(runner string, d lanes.Division) string {
				spec.Division = d
				p, s := beam.NewPipelineWithRoot()
				of := transforms.Parquet
				if c.truth != nil { // it is in the same files
					of = func(s beam.Scope, spec transforms.Spec, rows beam.PCollection) (transforms.Evaluation, error) {
						return transforms.Joined(s, spec, rows, rows)
					}
				}
				e, err := of(s, spec, beam.CreateList(s, shards))
				require.NoError(t, err)
				out := filepath.Join(dir, runner)
				e.WriteReport(s, transforms.Output{Dir: out, Formats: []report.Format{report.Parquet}})
				_, err = beam.Run(t.Context(), runner, p)
				require.NoError(t, err)
				return out
			}
			want := evaluate("direct", lanes.Division{})
			got := evaluate(runner, lanes.Division{Lanes: c.lanes, Bundles: true, BundlePerKey: true, RangeLanes: 16, PartialBytes: c.limit, Hashing: lanes.Hashing(runner)})
			for _, name := range tree(t, want) {
				if name != "" && name != "/"+report.RunJSON {
					require.Equal(t, contents(t, want, name), contents(t, got, name), name)
				}
			}
		})
	}
}
