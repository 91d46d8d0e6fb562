package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	path = filepath.Join("testdata", path)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "%s; go test -update writes it anew", path)
}

func TestGolden(t *testing.T) {
	for name, build := range reports {
		t.Run(name, func(t *testing.T) {
			f := write(t, shuffle(build(), 1))
			for _, file := range []string{report.MetricsJSON, report.MetricsCSV, report.MetricsPrometheus, report.MetricsMLflow, report.ReportMarkdown, report.SummaryText, report.ReportHTML} {
				golden(t, filepath.Join(name, file), f.bytes(file))
			}
			if slices.Contains(f.created, report.ThresholdsJSON) {
				golden(t, filepath.Join(name, report.ThresholdsJSON), f.bytes(report.ThresholdsJSON))
			}
			var summary bytes.Buffer
			require.NoError(t, report.Summary(build(), &summary, report.Screen{}))
			requireWidth(t, 80, summary.String())
			golden(t, filepath.Join(name, "terminal.txt"), summary.Bytes())
		})
	}
}

func TestGoldenRun(t *testing.T) {
	golden(t, report.RunJSON, write(t, rankingReport()).bytes(report.RunJSON))
}

func TestOrderDoesNotMatter(t *testing.T) {
	for name, build := range reports {
		t.Run(name, func(t *testing.T) {
			want := write(t, build())
			for seed := range uint64(5) {
				got := write(t, shuffle(build(), seed))
				require.Equal(t, want.created, got.created)
				for _, file := range want.created {
					require.Equal(t, want.bytes(file), got.bytes(file), file)
				}
				var a, b bytes.Buffer
				require.NoError(t, report.Summary(build(), &a, report.Screen{}))
				require.NoError(t, report.Summary(shuffle(build(), seed), &b, report.Screen{}))
				require.Equal(t, a.String(), b.String())
			}
		})
	}
}

func TestSort(t *testing.T) {
	de, year := key("country", slice.String("de")), key("a", slice.Int(1), "b", slice.Null())
	want := []report.Row{
		{Name: "f1"},
		{Name: "f1", Interval: &report.Interval{Low: -1, High: 2}},
		{Name: "f1", Interval: &report.Interval{Low: 0, High: 1}},
		{Name: "f1", Interval: &report.Interval{Low: 0, High: 2}},
		{Name: "f1", Label: ptr("z")},
		{Name: "f1", Label: ptr("a")},
		{Name: "f1", Label: ptr("not listed")},
		{Name: "g"},
		{Name: "f1", Slice: de},
		{Name: "f1", Slice: de, Label: ptr("z")},
		{Name: "a", Slice: year},
	}
	for seed := range uint64(20) {
		r := &report.Report{Labels: []string{"z", "a", "z"}, Metrics: append([]report.Row(nil), want...)}
		shuffle(r, seed).Sort()
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
		var f files
		require.NoError(t, report.Write(multiclassReport(), nil, test.formats, f.create))
		require.Equal(t, test.want, f.created)
	}
	require.Equal(t,
		[]string{"metrics.csv", "metrics.parquet", "histograms.parquet", "metrics.prom", "metrics.jsonl", "report.md", "summary.txt", "report.html", "per_query.parquet", "run.json", "metrics.json"},
		write(t, rankingReport()).created)
	require.Equal(t,
		[]string{"metrics.csv", "metrics.parquet", "curves.parquet", "metrics.prom", "metrics.jsonl", "report.md", "summary.txt", "report.html", "thresholds.json", "run.json", "metrics.json"},
		write(t, curvesReport()).created)
	var f files
	require.NoError(t, report.Write(curvesReport(), nil, nil, f.create))
	require.Equal(t, []string{"thresholds.json", "run.json", "metrics.json"}, f.created)
	f = files{}
	require.NoError(t, report.Write(rankingReport(), nil, []report.Format{report.JSON}, f.create))
	require.Equal(t, []string{"per_query.parquet", "run.json", "metrics.json"}, f.created)
}

func TestWriteFails(t *testing.T) {
	var f files
	err := report.Write(rankingReport(), nil, []report.Format{"yaml"}, f.create)
	require.ErrorContains(t, err, `"yaml"`)
	require.Empty(t, f.created)

	r := multilabelReport()
	r.Curves, r.Thresholds, r.Queries = curvesReport().Curves, &report.Thresholds{}, rankingReport().Queries
	for _, file := range write(t, r).created {
		broken := errors.New("disk full")
		err := report.Write(r, nil, report.Formats(), func(name string) (io.Writer, error) {
			if name == file {
				return nil, broken
			}
			return io.Discard, nil
		})
		require.ErrorIs(t, err, broken)
		require.ErrorContains(t, err, file)
		err = report.Write(r, nil, report.Formats(), func(name string) (io.Writer, error) {
			if name == file {
				return failing{broken}, nil
			}
			return io.Discard, nil
		})
		require.ErrorIs(t, err, broken)
		require.ErrorContains(t, err, file)
	}

	r = rankingReport()
	r.Config = json.RawMessage("{")
	require.Error(t, report.Write(r, nil, nil, f.create))
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestCSVReadsBack(t *testing.T) {
	r := multilabelReport()
	records, err := csv.NewReader(bytes.NewReader(write(t, r).bytes(report.MetricsCSV))).ReadAll()
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
	run := exampleRun()
	run.Files = report.ListFiles(make([]string, 2500))
	var f files
	require.NoError(t, report.Write(rankingReport(), run, nil, f.create))
	var got struct {
		Started       time.Time
		RowsPerSecond float64 `json:"rows_per_second"`
		Files         struct {
			Count int
			Names []string
		}
	}
	require.NoError(t, json.Unmarshal(f.bytes(report.RunJSON), &got))
	require.Equal(t, 2500, got.Files.Count)
	require.Len(t, got.Files.Names, 1000)
	require.InDelta(t, 100, got.RowsPerSecond, 0)
	require.True(t, run.Started.Equal(got.Started))
}

func TestInvalidUTF8StaysApart(t *testing.T) {
	r := &report.Report{Task: "multilabel", Labels: []string{"caf\xe9", "caf\xea"}}
	for _, label := range r.Labels {
		r.Metrics = append(r.Metrics, report.Row{Name: "f1", Label: ptr(label), Slice: key(label, slice.String(label))})
	}
	f := write(t, r)
	for _, file := range []string{report.MetricsJSON, report.MetricsCSV} {
		text := strings.ReplaceAll(f.content[file].String(), `\\`, `\`)
		require.Contains(t, text, `caf\xe9`, file)
		require.Contains(t, text, `caf\xea`, file)
		require.NotContains(t, text, "\ufffd", file)
	}
}

// counting is a file of which only sizes are kept.
type counting struct{ size, largest int }

func (c *counting) Write(p []byte) (int, error) {
	c.size += len(p)
	c.largest = max(c.largest, len(p))
	return len(p), nil
}

func TestLargeReportIsStreamed(t *testing.T) {
	r := largeReport(100_000)
	sizes := map[string]*counting{}
	require.NoError(t, report.Write(r, nil, report.Formats(), func(name string) (io.Writer, error) {
		sizes[name] = &counting{}
		return sizes[name], nil
	}))
	for _, file := range []string{report.MetricsJSON, report.MetricsCSV} {
		require.Greater(t, sizes[file].size, 5_000_000, file)
		require.LessOrEqual(t, sizes[file].largest, 64<<10, file)
	}
	require.Less(t, sizes[report.ReportMarkdown].size, 50_000)
	require.NoError(t, report.Summary(r, io.Discard, report.Screen{}))
}

func largeReport(rows int) *report.Report {
	r := &report.Report{Task: "multilabel"}
	for i := range 100 {
		r.Labels = append(r.Labels, fmt.Sprintf("label %d", i))
	}
	for i := range rows {
		r.Metrics = append(r.Metrics, report.Row{
			Name:    fmt.Sprintf("metric_%d", i/100%10),
			Slice:   key("country", slice.String("de"), "user", slice.Int(int64(i/1000))),
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
				require.NoError(b, report.Write(r, nil, []report.Format{format}, func(string) (io.Writer, error) {
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

// TestWriteFailsIfAFilePanics: the panic of a goroutine would end the process.
func TestWriteFailsIfAFilePanics(t *testing.T) {
	err := report.Write(curvesReport(), nil, report.Formats(), func(name string) (io.Writer, error) {
		require.NotEqual(t, report.MetricsJSON, name, "after a failure")
		if name == report.CurvesParquet {
			return nil, nil // panics when it is written to
		}
		return io.Discard, nil
	})
	require.ErrorContains(t, err, "report: curves.parquet: internal error, please report it: ")
}
