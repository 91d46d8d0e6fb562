package roles

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSame: separators, capitals and CamelCase do not matter, but words do.
func TestSame(t *testing.T) {
	for _, spelled := range []string{"query_id", "query-id", "QUERY_ID", "Query-Id", "QueryId", "QueryID", "queryId"} {
		require.True(t, Same(spelled, "query_id"), spelled)
	}
	require.True(t, Same("YTrue", "y_true"))
	require.True(t, Same("yTrue", "y_true"))
	for _, other := range []string{"queryid", "query", "query_ids", "que_ryid", "query id"} {
		require.False(t, Same(other, "query_id"), other)
	}
	require.False(t, Same("prob_a", "proba"))
}
