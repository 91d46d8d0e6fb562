package evaluate

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/pipeline"
	"github.com/beameval/beameval/transforms"
)

// cause extracts an error of this program from an error of a runner, which repeats it in all of its
// layers.
func cause(err error) error {
	if message, found := ourError(err.Error()); found {
		return errors.New(message)
	}
	return errors.New(story(err.Error()))
}

// ourError returns the first error in a text that the evaluation itself reported.
func ourError(text string) (message string, found bool) {
	_, after, found := strings.Cut(text, transforms.ErrorMark)
	message, _, _ = strings.Cut(after, transforms.ErrorEnd)
	return message, found
}

// story joins the lines that the layers of a runner add to an error. It omits stack traces, and the
// middle of a long sequence of layers.
func story(text string) string {
	var parts []string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(strings.TrimSpace(line), ":")
		if strings.HasPrefix(line, "goroutine ") { // the stack trace of a panic follows
			break
		}
		frame := strings.HasPrefix(line, "at ") || strings.HasPrefix(line, "... ") // of Java
		if line == "" || line == "caused by" || line == "Full error" || frame || slices.Contains(parts, line) {
			continue
		}
		parts = append(parts, line)
	}
	if len(parts) > maxLayers {
		parts = slices.Concat(parts[:1], []string{"…"}, parts[len(parts)-maxLayers+1:])
	}
	return strings.Join(parts, ": ")
}

// maxLayers is the maximum number of layers that an error shows. The last ones know the cause.
const maxLayers = 6

// ofPlanning turns an error of planning into one of the command. It is an error of usage, unless
// rows on which the plan depends are damaged.
func ofPlanning(ctx context.Context, err error) error {
	var damage *columns.Error
	if errors.As(err, &damage) && damage.RowGroup >= 0 {
		return command.Fail(ctx, err)
	}
	return err
}

// complete reports whether the report of this run has been written, which the end of its context does not change.
func complete(plan *pipeline.Plan) bool {
	return report.Complete(context.Background(), plan.Output(), plan.ID)
}

// usageError is an error of usage that only the runner could detect.
type usageError struct{ error }
