package pipeline

import (
	"bytes"
	"compress/gzip"
	"encoding/gob"
	"fmt"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/transforms/input"
)

// Shards are part of the pipeline in compressed form, because runners limit the size of a pipeline,
// and copy it: 100,000 shards are 26 MB, and 2 MB compressed.

// shardsPerBlock is the number of shards that are compressed together.
const shardsPerBlock = 1000

// addShards adds shards to a pipeline as a PCollection.
func addShards(s beam.Scope, shards []input.Shard) (beam.PCollection, error) {
	blocks := [][]byte{}
	for some := range slices.Chunk(shards, shardsPerBlock) {
		block, err := compress(some)
		if err != nil {
			return beam.PCollection{}, fmt.Errorf("packing shards: %w", err)
		}
		blocks = append(blocks, block)
	}
	return beam.ParDo(s, decompress, beam.CreateList(s, blocks)), nil
}

func compress(shards []input.Shard) ([]byte, error) {
	var block bytes.Buffer
	z := gzip.NewWriter(&block)
	if err := gob.NewEncoder(z).Encode(shards); err != nil {
		return nil, err
	}
	err := z.Close()
	return block.Bytes(), err
}

func decompress(block []byte, emit func(input.Shard)) error {
	z, err := gzip.NewReader(bytes.NewReader(block))
	var shards []input.Shard
	if err == nil {
		err = gob.NewDecoder(z).Decode(&shards)
	}
	if err != nil {
		return fmt.Errorf("unpacking shards: %w", err)
	}
	for _, s := range shards {
		emit(s)
	}
	return nil
}

func init() {
	register.Function2x1(decompress)
	register.Emitter1[input.Shard]()
}
