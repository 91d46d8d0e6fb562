package transforms

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	//lint:ignore SA1019 a test executes one plan of it twice
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/prism"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/lanes"
)

// keepFn keeps the rows that a pipeline of this process computes.
type keepFn struct{ Name string }

var kept struct {
	sync.Mutex
	rows map[string][]string // encoded, by the name of the keepFn
}

// ProcessElement keeps a row.
func (f *keepFn) ProcessElement(row report.Row) {
	kept.Lock()
	defer kept.Unlock()
	if kept.rows == nil {
		kept.rows = make(map[string][]string)
	}
	kept.rows[f.Name] = append(kept.rows[f.Name], rowText(row))
}

func init() { register.DoFn1x0[report.Row](&keepFn{}) }

// rowText is a row, encoded.
func rowText(row report.Row) string {
	data, err := shuffle.Encode(row)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// rowOf is the row of a text.
func rowOf(text string) (report.Row, error) {
	row, err := shuffle.Decode(reflect.TypeFor[report.Row](), []byte(text))
	if err != nil {
		return report.Row{}, err
	}
	return row.(report.Row), nil
}

// onePipeline is locked while prism runs one: of jobs that are submitted at the same time, Beam
// 2.77 keeps the artifacts in one map without a lock.
var onePipeline sync.Mutex

// onPrism runs a pipeline, which keeps rows by these names.
func onPrism(p *beam.Pipeline, names ...string) error {
	onePipeline.Lock()
	defer onePipeline.Unlock()
	return prism.Try(func() error {
		_ = takeKept(names) // those of an earlier attempt
		_, err := beam.Run(context.Background(), "prism", p)
		return err
	})
}

// takeKept returns the rows that were kept by each name, sorted, and keeps them no more.
func takeKept(names []string) [][]string {
	kept.Lock()
	defer kept.Unlock()
	out := make([][]string, len(names))
	for i, name := range names {
		out[i] = kept.rows[name]
		delete(kept.rows, name)
		slices.Sort(out[i])
	}
	return out
}

// keepsState says whether a DoFn has state, which direct does not give: bundles of their own are
// for other runners.
func keepsState(t testing.TB, p *beam.Pipeline) bool {
	edges, _, err := p.Build()
	require.NoError(t, err)
	return slices.ContainsFunc(edges, func(e *graph.MultiEdge) bool { return e.DoFn != nil && len(e.DoFn.PipelineState()) > 0 })
}

// onDirect runs a pipeline, which keeps rows by these names, and returns the rows of each, sorted. It runs a second bundle
// with the same functors, as a worker does: the rows are the same, because a bundle has what its elements say.
func onDirect(t testing.TB, p *beam.Pipeline, names ...string) ([][]string, error) {
	t.Helper()
	edges, _, err := p.Build()
	require.NoError(t, err)
	plan, err := direct.Compile(edges)
	require.NoError(t, err)
	ctx := metrics.SetBundleID(t.Context(), "direct")
	defer plan.Down(ctx)
	err = plan.Execute(ctx, "first", exec.DataContext{})
	first := takeKept(names)
	if err != nil {
		return first, err
	}
	require.NoError(t, plan.Execute(ctx, "second", exec.DataContext{}))
	require.Equal(t, first, takeKept(names), "a second bundle")
	return first, nil
}

// rowsOf runs a pipeline of several evaluations, on prism and on direct, and returns the rows of
// each, sorted: they are the same.
func rowsOf(t testing.TB, evaluations ...func(beam.Scope) Evaluation) ([][]string, error) {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	var names []string
	for i, evaluation := range evaluations {
		names = append(names, t.Name()+strings.Repeat("+", i))
		beam.ParDo0(s, &keepFn{names[i]}, evaluation(s).Rows(s))
	}
	err := onPrism(p, names...)
	out := takeKept(names)
	if keepsState(t, p) {
		return out, err
	}
	rows, failed := onDirect(t, p, names...)
	require.Equal(t, err == nil, failed == nil, "prism: %v, direct: %v", err, failed)
	if err == nil {
		require.Equal(t, out, rows)
	}
	return out, err
}

// must is an evaluation that is no error.
func must(e Evaluation, err error) Evaluation {
	if err != nil {
		panic(err)
	}
	return e
}

// asSettled returns a spec as if it were settled.
func asSettled(spec Spec) *settled {
	s := &settled{shuffle.Job{Spec: spec}}
	s.derive()
	return s
}

// inMemory evaluates predictions in memory.
func inMemory(spec Spec, list []input.Prediction) func(beam.Scope) Evaluation {
	return func(s beam.Scope) Evaluation {
		return must(Predictions(s, anyDivision(spec), beam.CreateList(s, list)))
	}
}

// inFiles evaluates shards.
func inFiles(spec Spec, shards ...input.Shard) func(beam.Scope) Evaluation {
	return func(s beam.Scope) Evaluation {
		return must(Parquet(s, anyDivision(spec), beam.CreateList(s, shards)))
	}
}

var evaluations atomic.Int32

// anyDivision returns the spec with one to four goroutines, and every third time with bundles
// of its own, in turn: nothing depends on how the work is divided.
func anyDivision(spec Spec) Spec {
	n := int(evaluations.Add(1))
	spec.Goroutines = 1 + n%4
	spec.Shuffled = spec.Long && n%2 == 0
	if n%3 == 0 {
		spec.Division = lanes.Division{
			Lanes: 70, Bundles: true, Buckets: 1 << (1 + n%10), Hashing: []lanes.Hashing{lanes.Flink, lanes.Spark, lanes.Unknown}[n/3%3],
			PartialBytes: []int{0, 1 << (8 + n%10)}[n/9%2],
		}
	}
	return spec
}
