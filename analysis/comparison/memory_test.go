package comparison_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/internal/testing/heap"
	changes "github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// mostBytes is how much memory a difference that is listed may take while systems are compared and the
// results are written, in addition to the reports: docs/failures.md says so.
const mostBytes = 200

// manySystems returns systems with as many rows each: a third of the metrics is ranked.
func manySystems(n, rows int) (list []comparison.System) {
	names := []string{"accuracy", "log_loss", "prevalence", "brier_score", "tp", "fp", "fn", "tn", "npv", "fpr", "fnr", "specificity"}
	for i := range n {
		random := rand.New(rand.NewPCG(uint64(i), 1))
		r := reportOf(uint64(i), 0.8)
		r.Metrics = r.Metrics[:0]
		for len(r.Metrics) < rows {
			var key slice.Key
			if shop := len(r.Metrics) / len(names); shop > 0 {
				key = slice.Key{{Column: "shop", Value: slice.String(fmt.Sprintf("shop %d", shop))}}
			}
			row := report.Row{Name: names[len(r.Metrics)%len(names)], Slice: key, Value: random.Float64(), Support: 1000}
			for g := range int32(groups) {
				row.Folds, row.Replicates = append(row.Folds, g), append(row.Replicates, row.Value+0.1*random.NormFloat64())
			}
			r.Metrics = append(r.Metrics, row)
		}
		list = append(list, comparison.System{Name: fmt.Sprintf("system %d", i), Path: fmt.Sprintf("runs/%d", i), Report: r})
	}
	return list
}

// perDifference returns how many bytes a comparison takes at most for each difference that it lists, with
// all that they share. Two threads encode as many blocks of tables at once on every machine.
func perDifference(t testing.TB, list []comparison.System, o comparison.Options) float64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	listed := 0
	peak := heap.Peak(func() {
		l, err := comparison.Rank(t.Context(), list, o)
		require.NoError(t, err)
		listed = l.Differences.Len
		require.NoError(t, changes.Write(l, func(string) (io.Writer, error) { return io.Discard, nil }))
	})
	return float64(peak) / float64(listed)
}

// TestMemoryOfDifferences: there may be millions of differences, so each that is listed takes little memory.
func TestMemoryOfDifferences(t *testing.T) {
	bytes := perDifference(t, manySystems(12, 2000), comparison.Options{Adjust: changes.BenjaminiHochberg, AllPairs: true})
	t.Logf("%.0f bytes", bytes)
	require.LessOrEqual(t, bytes, float64(mostBytes))
}

// BenchmarkDifferences compares 50 systems of 16,500 rows with the first.
func BenchmarkDifferences(b *testing.B) {
	list := manySystems(50, 16_500)
	for b.Loop() {
		b.ReportMetric(perDifference(b, list, comparison.Options{Adjust: changes.BenjaminiHochberg}), "B/difference")
	}
}
