package transforms

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// TestConfusionNames: cells name the classes as the spec does.
func TestConfusionNames(t *testing.T) {
	for name, want := range map[string][]string{
		"binary":     {"not ham", "ham"},
		"multiclass": labelNames,
		"multilabel": {"0", "1"},
	} {
		s := scenarioNamed(t, name)
		vocab := asSettled(s.spec).Labels
		p := mustDecode(t, foldPredictions(t, s, drawExamples(300), 100)[shuffle.Overall])
		out := &evaluable{spec: settled{asSettled(s.spec).With(&vocab)}, vocab: &vocab}
		cells := out.confusion(slice.Key{}, p.Stats)
		require.NotEmpty(t, cells)
		for _, c := range cells {
			require.Equal(t, want[c.TrueIndex], c.True)
			require.Equal(t, want[c.PredictedIndex], c.Predicted)
			require.Equal(t, name == "multilabel", c.Label != nil)
		}
	}
}

// TestWriteAgain: a runner that does not know whether the report was written has it
// written again. That succeeds, and changes nothing.
func TestWriteAgain(t *testing.T) {
	s := scenarioNamed(t, "binary")
	s.spec.Params.Metrics, s.spec.Params.Curves = []string{"accuracy"}, ""
	vocab := asSettled(s.spec).Labels
	vocab.Prepare() // goroutines share it
	all := &evaluable{spec: settled{asSettled(s.spec).With(&vocab)}, vocab: &vocab}
	for slice, state := range foldPredictions(t, s, drawExamples(100), 100) {
		require.NoError(t, all.add(&outcomeElement{Slice: []byte(slice), Partial: []byte(state)}))
	}
	dir := filepath.Join(t.TempDir(), "out")
	write := func(id string) error {
		f := &writeFn{Spec: *asSettled(s.spec), Output: Output{Dir: dir, Formats: report.Formats(), ID: id}}
		return f.write(t.Context(), all)
	}
	require.NoError(t, write("first"))
	before, err := os.ReadFile(filepath.Join(dir, report.RunJSON))
	require.NoError(t, err)
	require.Equal(t, "first", report.RunID(before))
	require.NoError(t, write("first"))
	after, err := os.ReadFile(filepath.Join(dir, report.RunJSON))
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.ErrorIs(t, write("second"), files.ErrOutputExists)

	// A report that is not complete is not there.
	require.NoError(t, os.Remove(filepath.Join(dir, report.MetricsJSON)))
	require.ErrorIs(t, write("first"), files.ErrOutputExists)
}

// TestWorkHasOutputs: what has no output gets all elements from a Reshuffle, so that no work
// is fused with it. Prism keeps a core busy waiting for a stage without outputs.
func TestWorkHasOutputs(t *testing.T) {
	p, s := beam.NewPipelineWithRoot()
	shards := beam.CreateList(s, []input.Shard{{File: "a.parquet", RowGroups: 1}})
	must(Parquet(s, scenarioNamed(t, "binary").spec, shards)).WriteReport(s, Output{Dir: "report"})
	edges, _, err := p.Build()
	require.NoError(t, err)
	reshuffled := make(map[int]bool)
	for _, e := range edges {
		for _, out := range e.Output {
			reshuffled[out.To.ID()] = e.Op == graph.Reshuffle
		}
	}
	for _, e := range edges {
		require.True(t, len(e.Output) > 0 || reshuffled[e.Input[0].From.ID()], e.Name())
	}
}

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
			err := onPrism(p)
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
		err := onPrism(p)
		require.NoDirExists(t, dir)
		return err
	}
	require.ErrorContains(t, run(inMemory(s.spec, list)), ErrorMark+"no rows to evaluate: all rows were skipped: "+
		`probability outside [0, 1] (4); the first is example "example 0": column "score": 7 (element 0)`+ErrorEnd)
	shard := written(t, rows, 2)
	require.ErrorContains(t, run(inFiles(s.spec, shard)), ErrorMark+"no rows to evaluate: all rows were skipped: "+
		`probability outside [0, 1] (4); the first is `+shard.File+`: row group 0, row 0: column "score": 7`+ErrorEnd)
}
