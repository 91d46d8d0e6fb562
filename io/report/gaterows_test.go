package report_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/heap"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// TestGateRows: the rows of a gate are those to which it applies, in their order, in all spellings of values.
func TestGateRows(t *testing.T) {
	empty, label := "", "a"
	labels := []*string{nil, &empty, &label}
	values := []slice.Value{
		slice.Null(), slice.String("null"), slice.String(""), slice.Bool(true), slice.String("true"), slice.String("TRUE"), slice.String("True"),
		slice.Int(1), slice.Float(1), slice.String("1"), slice.String("1.0"), slice.String("1e0"), slice.String("+1"), slice.String("01"), slice.Float(1.5), slice.String("1.50"),
		slice.Float(0), slice.Float(math.Copysign(0, -1)), slice.Int(0), slice.String("-0"), slice.String("-0.0"), slice.String("0.0"),
		slice.Float(math.NaN()), slice.String("nan"), slice.String(".nan"), slice.Float(math.Inf(-1)), slice.String("-.inf"), slice.String("-Inf"),
		slice.Int(1e6), slice.Float(1e6), slice.String("1e6"), slice.String("1000000"), slice.String("1e+06"),
		slice.Float(1 << 53), slice.Int(1 << 53), slice.Int(1<<53 + 1), slice.String("9007199254740993"), slice.String("9007199254740992"),
		slice.Float(1e300), slice.String("1e300"), slice.String("10E299"), slice.String("a"), slice.String("a\x00b"),
	}
	keys := []slice.Key{nil}
	for _, v := range values {
		keys = append(keys, slice.Key{{Column: "x", Value: v}}, slice.Key{{Column: "w", Value: v}, {Column: "x", Value: slice.Int(1)}})
	}
	var rows []report.Row
	var gates []report.Gate
	random := rand.New(rand.NewPCG(1, 1))
	for _, key := range keys {
		var written slice.Key
		for _, p := range key {
			written = append(written, slice.Pair{Column: p.Column, Value: p.Value.AsText()})
		}
		for _, name := range []string{"m", "other"} {
			for _, label := range labels {
				rows = append(rows, report.Row{Name: name, Slice: key, Label: label})
				gates = append(gates, report.Gate{Metric: name, Slice: written, Label: label})
				if len(key) == 0 {
					gates = append(gates, report.Gate{Metric: name, Each: true, Label: label}, report.Gate{Metric: name + "?", Each: true, Label: label})
				}
			}
		}
	}
	random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	found := report.GateRows(gates, rows)
	applied := 0
	for g := range gates {
		var want []int
		for i := range rows {
			if gates[g].IsFor(rows[i].Name, rows[i].Slice, rows[i].Label) {
				want = append(want, i)
			}
		}
		applied += len(want)
		require.Equal(t, want, found[g], "%+v", gates[g])
	}
	require.Greater(t, applied, len(gates))
	require.Len(t, report.GateRows(nil, rows), 0)
}

// TestGateRowsIsLinear counts what rows are asked: not once for each gate. Gates that apply to the same rows share them.
func TestGateRowsIsLinear(t *testing.T) {
	took := func(n int) (asked int, bytes float64) {
		var gates []report.Gate
		var rows []report.Row
		for i := range n {
			name := fmt.Sprintf("recall_at_fpr@0.%d1", i)
			rows = append(rows, report.Row{Name: name}, report.Row{Name: "f1", Slice: slice.Key{{Column: "shop", Value: slice.Int(int64(i))}}})
			gates = append(gates, report.Gate{Metric: name}, report.Gate{Metric: "f1", Each: true},
				report.Gate{Metric: "f1", Slice: slice.Key{{Column: "shop", Value: slice.String(fmt.Sprint(i))}}})
		}
		bytes = float64(heap.Allocated(func() {
			report.GateItems(gates, rows, func(row *report.Row) (string, slice.Key, *string) {
				asked++
				return row.Name, row.Slice, row.Label
			})
		}))
		return asked, bytes
	}
	_, few := took(1000)
	asked, many := took(4000)
	require.Equal(t, 2*4000, asked)
	require.Less(t, many, 6*few, "%.0f bytes, and %.0f for four times the gates and rows", few, many)
}
