package pipeline

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHeadlines: the report has the main names of the metrics that are asked for, in their order.
func TestHeadlines(t *testing.T) {
	t.Parallel()
	cfg := bundled(t, "digits/config.yaml")
	require.NoError(t, cfg.Set("metrics=[tpr_macro, f1, f<beta>_macro, kappa]"))
	require.NoError(t, cfg.Set("report={headline: [kappa, f1], sort_by: tpr_macro}"))
	cfg.Output.Dir = filepath.Join(t.TempDir(), "report")
	plan, err := Make(t.Context(), cfg)
	require.NoError(t, err)
	require.Equal(t, []string{"recall_macro", "f1", "f0.5_macro", "f2_macro", "cohen_kappa"}, plan.Config.Metrics)
	require.Equal(t, []string{"cohen_kappa", "f1"}, plan.Config.Report.Headline)
	require.Equal(t, "recall_macro", plan.Config.Report.SortBy)
	require.Equal(t, []string{"kappa", "f1"}, cfg.Report.Headline, "the given configuration stays as it is")
}

func TestHeadlinesThatAreNotComputed(t *testing.T) {
	t.Parallel()
	for set, want := range map[string]string{
		"report={headline: [accuracy, f1_marco]}": `report.headline[1]: unknown metric "f1_marco" of task multiclass; did you mean "f1_macro"?`,
		"report={headline: [cohen_kappa_linear]}": `report.headline[0]: "cohen_kappa_linear" is not computed: add it to metrics`,
		"report={sort_by: mse}":                   `report.sort_by: metric "mse" is not one of task multiclass: it belongs to regression`,
		"report={sort_by: f1}":                    "report.sort_by: f1 is a metric of each label: name an average of it",
	} {
		cfg := bundled(t, "digits/config.yaml")
		require.NoError(t, cfg.Set(set))
		requireRefused(t, cfg, want)
	}
}
