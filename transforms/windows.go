package transforms

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window/trigger"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/transforms/internal/fold"
)

// windowsInput is a source of predictions in memory, in windows. The predictions of a window come
// in groups. A DoFn that read them one by one could emit what it collected only at the end of a
// bundle, and Beam puts what is emitted then into the global window.
type windowsInput struct {
	predictionsInput
	groups beam.PCollection // KV<int, input.Prediction>, grouped
}

// newWindowsInput groups predictions. Session windows merge only within a group, so their
// predictions are a single group: in different groups, the windows would end at different times.
func newWindowsInput(s beam.Scope, predictions beam.PCollection) windowsInput {
	lanes := fold.WindowLanes
	if predictions.WindowingStrategy().Fn.Kind == window.Sessions {
		lanes = 1
	}
	return windowsInput{predictionsInput{predictions}, beam.GroupByKey(s, beam.ParDo(s, &fold.DealFn{Lanes: lanes}, predictions))}
}

// isGlobal reports whether a PCollection is in the global window and complete only at its end.
func isGlobal(pc beam.PCollection) bool {
	ws := pc.WindowingStrategy()
	return ws.Fn.Kind == window.GlobalWindows && firesOnce(ws)
}

// firesOnce reports whether each window fires only once, when the watermark passes its end. The
// statistics of a window are brought together in several steps, so early or late panes would be
// useless.
func firesOnce(ws *window.WindowingStrategy) bool {
	switch ws.Trigger.(type) {
	case nil, trigger.DefaultTrigger, *trigger.DefaultTrigger:
		return ws.AllowedLateness == 0
	}
	return false
}

// checkWindows returns an error if predictions in such windows cannot be evaluated.
func (s *settled) checkWindows(ws *window.WindowingStrategy) error {
	switch {
	case !firesOnce(ws):
		return fmt.Errorf("the predictions are in windows, %v, with a trigger or allowed lateness: the metrics of a window are computed once, so leave out beam.Trigger and beam.AllowedLateness", ws)
	case s.Division.Bundles || s.Division.BundlePerKey:
		return errors.New("spec: Bundles and BundlePerKey of Division are for the global window, and the predictions are in others: leave them false")
	case s.Search != nil:
		return errors.New("spec: Search is for the global window, and the predictions are in others: leave it nil")
	}
	return nil
}

// writeWindowFn is writeFn for the slices of one window.
type writeWindowFn struct{ writeFn }

// ProcessElement writes the report of the window.
func (f *writeWindowFn) ProcessElement(ctx context.Context, w beam.Window, key int, elements func(*outcomeElement) bool, emit func(string)) error {
	of := f.writeFn
	name := windowName(w.(window.IntervalWindow))
	of.Output.Dir = files.Join(of.Output.Dir, name)
	of.Output.ID += "-" + name
	return of.ProcessElement(ctx, key, elements, emit)
}

// windowName returns the name of the directory for a window: its start and its end.
func windowName(w window.IntervalWindow) string {
	const layout = "20060102T150405.999Z"
	return time.UnixMilli(int64(w.Start)).UTC().Format(layout) + "-" + time.UnixMilli(int64(w.End)).UTC().Format(layout)
}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[writeWindowFn]())
}
