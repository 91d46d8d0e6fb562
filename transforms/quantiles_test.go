package transforms

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/transforms/input"
)

// byNumber are slices of the weights of examples, divided in several ways.
var byNumber = []Slice{
	{{Column: "weight", Quantiles: 3}},
	{{Column: "weight", Quantiles: 2}, {Column: "country"}},
	{{Column: "weight", Bins: []float64{0.5, 1, 2}}},
	{{Column: "weight", Bins: []float64{2}}, {Column: "device", Values: []SliceValue{{Text: "phone"}}}},
}

// TestDividedSlicesInPipelines: where numbers are divided does not depend on the layout, the
// order and division of rows, nor on which files have the numbers.
func TestDividedSlicesInPipelines(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 7))
	ordered, cut, mixed := arrangements[0], arrangements[2], arrangements[5]
	rows := drawExamples(150)
	of := func(name string) Spec {
		spec := scenarioNamed(t, name).spec
		spec.Slices = byNumber
		return spec
	}
	memory := scenarioNamed(t, "binary")
	list := memory.predictions(rows)
	for i := range list {
		list[i].Slices["weight"] = strconv.FormatFloat(rows[i].Weight, 'g', -1, 64)
	}
	truth := withTruth(of("binary"))
	ofTruth := withTruth(of("binary"))
	ofTruth.Truth.Slices = []string{"weight"}
	ofBoth := withTruth(of("binary"))
	ofBoth.Slices = append(slices.Clone(byNumber), Slice{{Column: "target", Quantiles: 4}})
	ofBoth.Truth.Slices = []string{"weight"}
	ofOne := of("binary")
	ofOne.Slices = ofBoth.Slices
	labels := labelRows(rows, false)
	requireSameReports(t, map[string][]func(beam.Scope) Evaluation{
		"binary": {
			inFiles(of("binary"), written(t, rows, 40)),
			inFiles(of("binary"), arranged(t, r, cut, rows)...),
			inFiles(of("binary"), arranged(t, r, mixed, rows)...),
			inMemory(of("binary"), list),
		},
		"truth": {
			inFilesWith(truth, arranged(t, r, mixed, rows), arranged(t, r, ordered, rows)),
			inFilesWith(ofTruth, arranged(t, r, ordered, rows), arranged(t, r, mixed, rows)),
		},
		"both": {
			inFilesWith(ofBoth, arranged(t, r, mixed, rows), arranged(t, r, ordered, rows)),
			inFilesWith(ofBoth, arranged(t, r, cut, rows), arranged(t, r, mixed, rows)),
		},
		"multilabel": {
			inFiles(of("multilabel, labels found"), written(t, rows, 40)),
			inFiles(long(of("multilabel, labels found"), nil), arranged(t, r, cut, labels)...),
			inFiles(long(of("multilabel, labels found"), nil), arranged(t, r, mixed, labels)...),
		},
	})
}

// requireSupports requires slices with so many examples, besides the overall one.
func requireSupports(t *testing.T, want map[string]int64, evaluation func(beam.Scope) Evaluation) {
	t.Helper()
	rows, err := rowsOf(t, evaluation)
	require.NoError(t, err)
	got := map[string]int64{}
	for _, text := range rows[0] {
		row, err := rowOf(text)
		require.NoError(t, err)
		if row.Name == "accuracy" && len(row.Slice) > 0 {
			got[row.Slice.String()] = row.Support
		}
	}
	require.Equal(t, want, got)
}

func TestDividedSlices(t *testing.T) {
	rows := drawExamples(500)
	spec := scenarioNamed(t, "binary").spec
	spec.Params.Metrics, spec.Columns.Weight = []string{"accuracy"}, ""
	spec.Slices = []Slice{byNumber[2], byNumber[3], {{Column: "target", Quantiles: 5}}}
	want := map[string]int64{}
	bounds := []float64{math.Inf(-1), 0.5, 1, 2, math.Inf(1)}
	for i := range rows {
		e := &rows[i]
		for k, low := range bounds[:4] {
			if e.Weight >= low && e.Weight < bounds[k+1] {
				want[slice.Key{{Column: "weight", Value: slice.Interval(low, bounds[k+1])}}.String()]++
			}
		}
		switch {
		case e.Device != "phone":
		case e.Weight < 2:
			want["device=phone, weight < 2"]++
		default:
			want["device=phone, weight >= 2"]++
		}
	}
	evaluated, err := rowsOf(t, inFiles(spec, written(t, rows, 100)))
	require.NoError(t, err)
	got, quantiles := map[string]int64{}, []int64{}
	for _, text := range evaluated[0] {
		row, err := rowOf(text)
		require.NoError(t, err)
		switch {
		case len(row.Slice) == 0:
		case row.Slice[0].Column == "target":
			quantiles = append(quantiles, row.Support)
		default:
			got[row.Slice.String()] = row.Support
		}
	}
	require.Equal(t, want, got)
	require.Equal(t, []int64{100, 100, 100, 100, 100}, quantiles)
}

// TestDividedOddValues: null, NaN and infinite numbers, numbers of hive-style keys, and integers.
func TestDividedOddValues(t *testing.T) {
	type odd struct {
		Label int32    `parquet:"label"`
		Score float64  `parquet:"score"`
		Age   *float64 `parquet:"age,optional"`
		Size  int64    `parquet:"size"`
	}
	number := func(x float64) *float64 { return &x }
	rows := []odd{
		{0, 0.1, number(18), 5}, {1, 0.9, number(17.9), 6}, {0, 0.9, number(math.Inf(-1)), 7}, {1, 0.1, number(math.Inf(1)), 7},
		{0, 0.1, number(math.NaN()), 1 << 60}, {1, 0.9, nil, -(1 << 60)},
	}
	dir := t.TempDir()
	for _, year := range []string{"2025", "2026"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, "year="+year), 0o777))
		write(t, filepath.Join(dir, "year="+year, "p.parquet"), rows, 4)
	}
	shards, err := input.FindShards(t.Context(), dir+"/*/*.parquet")
	require.NoError(t, err)
	spec := scenarioNamed(t, "binary").spec
	spec.Params.Metrics, spec.PositiveLabel = []string{"accuracy"}, ""
	spec.Columns = input.Columns{Label: "label", Score: "score"}
	spec.Slices = []Slice{
		{{Column: "age", Bins: []float64{18}}}, {{Column: "age", Quantiles: 2}, {Column: "year", Bins: []float64{2020}}},
		{{Column: "size", Quantiles: 2}}, {{Column: "year", Quantiles: 2}},
	}
	requireSupports(t, map[string]int64{
		"age < 18": 4, "age >= 18": 4, "age=NaN": 2, "age=null": 2,
		"age < 18, year >= 2020": 4, "age >= 18, year >= 2020": 4, "age=NaN, year >= 2020": 2, "age=null, year >= 2020": 2,
		"size < 7": 6, "size >= 7": 6, "year < 2026": 6, "year >= 2026": 6,
	}, inFiles(spec, shards...))
}

// TestRowsOfNoWeightMoveNoQuantiles: rows of weight 0 do not count where quantiles divide numbers, from
// files, keys of folders or memory.
func TestRowsOfNoWeightMoveNoQuantiles(t *testing.T) {
	t.Parallel()
	rows := drawExamples(60)
	more := slices.Clone(rows)
	for _, e := range drawExamples(61)[:40] {
		e.ID, e.Weight, e.Target = "more "+e.ID, 0, 1000+e.Target
		more = append(more, e)
	}
	s := scenarioNamed(t, "binary")
	s.spec.Params.Metrics = []string{"tp", "fp"}
	s.spec.Slices = []Slice{{{Column: "target", Quantiles: 4}}, {{Column: "target", Quantiles: 3}, {Column: "year", Quantiles: 2}}}
	year := func(rows []example, year string) input.Shard {
		shard := written(t, rows, 20)
		shard.Keys = []files.Key{{Name: "year", Value: year}}
		return shard
	}
	list := s.predictions(more)
	for i := range list {
		list[i].Slices["target"], list[i].Slices["year"] = strconv.FormatFloat(more[i].Target, 'g', -1, 64), "2001"
		if i < 20 {
			list[i].Slices["year"] = "2000"
		}
	}
	found, err := rowsOf(t,
		inFiles(s.spec, year(rows[:20], "2000"), year(rows[20:], "2001")),
		inFiles(s.spec, year(more[:20], "2000"), year(more[20:], "2001")),
		inMemory(s.spec, list))
	require.NoError(t, err)
	var values [3][]string
	for i := range found {
		for _, row := range decodedRows(t, found[i]) {
			if row.Value > 0 {
				values[i] = append(values[i], fmt.Sprintln(row.Slice, row.Name, row.Value))
			}
		}
	}
	require.NotEmpty(t, values[0])
	require.Equal(t, values[0], values[1])
	require.Equal(t, values[0], values[2])
}
