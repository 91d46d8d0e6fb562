package why_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/analysis/why"
	changes "github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
)

// between divides the differences between two pools of reports.
func between(t *testing.T, a, b []*report.Report, names ...string) map[string]changes.Why {
	t.Helper()
	sources := func(list []*report.Report) (all []why.Source) {
		for i, r := range list {
			all = append(all, why.Source{Report: r, Dir: t.TempDir(), Name: string(rune('x' + i))})
		}
		return all
	}
	list, err := why.Between(t.Context(), "binary", sources(a), sources(b), names, 0.95, nil)
	require.NoError(t, err)
	found := map[string]changes.Why{}
	for _, w := range list {
		found[w.Metric] = w
	}
	return found
}

var reportNames = []string{"accuracy", "precision", "recall"}

// random returns the folds of a random report.
func random(r *rand.Rand) map[string][]counted {
	return drawn(r, 1000, []float64{0.3 + 0.3*r.Float64(), 0.2, 0.2}, []float64{0.9, 0.8, 0.6}, []float64{0.3, 0.5, 0.4})
}

// TestPoolOfOne: a pool of one report is the report.
func TestPoolOfOne(t *testing.T) {
	r := rand.New(rand.NewPCG(62, 2))
	a, b := reported(1, random(r)), reported(2, random(r))
	want, got := explained(t, a, b, reportNames...), between(t, []*report.Report{a}, []*report.Report{b}, reportNames...)
	require.Len(t, want, 3)
	require.Equal(t, fmt.Sprint(want), fmt.Sprint(got), "NaN included")
}

// TestPoolIsSum: a pool of several reports is like one report of all their examples, in the same folds.
func TestPoolIsSum(t *testing.T) {
	r := rand.New(rand.NewPCG(62, 3))
	var sides [2][]*report.Report
	var sums [2]*report.Report
	for side := range sides {
		sum := map[string][]counted{}
		for night := range 3 {
			folds := random(r)
			if night == 1 {
				delete(folds, "it") // which the others have
			}
			sides[side] = append(sides[side], reported(uint64(10*side+night), folds))
			for country, list := range folds {
				if sum[country] == nil {
					sum[country] = make([]counted, len(list))
				}
				for i, c := range list {
					sum[country][i].add(c)
				}
			}
		}
		sums[side] = reported(uint64(10*side+9), sum)
	}
	want, got := explained(t, sums[0], sums[1], reportNames...), between(t, sides[0], sides[1], reportNames...)
	for _, name := range reportNames {
		w, g := want[name], got[name]
		require.Empty(t, g.Reason)
		require.Empty(t, w.Reason)
		near := func(want, got float64) {
			t.Helper()
			require.Equal(t, math.IsNaN(want), math.IsNaN(got))
			if !math.IsNaN(want) {
				require.InDelta(t, want, got, 1e-12)
			}
		}
		part := func(w, g report.Estimate) {
			t.Helper()
			near(w.Value, g.Value)
			near(w.Low, g.Low)
			near(w.High, g.High)
		}
		near(w.A, g.A)
		near(w.B, g.B)
		near(w.Difference, g.Difference)
		part(w.Mix, g.Mix)
		part(w.Performance, g.Performance)
		require.False(t, math.IsNaN(g.Performance.Low))
		require.Len(t, g.Slices, 3)
		for i := range w.Slices {
			near(w.Slices[i].ShareB, g.Slices[i].ShareB)
			part(w.Slices[i].Performance, g.Slices[i].Performance)
		}
	}
}

// TestPoolWithoutFolds: reports with other folds have no interval together, and say which they are; nor do reports
// without replicates.
func TestPoolWithoutFolds(t *testing.T) {
	r := rand.New(rand.NewPCG(62, 4))
	a, b, c, d := reported(1, random(r)), reported(2, random(r)), reported(3, random(r)), reported(4, random(r))
	want := between(t, []*report.Report{a, b}, []*report.Report{c, d}, "accuracy")["accuracy"]
	d.Confidence.Folds++
	got := between(t, []*report.Report{a, b}, []*report.Report{c, d}, "accuracy")["accuracy"]
	require.Equal(t, "reports have other groups: y", got.Reason)
	require.Equal(t, want.Mix.Value, got.Mix.Value)
	require.True(t, math.IsNaN(got.Mix.Low))
	for i := range b.Metrics {
		b.Metrics[i].Replicates, b.Metrics[i].Folds = nil, nil
	}
	require.Equal(t, "no replicates: y", between(t, []*report.Report{a, b}, []*report.Report{c, d}, "accuracy")["accuracy"].Reason)
}

// TestPoolWithoutMatrices: the report that lacks a file is named, and metrics that a report does not have are left out.
func TestPoolWithoutMatrices(t *testing.T) {
	r := rand.New(rand.NewPCG(62, 5))
	var list []*report.Report
	for i := range 4 {
		of := reported(uint64(i), random(r))
		for j := range of.Metrics {
			if row := &of.Metrics[j]; row.Name == "tp" {
				row.Name = "another"
			}
		}
		of.Sort()
		list = append(list, of)
	}
	require.Equal(t, "no confusion.parquet: x", between(t, list[:2], list[2:], "precision")["precision"].Reason)
	require.Empty(t, between(t, list[:2], list[2:], "mcc"))
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, report.ConfusionParquet), []byte("broken"), 0o666))
	_, err := why.Between(t.Context(), "binary", []why.Source{{Report: list[0], Dir: dir}}, []why.Source{{Report: list[1], Dir: dir}}, []string{"precision"}, 0.95, nil)
	require.ErrorContains(t, err, dir)
}
