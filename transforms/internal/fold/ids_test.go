package fold

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/hash"
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// TestIDs: however rows are divided, the same ids are counted, all their rows.
func TestIDs(t *testing.T) {
	for _, distinct := range []int{100, shuffle.MostIDs, shuffle.MostIDs + 1, 3 * shuffle.MostIDs} {
		var all []uint64
		for i := range distinct {
			for range 1 + max(0, 2-i%50) { // 3, 2, 1, 1, …
				all = append(all, hash.Mix(uint64(i)))
			}
		}
		want := counted(all)
		require.Equal(t, distinct > shuffle.MostIDs, want.Left)
		require.LessOrEqual(t, len(want.Hashes), shuffle.MostIDs)
		random := rand.New(rand.NewPCG(1, 2))
		for _, parts := range []int{1, 3} {
			random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			folders := make([]ids, parts)
			for from := 0; from < len(all); from += 10_000 {
				b := &batches.Batch{Hashes: all[from:min(from+10_000, len(all))]}
				good := make([]int32, len(b.Hashes))
				for r := range good {
					good[r] = int32(r)
				}
				of := &folders[random.IntN(parts)]
				of.hashes.known = true
				of.add(b, good)
			}
			for i := 1; i < parts; i++ {
				folders[0].merge(&folders[i])
			}
			got := folders[0].finish()
			require.Equal(t, want, *got, "%d ids in %d parts", distinct, parts)
			p := shuffle.Partial{IDs: got}
			p.Stats = shuffle.NewPartial().Stats
			data, err := p.Encode()
			require.NoError(t, err)
			again, err := shuffle.DecodePartial(data)
			require.NoError(t, err)
			require.Equal(t, want, *again.IDs)
		}
	}
}

// counted counts the ids with the smallest hashes.
func counted(all []uint64) (want shuffle.IDs) {
	counts := map[uint64]int64{}
	for _, h := range all {
		counts[h]++
	}
	for h := range counts {
		want.Hashes = append(want.Hashes, h)
	}
	slices.Sort(want.Hashes)
	want.Left = len(want.Hashes) > shuffle.MostIDs
	want.Hashes = want.Hashes[:min(len(want.Hashes), shuffle.MostIDs)]
	for _, h := range want.Hashes {
		want.Counts = append(want.Counts, counts[h])
	}
	return want
}

func TestForgedIDs(t *testing.T) {
	p := shuffle.NewPartial()
	p.IDs = &shuffle.IDs{Hashes: []uint64{1, 2}, Counts: []int64{1}}
	data, err := wire.Encode(&p, shuffle.PartialFields)
	require.NoError(t, err)
	_, err = shuffle.DecodePartial(data)
	require.ErrorContains(t, err, "1 counts of 2 ids")
}

// BenchmarkIDs counts ids of a million rows.
func BenchmarkIDs(b *testing.B) {
	const n, batch = 1_000_000, 8192
	hashes, good := make([]uint64, n), make([]int32, batch)
	for i := range hashes {
		hashes[i] = hash.Mix(uint64(i))
	}
	for r := range good {
		good[r] = int32(r)
	}
	for b.Loop() {
		d := ids{hashes: idHashes{known: true}}
		for from := 0; from < n; from += batch {
			of := hashes[from:min(from+batch, n)]
			d.add(&batches.Batch{Hashes: of}, good[:len(of)])
		}
		d.finish()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
}
