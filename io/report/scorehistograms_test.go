package report_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// scoreHistograms are in the order of reports; the report has three groups.
func scoreHistograms() []report.ScoreHistogram {
	inf := math.Inf(1)
	de := reporttest.Key("country", slice.String("de"))
	return []report.ScoreHistogram{
		{Name: "prediction", Label: reporttest.Ptr("sunset"), Bins: []report.ScoreBin{{From: 0, To: 1. / 64, Count: 3, Weight: 2.5}, {From: 63. / 64, To: 1, Count: 1, Weight: 0}}, Folds: []float64{2, 0.5, 0, 0, 0, 0}},
		{Name: "score", Bins: []report.ScoreBin{
			{From: -inf, To: -inf, Count: 1, Weight: 1}, {From: -inf, To: -768, Count: 2, Weight: 2}, {From: -768, To: -512, Count: 2, Weight: 1. / 3},
			{From: 768, To: inf, Count: 1, Weight: inf}, {From: inf, To: inf, Count: 1 << 53, Weight: 1},
		}},
		{Name: "score", Label: reporttest.Ptr("sunset"), Bins: []report.ScoreBin{{From: 0, To: 1. / 64, Count: 3, Weight: 2.5}}},
		{Name: "score", Label: reporttest.Ptr("caf\xe9"), Bins: []report.ScoreBin{{From: 0, To: 1. / 64, Count: 3, Weight: 2.5}}},
		{Name: "target", Bins: []report.ScoreBin{{From: 1, To: 1, Count: 1, Weight: 1}, {From: 2, To: 2, Count: 1, Weight: 1}, {From: reporttest.NaN, To: reporttest.NaN, Count: 1, Weight: 1}}, Folds: []float64{0, 1, 0, 0, 0, 1, 1, 0, 0}},
		{Name: "score", Slice: de, Bins: []report.ScoreBin{{From: 0, To: 1. / 64, Count: 3, Weight: 2.5}}},
	}
}

func reportWithHistograms() *report.Report {
	r := reporttest.ConfidenceReport()
	r.Confidence.Folds, r.Confidence.Digests = 3, make([]report.FoldDigest, 3)
	r.ScoreHistograms = scoreHistograms()
	return r
}

func TestReadScoreHistograms(t *testing.T) {
	f := reporttest.Write(t, reportWithHistograms())
	shuffled := reporttest.Write(t, reporttest.Shuffle(reportWithHistograms(), 1))
	require.Equal(t, f.Bytes(report.ScoreHistogramsParquet), shuffled.Bytes(report.ScoreHistogramsParquet))
	r, err := report.Read(f.Bytes(report.MetricsJSON))
	require.NoError(t, err)
	require.NoError(t, r.ReadScoreHistograms(reporttest.SourceOf(f.Bytes(report.ScoreHistogramsParquet))))
	r.Sort()
	want := scoreHistograms()
	for _, list := range [][]report.ScoreHistogram{want, r.ScoreHistograms} {
		last := &list[4].Bins[2]
		require.True(t, math.IsNaN(last.From) && math.IsNaN(last.To))
		last.From, last.To = 0, 0 // NaN equals nothing
		list[1].Slice = list[5].Slice[:0]
	}
	require.Len(t, r.ScoreHistograms, len(want))
	for i := range want {
		require.Equal(t, want[i].Bins, r.ScoreHistograms[i].Bins)
		require.Equal(t, want[i].Folds, r.ScoreHistograms[i].Folds)
		require.Equal(t, want[i].Name, r.ScoreHistograms[i].Name)
		require.Equal(t, want[i].Label, r.ScoreHistograms[i].Label)
		require.Zero(t, want[i].Slice.Compare(r.ScoreHistograms[i].Slice))
	}
	require.NotContains(t, reporttest.Write(t, reporttest.ConfidenceReport()).Created, report.ScoreHistogramsParquet)
}

// scoreBinRow is a row of score_histograms.parquet.
type scoreBinRow struct {
	Histogram *string   `parquet:"histogram,optional"`
	Slice     *string   `parquet:"slice,optional"`
	Label     *string   `parquet:"label,optional"`
	From      *float64  `parquet:"from,optional"`
	To        *float64  `parquet:"to,optional"`
	Count     *int64    `parquet:"count,optional"`
	Weight    *float64  `parquet:"weight,optional"`
	Folds     []float64 `parquet:"folds"`
}

// readRows reads rows as the score histograms of a report with three groups.
func readRows(t testing.TB, rows ...scoreBinRow) error {
	var file bytes.Buffer
	require.NoError(t, parquet.Write(&file, rows))
	r := reportWithHistograms()
	err := r.ReadScoreHistograms(reporttest.SourceOf(file.Bytes()))
	requireOrdered(t, r, err)
	return err
}

// requireOrdered checks what every histogram that was read promises.
func requireOrdered(t testing.TB, r *report.Report, err error) {
	for _, h := range r.ScoreHistograms {
		for i, b := range h.Bins {
			require.True(t, b.Count > 0 && b.Weight >= 0 && (len(h.FoldsOf(i)) == 0 || len(h.FoldsOf(i)) == 3))
			require.True(t, i == 0 || err != nil || math.IsNaN(b.From) || b.From >= h.Bins[i-1].To)
		}
	}
}

func TestReadScoreHistogramsRefuses(t *testing.T) {
	row := func(set func(*scoreBinRow)) scoreBinRow {
		b := scoreBinRow{Histogram: new("score"), Slice: new("{}"), From: new(0.5), To: new(0.75), Count: new(int64(2)), Weight: new(2.0)}
		set(&b)
		return b
	}
	same := func(*scoreBinRow) {}
	require.NoError(t, readRows(t, row(same), row(func(b *scoreBinRow) { b.From, b.To = new(0.75), new(1.0) })))
	for want, rows := range map[string][]scoreBinRow{
		"row 1: histogram is null or missing":                                  {row(func(b *scoreBinRow) { b.Histogram = nil })},
		"row 1: slice is null or missing":                                      {row(func(b *scoreBinRow) { b.Slice = nil })},
		`histogram: "scores": expected one of ["prediction" "score" "target"]`: {row(func(b *scoreBinRow) { b.Histogram = new("scores") })},
		"row 1: slice: a slice is an object":                                   {row(func(b *scoreBinRow) { b.Slice = new("[") })},
		"it ends before it begins":                                             {row(func(b *scoreBinRow) { b.To = new(0.25) })},
		"it ends before it begins ":                                            {row(func(b *scoreBinRow) { b.To = nil })},
		"it counts 0 examples":                                                 {row(func(b *scoreBinRow) { b.Count = new(int64(0)) })},
		"row 1: count is null or missing":                                      {row(func(b *scoreBinRow) { b.Count = nil })},
		"it counts -1 examples":                                                {row(func(b *scoreBinRow) { b.Count = new(int64(-1)) })},
		"a weight is negative or null":                                         {row(func(b *scoreBinRow) { b.Weight = new(math.NaN()) })},
		"row 1: weight is null or missing":                                     {row(func(b *scoreBinRow) { b.Weight = nil })},
		"a weight is negative or null ":                                        {row(func(b *scoreBinRow) { b.Folds = []float64{1, -1, 1} })},
		"the weights of 2 groups, and":                                         {row(func(b *scoreBinRow) { b.Folds = []float64{1, 1} })},
		"the weights of groups where":                                          {row(same), row(func(b *scoreBinRow) { b.From, b.To, b.Folds = new(0.75), new(1.0), []float64{1, 1, 0} })},
		"the weights of groups where ":                                         {row(func(b *scoreBinRow) { b.Folds = []float64{1, 1, 0} }), row(func(b *scoreBinRow) { b.From, b.To = new(0.75), new(1.0) })},
		"it does not follow the bin from":                                      {row(same), row(func(b *scoreBinRow) { b.From = new(0.25) })},
		"it does not follow the bin from ":                                     {row(same), row(same)},
		"the bin from NaN to NaN: it does not follow": {
			row(func(b *scoreBinRow) { b.From, b.To = nil, nil }), row(func(b *scoreBinRow) { b.From, b.To = nil, nil })},
		"the bin from 0.5 to 0.75: it does not follow the bin from NaN to NaN": {row(func(b *scoreBinRow) { b.From, b.To = nil, nil }), row(same)},
		"occurs twice": {row(same), row(func(b *scoreBinRow) { b.Label = new("a") }), row(same)},
	} {
		err := readRows(t, rows...)
		require.ErrorContains(t, err, strings.TrimSpace(want))
		require.ErrorContains(t, err, "report: score_histograms.parquet: ")
	}
	without := reporttest.RankingReport()
	f := reporttest.Write(t, reportWithHistograms())
	require.ErrorContains(t, without.ReadScoreHistograms(reporttest.SourceOf(f.Bytes(report.ScoreHistogramsParquet))), "has 0 groups")
	require.Error(t, without.ReadScoreHistograms(reporttest.SourceOf(f.Bytes(report.MetricsParquet))))
}

// FuzzReadScoreHistograms reads damaged files, and rows with arbitrary values: nothing panics, and what
// is read is in order.
func FuzzReadScoreHistograms(f *testing.F) {
	whole := reporttest.Write(f, reportWithHistograms()).Bytes(report.ScoreHistogramsParquet)
	f.Add("score", "{}", 0.0, 1.0, int64(1), 1.0, uint8(3), whole)
	f.Add("target", `{"a":1}`, math.Inf(-1), math.NaN(), int64(-1), -1.0, uint8(1), whole[:len(whole)/2])
	f.Add("prediction", "[]", math.Inf(1), math.Inf(1), int64(math.MaxInt64), math.Inf(1), uint8(0), whole[:9])
	f.Fuzz(func(t *testing.T, name, key string, from, to float64, count int64, weight float64, folds uint8, file []byte) {
		r := reportWithHistograms()
		requireOrdered(t, r, r.ReadScoreHistograms(reporttest.SourceOf(file)))
		row := scoreBinRow{Histogram: &name, Slice: &key, From: &from, To: &to, Count: &count, Weight: &weight, Folds: make([]float64, folds%5)}
		_ = readRows(t, row)
		other := row
		other.From = &to
		_ = readRows(t, row, other)
	})
}
