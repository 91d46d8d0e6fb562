package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/heap"
)

// many are configurations with n of something.
var many = map[string]func(n int) string{
	"wrong slices": func(n int) string { return "slices:\n" + repeat(n, "- {a: [], b%d: x}\n") },
	"slices that do not exist": func(n int) string {
		return "slices:\n" + repeat(n, "- column %d\n") + "gates:\n" + repeat(n, "- {metric: f1, min: 0.5, slice: {kolumn %d: x}}\n")
	},
	"slices of gates": func(n int) string {
		return "slices:\n" + repeat(n, "- column %d\n") + "gates:\n" + repeat(n, "- {metric: f1, min: 0.5, slice: {column %d: x}}\n")
	},
	"intervals of gates": func(n int) string {
		return "slices:\n" + repeat(n, "- {age: {bins: [%d]}}\n") + "gates:\n" + repeat(n, "- {metric: f1, min: 0.5, slice: {age: old %d}}\n")
	},
	"groups": func(n int) string {
		return "slices:\n" + repeat(n, "- column %d\n") + "groups:\n  by:\n" + repeat(n, "  - group %d\n") + "  reference:\n" + repeat(n, "    grupp %d: x\n")
	},
	"unknown labels": func(n int) string {
		return "task: multilabel\nlabels:\n" + repeat(n, "- label %d\n") + "per_label:\n" + repeat(n, "- lavel %d\n")
	},
	"gates on labels": func(n int) string {
		return "task: multilabel\nlabels:\n" + repeat(n, "- label %d\n") + "per_label:\n" + repeat(n, "- label %d\n") + "gates:\n" + repeat(n, "- {metric: recall, min: 0.5, label: label %d}\n")
	},
	"unknown keys": func(n int) string { return repeat(n, "key%d: 1\n") },
	"unknown keys of gates": func(n int) string {
		return "gates:\n" + repeat(n, "- {metrik: f1, min: 0.5, max_trop: %d}\n")
	},
	"aliases": func(n int) string { return "labels: [&a a, &b b]\nmetrics:\n" + repeat(n, "- *a\n") },
	"anchors": func(n int) string { return "metrics:\n" + repeat(n, "- &a%d f1\n") + repeat(n, "- *a%d\n") },
	"metrics": func(n int) string { return "metrics:\n" + repeat(n, "- recall_at_fpr@0.%d1\n") },
	"values below a long key": func(n int) string {
		return "slices:\n- ? \"" + strings.Repeat("long key.", n) + "\"\n  : [" + repeat(n, "v%d, ") + "w]\n"
	},
	"a key of dots": func(n int) string { return "slices:\n- ? \"" + strings.Repeat(".[", n) + "\"\n  : 3\n" },
}

func repeat(n int, format string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Replace(format, "%d", fmt.Sprint(i+1_000_000), 1))
	}
	return b.String()
}

// TestLinear: what a configuration takes grows with its size, and not with its square. Four times the size
// would take sixteen times the memory.
func TestLinear(t *testing.T) {
	for name, of := range many {
		t.Run(name, func(t *testing.T) {
			took := func(n int) float64 {
				data := []byte(of(n))
				return float64(heap.Allocated(func() {
					_, _ = Parse(data, "eval.yaml")
				}))
			}
			took(10)
			few, many := took(1000), took(4000)
			require.Less(t, many, 6*few, "%.0f bytes, and %.0f for four times the size", few, many)
		})
	}
}
