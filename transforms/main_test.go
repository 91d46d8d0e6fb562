package transforms

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx" // the runners direct and prism
)

func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	log.SetLogger(silent{})
	os.Exit(m.Run())
}

// silent is a logger that logs nothing.
type silent struct{}

func (silent) Log(context.Context, log.Severity, int, string) {}
