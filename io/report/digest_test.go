package report

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumber(t *testing.T) {
	for f, want := range map[float64]string{
		0:             "0.0000",
		1:             "1.0000",
		0.5:           "0.5000",
		0.912345:      "0.9123",
		-0.912345:     "-0.9123",
		9.99999:       "10.0000",
		0.0123456:     "0.01235",
		0.000123456:   "0.0001235",
		0.0000123456:  "1.235e-05",
		12.3456:       "12.346",
		12345.6:       "12346",
		999999.9:      "1000000",
		1234567:       "1.235e+06",
		math.Inf(1):   "–",
		5e-324:        "4.941e-324",
		math.MaxInt64: "9.223e+18",
	} {
		require.Equal(t, want, number(f))
	}
	require.Equal(t, "–", number(math.NaN()))
	require.Equal(t, "1,234,567", weight(1234567))
	require.Equal(t, "0.3000", weight(0.3))
	for n, want := range map[int64]string{0: "0", -1: "-1", 999: "999", 1000: "1,000", -123456: "-123,456", 1234567: "1,234,567"} {
		require.Equal(t, want, grouped(n))
	}
}

func TestChooseHeadlines(t *testing.T) {
	require.Equal(t, []string{"ndcg", "ndcg@10", "map", "mrr", "precision@5", "queries"},
		chooseHeadlines(headlines["ranking"], []string{"queries", "precision@5", "mrr", "map", "ndcg@10", "ndcg@3", "ndcg"}))
	require.Equal(t, []string{"f1", "a", "b@2", "b@10"},
		chooseHeadlines(headlines["binary"], []string{"b@10", "b@2", "f1", "a"}), "others fill up")
	require.Len(t, chooseHeadlines(headlines["binary"], headlines["binary"]), maxHeadlines)
	require.Empty(t, chooseHeadlines(nil, nil))
}
