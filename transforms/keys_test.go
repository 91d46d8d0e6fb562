package transforms

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/groupby"
	"github.com/beameval/beameval/transforms/internal/join"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/lanes"
)

// keyRow is a row with only an id.
type keyRow struct {
	ID *string `parquet:"id,optional"`
}

func hashOf(id string) uint64 {
	c := columns.Column{Type: columns.String, Dict: new(columns.Strings)}
	c.Codes = []int32{c.Dict.CodeOf(id)}
	return groupby.Hash(nil, &c)[0]
}

// TestScattered: an example is whole where its rows are one run of one row group,
// nulls aside, and scattered otherwise.
func TestScattered(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		var list []keyRow
		id := ""
		for range 200 {
			if r.IntN(4) == 0 {
				id = fmt.Sprint("id ", r.IntN(60))
			}
			if list = append(list, keyRow{}); r.IntN(10) > 0 {
				text := id
				list[len(list)-1].ID = &text
			}
		}
		a := arrangement{"", false, 1 + r.IntN(3), 5 + r.IntN(100), 1 + r.IntN(3)}
		shards, places := placed(t, r, a, list)
		shardOf := func(i int) int {
			return slices.IndexFunc(shards, func(s input.Shard) bool {
				return s.File == places[i].File && places[i].RowGroup >= s.First && places[i].RowGroup < s.First+s.RowGroups
			})
		}
		runs := make(map[string]int)
		in := make([]map[string]bool, len(shards))
		last := -1
		for i, row := range list {
			if row.ID == nil {
				continue
			}
			if last < 0 || *list[last].ID != *row.ID || places[last].File != places[i].File || places[last].RowGroup != places[i].RowGroup {
				runs[*row.ID]++
			}
			last = i
			if s := shardOf(i); in[s] == nil {
				in[s] = make(map[string]bool)
			}
			in[shardOf(i)][*row.ID] = true
		}
		assembly := newAssembly(t, r, Spec{Columns: input.Columns{Example: "id"}})
		of, err := assembly.tasks(shards)
		require.NoError(t, err)
		require.Len(t, of, len(shards))
		for i, s := range shards {
			set := join.NewKeySet(new(lanes.Division))
			found := 0
			for _, p := range of[shuffle.TaskOf(shuffle.ShardName(&s))] {
				if p.Shard != nil {
					require.Equal(t, s, *p.Shard)
					found++
				} else {
					require.Equal(t, shuffle.ShardName(&s), p.Scattered.Shard)
					set.Add(p.Scattered)
				}
			}
			require.Equal(t, 1, found)
			for id := range in[i] {
				require.Equal(t, runs[id] > 1, set.Has(hashOf(id)), "%s of %d runs", id, runs[id])
			}
		}
	}
}

// TestScatteredOf compares with a count of all hashes.
func TestScatteredOf(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		count := make(map[uint64]int)
		var list []join.ShardKeys
		var of [][]uint64
		for i := range 1 + r.IntN(4) {
			var hashes []uint64
			for range 1 + r.IntN(6) {
				hashes = append(hashes, 7<<56|uint64(r.IntN(12)))
			}
			slices.Sort(hashes)
			for _, h := range hashes {
				count[h]++
			}
			list, of = append(list, join.ShardKeys{Shard: fmt.Sprint(i), Hashes: hashes}), append(of, slices.Clone(hashes))
		}
		var packs []shuffle.Spilled
		for some := range slices.Chunk(list, 1+r.IntN(len(list))) {
			p, err := join.StoreKeys(some, new(shuffle.Spill))
			require.NoError(t, err)
			packs = append(packs, p)
		}
		got := make(map[string]shuffle.ScatteredKeys)
		require.NoError(t, new(join.FindScatteredFn).ProcessElement(7, values(packs), func(task int, p shuffle.TaskInput) {
			require.NotContains(t, got, p.Scattered.Shard)
			require.Equal(t, 7, p.Scattered.Bucket)
			require.Equal(t, shuffle.TaskOf(p.Scattered.Shard), task)
			got[p.Scattered.Shard] = *p.Scattered
		}))
		for i, hashes := range of {
			set := join.NewKeySet(new(lanes.Division))
			if keys, found := got[fmt.Sprint(i)]; found {
				set.Add(&keys)
			}
			for _, h := range hashes {
				require.Equal(t, count[h] > 1, set.Has(h))
			}
			require.False(t, set.Has(8<<56))
		}
	}
	damaged := []shuffle.Spilled{{Bytes: []byte{0x80}}}
	require.ErrorContains(t, new(join.FindScatteredFn).ProcessElement(0, values(damaged), nil), "truncated")
}

// twins returns two texts of 16 bytes with the same hash: where the first halves differ, the second make up for
// it. Every step of XXH64 can be undone.
func twins(r *rand.Rand) (a, b string) {
	const prime1, prime2, prime4, prime5 = 0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, 0x85ebca77c2b2ae63, 0x27d4eb2f165667c5
	inverse := func(odd uint64) uint64 { // modulo 2⁶⁴, by Newton's method
		x := odd
		for range 6 {
			x *= 2 - odd*x
		}
		return x
	}
	round := func(lane uint64) uint64 { return bits.RotateLeft64(lane*prime2, 31) * prime1 }
	after := func(lane uint64) uint64 {
		start := uint64(prime5) + 16 // a variable, because it overflows
		return bits.RotateLeft64(start^round(lane), 27)*prime1 + prime4
	}
	text := func(first, second uint64) string {
		return string(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, first), second))
	}
	one, two, second := r.Uint64(), r.Uint64(), r.Uint64()
	mixed := round(second) ^ after(one) ^ after(two)
	return text(one, second), text(two, bits.RotateLeft64(mixed*inverse(prime1), -31)*inverse(prime2))
}

// TestTwins: two texts with the same hash stay two examples, whether their rows alternate or follow
// each other.
func TestTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	spec := rankingSpec(t, metrics.ExpectedTies)
	spec.Params.Metrics, spec.Columns.Item = []string{"ndcg@10", "mrr", "precision@5", "queries"}, ""
	for range 5 {
		a, b := twins(r)
		require.NotEqual(t, a, b)
		require.Equal(t, hashOf(a), hashOf(b))
		var list []queryRow[string]
		for _, id := range []string{a, b, "another"} {
			q := queryRow[string]{Query: id, Weight: 1}
			for range 40 {
				q.Items, q.Relevance, q.Scores = append(q.Items, ""), append(q.Relevance, float64(r.IntN(3))), append(q.Scores, float64(r.IntN(100)))
			}
			list = append(list, q)
		}
		want := foldedShards(t, spec, written(t, list, 7))
		items := itemRows(list)
		var alternating []itemRow[string]
		for i := range 40 {
			alternating = append(alternating, items[i], items[40+i])
		}
		alternating = append(alternating, items[80:]...)
		for _, rows := range [][]itemRow[string]{items, alternating} {
			for _, a := range []arrangement{arrangements[0], {"", false, 2, 21, 2}, {"", true, 2, 40, 1}} {
				s := longRanking(spec)
				s.Columns.Item = ""
				requireEqual(t, want, assembled(t, r, s, arranged(t, r, a, rows), nil))
			}
		}
	}
}

// TestEqualHashes: different ids with equal hashes are different examples, however
// close they are. A float that is whole hashes as the integer, and another as its
// bits.
func TestEqualHashes(t *testing.T) {
	one, tiny := 1., math.SmallestNonzeroFloat64
	c := columns.Column{Type: columns.Float, Floats: []float64{one, tiny}}
	hashes := groupby.Hash(nil, &c)
	require.Equal(t, hashes[0], hashes[1])

	r := rand.New(rand.NewPCG(2, 2))
	query := func(id float64, n int) queryRow[float64] {
		q := queryRow[float64]{Query: id, Weight: 1}
		for range n {
			q.Items = append(q.Items, "")
			q.Relevance = append(q.Relevance, float64(r.IntN(3)))
			q.Scores = append(q.Scores, float64(r.IntN(100)))
		}
		return q
	}
	spec := rankingSpec(t, metrics.ExpectedTies)
	spec.Params.Metrics, spec.Columns.Item = []string{"ndcg@10", "mrr", "precision@5", "queries"}, ""
	for _, n := range []int{3, 20_000} { // less and more than is folded at a time
		list := []queryRow[float64]{query(one, n), query(tiny, n), query(2, n), query(2*tiny, n)}
		want := foldedShards(t, spec, written(t, list, 7))
		items := itemRows(list)
		// Half of the first comes after the second.
		mixed := slices.Concat(items[:n/2], items[n:2*n], items[n/2:n], items[2*n:])
		for _, rows := range [][]itemRow[float64]{items, mixed} {
			for _, a := range []arrangement{arrangements[0], {"", false, 2, n/2 + 1, 2}, {"", true, 2, n, 1}} {
				s := longRanking(spec)
				s.Columns.Item = ""
				got := assembled(t, r, s, arranged(t, r, a, rows), nil)
				requireEqual(t, want, got)
			}
		}
	}
}
