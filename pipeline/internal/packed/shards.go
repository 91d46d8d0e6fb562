// Package packed adds shards to a pipeline in packed form, because runners limit the size of a
// pipeline, and copy it: 100,000 shards are 26 MB, and 2 MB packed.
package packed

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

// together is the number of shards that are packed together.
const together = 1000

// Shards adds shards to a pipeline as a PCollection.
func Shards(s beam.Scope, shards []input.Shard) (beam.PCollection, error) {
	packs := [][]byte{}
	for some := range slices.Chunk(shards, together) {
		packed, err := pack(some)
		if err != nil {
			return beam.PCollection{}, fmt.Errorf("packing shards: %w", err)
		}
		packs = append(packs, packed)
	}
	return beam.ParDo(s, unpack, beam.CreateList(s, packs)), nil
}

func pack(shards []input.Shard) ([]byte, error) {
	var pack bytes.Buffer
	z := gzip.NewWriter(&pack)
	if err := gob.NewEncoder(z).Encode(shards); err != nil {
		return nil, err
	}
	err := z.Close()
	return pack.Bytes(), err
}

func unpack(pack []byte, emit func(input.Shard)) error {
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
	register.Function2x1(unpack)
	register.Emitter1[input.Shard]()
}
