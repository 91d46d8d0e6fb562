package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/transforms"
)

// cause finds our own error within that of a runner, which is the story of
// every layer that it passed through.
func cause(err error) error {
	text := err.Error()
	if _, after, found := strings.Cut(text, transforms.ErrorMark); found {
		before, _, _ := strings.Cut(after, transforms.ErrorEnd)
		return errors.New(before)
	}
	// Beam gives each layer a line of its own. A few of them make a sentence;
	// more are likely to be a stack.
	lines := strings.Split(strings.ReplaceAll(text, "\tcaused by:\n", ""), "\n")
	if len(lines) > 5 {
		return err
	}
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return errors.New(strings.Join(lines, ": "))
}

// exitCode is that of an error while planning: wrong usage, unless it was no
// fault of the user's, or came up in rows that the plan depends on.
func exitCode(ctx context.Context, err error) (int, error) {
	var damage *columns.Error
	switch {
	case ctx.Err() != nil:
		return exitFailed, errInterrupted
	case errors.As(err, &damage) && damage.RowGroup >= 0:
		return exitFailed, err
	}
	return exitUsage, err
}

var errInterrupted = errors.New("interrupted; no report was written")

// interrupted is the error of a run that was interrupted, or nil if its report
// was complete by then.
func interrupted(output string) error {
	if runner := runnerName(); runner != "prism" && runner != "direct" {
		return fmt.Errorf("interrupted; if %s has the job already, it goes on there and writes %s", runner, output)
	}
	transforms.StopWriting()
	if _, err := files.ReadFile(context.Background(), files.Join(output, report.MetricsJSON)); err != nil {
		return errInterrupted
	}
	return nil
}
