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

// An example is whole if all its rows are next to each other in one row group. To find
// whole examples, each sequence of rows with equal ids gives one hash; if a hash occurs
// once in all files, its example is whole. Hashes are sorted and compared bucket by bucket.
// Different ids may have equal hashes: their rows are shuffled for nothing, and joined by
// the ids themselves.

// ShardKeys are the sorted hashes of a shard that are in a bucket. A hash that occurs more
// than once is there twice.
type ShardKeys struct {
	Shard  string // see element.ShardName
	Hashes element.Spilled
}

func keysFields(c *wire.Coder, k *ShardKeys) {
	wire.String(c, &k.Shard)
	element.SpilledFields(c, &k.Hashes)
}

// KeysFn reads the ids of shards and emits their hashes, by bucket.
type KeysFn struct {
	Example string // the column of the ids
	Spill   element.Spill
}

// ProcessElement emits the hashes of a shard.
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

// Teardown removes what the last bundle left, if it failed.
func (f *KeysFn) Teardown() { f.Spill.Abandon() }

// hashes returns the sorted hashes of a shard, none more than twice.
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

// groupHashes returns a hash for each sequence of equal ids in a row group.
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
			// Keys are compared, not hashes: if two ids with equal hashes alternate,
			// neither example is whole.
			if key := rows.Key(ids, r); len(found) == 0 || key != last {
				found, last = append(found, h), key
			}
		}
		return nil
	})
	return found, err
}

// FindScattered emits, for each shard, its hashes in a bucket that occur more than once in
// all shards.
func FindScattered(bucket int, shards func(*ShardKeys) bool, emit func(int, element.TaskInput)) error {
	var names []string
	var lists [][]uint64
	count := make(map[uint64]int)
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
		for _, h := range list {
			count[h]++
		}
		names, lists = append(names, s.Shard), append(lists, slices.Compact(list))
	}
	for i, list := range lists {
		whole := func(h uint64) bool { return count[h] == 1 }
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
	element.Register(keysFields)
	beam.RegisterDoFn(reflect.TypeFor[KeysFn]())
	register.Function3x1(FindScattered)
	register.Iter1[ShardKeys]()
	register.Emitter2[int, ShardKeys]()
}
