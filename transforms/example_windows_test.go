package transforms_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/mtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms"
	"github.com/beameval/beameval/transforms/input"
)

// Evaluate a windowed PCollection: here predictions of every hour. They may come from a source
// without end; the rows of a window come once the watermark has passed its end.
func ExamplePredictions_windows() {
	spec := transforms.Spec{Params: metrics.Params{Task: metrics.Multiclass, Metrics: []string{"accuracy"}}}

	p, s := beam.NewPipelineWithRoot()
	predictions := beam.ParDo(s, atMinute, beam.CreateList(s, []int{5, 20, 40, 65, 110}))
	hourly := beam.WindowInto(s, window.NewFixedWindows(time.Hour), predictions)
	evaluation, err := transforms.Predictions(s, spec, hourly)
	if err != nil {
		log.Fatal(err)
	}
	lines := beam.ParDo(s, lineOfWindow, evaluation.Rows(s))
	beam.ParDo0(s, printLine, lines)
	if _, err := beam.Run(context.Background(), "direct", p); err != nil {
		log.Fatal(err)
	}

	// Unordered output:
	// 00:00 to 01:00: accuracy 0.667
	// 01:00 to 02:00: accuracy 0.500
}

// atMinute emits a prediction with its time. The predictions of two minutes are wrong.
func atMinute(minute int, emit func(beam.EventTime, input.Prediction)) {
	label := "cat"
	if minute == 40 || minute == 110 {
		label = "dog"
	}
	emit(mtime.FromDuration(time.Duration(minute)*time.Minute), input.Prediction{Labels: []string{label}, Predicted: []string{"cat"}})
}

// lineOfWindow formats a row, with the window that it belongs to.
func lineOfWindow(w beam.Window, row report.Row) string {
	of := w.(window.IntervalWindow)
	at := func(t mtime.Time) string { return t.ToTime().UTC().Format("15:04") }
	return fmt.Sprintf("%s to %s: %s %.3f", at(of.Start), at(of.End), row.Name, row.Value)
}

func printLine(line string) { fmt.Println(line) }

func init() {
	register.Function2x0(atMinute)
	register.Emitter2[beam.EventTime, input.Prediction]()
	register.Function2x1(lineOfWindow)
	register.Function1x0(printLine)
}
