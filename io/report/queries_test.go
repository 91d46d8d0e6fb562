package report_test

import (
	"fmt"
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/export"
	"github.com/beameval/beameval/io/slice"
)

type queryRow struct {
	Query string   `parquet:"query"`
	Name  string   `parquet:"name"`
	Value *float64 `parquet:"value,optional"`
}

func TestPerQueryParquet(t *testing.T) {
	f := reporttest.Write(t, reporttest.Shuffle(reporttest.RankingReport(), 1))
	require.Equal(t, []queryRow{
		{"-1", "map", nil},
		{"-1", "ndcg@10", reporttest.Ptr(0.25)},
		{"-1", "ndcg@3", reporttest.Ptr(0.0)},
		{"9", "map", reporttest.Ptr(1. / 3)},
		{"9", "ndcg@10", nil},
		{"9", "ndcg@3", reporttest.Ptr(1.0)},
		{"10", "map", reporttest.Ptr(0.5)},
		{"10", "ndcg@10", reporttest.Ptr(0.5)},
		{"10", "ndcg@3", reporttest.Ptr(0.5)},
	}, reporttest.ReadRows[queryRow](t, f.Bytes(report.PerQueryParquet)))
}

func TestQueriesOfHostileNames(t *testing.T) {
	r := &report.Report{Task: "ranking", Queries: &report.Queries{
		Names: []string{"", "caf\xe9"},
		List: []report.Query{
			{ID: slice.String("é"), Values: []float64{1, 2}},
			{ID: slice.String("b"), Values: []float64{3, 4}},
			{ID: slice.String("a \"b\"\n"), Values: []float64{5, 6}},
			{ID: slice.String("10"), Values: []float64{7, 8}},
			{ID: slice.String(""), Values: []float64{9, math.Inf(1)}},
			{ID: slice.String("\xff"), Values: []float64{10, 11}},
			{ID: slice.String("b"), Values: []float64{3, math.NaN()}},
			{ID: slice.Null(), Values: []float64{12, 13}},
		},
	}}
	var got []string
	for _, row := range reporttest.ReadRows[queryRow](t, reporttest.Write(t, r).Bytes(report.PerQueryParquet)) {
		value := "null"
		if row.Value != nil {
			value = fmt.Sprint(*row.Value)
		}
		got = append(got, fmt.Sprintf("%q %q %s", row.Query, row.Name, value))
	}
	require.Equal(t, []string{
		`"null" "" 12`, `"null" "caf\\xe9" 13`,
		`"" "" 9`, `"" "caf\\xe9" null`,
		`"10" "" 7`, `"10" "caf\\xe9" 8`,
		`"a \"b\"\n" "" 5`, `"a \"b\"\n" "caf\\xe9" 6`,
		`"b" "" 3`, `"b" "caf\\xe9" null`,
		`"b" "" 3`, `"b" "caf\\xe9" 4`,
		`"é" "" 1`, `"é" "caf\\xe9" 2`,
		`"\\xff" "" 10`, `"\\xff" "caf\\xe9" 11`,
	}, got)
}

func TestQueriesWithoutValues(t *testing.T) {
	for _, q := range []*report.Queries{{}, {Names: []string{"map"}}, {List: []report.Query{{ID: slice.Int(1)}}}} {
		f := reporttest.Write(t, &report.Report{Task: "ranking", Queries: q})
		require.Empty(t, reporttest.ReadRows[queryRow](t, f.Bytes(report.PerQueryParquet)))
	}
	var f reporttest.Files
	r := &report.Report{Queries: &report.Queries{Names: []string{"map"}, List: []report.Query{{ID: slice.String("q"), Values: []float64{1, 2}}}}}
	require.ErrorContains(t, export.Write(r, nil, nil, f.Create), "query q has 2 values of 1 metrics")
}

func manyQueries(n int) *report.Queries {
	q := &report.Queries{}
	for i := range 20 {
		q.Names = append(q.Names, fmt.Sprintf("ndcg@%d", i))
	}
	for i := range n {
		query := report.Query{ID: slice.String(fmt.Sprintf("query %d", i*7919%n)), Values: make([]float64, len(q.Names))}
		for j := range query.Values {
			query.Values[j] = 1 / float64(i+j+1)
		}
		q.List = append(q.List, query)
	}
	return q
}

func BenchmarkPerQuery(b *testing.B) {
	r := &report.Report{Task: "ranking", Queries: manyQueries(100_000)}
	r.Sort()
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, export.Write(r, nil, nil, func(string) (io.Writer, error) { return io.Discard, nil }))
	}
	b.ReportMetric(float64(len(r.Queries.List)*len(r.Queries.Names)*b.N)/b.Elapsed().Seconds(), "rows/s")
}
