package pipeline

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx" // the runners
	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/graphshape"
	"github.com/beameval/beameval/internal/testing/prism"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/pipeline/config"
)

func TestMain(m *testing.M) {
	flag.Parse()
	debug.SetGCPercent(400) // runs are too small to spare memory
	beam.Init()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	log.SetLogger(nothing{})
	os.Exit(m.Run())
}

// nothing is a logger that discards everything.
type nothing struct{}

func (nothing) Log(context.Context, log.Severity, int, string) {}

// parse reads a configuration of predictions, and of truth, in these files or folders.
func parse(t *testing.T, yaml string, files ...string) *config.Config {
	t.Helper()
	cfg, err := config.Parse([]byte(yaml), "test.yaml")
	require.NoError(t, err)
	if len(files) > 0 {
		cfg.Input.Files = files[:1]
	}
	if len(files) > 1 {
		cfg.Truth.Files = files[1:]
	}
	return cfg
}

// evaluate runs a configuration on direct, and returns the directory of its report. If no other test has run all parts
// of its pipeline on prism, it also runs there, and must write the same report.
func evaluate(t *testing.T, cfg *config.Config) string {
	t.Helper()
	run := *cfg
	run.Output.Dir = filepath.Join(t.TempDir(), "report")
	plan, err := Make(t.Context(), &run)
	require.NoError(t, err)
	require.NoError(t, execute(t.Context(), plan, "direct"))
	if onPrism.adds(t, plan) {
		plan.output.Dir = filepath.Join(t.TempDir(), "report")
		require.NoError(t, execute(t.Context(), plan, "prism"))
		requireSame(t, contents(t, run.Output.Dir), contents(t, plan.output.Dir))
	}
	return run.Output.Dir
}

func evaluateOn(t *testing.T, cfg *config.Config, runner string, goroutines int) string {
	t.Helper()
	run := *cfg
	run.Output.Dir = filepath.Join(t.TempDir(), "report")
	plan, err := Make(t.Context(), &run)
	require.NoError(t, err)
	plan.spec.Goroutines = goroutines
	require.NoError(t, execute(t.Context(), plan, runner))
	return run.Output.Dir
}

// covered are the lines of the shapes of pipelines that have run on a runner, and the metrics of each task.
type covered struct {
	lock  sync.Mutex
	lines graphshape.Shape
}

// onPrism is what has run on prism. A run there takes as long as five on direct, and shows more only if its graph, a field
// that travels or a statistic is new.
var onPrism = covered{lines: make(graphshape.Shape)}

// adds adds a plan, and reports whether any of its lines is new.
func (c *covered) adds(t *testing.T, plan *Plan) bool {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	require.NoError(t, plan.Build(s, "prism", time.Now()))
	params := plan.spec.Params
	shape, err := graphshape.Of(p, params.Task)
	require.NoError(t, err)
	for _, metric := range params.Metrics {
		shape[params.Task.String()+" "+metric] = true
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	before := len(c.lines)
	maps.Copy(c.lines, shape)
	return len(c.lines) > before
}

// requireRefused checks why a configuration cannot be planned.
func requireRefused(t *testing.T, cfg *config.Config, why string) {
	t.Helper()
	cfg.Output.Dir = filepath.Join(t.TempDir(), "report")
	_, err := Make(t.Context(), cfg)
	require.ErrorContains(t, err, why)
}

// onePipeline is locked while prism runs a job, because Beam 2.77 keeps the artifacts of
// concurrently submitted jobs in a map without a lock.
var onePipeline sync.Mutex

func execute(ctx context.Context, plan *Plan, runner string) error {
	p, s := beam.NewPipelineWithRoot()
	if err := plan.Build(s, runner, time.Now()); err != nil {
		return err
	}
	return runOn(ctx, p, runner)
}

func runOn(ctx context.Context, p *beam.Pipeline, runner string) error {
	if runner == "prism" {
		onePipeline.Lock()
		defer onePipeline.Unlock()
	}
	return prism.Try(func() error {
		_, err := beam.Run(ctx, runner, p)
		return err
	})
}

// write divides rows among files of a new folder, with row groups of the given size.
func write[T any](t *testing.T, rows []T, files, group int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for f := range files {
		out, err := os.Create(filepath.Join(dir, fmt.Sprintf("part-%d.parquet", f)))
		require.NoError(t, err)
		w := parquet.NewGenericWriter[T](out, parquet.MaxRowsPerRowGroup(int64(group)))
		_, err = w.Write(rows[f*len(rows)/files : (f+1)*len(rows)/files])
		require.NoError(t, err)
		require.NoError(t, w.Close())
		require.NoError(t, out.Close())
	}
	return dir
}

// readReport reads metrics.json.
func readReport(t *testing.T, dir string) *report.Report {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, report.MetricsJSON))
	require.NoError(t, err)
	r, err := report.Read(data)
	require.NoError(t, err)
	return r
}

// contents returns the files of a report that must not vary.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	files := make(map[string]string)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		files[e.Name()] = string(data)
	}
	delete(files, report.RunJSON)
	return files
}

// rowKey identifies a row of a report.
type rowKey struct{ slice, name, label string }

func keyOf(of slice.Key, name string, label *string) rowKey {
	text, err := of.MarshalJSON()
	if err != nil {
		panic(err)
	}
	key := rowKey{slice: string(text), name: name}
	if label != nil {
		key.label = "label " + *label
	}
	return key
}

func valuesOf(r *report.Report) map[rowKey]report.Row {
	rows := make(map[rowKey]report.Row, len(r.Metrics))
	for _, row := range r.Metrics {
		rows[keyOf(row.Slice, row.Name, row.Label)] = row
	}
	return rows
}

// TestFootersAreReadOnce: the first files stay open while a plan is made.
func TestFootersAreReadOnce(t *testing.T) {
	t.Parallel()
	dir := write(t, examples(20), 2, 5)
	d, err := open(t.Context(), "input", "", []string{dir}, columns.Options{})
	require.NoError(t, err)
	defer d.close()
	require.NoError(t, os.Remove(filepath.Join(dir, "part-0.parquet")))
	values, err := d.firstValues(t.Context(), "class")
	require.NoError(t, err)
	require.NotEmpty(t, values)
}
