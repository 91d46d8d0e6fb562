package transforms

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPanicsBecomeErrors(t *testing.T) {
	// Without a converter there is nothing to fold with.
	fold := &folder{slicer: &slicer{}, first: new(firstBad)}
	err := fold.readGroup(t.Context(), &openShard{Shard: Shard{File: "a.parquet"}}, 3, nil)
	require.ErrorContains(t, err, "a.parquet: row group 3: internal error, please report it: ")
}
