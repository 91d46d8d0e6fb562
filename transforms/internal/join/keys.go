package join

import (
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/transforms/internal/groupby"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
	"github.com/beameval/beameval/transforms/lanes"
)

// An example is whole if all of its rows are consecutive within one row group. To find whole
// examples, each run of consecutive rows with equal ids gives one hash: if a hash occurs once in
// all files, its example is whole.
//
//	ids      a a a b b a c c
//	hashes   a     b   a c     a is scattered, b and c are whole (if they occur nowhere else)
//
// Hashes are sorted and compared bucket by bucket. Different ids may have equal hashes: then their
// rows are shuffled in vain, but they are joined by the ids themselves.

// ShardKeys are the sorted hashes of a shard in one bucket. A hash that occurs more than once is
// listed twice.
type ShardKeys struct {
	Shard  string // see shuffle.ShardName
	Hashes []uint64
}

func keysFields(c *wire.Coder, k *ShardKeys) {
	wire.String(c, &k.Shard)
	shuffle.HashesFields(c, &k.Hashes)
}

// StoreKeys stores the keys of some shards in one bucket.
func StoreKeys(keys []ShardKeys, into *shuffle.Spill) (shuffle.Spilled, error) {
	return shuffle.Pack(into, &keys, shardsFields)
}

func shardsFields(c *wire.Coder, keys *[]ShardKeys) { wire.List(c, keys, keysFields) }

// metKeys collects the hashes of ids. If two ids with equal hashes alternate, neither example is whole:
// whoever adds says whether an id is the one before.
type metKeys struct {
	numbers groupby.Keys
	hash    []uint64 // by number
	again   []bool   // by number: whether the hash has occurred again after another id
	any     bool     // whether any id has occurred
	hashes  []uint64 // the hashes that were flushed
}

// mostKeys is the largest number of keys that are compared at a time. If rows are in random order,
// their hashes are few as long as there are few keys; with more keys than this, there may be a hash
// for each row.
const mostKeys = 256 << 10

// add adds the hash of the id of the next row. same says whether the id is the one before.
func (m *metKeys) add(hash uint64, same bool) {
	if m.any && same {
		return
	}
	m.any = true
	n := int(m.numbers.Number(hash))
	if n < len(m.hash) {
		m.again[n] = true
		return
	}
	m.hash, m.again = append(m.hash, hash), append(m.again, false)
	if len(m.hash) == mostKeys {
		m.flush()
	}
}

// flush moves the new hashes to the kept ones.
func (m *metKeys) flush() {
	for n, again := range m.again {
		if m.hashes = append(m.hashes, m.hash[n]); again {
			m.hashes = append(m.hashes, m.hash[n])
		}
	}
	m.numbers.Reset()
	m.hash, m.again = m.hash[:0], m.again[:0]
}

// FindScatteredFn emits, for each shard, its hashes in a bucket that occur more than once in all
// shards.
type FindScatteredFn struct{ Division lanes.Division }

// ProcessElement emits the hashes of a bucket.
func (f *FindScatteredFn) ProcessElement(_ int, stored func(*shuffle.Spilled) bool, emit func(int, shuffle.TaskInput)) error {
	var names []string
	var lists [][]uint64
	var numbers groupby.Keys // numbers the hashes
	var times []int          // by number: how often the hash occurs
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
	var keys shuffle.Spilled
	for stored(&keys) {
		var shards []ShardKeys
		if err := shuffle.Unpack(&keys, &shards, shardsFields); err != nil {
			return workers.Mark(err)
		}
		for i := range shards {
			add(&shards[i])
		}
	}
	for i, list := range lists {
		if len(list) == 0 {
			continue
		}
		whole := func(h uint64) bool { return times[numbers.Number(h)] == 1 }
		keys := shuffle.ScatteredKeys{Shard: names[i], Bucket: f.Division.Bucket(list[0]), All: !slices.ContainsFunc(list, whole)}
		if !keys.All {
			keys.Hashes = slices.DeleteFunc(list, whole)
		}
		if keys.All || len(keys.Hashes) > 0 {
			emit(shuffle.TaskOf(names[i]), shuffle.TaskInput{Scattered: &keys})
		}
	}
	return nil
}

// FindScatteredPerKeyFn is FindScatteredFn for hashes that arrive one by one, with one bundle for each bucket; see
// workers.BundlePerKey.
type FindScatteredPerKeyFn struct {
	FindScatteredFn
	PerKey workers.BundlePerKey

	stored workers.Elements[shuffle.Spilled]
}

// OneByOne returns a FindScatteredPerKeyFn.
func (f *FindScatteredFn) OneByOne() any {
	return &FindScatteredPerKeyFn{FindScatteredFn: *f, PerKey: workers.NewBundlePerKey()}
}

// StartBundle discards the remains of a failed bundle.
func (f *FindScatteredPerKeyFn) StartBundle(func(int, shuffle.TaskInput)) { f.stored = nil }

// ProcessElement keeps the hashes of some shards.
func (f *FindScatteredPerKeyFn) ProcessElement(_ state.Provider, _ int, stored shuffle.Spilled, _ func(int, shuffle.TaskInput)) {
	f.stored.Add(stored)
}

// FinishBundle emits the hashes of the bucket.
func (f *FindScatteredPerKeyFn) FinishBundle(emit func(int, shuffle.TaskInput)) error {
	return f.FindScatteredFn.ProcessElement(0, f.stored.Take(), emit)
}

// KeySet holds the keys of the scattered examples of a shard.
type KeySet struct {
	division *lanes.Division
	keys     []shuffle.ScatteredKeys // by bucket
}

// NewKeySet returns a set without keys.
func NewKeySet(d *lanes.Division) *KeySet {
	return &KeySet{d, make([]shuffle.ScatteredKeys, d.BucketCount())}
}

// Add adds the keys of a bucket.
func (s *KeySet) Add(keys *shuffle.ScatteredKeys) { s.keys[keys.Bucket%len(s.keys)] = *keys }

// Has reports whether an example of the shard has rows elsewhere.
func (s *KeySet) Has(hash uint64) bool {
	k := &s.keys[s.division.Bucket(hash)]
	if k.All || len(k.Hashes) == 0 {
		return k.All
	}
	_, found := slices.BinarySearch(k.Hashes, hash)
	return found
}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[FindScatteredFn]())
	beam.RegisterDoFn(reflect.TypeFor[FindScatteredPerKeyFn]())
	register.Iter1[shuffle.Spilled]()
}
