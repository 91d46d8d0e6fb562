package examples

import (
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/rows"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// An example is whole if all its rows are next to each other in one row group. To find
// whole examples, each sequence of rows with equal ids gives one hash; if a hash occurs
// once in all files, its example is whole. Hashes are sorted and compared bucket by bucket.
// Different ids may have equal hashes: their rows are shuffled for nothing, and joined by
// the ids themselves.

// ShardKeys are the sorted hashes of a shard that are in a bucket. A hash that occurs more
// than once is there twice.
type ShardKeys struct {
	Shard  string // see element.ShardName
	Hashes []uint64
}

func keysFields(c *wire.Coder, k *ShardKeys) {
	wire.String(c, &k.Shard)
	element.HashesFields(c, &k.Hashes)
}

// PackedKeys are the keys of some shards in one bucket.
type PackedKeys struct{ Data element.Spilled }

func packedFields(c *wire.Coder, p *PackedKeys) { element.SpilledFields(c, &p.Data) }

// PackKeys packs keys.
func PackKeys(keys []ShardKeys, into *element.Spill) (p PackedKeys, err error) {
	data, err := wire.Encode(&keys, shardsFields)
	if err == nil {
		p.Data, err = into.Write(data)
	}
	return p, err
}

func (p *PackedKeys) unpack() (keys []ShardKeys, err error) {
	data, err := p.Data.Read()
	if err == nil {
		err = wire.Decode(data, &keys, shardsFields)
	}
	return keys, err
}

func shardsFields(c *wire.Coder, keys *[]ShardKeys) { wire.List(c, keys, keysFields) }

// metKeys collects the hashes of keys. Keys are compared, not hashes: if two ids with equal
// hashes alternate, neither example is whole.
type metKeys struct {
	numbers rows.Keys
	hash    []uint64 // by number
	again   []bool   // by number: whether the key was met again, after another
	any     bool     // whether a key was met
	last    uint64   // the key that was met last
	hashes  []uint64 // of the keys that were flushed
}

// mostKeys is how many keys are compared: rows in random order have few of them, or the
// hashes take the space of all rows.
const mostKeys = 256 << 10

// add adds the key of the next row.
func (m *metKeys) add(key, hash uint64) {
	if m.any && key == m.last {
		return
	}
	m.any, m.last = true, key
	n := int(m.numbers.Number(key))
	if n < len(m.hash) {
		m.again[n] = true
		return
	}
	m.hash, m.again = append(m.hash, hash), append(m.again, false)
	if len(m.hash) == mostKeys {
		m.flush()
	}
}

// flush adds the hashes of the keys to those that are kept.
func (m *metKeys) flush() {
	for n, again := range m.again {
		if m.hashes = append(m.hashes, m.hash[n]); again {
			m.hashes = append(m.hashes, m.hash[n])
		}
	}
	m.numbers.Reset()
	m.hash, m.again = m.hash[:0], m.again[:0]
}

// FindScattered emits, for each shard, its hashes in a bucket that occur more than once in
// all shards.
func FindScattered(bucket int, packs func(*PackedKeys) bool, emit func(int, element.TaskInput)) error {
	var names []string
	var lists [][]uint64
	var numbers rows.Keys // of hashes
	var times []int       // by number
	add := func(s *ShardKeys) {
		for _, h := range s.Hashes {
			n := numbers.Number(h)
			if int(n) == len(times) {
				times = append(times, 0)
			}
			times[n]++
		}
		names, lists = append(names, s.Shard), append(lists, slices.Compact(s.Hashes))
	}
	var p PackedKeys
	for packs(&p) {
		shards, err := p.unpack()
		if err != nil {
			return workers.Mark(err)
		}
		for i := range shards {
			add(&shards[i])
		}
	}
	for i, list := range lists {
		whole := func(h uint64) bool { return times[numbers.Number(h)] == 1 }
		keys := element.ScatteredKeys{Shard: names[i], Bucket: bucket, All: !slices.ContainsFunc(list, whole)}
		if !keys.All {
			keys.Hashes = slices.DeleteFunc(list, whole)
		}
		if keys.All || len(keys.Hashes) > 0 {
			emit(element.TaskOf(names[i]), element.TaskInput{Scattered: &keys})
		}
	}
	return nil
}

// ScatteredApartFn is FindScattered with a bundle for each bucket; see workers.Apart.
type ScatteredApartFn struct{ Apart workers.Apart }

// ProcessElement emits the hashes.
func (f *ScatteredApartFn) ProcessElement(_ state.Provider, bucket int, packs func(*PackedKeys) bool, emit func(int, element.TaskInput)) error {
	return FindScattered(bucket, packs, emit)
}

// KeySet has the keys of a shard's scattered examples, by bucket.
type KeySet [element.Buckets]element.ScatteredKeys

// Has says whether an example of the shard has rows elsewhere.
func (s *KeySet) Has(hash uint64) bool {
	k := &s[element.Bucket(hash)]
	if k.All || len(k.Hashes) == 0 {
		return k.All
	}
	_, found := slices.BinarySearch(k.Hashes, hash)
	return found
}

func init() {
	element.Register(packedFields)
	beam.RegisterDoFn(reflect.TypeFor[ScatteredApartFn]())
	register.Function3x1(FindScattered)
	register.Iter1[PackedKeys]()
}
