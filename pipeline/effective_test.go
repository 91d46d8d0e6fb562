package pipeline

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/pipeline/config"
)

// The printed form of an effective configuration plans the same run, and leaves nothing to infer.
func TestEffectiveConfiguration(t *testing.T) {
	t.Parallel()
	thresholds := filepath.Join(t.TempDir(), "thresholds.json")
	require.NoError(t, os.WriteFile(thresholds, []byte(`{"default": 0.5}`), 0o666))
	for _, test := range []struct{ config, set string }{
		{"breast_cancer/config.yaml", "task=binary"},
		{"digits/config.yaml", "curves.mode=auto"},
		{"digits_attributes/config.yaml", "confidence={by: ink}"},
		{"digits_attributes/long.yaml", "metrics=[f1_macro]"},
		{"digits_attributes/config.yaml", "decision={threshold: " + thresholds + "}"},
		{"digits_retrieval/config.yaml", "k=[3]"},
		{"digits_retrieval/trec_eval.yaml", "metrics=[map]"},
		{"diabetes/config.yaml", "bad_rows=skip"},
		{"digits/config.yaml", "report={headline: [kappa, f1_macro], sort_by: tpr_macro, date: 2026-11-19}"},
	} {
		cfg := bundled(t, test.config)
		require.NoError(t, cfg.Set(test.set))
		cfg.Output.Dir = filepath.Join(t.TempDir(), "report")
		want, err := Make(t.Context(), cfg)
		require.NoError(t, err, test)
		printed := config.Print(want.Config)
		again, err := config.Parse(printed, "printed.yaml")
		require.NoError(t, err, "%s", printed)
		require.NotZero(t, again.Task)
		got, err := Make(t.Context(), again)
		require.NoError(t, err, "%s", printed)
		require.Equal(t, want.spec, got.spec, "%s", printed)
		require.Equal(t, string(want.output.Config), string(got.output.Config))
		require.Equal(t, string(printed), string(config.Print(got.Config)))
	}
}
