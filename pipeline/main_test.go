package pipeline

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx" // the runners
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/pipeline/config"
)

func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	log.SetLogger(nothing{})
	os.Exit(m.Run())
}

// nothing is a logger that logs nothing.
type nothing struct{}

func (nothing) Log(context.Context, log.Severity, int, string) {}

// parse reads a configuration with paths relative to the repository.
func parse(t *testing.T, yaml string) *config.Config {
	cfg, err := config.Parse([]byte(yaml), "test.yaml")
	require.NoError(t, err)
	return cfg
}

// evaluate runs a configuration and returns the report's directory.
func evaluate(t *testing.T, cfg *config.Config, runner string) string {
	t.Helper()
	run := *cfg
	run.Output.Dir = filepath.Join(t.TempDir(), "report")
	plan, err := Make(t.Context(), &run)
	require.NoError(t, err)
	require.NoError(t, execute(t.Context(), plan, runner))
	return run.Output.Dir
}

func execute(ctx context.Context, plan *Plan, runner string) error {
	p, s := beam.NewPipelineWithRoot()
	if err := plan.Build(s, runner, time.Now()); err != nil {
		return err
	}
	_, err := beam.Run(ctx, runner, p)
	return err
}

// readReport reads metrics.json.
func readReport(t *testing.T, dir string) *report.Report {
	data, err := os.ReadFile(filepath.Join(dir, report.MetricsJSON))
	require.NoError(t, err)
	r, err := report.Read(data)
	require.NoError(t, err)
	return r
}
