package report_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/checks"
	"github.com/beameval/beameval/io/report/export"
	"github.com/beameval/beameval/io/slice"
)

// written writes a report and returns its directory and what is in metrics.json.
func written(t *testing.T, r *report.Report, limit int, formats ...report.Format) (dir string, file string) {
	t.Helper()
	r.JSONRows = limit
	f := &reporttest.Files{}
	require.NoError(t, export.Write(r, reporttest.ExampleRun(), formats, f.Create))
	dir = t.TempDir()
	for name, content := range f.Content {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content.Bytes(), 0o600))
	}
	return dir, string(f.Bytes(report.MetricsJSON))
}

// TestRowsAreTheSameWhereverTheyAre: a report whose rows are in metrics.parquet is read like one
// whose rows are in metrics.json, and written again with the same bytes.
func TestRowsAreTheSameWhereverTheyAre(t *testing.T) {
	omitting := 0
	for name, build := range reporttest.Reports {
		all, whole := written(t, build(), 0, report.Formats()...)
		want, err := report.Open(t.Context(), all)
		require.NoError(t, err)
		allNames := func(*report.Report) []string {
			return collections.Map(want.Metrics, func(row report.Row) string { return row.Name })
		}
		overview, err := report.OpenOverview(t.Context(), all, allNames)
		require.NoError(t, err)
		parts := *want
		parts.Metrics = slices.DeleteFunc(slices.Clone(want.Metrics), func(row report.Row) bool { return row.Label != nil && len(row.Slice) > 0 })
		requireEqualReports(t, &parts, overview)
		for limit := 1; limit < len(want.Metrics); limit += 1 + len(want.Metrics)/7 {
			dir, file := written(t, build(), limit, report.Formats()...)
			got, err := report.Open(t.Context(), dir)
			require.NoError(t, err, name)
			if got.JSONRows > 0 {
				omitting++
				_, err := report.Read([]byte(file))
				require.ErrorContains(t, err, "omits metric rows")
				require.Less(t, len(file), len(whole)+200)
			}
			again := *got
			again.Thresholds = nil
			_, rewritten := written(t, &again, got.JSONRows, report.Formats()...)
			require.Equal(t, file, rewritten, "%s above %d rows", name, limit)
			got.JSONRows = 0
			requireEqualReports(t, want, got)

			got, err = report.OpenOverview(t.Context(), dir, allNames)
			require.NoError(t, err)
			got.Checks = overview.Checks
			requireEqualReports(t, overview, got)

			for _, ofAll := range []bool{false, true} {
				name := want.Metrics[len(want.Metrics)/2].Name
				some, err := report.OpenMetrics(t.Context(), dir, []string{name}, ofAll)
				require.NoError(t, err)
				some.Checks = want.Checks
				of := *want
				of.Metrics = slices.DeleteFunc(slices.Clone(of.Metrics), func(row report.Row) bool { return row.Name != name || ofAll && len(row.Slice) > 0 })
				requireEqualReports(t, &of, some)
			}
		}
	}
	require.Greater(t, omitting, 10)
}

// requireEqualReports compares reports, in which NaN is equal to NaN.
func requireEqualReports(t *testing.T, want, got *report.Report) {
	t.Helper()
	require.Len(t, got.Metrics, len(want.Metrics))
	text := func(r *report.Report) string { _, file := written(t, new(*r), 0); return file }
	require.Equal(t, text(want), text(got))
	for i := range want.Metrics {
		w, g := want.Metrics[i], got.Metrics[i]
		require.Equal(t, w.Bounds, g.Bounds)
		require.Equal(t, w.Slice, g.Slice)
		require.Equal(t, w.Undefined, g.Undefined)
	}
}

// TestWhichRowsMetricsJSONHas: those of all examples remain, with their labels while these fit.
func TestWhichRowsMetricsJSONHas(t *testing.T) {
	build := func() *report.Report {
		r := &report.Report{Task: "multilabel", Labels: []string{"a", "b"}, Checks: checks.Of(checks.Warning, "w")}
		for _, key := range []slice.Key{nil, reporttest.Key("day", slice.Int(1)), reporttest.Key("day", slice.Int(2))} {
			r.Metrics = append(r.Metrics, report.Row{Name: "f1_micro", Slice: key, Value: .5})
			for i := range r.Labels {
				r.Metrics = append(r.Metrics, report.Row{Name: "f1", Slice: key, Label: &r.Labels[i], Value: .25})
			}
		}
		return r
	}
	parquet := []report.Format{report.Parquet}
	for limit, want := range map[int]int{0: 9, 9: 9, 8: 3, 3: 3, 2: 1, 1: 1} {
		r := build()
		_, file := written(t, r, limit, parquet...)
		require.Equal(t, want, strings.Count(file, rowStart), limit)
		if want < 9 {
			require.Contains(t, file, `"all_metrics": {"file":"metrics.parquet","rows":9},`)
			require.Contains(t, r.Omission(), "of the 9 metric rows, those of all examples: metrics.parquet has all")
		} else {
			require.NotContains(t, file, "all_metrics")
		}
	}
	_, file := written(t, build(), 1, report.CSV)
	require.Equal(t, 9, strings.Count(file, rowStart), "without metrics.parquet, all rows are in metrics.json")
}

// TestRowsOfAnotherReport: half a report, or a mixture of two, is never returned.
func TestRowsOfAnotherReport(t *testing.T) {
	open := func(edit func(dir string)) string {
		dir, _ := written(t, reporttest.MultilabelReport(), 1, report.Formats()...)
		edit(dir)
		_, err := report.Open(t.Context(), dir)
		require.Error(t, err)
		require.NotErrorIs(t, err, os.ErrNotExist, "there is a report")
		require.Contains(t, err.Error(), dir)
		_, overview := report.OpenOverview(t.Context(), dir, func(*report.Report) []string { return nil })
		require.Error(t, overview)
		return err.Error()
	}
	require.Contains(t, open(func(dir string) { require.NoError(t, os.Remove(filepath.Join(dir, report.MetricsParquet))) }), "missing or of another report")
	require.Contains(t, open(func(dir string) {
		other := reporttest.MultilabelReport()
		for i := range other.Metrics {
			other.Metrics[i].Support++
		}
		from, _ := written(t, other, 1, report.Formats()...)
		require.NoError(t, os.Rename(filepath.Join(from, report.MetricsParquet), filepath.Join(dir, report.MetricsParquet)))
	}), "of another report")
	for want, rows := range map[string]any{
		`no column "name"`:                           []struct{ Name, Slice string }{{"f1", "{}"}},
		"row 1: slice: a slice is an object, not 17": []metricRow{{Name: "f1", Slice: "17"}},
		"missing or of another report":               []metricRow{{Name: "f1", Slice: "{}"}},
	} {
		require.Contains(t, open(func(dir string) {
			f, err := os.Create(filepath.Join(dir, report.MetricsParquet))
			require.NoError(t, err)
			switch rows := rows.(type) {
			case []metricRow:
				require.NoError(t, parquet.Write(f, rows))
			case []struct{ Name, Slice string }:
				require.NoError(t, parquet.Write(f, rows))
			}
			require.NoError(t, f.Close())
		}), want)
	}
	for _, edited := range []string{`{"file":"other.parquet","rows":2000}`, `{"file":"metrics.parquet","rows":0}`} {
		_, err := report.Read([]byte(`{"schema":"beameval.report/v1","all_metrics":` + edited + `}`))
		require.ErrorContains(t, err, "report: all_metrics is ")
	}
}

// rowStart is the start of the line of a metric row of these reports.
const rowStart = "\n    {\"name\":\"f1"

// metricRow has the columns that a metrics.parquet needs.
type metricRow struct {
	Name       string   `parquet:"name"`
	Slice      string   `parquet:"slice"`
	Label      *string  `parquet:"label,optional"`
	Value      *float64 `parquet:"value,optional"`
	Low        *float64 `parquet:"low,optional"`
	High       *float64 `parquet:"high,optional"`
	Undefined  *string  `parquet:"undefined,optional"`
	Support    int64    `parquet:"support"`
	CILow      *float64 `parquet:"ci_low,optional"`
	CIHigh     *float64 `parquet:"ci_high,optional"`
	StdError   *float64 `parquet:"std_error,optional"`
	DOF        *float64 `parquet:"dof,optional"`
	Groups     *int32   `parquet:"groups,optional"`
	Method     *string  `parquet:"ci_method,optional"`
	NoInterval *string  `parquet:"no_interval,optional"`
	Warning    *string  `parquet:"ci_warning,optional"`
}
