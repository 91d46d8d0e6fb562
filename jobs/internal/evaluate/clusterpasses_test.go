//go:build flink || spark

package evaluate

import (
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/jobs/internal/generate/synthetic"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/lanes"
)

// evaluateInPasses evaluates inputs whose statistics are several times what a bundle may emit. Without further
// passes, the runs would fail.
func evaluateInPasses(t *testing.T, runner, endpoint string) {
	*jobopts.Endpoint, *jobopts.EnvironmentType = endpoint, "LOOPBACK"
	t.Cleanup(func() { *jobopts.Endpoint, *jobopts.EnvironmentType = "", "" })
	columns := []synthetic.Slice{{Name: "group", Values: 2000}, {Name: "other", Values: 1000}}
	one := []transforms.Slice{{{Column: "group"}}}
	three := append(one, transforms.Slice{{Column: "other"}}, transforms.Slice{{Column: "group"}, {Column: "other"}})
	spec := transforms.Spec{Histograms: true, RangeBytes: 8 << 10}
	for name, c := range map[string]struct {
		data    synthetic.Spec
		params  metrics.Params
		columns input.Columns
		long    bool
		slices  []transforms.Slice
		limit   int
	}{
		"exact curves": {
			synthetic.Spec{Rows: 16_000},
			metrics.Params{Task: metrics.Binary, Scores: true, Decisions: true, Curves: metrics.ExactCurves, Metrics: []string{"roc_auc", "ece", "log_loss", "f1"}},
			input.Columns{Label: "label", Score: "score"}, false, one, 150_000,
		},
		"bounded curves": {
			synthetic.Spec{Rows: 16_000},
			metrics.Params{Task: metrics.Binary, Scores: true, Decisions: true, Curves: metrics.BoundedCurves},
			input.Columns{Label: "label", Score: "score"}, false, one, 150_000,
		},
		"rows of examples": {
			synthetic.Spec{Task: synthetic.Multilabel, Layout: synthetic.LayoutLabel, Rows: 40_000, Shuffle: true},
			metrics.Params{Task: metrics.Multilabel, Scores: true, Decisions: true, Curves: metrics.BoundedCurves},
			input.Columns{Example: "example_id", Class: "label_name", Label: "label", Score: "score"}, true, three, 4_000_000,
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c.data.Files, c.data.Slices, c.data.Seed = 4, columns, 1
			writeGenerated(t, filepath.Join(dir, "preds"), c.data, "")
			shards, err := input.FindShards(t.Context(), filepath.Join(dir, "preds", "*.parquet"))
			require.NoError(t, err)
			spec := spec
			spec.Params, spec.Columns, spec.Long, spec.Slices = c.params, c.columns, c.long, c.slices
			evaluate := func(runner string, d lanes.Division) string {
				spec.Division = d
				p, s := beam.NewPipelineWithRoot()
				e, err := transforms.Parquet(s, spec, beam.CreateList(s, shards))
				require.NoError(t, err)
				out := filepath.Join(dir, runner)
				e.WriteReport(s, transforms.Output{Dir: out, Formats: []report.Format{report.Parquet}})
				_, err = beam.Run(t.Context(), runner, p)
				require.NoError(t, err)
				return out
			}
			want := evaluate("direct", lanes.Division{})
			got := evaluate(runner, lanes.Division{Lanes: 8, Bundles: true, BundlePerKey: true, RangeLanes: 16, PartialBytes: c.limit, Hashing: lanes.Hashing(runner)})
			for _, name := range tree(t, want) {
				if name != "" && name != "/"+report.RunJSON {
					require.Equal(t, contents(t, want, name), contents(t, got, name), name)
				}
			}
		})
	}
}
