// Package transforms evaluates predictions in a Beam pipeline.
//
// [Parquet] evaluates Parquet files, [Joined] those whose true labels are in other
// files, and [Predictions] a PCollection of [Prediction]; all return an [Evaluation], the
// merged statistics of every slice, or an error that says what is wrong with the [Spec],
// before anything runs. [Evaluation.Rows] turns it into a PCollection of metric rows, and
// [Evaluation.WriteReport] into report files.
//
// Rows of files never become elements: files are folded, row group by row
// group and column by column, into statistics where they are read, and only
// those cross a shuffle. The results do not depend on how the work was divided.
//
// A [Spec] says what predictions look like and what is asked of them. What workers need of
// it, settled, is a small value below this package (element.Job), which travels to them
// with the DoFns: the rooms below do not know Spec, nor reports.
//
// graph.go is the whole graph; its DoFns are in rooms of their own below internal: batches
// (reading), examples (rows of an example that are apart), fold (statistics), curves, with
// element (what travels between workers) and workers (goroutines of a bundle).
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

func init() { register.Function1x2(noRows) }

// Rows returns the metrics as a PCollection of report.Row.
func (e Evaluation) Rows(s beam.Scope) beam.PCollection {
	s = s.Scope("beameval.Rows")
	return beam.ParDo(s, &rowsFn{e.spec}, outcome(s, e.slices, e.labels))
}

// WriteReport writes the report, all of its files or none.
func (e Evaluation) WriteReport(s beam.Scope, out Output) {
	s = s.Scope("beameval.WriteReport")
	beam.ParDo0(s, &writeFn{e.spec, out, files.NewID()}, outcome(s, e.slices, e.labels))
}

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
