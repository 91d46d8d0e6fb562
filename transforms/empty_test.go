package transforms

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/transforms/input"
)

// TestNothingToEvaluate: an input without rows is an error of a report, not a
// run that leaves none; its metrics are there, undefined.
func TestNothingToEvaluate(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"binary":                   "no rows to evaluate: the input is empty",
		"multiclass, labels found": "no labels were found",
	} {
		t.Run(name, func(t *testing.T) {
			s := scenarioNamed(t, name)
			dir := filepath.Join(t.TempDir(), "report")
			p, scope := beam.NewPipelineWithRoot()
			must(Predictions(scope, s.spec, beam.CreateList(scope, []input.Prediction{}))).WriteReport(scope, Output{Dir: dir, Formats: []report.Format{report.JSON}})
			_, err := beam.Run(context.Background(), "prism", p)
			require.ErrorContains(t, err, ErrorMark+want)
			require.NoDirExists(t, dir)
		})
	}
	s := scenarioNamed(t, "binary")
	got, err := rowsOf(t, inMemory(s.spec, nil), inFiles(s.spec))
	require.NoError(t, err)
	require.Len(t, got[0], len(s.spec.Params.Metrics))
	require.Equal(t, got[0], got[1])
	for _, data := range got[0] {
		row, err := rowOf(data)
		require.NoError(t, err)
		require.Empty(t, row.Slice)
		require.Zero(t, row.Support)
	}
}

// TestReportOfSkippedRows: where all rows are bad, the error says which is the
// first and why.
func TestReportOfSkippedRows(t *testing.T) {
	t.Parallel()
	s := scenarioNamed(t, "binary")
	s.spec.SkipBadRows = true
	rows := drawExamples(4)
	var list []input.Prediction
	for i := range rows {
		rows[i].Score = 7
		list = append(list, s.prediction(&rows[i]))
	}
	run := func(evaluate func(beam.Scope) Evaluation) error {
		dir := filepath.Join(t.TempDir(), "report")
		p, scope := beam.NewPipelineWithRoot()
		evaluate(scope).WriteReport(scope, Output{Dir: dir, Formats: []report.Format{report.JSON}})
		_, err := beam.Run(context.Background(), "prism", p)
		require.NoDirExists(t, dir)
		return err
	}
	require.ErrorContains(t, run(inMemory(s.spec, list)), ErrorMark+"no rows to evaluate: all 4 rows were skipped: "+
		`probability outside [0, 1] (4); the first is example "example 0", column "score": 7 (element 0)`+ErrorEnd)
	shard := written(t, rows, 2)
	require.ErrorContains(t, run(inFiles(s.spec, shard)), ErrorMark+"no rows to evaluate: all 4 rows were skipped: "+
		`probability outside [0, 1] (4); the first is `+shard.File+`, row group 0, row 0, column "score": 7`+ErrorEnd)
}
