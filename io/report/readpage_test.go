package report_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// A page that is drawn from the other files of a report is the same.
func TestPageIsDrawnAgain(t *testing.T) {
	for name, build := range reports {
		t.Run(name, func(t *testing.T) {
			r := build()
			for i := range r.Metrics {
				for j := range r.Metrics[i].Slice {
					if v := &r.Metrics[i].Slice[j].Value; math.IsNaN(v.Float()) {
						*v = slice.String("NaN") // JSON has no NaN: it becomes a text
					}
				}
			}
			f := write(t, r)
			again, err := report.Read(f.bytes(report.MetricsJSON))
			require.NoError(t, err)
			for file, read := range map[string]func(columns.Source) error{
				report.CurvesParquet: again.ReadCurves, report.ConfusionParquet: again.ReadConfusion, report.PerQueryParquet: again.ReadQueries,
			} {
				if f.content[file] != nil {
					require.NoError(t, read(source{bytes.NewReader(f.bytes(file))}))
				}
			}
			again.Meanings = r.Meanings
			var page bytes.Buffer
			require.NoError(t, again.WritePage(&page))
			require.Equal(t, f.content[report.ReportHTML].String(), page.String())
		})
	}
}

func TestReadOfOtherFilesFails(t *testing.T) {
	f := write(t, rankingReport())
	r := &report.Report{}
	require.ErrorContains(t, r.ReadCurves(source{bytes.NewReader(f.bytes(report.MetricsParquet))}), "report: curves.parquet: ")
	require.ErrorContains(t, r.ReadQueries(source{bytes.NewReader(f.bytes(report.MetricsParquet))}), "report: per_query.parquet: ")
	require.ErrorContains(t, r.ReadConfusion(source{bytes.NewReader([]byte("no parquet"))}), "report: confusion.parquet: ")
}
