package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/transforms"
)

// TestMergeQueries: metrics of single queries are merged from files of the parts, in the order of ids as they were.
func TestMergeQueries(t *testing.T) {
	t.Parallel()
	for kind, id := range map[string]string{"integers": "%d", "texts": "q%d"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			of := func(more string, queries func(q int) bool) string {
				text := "query_id,item_id,relevance,score\n"
				for i := range 600 {
					if q := i / 5; queries(q) {
						text += fmt.Sprintf(id+",i%d,%d,%.4f\n", q, i*7%40, i*i%5%3*(q%7), float64(i*37%101)/101)
					}
				}
				return evaluateOn(t, parse(t, "task: ranking\nranking: {max_relevance: 12}\noutput: {statistics: true, per_query: true"+more+"}\n", namedTexts(t, [2]string{"data.csv", text})...), "direct", 0)
			}
			all := of("", func(int) bool { return true })
			dirs := []string{of("", func(q int) bool { return q < 9 }), of("", func(q int) bool { return q >= 9 && q%2 == 0 }), of("", func(q int) bool { return q >= 9 && q%2 == 1 })}
			merged, leftOut := mergeOf(t, transforms.PartsOptions{}, dirs...)
			require.NotContains(t, leftOut, "metrics of single queries")
			requireSameReport(t, all, merged)
			first, _ := mergeOf(t, transforms.PartsOptions{}, dirs[2], dirs[0])
			merged, _ = mergeOf(t, transforms.PartsOptions{}, first, dirs[1])
			requireSameReport(t, all, merged)

			require.NoError(t, os.Remove(filepath.Join(dirs[1], report.PerQueryParquet)))
			merged, leftOut = mergeOf(t, transforms.PartsOptions{}, dirs...)
			require.Contains(t, leftOut, "metrics of single queries")
			require.NoFileExists(t, filepath.Join(merged, report.PerQueryParquet))
		})
	}
}
