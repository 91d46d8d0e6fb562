package pipeline

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

// TestSpellingsOfMetrics: metrics, gates and headlines name metrics as other tools do; the report has their main names.
func TestSpellingsOfMetrics(t *testing.T) {
	t.Parallel()
	files := namedTexts(t, [2]string{"p.csv", "label,score,country\n1,0.9,de\n0,0.2,de\n1,0.8,at\n0,0.7,at\n"})
	cfg := parse(t, "metrics: [F1_score, ROC-AUC, recall_score, Brier_Score_Loss]\nslices: country\nreport: {headline: [Recall]}\n"+
		"gates: [{metric: f1_score, min: 50%}, {metric: AUC, min: 90%, slice: country=de}, {metric: AUC, max: 10%, slice: country=at}]\n", files...)
	got := readReport(t, evaluate(t, cfg))
	values := overallValues(got)
	require.Len(t, values, 4)
	require.Equal(t, 0.8, values["f1"])
	require.Equal(t, 1.0, values["roc_auc"])
	require.Equal(t, 1.0, values["recall"])
	require.Contains(t, values, "brier")
	require.Len(t, got.Gates, 3)
	require.Equal(t, []string{"f1", "roc_auc", "roc_auc"}, []string{got.Gates[0].Metric, got.Gates[1].Metric, got.Gates[2].Metric})
	require.Equal(t, []any{0.5, 0.9, 0.1}, []any{*got.Gates[0].Min, *got.Gates[1].Min, *got.Gates[2].Max})
	require.Equal(t, []report.Verdict{report.Pass, report.Pass, report.Fail}, []report.Verdict{got.Gates[0].Verdict, got.Gates[1].Verdict, got.Gates[2].Verdict})
}

// TestBracketsOfIRMeasures: they are keys here, and the message says which.
func TestBracketsOfIRMeasures(t *testing.T) {
	t.Parallel()
	files := namedTexts(t, [2]string{"p.csv", "query_id,doc_id,score,relevance\n1,a,0.9,1\n1,b,0.2,0\n"})
	require.ErrorContains(t, refused(t, "task: ranking\nmetrics: ['AP(rel=2)@10']\n", files...), `metrics[0]: metric "AP(rel=2)@10" has parameters in brackets, as in ir_measures: write map@10, and set ranking.relevance_threshold to 2`)
}

// refused returns the error of planning or executing an evaluation of files.
func refused(t *testing.T, yaml string, files ...string) error {
	t.Helper()
	cfg := parse(t, yaml, files...)
	cfg.Output.Dir = filepath.Join(t.TempDir(), "report")
	plan, err := Make(t.Context(), cfg)
	if err == nil {
		err = execute(t.Context(), plan, "direct")
	}
	return err
}
