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

// shardsOfPack is how many shards are packed together.
const shardsOfPack = 1000

// createShards adds shards to a pipeline. A pipeline carries them packed, because runners
// limit its size, and copy it: 100,000 shards are 26 MB, and 2 MB packed.
func createShards(s beam.Scope, shards []input.Shard) (beam.PCollection, error) {
	packs := [][]byte{}
	for some := range slices.Chunk(shards, shardsOfPack) {
		pack, err := packShards(some)
		if err != nil {
			return beam.PCollection{}, fmt.Errorf("packing shards: %w", err)
		}
		packs = append(packs, pack)
	}
	return beam.ParDo(s, unpackShards, beam.CreateList(s, packs)), nil
}

func packShards(shards []input.Shard) ([]byte, error) {
	var pack bytes.Buffer
	z := gzip.NewWriter(&pack)
	if err := gob.NewEncoder(z).Encode(shards); err != nil {
		return nil, err
	}
	err := z.Close()
	return pack.Bytes(), err
}

func unpackShards(pack []byte, emit func(input.Shard)) error {
	z, err := gzip.NewReader(bytes.NewReader(pack))
	if err != nil {
		return fmt.Errorf("unpacking shards: %w", err)
	}
	var shards []input.Shard
	if err := gob.NewDecoder(z).Decode(&shards); err != nil {
		return fmt.Errorf("unpacking shards: %w", err)
	}
	for _, s := range shards {
		emit(s)
	}
	return nil
}

func init() {
	register.Function2x1(unpackShards)
	register.Emitter1[input.Shard]()
}
