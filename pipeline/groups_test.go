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
		{40, "by: user", 20, "<nil>"},
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
		require.Equal(t, c.want, r.Confidence.Folds, c)
		require.Contains(t, string(r.Config), fmt.Sprintf(`"by":%q`, map[bool]string{true: "user", false: "query_id"}[c.confidence == "by: user"]))
		if c.configured == "<nil>" {
			require.NotContains(t, string(r.Config), `"groups":`, c)
			for _, group := range r.Confidence.Digests {
				require.Equal(t, int64(c.queries/c.want), group.Rows, c)
			}
			require.Equal(t, contents(t, dir), contents(t, evaluateOn(t, parse(t, "confidence: {"+c.confidence+"}\nmetrics: [ndcg, mrr]\n", write(t, rows, 1, 17)), "direct", 2)))
			continue
		}
		require.Contains(t, string(r.Config), `"groups":`+c.configured, c)
	}
}

// sale is a row of a cluster.
type sale struct {
	ID    int     `parquet:"id"`
	Key   string  `parquet:"key,dict"`
	Shop  string  `parquet:"shop,dict"`
	Plain string  `parquet:"plain,plain"`
	Code  int     `parquet:"code,dict"`
	Label int     `parquet:"label"`
	Score float64 `parquet:"score"`
}

// sales returns rows of so many shops, one after another or in turn.
func sales(shops int, sorted bool) (rows []sale) {
	const each = 6
	for i := range each * shops {
		shop := i % shops
		if sorted {
			shop = i / each
		}
		rows = append(rows, sale{i, fmt.Sprint(i), fmt.Sprintf("s%d", shop), fmt.Sprintf("s%d", shop), shop, i / 3 % 2, float64(i*7%11) / 11})
	}
	return rows
}

// TestGroupsOfClusters: each of 10 to 200 values of a column that the configuration names is a group, unless the number of
// groups is set. Ids of examples are divided at random, however few there are.
func TestGroupsOfClusters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		shops      int
		sorted     bool
		confidence string
		want       int
		each       bool
	}{
		{9, false, "by: shop", 50, false},
		{10, true, "by: shop", 10, true},
		{40, false, "by: shop", 40, true},
		{40, true, "by: plain", 40, true},
		{40, false, "by: code", 40, true},
		{200, true, "by: code", 200, true},
		{200, false, "by: plain, seed: 4", 200, true},
		{201, true, "by: shop", 50, false},
		{201, false, "by: plain", 50, false},
		{40, false, "by: shop, groups: 50", 50, false},
		{30, false, "by: id", 50, false},
		{30, false, "by: key", 50, false},
		{30, false, "", 50, false},
	} {
		rows := sales(c.shops, c.sorted)
		text := "input: {columns: {example: id}}\nmetrics: [accuracy]\nconfidence: {" + c.confidence + "}\n"
		dir := evaluate(t, parse(t, text, write(t, rows, 3, 50)))
		r := readReport(t, dir)
		require.Equal(t, c.want, r.Confidence.Folds, c)
		if !c.each {
			require.Contains(t, string(r.Config), fmt.Sprintf(`"groups":%d`, c.want), c)
			continue
		}
		require.NotContains(t, string(r.Config), `"groups":`, c)
		for _, group := range r.Confidence.Digests {
			require.Equal(t, int64(6), group.Rows, c)
		}
		require.Equal(t, contents(t, dir), contents(t, evaluateOn(t, parse(t, text, write(t, rows, 1, 17)), "direct", 2)), c)
	}
}

// TestGroupsOfFewClustersOfSearch: what a search finds is confirmed by ten groups at least, so fewer than 20 clusters are
// divided at random.
func TestGroupsOfFewClustersOfSearch(t *testing.T) {
	t.Parallel()
	for shops, want := range map[int]int{19: 50, 20: 20} {
		cfg := parse(t, "input: {columns: {example: id}}\nmetrics: [accuracy]\nconfidence: {by: shop}\nsearch: {columns: [code], min_support: 1}\n", write(t, sales(shops, false), 1, 1000))
		require.Equal(t, want, readReport(t, evaluate(t, cfg)).Confidence.Folds)
	}
}
