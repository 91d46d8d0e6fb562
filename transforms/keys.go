package transforms

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"reflect"
	"runtime"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"golang.org/x/sync/errgroup"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/transforms/internal/rows"
)

// Most data are written example by example, the rows of one next to each other.
// Such examples are folded where they are read, and only the rows of others are
// shuffled. Which these are is known before: every run of rows with equal ids in a
// row group gives one hash, and an example whose hash occurs once in all files is
// whole. Hashes are sorted and compared in parts. That different ids may have equal
// hashes does no harm: shuffled rows are put together by the ids themselves.

// parts is into how many parts the examples are divided by the hashes of their ids.
const parts = 256

func partOf(hash uint64) int { return int(hash >> 56) }

// scattered returns, for the task of each shard, the keys of its examples that have
// rows elsewhere.
func scattered(s beam.Scope, spec *Spec, shards beam.PCollection) beam.PCollection {
	found := beam.ParDo(s, &keysFn{Example: spec.Columns.Example, TempDir: spec.TempDir}, shards)
	return beam.ParDo(s, scatteredOf, beam.GroupByKey(s, found))
}

// name tells a shard from others.
func (s *Shard) name() string { return fmt.Sprintf("%s:%d", s.File, s.First) }

// shardKeys are the hashes of a part that a shard has, sorted, each once or twice.
type shardKeys struct {
	Shard  string
	Hashes spilled
}

// scatteredKeys are the hashes of a part whose examples have rows elsewhere, of
// those that a shard has: these, sorted, or all.
type scatteredKeys struct {
	Shard  string // its name
	Part   int
	All    bool
	Hashes []uint64
}

// keysFn collects the hashes of shards.
type keysFn struct {
	Example string // the column of the ids
	TempDir string

	bundleSpill
}

// ProcessElement emits the hashes of a shard, by part.
func (f *keysFn) ProcessElement(ctx context.Context, shard Shard, emit func(int, shardKeys)) error {
	hashes, err := f.hashes(ctx, shard)
	if err != nil {
		return marked(err)
	}
	into := f.into(f.TempDir)
	for len(hashes) > 0 {
		part := partOf(hashes[0])
		end, _ := slices.BinarySearchFunc(hashes, part+1, func(h uint64, part int) int { return cmp.Compare(partOf(h), part) })
		data, err := into.write(encodeHashes(hashes[:end]))
		if err != nil {
			into.abandon()
			return marked(err)
		}
		emit(part, shardKeys{shard.name(), data})
		hashes = hashes[end:]
	}
	return nil
}

// FinishBundle closes the file of the hashes.
func (f *keysFn) FinishBundle(_ func(int, shardKeys)) error { return f.close() }

// hashes returns the hashes of a shard, sorted; none more than twice.
func (f *keysFn) hashes(ctx context.Context, shard Shard) ([]uint64, error) {
	open, file, err := shard.open(ctx)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	found := make([][]uint64, shard.Groups)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range found {
		group.Go(func() (err error) {
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
func (f *keysFn) groupHashes(ctx context.Context, s *openShard, group int) (found []uint64, err error) {
	var hasher rows.Hasher
	var batch []uint64
	var last uint64 // the key of the row before
	dict := new(columns.Strings)
	err = readGroup(ctx, s, group, []string{f.Example}, func(string) *columns.Strings { return dict }, batchValues, nil,
		func(_ int64, _ int, cols []*columns.Column) error {
			ids := cols[0]
			batch = hasher.Hash(batch, ids)
			for r, h := range batch {
				null := ids.Null != nil && ids.Null[r] // a bad row
				if null {
					continue
				}
				// Not hashes are compared: two ids in turns, of equal hashes, are not whole.
				if key := rows.Key(ids, r); len(found) == 0 || key != last {
					found, last = append(found, h), key
				}
			}
			return nil
		})
	return found, err
}

// scatteredOf emits, for each shard, those hashes of a part that occur more than
// once.
func scatteredOf(part int, shards func(*shardKeys) bool, emit func(int, taskPart)) error {
	var names []string
	var lists [][]uint64
	var all []uint64
	var s shardKeys
	for shards(&s) {
		data, err := s.Hashes.read()
		if err != nil {
			return marked(err)
		}
		list, err := decodeHashes(data)
		if err != nil {
			return marked(err)
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
		keys := scatteredKeys{Shard: names[i], Part: part, All: true}
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
			emit(taskOf(names[i]), taskPart{kind: keysTask, Keys: keys})
		}
	}
	return nil
}

// keySet are the scattered examples of a shard, by part.
type keySet [parts]scatteredKeys

// has says whether an example of the shard has rows elsewhere.
func (s *keySet) has(hash uint64) bool {
	p := &s[partOf(hash)]
	if p.All || len(p.Hashes) == 0 {
		return p.All
	}
	_, found := slices.BinarySearch(p.Hashes, hash)
	return found
}

// encodeHashes is the differences of hashes, which are sorted.
func encodeHashes(hashes []uint64) []byte {
	var buf []byte
	last := uint64(0)
	for _, h := range hashes {
		buf = binary.AppendUvarint(buf, h-last)
		last = h
	}
	return buf
}

func decodeHashes(buf []byte) ([]uint64, error) {
	var hashes []uint64
	last := uint64(0)
	for len(buf) > 0 {
		delta, n := binary.Uvarint(buf)
		if n <= 0 || delta > ^uint64(0)-last {
			return nil, errTruncated
		}
		last += delta
		hashes, buf = append(hashes, last), buf[n:]
	}
	return hashes, nil
}

func encodeShardKeys(k shardKeys) []byte {
	var w writer
	w.string(k.Shard)
	w.spilled(&k.Hashes)
	return w.buf
}

func decodeShardKeys(data []byte) (shardKeys, error) {
	r := reader{buf: data}
	k := shardKeys{r.string(), r.spilled()}
	return k, r.err
}

func encodeKeys(k scatteredKeys) []byte {
	var w writer
	w.string(k.Shard)
	w.int(k.Part)
	w.flag(k.All)
	return append(w.buf, encodeHashes(k.Hashes)...)
}

func decodeKeys(data []byte) (scatteredKeys, error) {
	r := reader{buf: data}
	k := scatteredKeys{Shard: r.string(), Part: r.int(), All: r.int() == 1}
	if k.Part < 0 || k.Part >= parts {
		r.fail()
	}
	if r.err != nil {
		return k, r.err
	}
	var err error
	k.Hashes, err = decodeHashes(r.buf)
	return k, err
}

func init() {
	registerCoder(encodeShardKeys, decodeShardKeys)
	beam.RegisterDoFn(reflect.TypeFor[keysFn]())
	register.Function3x1(scatteredOf)
	register.Iter1[shardKeys]()
	register.Emitter2[int, shardKeys]()
}
