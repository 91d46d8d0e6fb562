package examples

import (
	"cmp"
	"context"
	"reflect"
	"runtime"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"golang.org/x/sync/errgroup"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/rows"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// Most data are written example by example, the rows of one next to each other.
// Such examples are folded where they are read, and only the rows of others are
// shuffled. Which these are is known before: every run of rows with equal ids in a
// row group gives one hash, and an example whose hash occurs once in all files is
// whole. Hashes are sorted and compared in parts. That different ids may have equal
// hashes does no harm: shuffled rows are put together by the ids themselves.

// ShardKeys are the hashes of a bucket that a shard has, sorted, each once or twice.
type ShardKeys struct {
	Shard  string // see element.ShardName
	Hashes element.Spilled
}

func keysFields(c *wire.Coder, k *ShardKeys) {
	wire.String(c, &k.Shard)
	element.SpilledFields(c, &k.Hashes)
}

// KeysFn collects the hashes of shards.
type KeysFn struct {
	Example string // the column of the ids
	Spill   element.Spill
}

// ProcessElement emits the hashes of a shard, by bucket.
func (f *KeysFn) ProcessElement(ctx context.Context, shard input.Shard, emit func(int, ShardKeys)) error {
	hashes, err := f.hashes(ctx, shard)
	for err == nil && len(hashes) > 0 {
		bucket := element.Bucket(hashes[0])
		end, _ := slices.BinarySearchFunc(hashes, bucket+1, func(h uint64, bucket int) int { return cmp.Compare(element.Bucket(h), bucket) })
		keys := ShardKeys{Shard: element.ShardName(&shard)}
		if keys.Hashes, err = f.spill(hashes[:end]); err == nil {
			emit(bucket, keys)
		}
		hashes = hashes[end:]
	}
	if err != nil {
		f.Spill.Abandon()
	}
	return workers.Mark(err)
}

func (f *KeysFn) spill(hashes []uint64) (element.Spilled, error) {
	data, err := wire.Encode(&hashes, element.HashesFields)
	if err != nil {
		return element.Spilled{}, err
	}
	return f.Spill.Write(data)
}

// FinishBundle closes the file of the hashes.
func (f *KeysFn) FinishBundle(_ func(int, ShardKeys)) error { return workers.Mark(f.Spill.Close()) }

// Teardown removes what a failed bundle left, if it was the last.
func (f *KeysFn) Teardown() { f.Spill.Abandon() }

// hashes returns the hashes of a shard, sorted; none more than twice.
func (f *KeysFn) hashes(ctx context.Context, shard input.Shard) ([]uint64, error) {
	open, file, err := batches.Open(ctx, shard)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	found := make([][]uint64, shard.Groups)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range found {
		group.Go(func() (err error) {
			defer workers.Contain(ctx, "ids of "+shard.File, &err)
			found[i], err = f.groupHashes(ctx, open, shard.First+i)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	all := slices.Concat(found...)
	slices.Sort(all)
	kept := all[:0]
	for _, h := range all {
		if n := len(kept); n < 2 || h != kept[n-2] {
			kept = append(kept, h)
		}
	}
	return kept, nil
}

// groupHashes returns a hash of each run of equal ids in a row group.
func (f *KeysFn) groupHashes(ctx context.Context, s *batches.OpenShard, group int) (found []uint64, err error) {
	var hasher rows.Hasher
	var batch []uint64
	var last uint64 // the key of the row before
	reader := batches.Reader{Names: []string{f.Example}, Dicts: make(batches.Dictionaries), Rows: batches.Values}
	err = reader.Read(ctx, s, group, func(_ int64, _ int, cols []*columns.Column) error {
		ids := cols[0]
		batch = hasher.Hash(batch, ids)
		for r, h := range batch {
			null := ids.Null != nil && ids.Null[r] // a bad row
			if null {
				continue
			}
			// Keys are compared, not hashes: of two ids in turns with equal hashes,
			// neither is whole.
			if key := rows.Key(ids, r); len(found) == 0 || key != last {
				found, last = append(found, h), key
			}
		}
		return nil
	})
	return found, err
}

// FindScattered emits, for each shard, those hashes of a bucket that occur more than once.
func FindScattered(bucket int, shards func(*ShardKeys) bool, emit func(int, element.TaskInput)) error {
	var names []string
	var lists [][]uint64
	var all []uint64
	var s ShardKeys
	for shards(&s) {
		data, err := s.Hashes.Read()
		if err != nil {
			return workers.Mark(err)
		}
		var list []uint64
		if err := wire.Decode(data, &list, element.HashesFields); err != nil {
			return workers.Mark(err)
		}
		names, lists, all = append(names, s.Shard), append(lists, list), append(all, list...)
	}
	slices.Sort(all)
	twice := all[:0]
	for i := 1; i < len(all); i++ {
		if h := all[i]; h == all[i-1] && (len(twice) == 0 || twice[len(twice)-1] != h) {
			twice = append(twice, h)
		}
	}
	for i, list := range lists {
		keys := element.ScatteredKeys{Shard: names[i], Bucket: bucket, All: true}
		rest := twice
		for _, h := range slices.Compact(list) {
			for len(rest) > 0 && rest[0] < h {
				rest = rest[1:]
			}
			if len(rest) > 0 && rest[0] == h {
				keys.Hashes = append(keys.Hashes, h)
			} else {
				keys.All = false
			}
		}
		if keys.All {
			keys.Hashes = nil
		}
		if keys.All || len(keys.Hashes) > 0 {
			emit(element.TaskOf(names[i]), element.TaskInput{Scattered: &keys})
		}
	}
	return nil
}

// KeySet are the keys of the scattered examples of a shard, by bucket.
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
	element.Register(keysFields)
	beam.RegisterDoFn(reflect.TypeFor[KeysFn]())
	register.Function3x1(FindScattered)
	register.Iter1[ShardKeys]()
	register.Emitter2[int, ShardKeys]()
}
