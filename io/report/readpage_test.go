package report_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/document/evaluation"
	"github.com/beameval/beameval/io/slice"
)

// A page that is regenerated from the other files of a report is identical.
func TestPageIsDrawnAgain(t *testing.T) {
	for name, build := range reporttest.Reports {
		t.Run(name, func(t *testing.T) {
			r := build()
			for i := range r.Metrics {
				for j := range r.Metrics[i].Slice {
					if v := &r.Metrics[i].Slice[j].Value; math.IsNaN(v.Float()) {
						*v = slice.String("NaN") // JSON has no NaN: it becomes a text
					}
				}
			}
			f := reporttest.Write(t, r)
			again, err := report.Read(f.Bytes(report.MetricsJSON))
			require.NoError(t, err)
			for _, table := range []string{"curves", "confusion", "per_query", "histograms"} {
				if data := f.Content[table+".parquet"]; data != nil {
					require.NoError(t, again.ReadTable(table, reporttest.SourceOf(data.Bytes())))
				}
			}
			again.Meanings = r.Meanings
			var page bytes.Buffer
			again.Sort()
			require.NoError(t, evaluation.Write(again, document.Page, &page))
			require.Equal(t, f.Content[report.ReportHTML].String(), page.String())
		})
	}
}

func TestReadOfOtherFilesFails(t *testing.T) {
	f := reporttest.Write(t, reporttest.RankingReport())
	r := &report.Report{}
	require.ErrorContains(t, r.ReadCurves(reporttest.SourceOf(f.Bytes(report.MetricsParquet))), "report: curves.parquet: ")
	require.ErrorContains(t, r.ReadQueries(reporttest.SourceOf(f.Bytes(report.MetricsParquet))), "report: per_query.parquet: ")
	require.ErrorContains(t, r.ReadTable("histograms", reporttest.SourceOf(f.Bytes(report.MetricsParquet))), "report: histograms.parquet: ")
	require.ErrorContains(t, r.ReadConfusion(reporttest.SourceOf([]byte("no parquet"))), "report: confusion.parquet: ")
}

// FuzzReadHistograms reads damaged files, and draws what was read: every error is about the file,
// nothing panics, and the page contains only numbers.
func FuzzReadHistograms(f *testing.F) {
	whole := reporttest.Write(f, reporttest.RegressionReport()).Bytes("histograms.parquet")
	f.Add(0, uint64(0), 0.0, 1.0, 1.0, whole)
	f.Add(9, uint64(3), math.Inf(-1), reporttest.NaN, -1.0, whole)
	f.Add(70, uint64(0), 1e300, -1e300, 1e308, whole[:len(whole)/2])
	f.Add(12, uint64(1), -math.MaxFloat64, math.MaxFloat64, math.MaxFloat64, whole)
	f.Add(1, uint64(2), 5e-324, 0.0, 5e-324, whole)
	f.Fuzz(func(t *testing.T, at int, name uint64, from, to, weight float64, file []byte) {
		r := reporttest.RegressionReport()
		_ = r.ReadTable("histograms", reporttest.SourceOf(file))
		for _, task := range []string{"regression", "ranking"} {
			r := reporttest.RegressionReport()
			r.Task = task
			r.Metrics = append(r.Metrics, report.Row{Name: "ndcg", Value: 0.5})
			h := &r.Histograms[at&1]
			b := &h.Bins[at>>1&63]
			b.From, b.To, b.YFrom, b.YTo, b.Weight = from, to, to, from, weight
			if name%2 == 1 {
				h.Bins = h.Bins[:1+at>>1&63]
			}
			if name&2 == 2 {
				h.Name = "ndcg"
			}
			var page bytes.Buffer
			r.Sort()
			require.NoError(t, evaluation.Write(r, document.Page, &page))
			drawn, _, _ := strings.Cut(page.String(), "<script>")
			require.NotContains(t, drawn, "NaN")
			require.NotContains(t, drawn, "Inf")
		}
	})
}
