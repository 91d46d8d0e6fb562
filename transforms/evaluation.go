// Package transforms evaluates predictions in a Beam pipeline.
//
// # Evaluate files
//
// [input.FindShards] finds the files of a glob and divides them into shards. A [Spec] says which
// columns have the labels and the scores, what to compute and for which slices; the task and the
// columns may be enough. [Parquet] adds the evaluation to a pipeline; if the Spec is invalid, it
// returns an error before anything runs. [Evaluation.Rows] returns a PCollection of metric rows,
// and [Evaluation.WriteReport] writes report files. The example of Parquet is a complete program
// except for its main function, which has to call beam.Init first.
//
// [Joined] evaluates predictions whose true labels are in other files.
//
// # Evaluate a PCollection
//
// [Predictions] evaluates a PCollection of [input.Prediction] from the pipeline itself, for any
// task. Its examples show a multilabel task, a ranking, and windows of a stream. [MetricsFn] is a
// CombineFn that evaluates each key of a PCollection.
//
// # Metrics of your own
//
// Metrics that are registered with [metrics.Register] are named in Params.Metrics like any others,
// and like any others they have slices, averages, intervals, gates and a definition on the page of
// the report. The example CustomMetric is a function of counts; CustomStatistic has a statistic of
// its own. Register them in an init function: workers on other machines run the same program and
// need the metrics too. If a worker lacks a metric, or a function panics, the run fails with an
// error that names it.
//
// A program that calls Main of package jobs/command is the command beameval with its own metrics.
//
// # Slices by function
//
// [RegisterSlice] registers a function that computes slice values from the values of columns: the
// hour of a time, the continent of a country, or whether two teams are in the same league. A
// [SliceColumn] names the function and its columns.
//
// # How it works
//
// Rows of files never become elements of a PCollection: workers fold a row group, column by column,
// into statistics where they read it, and only the statistics cross a shuffle. The results do not
// depend on how the work was divided.
//
// graph.go begins with the graph of the plain job. The steps of the graph are in read.go and predictions.go,
// key.go, fold.go, combine.go, metrics.go and write.go. Most DoFns are in internal packages, here from
// the lowest up: shuffle defines what travels between workers; workers runs the goroutines of a bundle; batches
// reads examples; join assembles the rows of an example; ranges sorts scores and traces curves; fold
// computes the statistics. A settled Spec travels to them as a shuffle.Job, in the fields of DoFns.
package transforms

import (
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// Evaluation is an evaluation within a pipeline: the merged statistics of every slice.
type Evaluation struct {
	spec   settled
	slices beam.PCollection // KV<[]byte, shuffle.Partial>, one for each slice
	labels beam.PCollection // shuffle.Spilled, the packed labels; invalid if the spec has them
	scores beam.PCollection // KV<int, ranges.Piece>, all scores; invalid if metrics need no curves
	counts beam.PCollection // KV<int, int>, whose sum is the number of slices; invalid if nothing needs it
	known  bool             // the spec had the labels, and labels is only how they travel
}

// ErrorMark and ErrorEnd enclose the text of errors that an evaluation itself reports, to tell it
// apart from what a runner writes around it.
const (
	ErrorMark = workers.ErrorMark
	ErrorEnd  = workers.ErrorEnd
)

// The counters that show progress.
const (
	CounterNamespace = workers.CounterNamespace
	RowsCounter      = workers.RowsCounter
	RowGroupsCounter = workers.RowGroupsCounter
	SearchedCounter  = workers.SearchedCounter
	TriedCounter     = workers.TriedCounter
)

// Rows returns the metrics as a PCollection of report.Row, each in the window of its examples.
func (e Evaluation) Rows(s beam.Scope) beam.PCollection {
	s = s.Scope("beameval.Rows")
	return grouped(s, &e.spec.Division, true, &rowsFn{e.spec}, e.elements(s, nil))[0]
}

// WriteReport writes the report: either all of its files or none. The report of a window goes to a
// directory of its own in Output.Dir, named after the window, such as
// 20260102T150000Z-20260102T160000Z.
func (e Evaluation) WriteReport(s beam.Scope, out Output) {
	s = s.Scope("beameval.WriteReport")
	if out.ID == "" {
		out.ID = files.NewID()
	}
	var write workers.GroupFn = &writeFn{e.spec, out, e.known}
	if e.spec.Windowed {
		write = &writeWindowFn{writeFn{e.spec, out, e.known}}
	}
	written := grouped(s, &e.spec.Division, true, write, e.elements(s, out.Statistics))[0]
	// Prism keeps a core busy while a stage without outputs runs. This stage ends at once, and the
	// Reshuffle keeps the writer out of it.
	beam.ParDo0(s, endOfReport, beam.Reshuffle(s, written))
}

// requireElements returns an error unless the elements of a PCollection have a type.
func requireElements[T any](pc beam.PCollection, what string) error {
	switch want := reflect.TypeFor[T](); {
	case !pc.IsValid():
		return fmt.Errorf("no %s: the PCollection is not valid", what)
	case pc.Type().Type() != want:
		return fmt.Errorf("the %s are a PCollection of %v: it must be of %v", what, pc.Type().Type(), want)
	}
	return nil
}
