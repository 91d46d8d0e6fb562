package pipeline

import (
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/clouds"
	"github.com/beameval/beameval/io/report"
)

// TestObjects evaluates predictions in cloud storage and writes the report there. It must equal the
// report on local files.
func TestObjects(t *testing.T) {
	clouds.Each(t, func(t *testing.T, bucket *clouds.Bucket) {
		local, truth := write(t, examples(400), 3, 50), write(t, pairsOf(20), 2, 30)
		bucket.Upload(t, local, "preds/dt=2026-11-19/")
		bucket.Upload(t, truth, "labels/dt=2026-11-19/")

		cfg := parse(t, "task: binary\ninput: {columns: {label: label, score: score, prediction: label}}\nslices: [[country]]\n", local)
		want := contents(t, evaluate(t, cfg))

		cfg.Input.Files = []string{bucket.Name + "/preds/dt=*/*.parquet"}
		cfg.Output.Dir = bucket.Name + "/reports/today"
		plan, err := Make(t.Context(), cfg)
		require.NoError(t, err)
		for _, file := range plan.Files {
			require.EqualValues(t, 1, bucket.Requests(path.Base(file)), "requests for %s: the footer alone, as the listing tells the rest", file)
		}
		require.NoError(t, execute(t.Context(), plan, "prism"))
		for name, content := range want {
			require.Equal(t, content, bucket.Content(t, "reports/today/"+name), name)
		}
		require.NotEmpty(t, bucket.Content(t, "reports/today/"+report.RunJSON))

		_, err = Make(t.Context(), cfg)
		require.ErrorContains(t, err, "output exists")

		cfg = parse(t, "task: ranking\ninput: {columns: {query: session}}\noutput: {per_query: true}\ntruth: {files: [t], columns: {label: grade}}\n", truth, truth)
		want = contents(t, evaluate(t, cfg))
		cfg.Input.Files, cfg.Truth.Files = []string{bucket.Name + "/labels/"}, []string{bucket.Name + "/labels/dt=*/*.parquet"}
		require.Equal(t, want, contents(t, evaluate(t, cfg)))
	})
}
