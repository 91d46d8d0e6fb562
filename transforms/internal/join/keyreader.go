package join

import (
	"bytes"
	"cmp"
	"context"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/groupby"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
	"github.com/beameval/beameval/transforms/lanes"
)

// KeysFn reads the ids of shards and emits their hashes, by bucket.
type KeysFn struct {
	Example    string // the column of the ids
	TempDir    string
	Goroutines int
	Division   lanes.Division

	workers.Bundle[*keyReader]
}

// NewKeysFn returns the KeysFn of a job.
func NewKeysFn(j *shuffle.Job) *KeysFn {
	return &KeysFn{Example: j.Columns.Example, TempDir: j.TempDir, Goroutines: j.Goroutines, Division: j.Division}
}

// ProcessElement submits the row groups of a shard to the pool.
func (f *KeysFn) ProcessElement(ctx context.Context, shard input.Shard, _ func(int, shuffle.Spilled)) error {
	newReader := func() (*keyReader, error) {
		return &keyReader{
			example: f.Example, division: f.Division, spill: shuffle.Spill{Dir: f.TempDir}, waiting: make([][]ShardKeys, f.Division.BucketCount()),
		}, nil
	}
	found := make([][]uint64, shard.RowGroups)
	var left atomic.Int64
	left.Store(int64(shard.RowGroups))
	return f.Do(ctx, f.Goroutines, newReader, func(p *workers.Pool[*keyReader]) error {
		return batches.ReadShard(ctx, p, shard, func(ctx context.Context, r *keyReader, s *batches.OpenShard, group int) (err error) {
			if found[group-shard.First], err = r.read(ctx, s, group); err != nil || left.Add(-1) > 0 {
				return err
			}
			return r.add(shuffle.ShardName(&shard), found)
		})
	})
}

// FinishBundle waits for the pool and emits the hashes.
func (f *KeysFn) FinishBundle(_ context.Context, emit func(int, shuffle.Spilled)) error {
	return f.Finish(func(readers []*keyReader) error {
		for _, r := range readers {
			for _, k := range r.stored {
				emit(f.Division.Key(k.bucket), k.keys)
			}
		}
		return nil
	})
}

// keyReader reads ids. It must be used by a single goroutine.
type keyReader struct {
	example  string
	division lanes.Division
	spill    shuffle.Spill
	waiting  [][]ShardKeys // by bucket
	hashes   int           // the number of waiting hashes
	stored   []bucketKeys
}

// bucketKeys holds the keys of some shards in one bucket.
type bucketKeys struct {
	bucket int
	keys   shuffle.Spilled
}

// storedHashes is the number of hashes that are stored at once, over all buckets. There may be many
// shards with few examples, and a GroupByKey should not get one element for each.
const storedHashes = 1 << 18

// read returns the hashes of a row group. A hash occurs only once if all rows with its id are
// consecutive, and at most twice if the row group has no more than mostKeys ids.
func (r *keyReader) read(ctx context.Context, s *batches.OpenShard, group int) ([]uint64, error) {
	var batch []uint64
	var met metKeys
	var last uint64 // the key of the last id
	reader := batches.Reader{Names: []string{r.example}, Dicts: batches.Dictionaries{r.example: columns.Loose(nil, nil)}, Rows: batches.Values}
	err := reader.Read(ctx, s, group, func(_ *columns.Numbers, _ int, cols []*columns.Column) error {
		ids := cols[0]
		batch = groupby.Hash(batch, ids)
		for i, h := range batch {
			if ids.IsNull(i) { // null ids are bad rows
				continue
			}
			key := groupby.Key(ids, i)
			same := key == last || met.any && ids.Type == columns.String && bytes.Equal(ids.Dict.Bytes(int32(key)), ids.Dict.Bytes(int32(last)))
			last = key
			met.add(h, same)
		}
		return nil
	})
	met.flush()
	return met.hashes, err
}

// add adds the hashes of a shard, which were found in its row groups. It sorts them and keeps each
// at most twice.
func (r *keyReader) add(shard string, found [][]uint64) error {
	all := slices.Concat(found...)
	groupby.SortHashes(all)
	kept := all[:0]
	for _, h := range all {
		if n := len(kept); n < 2 || h != kept[n-2] {
			kept = append(kept, h)
		}
	}
	for len(kept) > 0 {
		bucket := r.division.Bucket(kept[0])
		end, _ := slices.BinarySearchFunc(kept, bucket+1, func(h uint64, bucket int) int { return cmp.Compare(r.division.Bucket(h), bucket) })
		r.waiting[bucket] = append(r.waiting[bucket], ShardKeys{Shard: shard, Hashes: kept[:end]})
		r.hashes += end
		kept = kept[end:]
	}
	if r.hashes < storedHashes {
		return nil
	}
	return r.store()
}

// store stores the waiting hashes.
func (r *keyReader) store() error {
	for bucket, keys := range r.waiting {
		if len(keys) == 0 {
			continue
		}
		stored, err := StoreKeys(keys, &r.spill)
		if err != nil {
			return err
		}
		r.stored = append(r.stored, bucketKeys{bucket, stored})
		r.waiting[bucket] = nil
	}
	r.hashes = 0
	return nil
}

// Finish stores the rest.
func (r *keyReader) Finish() error {
	if err := r.store(); err != nil {
		return err
	}
	return r.spill.Close()
}

// Abandon removes hashes that were not emitted.
func (r *keyReader) Abandon() { r.spill.Abandon() }

func init() {
	beam.RegisterDoFn(reflect.TypeFor[KeysFn]())
	register.Emitter2[int, shuffle.Spilled]()
}
