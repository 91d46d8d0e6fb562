package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

// quietLogs keeps what Beam and prism log about their inner life off standard
// error: of a failure, the error that the run ends with says it all. It must be
// called after beam.Init, which sets up logging of its own.
func quietLogs() {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	log.SetLogger(atLeast{log.SevFatal, &log.Standard{}})
}

// atLeast is a logger of messages of a severity or above.
type atLeast struct {
	lowest log.Severity
	to     log.Logger
}

// Log passes a message on if it is severe enough.
func (l atLeast) Log(ctx context.Context, severity log.Severity, depth int, message string) {
	if severity >= l.lowest {
		l.to.Log(ctx, severity, depth+1, message)
	}
}

func newReader(b []byte) io.Reader { return bytes.NewReader(b) }
