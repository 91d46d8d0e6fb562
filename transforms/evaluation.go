// Package transforms evaluates predictions in a Beam pipeline.
//
// # Evaluate files
//
// [input.FindShards] finds the files of a glob and divides them into shards. A [Spec] says
// which columns have the labels and the scores, what to compute and for which slices; a task
// and the columns may be enough. [Parquet] adds the evaluation to a pipeline, or returns an
// error before anything runs if the Spec cannot be evaluated. [Evaluation.Rows] makes a
// PCollection of metric rows of it, and [Evaluation.WriteReport] report files. The example of
// Parquet is a whole program but for its main function, which calls beam.Init first.
//
// [Joined] is for true labels that are in other files than the predictions.
//
// # Evaluate a PCollection
//
// [Predictions] evaluates a PCollection of [input.Prediction] that a pipeline has made, of
// any task. Its examples show a multilabel task, a ranking, and windows of a stream. [MetricsFn] is a
// CombineFn, for keys of the pipeline's own.
//
// # Metrics of your own
//
// Metrics that are registered with [metrics.Register] are named in Params.Metrics like others,
// and have slices, averages, intervals, gates and a definition on the page of the report like
// others. The example CustomMetric is a function of counts; CustomStatistic has a statistic of
// its own. Register them in an init function: workers on other machines run the same program,
// and must have the metrics too. What a worker lacks is an error that names it; so is a
// function that panics.
//
// A program that calls Main of package jobs/command is the command beameval with its own metrics.
//
// # Slices by function
//
// [RegisterSlice] registers a function that makes values of slices of those of columns: of a
// time the hour, of a country the continent, of two teams whether they are of one league. A
// [SliceColumn] names the function and its columns.
//
// # How it works
//
// Rows of files never become elements of a PCollection: workers fold a row group, column by
// column, into statistics where they read it, and only the statistics cross a shuffle. The
// results do not depend on how the work was divided.
//
// The whole graph is in graph.go. Its DoFns are in internal packages, the lowest first:
// element has what travels between workers, workers the goroutines of a bundle, batches the
// reading of examples, examples puts rows together to examples, curves has sorted scores,
// and fold the statistics. These know neither Spec nor reports: what they need of a settled
// Spec is an element.Job, which travels in the fields of DoFns.
package transforms

import (
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// Evaluation is the outcome of an evaluation within a pipeline: the merged statistics of
// every slice.
type Evaluation struct {
	spec   Spec
	slices beam.PCollection // KV<[]byte, element.Partial>, by slice
	labels beam.PCollection // packed; not valid if the spec has them
	counts beam.PCollection // KV<int, int>, of slices; not valid if outcomes need none
}

// ErrorMark and ErrorEnd enclose the text of errors that an evaluation itself found, so
// that it can be told from what a runner writes around it.
const (
	ErrorMark = workers.ErrorMark
	ErrorEnd  = workers.ErrorEnd
)

// The counters that show progress.
const (
	CounterNamespace = workers.CounterNamespace
	RowsCounter      = workers.RowsCounter
	GroupsCounter    = workers.GroupsCounter
)

// noRows is the partial of no rows.
func noRows([]byte) ([]byte, element.Partial) { return []byte(element.Overall), element.NewPartial() }

func init() {
	register.Function1x2(noRows)
	register.Function1x0(endOfReport)
}

// Rows returns the metrics as a PCollection of report.Row, each in the window of its examples.
func (e Evaluation) Rows(s beam.Scope) beam.PCollection {
	s = s.Scope("beameval.Rows")
	rows := rowsFn{e.spec}
	if e.counts.IsValid() {
		return beam.ParDo(s, &rowsApartFn{rowsFn: rows, Apart: workers.NewApart()}, e.elements(s))
	}
	return beam.ParDo(s, &rows, e.outcome(s))
}

// WriteReport writes the report, all of its files or none. That of a window is in a directory of its
// own in Output.Dir, named by the window, such as 20260102T150000Z-20260102T160000Z.
func (e Evaluation) WriteReport(s beam.Scope, out Output) {
	s = s.Scope("beameval.WriteReport")
	if out.ID == "" {
		out.ID = files.NewID()
	}
	var written beam.PCollection
	switch write := (writeFn{e.spec, out}); {
	case e.counts.IsValid():
		written = beam.ParDo(s, &writeApartFn{writeFn: write, Apart: workers.NewApart()}, e.elements(s))
	case e.spec.windowed:
		written = beam.ParDo(s, &writeWindowFn{write}, e.outcome(s))
	default:
		written = beam.ParDo(s, &write, e.outcome(s))
	}
	// Prism keeps a core busy waiting while a stage without outputs runs. This one is over
	// at once, and the Reshuffle keeps the writer out of it.
	beam.ParDo0(s, endOfReport, beam.Reshuffle(s, written))
}

// endOfReport receives the place of a report that is written.
func endOfReport(string) {}

// requireElements says whether a PCollection has elements of a type.
func requireElements[T any](pc beam.PCollection, what string) error {
	switch want := reflect.TypeFor[T](); {
	case !pc.IsValid():
		return fmt.Errorf("no %s: the PCollection is not valid", what)
	case pc.Type().Type() != want:
		return fmt.Errorf("the %s are a PCollection of %v: it must be of %v", what, pc.Type().Type(), want)
	}
	return nil
}
