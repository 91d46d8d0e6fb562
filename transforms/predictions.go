package transforms

import (
	"errors"
	"fmt"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window/trigger"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/fold"
	"github.com/beameval/beameval/transforms/internal/quantiles"
	"github.com/beameval/beameval/transforms/internal/ranges"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// Predictions evaluates a PCollection of [input.Prediction]; each element is an example with its
// true labels. If the spec is invalid, Predictions returns an error and adds nothing to the
// pipeline.
//
// In a windowed PCollection, the predictions of each window are evaluated separately, once the
// watermark has passed the end of the window. The rows are elements of that window, which a DoFn
// can tell from its [beam.Window]. A window without predictions has no rows.
func Predictions(s beam.Scope, spec Spec, predictions beam.PCollection) (Evaluation, error) {
	if err := requireElements[input.Prediction](predictions, "predictions"); err != nil {
		return Evaluation{}, err
	}
	settled, err := settle(spec, true)
	if err != nil {
		return Evaluation{}, err
	}
	s = s.Scope("beameval.Predictions")
	if settled.Windowed = !isGlobal(predictions); !settled.Windowed {
		return evaluate(s, *settled, predictionsInput{predictions}), nil
	}
	if err := settled.checkWindows(predictions.WindowingStrategy()); err != nil {
		return Evaluation{}, err
	}
	return evaluate(s, *settled, newWindowsInput(s, predictions)), nil
}

// predictionsInput is a source of predictions in memory, a PCollection of input.Prediction.
type predictionsInput struct{ predictions beam.PCollection }

// fold folds predictions; see source.
func (in predictionsInput) fold(s beam.Scope, j shuffle.Job, known prerequisites) (partials, scores beam.PCollection) {
	tasks := beam.ParDo(s, &fold.PackFn{Spill: shuffle.Spill{Dir: j.TempDir}}, in.predictions)
	partials, scores, _ = foldTasks(s, j, known, false, tasks)
	return partials, scores
}

// labels returns the labels that predictions name, each set in the window of its prediction; see source.
func (in predictionsInput) labels(s beam.Scope) beam.PCollection {
	return beam.ParDo(s, labelsOf, in.predictions)
}

// sample returns samples of the scores of predictions; see source.
func (in predictionsInput) sample(s beam.Scope, j shuffle.Job) beam.PCollection {
	return beam.ParDo(s, &ranges.SamplePredictionsFn{Job: j}, in.predictions)
}

// tallies counts the numbers of predictions; see source.
func (in predictionsInput) tallies(s beam.Scope, _ shuffle.Job, cuts shuffle.Cuts) beam.PCollection {
	return beam.ParDo(s, &quantiles.TallyPredictionsFn{Cuts: cuts}, in.predictions)
}

// labelsOf returns the labels that a prediction names.
func labelsOf(p input.Prediction) labelSet {
	if p.First != "" || p.Second != "" { // the systems; the label is an outcome
		return labelSet{Strings: slices.DeleteFunc(union([]string{p.First}, []string{p.Second}), func(name string) bool { return name == "" })}
	}
	if len(p.Raters) > 0 {
		return labelSet{Strings: union(p.Raters, nil)}
	}
	return labelSet{Strings: union(slices.Concat(p.Labels, p.Predicted, p.Baseline, p.Judged), p.ScoreLabels)}
}

// windowsInput is a source of predictions in memory, in windows. The predictions of a window come
// in groups. A DoFn that read them one by one could emit what it collected only at the end of a
// bundle, and Beam puts what is emitted then into the global window.
type windowsInput struct {
	predictionsInput
	groups beam.PCollection // KV<int, input.Prediction>, by lane, after a GroupByKey
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

// fold folds the predictions of each window; see source.
func (in windowsInput) fold(s beam.Scope, j shuffle.Job, known prerequisites) (partials, scores beam.PCollection) {
	pack := &fold.PackWindowFn{PackFn: fold.PackFn{Spill: shuffle.Spill{Dir: j.TempDir}}}
	partials, scores, _ = foldTasks(s, j, known, false, beam.ParDo(s, pack, in.groups))
	return partials, scores
}

// sample returns samples of the scores of each window; see source.
func (in windowsInput) sample(s beam.Scope, j shuffle.Job) beam.PCollection {
	return beam.ParDo(s, &ranges.SampleWindowFn{SamplePredictionsFn: ranges.SamplePredictionsFn{Job: j}}, in.groups)
}

// tallies counts the numbers of each window; see source.
func (in windowsInput) tallies(s beam.Scope, _ shuffle.Job, cuts shuffle.Cuts) beam.PCollection {
	return beam.ParDo(s, &quantiles.TallyWindowFn{TallyPredictionsFn: quantiles.TallyPredictionsFn{Cuts: cuts}}, in.groups)
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

func init() { register.Function1x1(labelsOf) }
