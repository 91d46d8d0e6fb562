package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/document/evaluation"
	"github.com/beameval/beameval/io/report/export"
	"github.com/beameval/beameval/io/slice"
)

func TestGolden(t *testing.T) {
	for name, build := range reporttest.Reports {
		t.Run(name, func(t *testing.T) {
			f := reporttest.Write(t, reporttest.Shuffle(build(), 1))
			for _, file := range []string{report.MetricsJSON, "metrics.csv", report.MetricsPrometheus, report.MetricsMLflow, report.ReportMarkdown, report.SummaryText, report.ReportHTML} {
				reporttest.Golden(t, filepath.Join(name, file), f.Bytes(file))
			}
			if slices.Contains(f.Created, report.ThresholdsJSON) {
				reporttest.Golden(t, filepath.Join(name, report.ThresholdsJSON), f.Bytes(report.ThresholdsJSON))
			}
			var summary bytes.Buffer
			require.NoError(t, evaluation.Summary(build(), &summary, document.Screen{}))
			reporttest.RequireWidth(t, 80, summary.String())
			reporttest.Golden(t, filepath.Join(name, "terminal.txt"), summary.Bytes())
		})
	}
}

func TestGoldenRun(t *testing.T) {
	reporttest.Golden(t, report.RunJSON, reporttest.Write(t, reporttest.RankingReport()).Bytes(report.RunJSON))
}

func TestOrderDoesNotMatter(t *testing.T) {
	for name, build := range reporttest.Reports {
		t.Run(name, func(t *testing.T) {
			want := reporttest.Write(t, build())
			for seed := range uint64(5) {
				got := reporttest.Write(t, reporttest.Shuffle(build(), seed))
				require.Equal(t, want.Created, got.Created)
				for _, file := range want.Created {
					require.Equal(t, want.Bytes(file), got.Bytes(file), file)
				}
				var a, b bytes.Buffer
				require.NoError(t, evaluation.Summary(build(), &a, document.Screen{}))
				require.NoError(t, evaluation.Summary(reporttest.Shuffle(build(), seed), &b, document.Screen{}))
				require.Equal(t, a.String(), b.String())
			}
		})
	}
}

func TestSort(t *testing.T) {
	de, year := reporttest.Key("country", slice.String("de")), reporttest.Key("a", slice.Int(1), "b", slice.Null())
	want := []report.Row{
		{Name: "f1"},
		{Name: "f1", Bounds: &report.Bounds{Low: -1, High: 2}},
		{Name: "f1", Bounds: &report.Bounds{Low: 0, High: 1}},
		{Name: "f1", Bounds: &report.Bounds{Low: 0, High: 2}},
		{Name: "f1", Label: reporttest.Ptr("z")},
		{Name: "f1", Label: reporttest.Ptr("a")},
		{Name: "f1", Label: reporttest.Ptr("not listed")},
		{Name: "g"},
		{Name: "f1", Slice: de},
		{Name: "f1", Slice: de, Label: reporttest.Ptr("z")},
		{Name: "a", Slice: year},
	}
	for seed := range uint64(20) {
		r := &report.Report{Labels: []string{"z", "a", "z"}, Metrics: append([]report.Row(nil), want...)}
		reporttest.Shuffle(r, seed).Sort()
		require.Equal(t, want, r.Metrics)
	}
}

func TestFilesAndTheirOrder(t *testing.T) {
	for _, test := range []struct {
		formats []report.Format
		want    []string
	}{
		{nil, []string{"run.json", "metrics.json"}},
		{[]report.Format{report.JSON, report.Markdown, report.Markdown}, []string{"report.md", "summary.txt", "run.json", "metrics.json"}},
		{report.Formats(), []string{"metrics.csv", "metrics.parquet", "confusion.parquet", "metrics.prom", "metrics.jsonl", "report.md", "summary.txt", "report.html", "run.json", "metrics.json"}},
	} {
		var f reporttest.Files
		require.NoError(t, export.Write(reporttest.MulticlassReport(), nil, test.formats, f.Create))
		require.Equal(t, test.want, f.Created)
	}
	require.Equal(t,
		[]string{"metrics.csv", "metrics.parquet", "histograms.parquet", "per_query.parquet", "metrics.prom", "metrics.jsonl", "report.md", "summary.txt", "report.html", "run.json", "metrics.json"},
		reporttest.Write(t, reporttest.RankingReport()).Created)
	require.Equal(t,
		[]string{"metrics.csv", "metrics.parquet", "curves.parquet", "metrics.prom", "metrics.jsonl", "report.md", "summary.txt", "report.html", "thresholds.json", "run.json", "metrics.json"},
		reporttest.Write(t, reporttest.CurvesReport()).Created)
	var f reporttest.Files
	require.NoError(t, export.Write(reporttest.CurvesReport(), nil, nil, f.Create))
	require.Equal(t, []string{"thresholds.json", "run.json", "metrics.json"}, f.Created)
	f = reporttest.Files{}
	require.NoError(t, export.Write(reporttest.RankingReport(), nil, []report.Format{report.JSON}, f.Create))
	require.Equal(t, []string{"per_query.parquet", "run.json", "metrics.json"}, f.Created)
}

func TestWriteFails(t *testing.T) {
	var f reporttest.Files
	err := export.Write(reporttest.RankingReport(), nil, []report.Format{"yaml"}, f.Create)
	require.ErrorContains(t, err, `"yaml"`)
	require.Empty(t, f.Created)

	r := reporttest.MultilabelReport()
	r.Curves, r.Thresholds, r.Queries = reporttest.CurvesReport().Curves, &report.Thresholds{}, reporttest.RankingReport().Queries
	for _, file := range reporttest.Write(t, r).Created {
		broken := errors.New("disk full")
		err := export.Write(r, nil, report.Formats(), func(name string) (io.Writer, error) {
			if name == file {
				return nil, broken
			}
			return io.Discard, nil
		})
		require.ErrorIs(t, err, broken)
		require.ErrorContains(t, err, file)
		err = export.Write(r, nil, report.Formats(), func(name string) (io.Writer, error) {
			if name == file {
				return reporttest.Failing{Err: broken}, nil
			}
			return io.Discard, nil
		})
		require.ErrorIs(t, err, broken)
		require.ErrorContains(t, err, file)
	}

	r = reporttest.RankingReport()
	r.Config = json.RawMessage("{")
	require.Error(t, export.Write(r, nil, nil, f.Create))
}

func TestCSVReadsBack(t *testing.T) {
	r := reporttest.MultilabelReport()
	records, err := csv.NewReader(bytes.NewReader(reporttest.Write(t, r).Bytes("metrics.csv"))).ReadAll()
	require.NoError(t, err)
	require.Len(t, records, len(r.Metrics)+1)
	for i, row := range r.Metrics {
		var s slice.Key
		require.NoError(t, json.Unmarshal([]byte(records[i+1][1]), &s))
		if row.Label != nil {
			require.Equal(t, *row.Label, records[i+1][2])
		}
	}
}

func TestRunListsOnlyTheFirstFiles(t *testing.T) {
	run := reporttest.ExampleRun()
	run.Files = report.ListFiles(make([]string, 2500))
	var f reporttest.Files
	require.NoError(t, export.Write(reporttest.RankingReport(), run, nil, f.Create))
	var got struct {
		Started       time.Time
		RowsPerSecond float64 `json:"rows_per_second"`
		Files         struct {
			Count int
			Names []string
		}
	}
	require.NoError(t, json.Unmarshal(f.Bytes(report.RunJSON), &got))
	require.Equal(t, 2500, got.Files.Count)
	require.Len(t, got.Files.Names, 1000)
	require.InDelta(t, 100, got.RowsPerSecond, 0)
	require.True(t, run.Started.Equal(got.Started))
}

func TestInvalidUTF8StaysApart(t *testing.T) {
	r := &report.Report{Task: "multilabel", Labels: []string{"caf\xe9", "caf\xea"}}
	for _, label := range r.Labels {
		r.Metrics = append(r.Metrics, report.Row{Name: "f1", Label: reporttest.Ptr(label), Slice: reporttest.Key(label, slice.String(label))})
	}
	f := reporttest.Write(t, r)
	for _, file := range []string{report.MetricsJSON, "metrics.csv"} {
		text := strings.ReplaceAll(f.Content[file].String(), `\\`, `\`)
		require.Contains(t, text, `caf\xe9`, file)
		require.Contains(t, text, `caf\xea`, file)
		require.NotContains(t, text, "\ufffd", file)
	}
}

// counting is a file that keeps only the sizes.
type counting struct{ size, largest int }

func (c *counting) Write(p []byte) (int, error) {
	c.size += len(p)
	c.largest = max(c.largest, len(p))
	return len(p), nil
}

func TestLargeReportIsStreamed(t *testing.T) {
	r := largeReport(100_000)
	sizes := map[string]*counting{}
	require.NoError(t, export.Write(r, nil, report.Formats(), func(name string) (io.Writer, error) {
		sizes[name] = &counting{}
		return sizes[name], nil
	}))
	for _, file := range []string{report.MetricsJSON, "metrics.csv"} {
		require.Greater(t, sizes[file].size, 5_000_000, file)
		require.LessOrEqual(t, sizes[file].largest, 64<<10, file)
	}
	require.Less(t, sizes[report.ReportMarkdown].size, 50_000)
	require.NoError(t, evaluation.Summary(r, io.Discard, document.Screen{}))
}

func largeReport(rows int) *report.Report {
	r := &report.Report{Task: "multilabel"}
	for i := range 100 {
		r.Labels = append(r.Labels, fmt.Sprintf("label %d", i))
	}
	for i := range rows {
		r.Metrics = append(r.Metrics, report.Row{
			Name:    fmt.Sprintf("metric_%d", i/100%10),
			Slice:   reporttest.Key("country", slice.String("de"), "user", slice.Int(int64(i/1000))),
			Label:   &r.Labels[i%100],
			Value:   1 / float64(i+1),
			Support: int64(i),
		})
	}
	return r
}

func BenchmarkWrite(b *testing.B) {
	r := largeReport(600_000)
	r.Sort()
	for _, format := range report.Formats() {
		b.Run(string(format), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var files []*counting
				require.NoError(b, export.Write(r, nil, []report.Format{format}, func(string) (io.Writer, error) {
					files = append(files, new(counting))
					return files[len(files)-1], nil
				}))
				size := 0
				for _, f := range files {
					size += f.size
				}
				b.SetBytes(int64(size))
			}
		})
	}
}

// TestWriteFailsIfAFilePanics: a panic in a goroutine would end the process.
func TestWriteFailsIfAFilePanics(t *testing.T) {
	err := export.Write(reporttest.CurvesReport(), nil, report.Formats(), func(name string) (io.Writer, error) {
		require.NotEqual(t, report.MetricsJSON, name, "after a failure")
		if name == report.CurvesParquet {
			return nil, nil // panics when it is written to
		}
		return io.Discard, nil
	})
	require.ErrorContains(t, err, "report: curves.parquet: internal error, please report it: ")
}
