package pipeline

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
)

// TestHistogramsOfQueries: the histograms have the values of per_query.parquet.
func TestHistogramsOfQueries(t *testing.T) {
	t.Parallel()
	dir := evaluate(t, bundled(t, "digits_retrieval/config.yaml"))
	r := readReport(t, dir)
	require.NoError(t, r.ReadTables(t.Context(), dir))
	require.Greater(t, len(r.Histograms), 4)
	for _, h := range r.Histograms {
		for i, name := range r.Queries.Names {
			if name != h.Name {
				continue
			}
			for _, q := range r.Queries.List {
				for j := range h.Bins {
					v, b := q.Values[i], &h.Bins[j]
					if v >= b.From && (v < b.To || b.To == 1 && v == 1) || math.IsNaN(v) && math.IsNaN(b.From) {
						b.Count--
					}
				}
			}
		}
		for _, b := range h.Bins {
			require.Zero(t, b.Count, "%s from %v", h.Name, b.From)
		}
	}
}

// TestHistogramsAreForPages: only report.html has pictures of them.
func TestHistogramsAreForPages(t *testing.T) {
	t.Parallel()
	cfg := bundled(t, "diabetes/config.yaml")
	require.Contains(t, contents(t, evaluate(t, cfg)), "histograms.parquet")
	cfg = bundled(t, "diabetes/config.yaml")
	cfg.Output.Formats = []string{"json", "parquet"}
	require.NotContains(t, contents(t, evaluate(t, cfg)), "histograms.parquet")
}

// TestScoreHistogramsAddUp: on every task, the histograms of the slices of a column add up to the
// overall ones, and each histogram of an example's value has every example once.
func TestScoreHistogramsAddUp(t *testing.T) {
	t.Parallel()
	rows := examples(700)
	for i := range rows {
		rows[i].Weight = 1
	}
	dir := write(t, rows, 3, 100)
	for name, c := range map[string]struct {
		yaml  string
		names []string
	}{
		"binary":     {"task: binary\ninput: {columns: {label: label, score: score}}", []string{"prediction", "score", "target"}},
		"multiclass": {"task: multiclass\ninput: {columns: {label: class, score: scores}}\nlabels: [a, b, c, d]", []string{"prediction", "score", "target"}},
		"multilabel": {"task: multilabel\ninput: {columns: {label: labels, score: logits}, score_type: logit}\nlabels: [a, b, c, d]", []string{"prediction", "score", "target"}},
		"regression": {"task: regression\ninput: {columns: {label: target, prediction: predicted_value}}", []string{"prediction", "target"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := readReport(t, evaluate(t, parse(t, c.yaml+"\nslices: [[device]]\n", dir)))
			require.NotEmpty(t, r.Metrics)
			of := readScoreHistograms(t, evaluate(t, parse(t, c.yaml+"\nslices: [[device]]\nconfidence: {by: score, groups: 10}\n", dir)))
			labels := max(1, len(of)/len(c.names)/4)
			require.Len(t, of, 4*labels*len(c.names))
			left := map[string]float64{} // of each group, of all examples that no slice has
			for _, h := range of {
				require.Contains(t, c.names, h.Name)
				n, label, sign := int64(0), "", -1.0
				if h.Label != nil {
					label = *h.Label
				}
				if len(h.Slice) == 0 {
					sign = 1
				}
				for i, b := range h.Bins {
					n += b.Count
					require.Len(t, h.FoldsOf(i), 10)
					from := b.From
					if name == "regression" {
						from = 0 // slices have narrower bins
					}
					for group, w := range h.FoldsOf(i) {
						left[fmt.Sprint(h.Name, label, from, group)] += sign * w
						require.Equal(t, math.Trunc(w), w, "examples weigh 1")
					}
					require.EqualValues(t, b.Count, b.Weight)
				}
				if len(h.Slice) == 0 {
					require.EqualValues(t, 700, n)
				}
			}
			for place, rest := range left {
				require.Zero(t, rest, place)
			}
		})
	}
}

// readScoreHistograms returns the score histograms of a report.
func readScoreHistograms(t *testing.T, dir string) []report.ScoreHistogram {
	r := readReport(t, dir)
	f, err := files.Open(t.Context(), filepath.Join(dir, report.ScoreHistogramsParquet))
	require.NoError(t, err)
	require.NoError(t, r.ReadScoreHistograms(f))
	require.NoError(t, f.Close())
	return r.ScoreHistograms
}

// TestScoreHistogramsAreParquet: reports without Parquet files have none.
func TestScoreHistogramsAreParquet(t *testing.T) {
	t.Parallel()
	cfg := bundled(t, "diabetes/config.yaml")
	cfg.Output.Formats = []string{"json", "html"}
	require.NotContains(t, contents(t, evaluate(t, cfg)), report.ScoreHistogramsParquet)
}
