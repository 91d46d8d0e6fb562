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
			First: i % 3, Groups: 1 + i%7, Keys: []files.Key{{Name: "day", Value: fmt.Sprint(i / 100)}}, Options: columns.Options{MaxPage: 1 << 20},
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
