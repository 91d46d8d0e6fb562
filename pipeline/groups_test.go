package pipeline

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGroupsOfQueries: each query of a ranking of 10 to 1,000 queries is a group, unless the
// configuration says otherwise.
func TestGroupsOfQueries(t *testing.T) {
	t.Parallel()
	type row struct {
		Query string  `parquet:"query_id"`
		User  string  `parquet:"user"`
		Label int     `parquet:"relevance"`
		Score float64 `parquet:"score"`
	}
	for _, c := range []struct {
		queries    int
		confidence string
		want       int // groups
		configured string
	}{
		{9, "", 50, "50"},
		{10, "", 10, "<nil>"},
		{1000, "", 1000, "<nil>"},
		{1001, "", 50, "50"},
		{40, "groups: 20", 20, "20"},
		{40, "groups: 50", 50, "50"},
		{40, "by: user", 50, "50"},
		{40, "by: query_id, seed: 3", 40, "<nil>"},
	} {
		var rows []row
		for q := range c.queries {
			for i := range 3 {
				rows = append(rows, row{fmt.Sprintf("q%d", q), fmt.Sprintf("u%d", q%20), i % 2, float64((q + i) % 5)})
			}
		}
		cfg := parse(t, "confidence: {"+c.confidence+"}\nmetrics: [ndcg, mrr]\n", write(t, rows, 3, 1000))
		dir := evaluate(t, cfg)
		r := readReport(t, dir)
		require.Equal(t, c.want, r.Confidence.Groups, c)
		require.Contains(t, string(r.Config), fmt.Sprintf(`"by":%q`, map[bool]string{true: "user", false: "query_id"}[c.confidence == "by: user"]))
		if c.configured == "<nil>" {
			require.NotContains(t, string(r.Config), `"groups":`, c)
			for _, group := range r.Confidence.Digests {
				require.Equal(t, int64(1), group.Rows, c)
			}
			require.Equal(t, contents(t, dir), contents(t, evaluateOn(t, parse(t, "confidence: {"+c.confidence+"}\nmetrics: [ndcg, mrr]\n", write(t, rows, 1, 17)), "direct", 2)))
			continue
		}
		require.Contains(t, string(r.Config), `"groups":`+c.configured, c)
	}
}
