package pipeline

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/transforms/input"
)

// TestCompressedShards: shards survive compression, whatever bytes their names contain, and are small
// when compressed.
func TestCompressedShards(t *testing.T) {
	var shards []input.Shard
	for i := range 1000 {
		shards = append(shards, input.Shard{
			File: fmt.Sprintf("gs://bucket/predictions/day=%d/part-%05d.parquet", i/100, i), Version: files.Version(fmt.Sprintf("generation %d (%d bytes)", 1795300875484231+i, 1000+i)),
			First: i % 3, RowGroups: 1 + i%7, Keys: []files.Key{{Name: "day", Value: fmt.Sprint(i / 100)}}, Options: columns.Options{MaxPage: 1 << 20},
		})
	}
	shards = append(shards, input.Shard{File: "\xff\x00 '\n", Version: "\xfe", Keys: []files.Key{{Name: "\xfd", Null: true}}, Options: columns.Options{RoundDecimals: true}, Format: "csv", Plan: []byte{0, 255}})
	block, err := compress(shards)
	require.NoError(t, err)
	require.Less(t, len(block)/len(shards), 30, "bytes a shard")
	var got []input.Shard
	require.NoError(t, decompress(block, func(s input.Shard) { got = append(got, s) }))
	require.Equal(t, shards, got)

	require.ErrorContains(t, decompress(block[:len(block)/2], nil), "unpacking shards: ")
	require.ErrorContains(t, decompress(nil, nil), "unpacking shards: ")
}

// TestFindOrder: planning finds out from the ids of the first rows that no pass over the ids is worth its time.
func TestFindOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		query func(i int) int
		want  bool
	}{
		{func(i int) int { return i / 5 }, false},     // query by query
		{func(i int) int { return i * 7 % 20 }, true}, // no two rows of a query together
		{func(i int) int { return i }, false},         // a row each
	} {
		rows := "query_id,item_id,relevance,score\n"
		for i := range 100 {
			rows += fmt.Sprintf("q%d,i%d,%d,0.%d\n", c.query(i), i, i%2, i%9)
		}
		plan := planned(t, parse(t, "task: ranking\n", namedTexts(t, [2]string{"run.csv", rows})...))
		require.Equal(t, c.want, plan.spec.Shuffled)
	}
}
