package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestChooseHeadlines(t *testing.T) {
	require.Equal(t, []string{"ndcg", "ndcg@10", "map", "mrr", "precision@5", "queries"},
		ChooseHeadlines(headlines["ranking"], []string{"queries", "precision@5", "mrr", "map", "ndcg@10", "ndcg@3", "ndcg"}))
	require.Equal(t, []string{"f1", "a", "b@2", "b@10"},
		ChooseHeadlines(headlines["binary"], []string{"b@10", "b@2", "f1", "a"}), "others fill up")
	require.Len(t, ChooseHeadlines(headlines["binary"], headlines["binary"]), maxHeadlines)
	require.Empty(t, ChooseHeadlines(nil, nil))
}
