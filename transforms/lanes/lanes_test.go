package lanes

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// murmur is murmurHash of MathUtils of Flink 1.19.
func murmur(code uint32) int {
	code = bits.RotateLeft32(code*0xcc9e2d51, 15) * 0x1b873593
	code = bits.RotateLeft32(code, 13)*5 + 0xe6546b64
	code ^= 4
	code ^= code >> 16
	code *= 0x85ebca6b
	code ^= code >> 13
	code *= 0xc2b2ae35
	code ^= code >> 16
	switch n := int32(code); {
	case n >= 0:
		return int(n)
	case n != math.MinInt32:
		return int(-n)
	}
	return 0
}

// arraysHash is Arrays.hashCode of Java, of the encoding of a key: its length and a signed varint.
func arraysHash(key int) uint32 {
	varint := binary.AppendVarint(nil, int64(key))
	hash := uint32(1)
	for _, b := range append([]byte{byte(len(varint))}, varint...) {
		hash = 31*hash + uint32(int8(b))
	}
	return hash
}

// TestMurmurHash has values that Flink 1.19 computed.
func TestMurmurHash(t *testing.T) {
	for code, want := range map[int32]int{0: 593689054, 1: 68075478, 2: 1085422463, 12345: 638799361, -7: 206585249} {
		require.Equal(t, want, murmur(uint32(code)))
	}
}

// TestKeys: the key of lane i goes to subtask i modulo the parallelism.
func TestKeys(t *testing.T) {
	met := make(map[int]bool)
	for _, lane := range append(seq(5000), math.MaxInt32, math.MaxInt32-1, 1<<30) {
		require.Equal(t, lane, murmur(arraysHash(Flink.Key(lane))))
		require.EqualValues(t, lane, arraysHash(Spark.Key(lane)))
		require.Equal(t, lane, Unknown.Key(lane))
		require.False(t, met[Flink.Key(lane)])
		met[Flink.Key(lane)] = true
	}
}

func seq(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// TestValid: a division is valid if a runner can execute it.
func TestValid(t *testing.T) {
	for _, d := range []Division{
		{}, {Lanes: 3}, {Lanes: 3, Bundles: true, PartialBytes: 5}, {Lanes: 3, BundlePerKey: true, PartialBytes: 5, RangeLanes: 2, Buckets: MostBuckets},
	} {
		require.True(t, d.Valid(), "%+v", d)
	}
	for _, d := range []Division{
		{Lanes: -1}, {Bundles: true}, {RangeLanes: 2}, {BundlePerKey: true, RangeLanes: -1}, {Buckets: 3}, {Buckets: 2 * MostBuckets},
		{Lanes: 3, PartialBytes: 5}, {BundlePerKey: true, PartialBytes: 5}, {BundlePerKey: true, PartialBytes: -1},
	} {
		require.False(t, d.Valid(), "%+v", d)
	}
}

// slowest returns the cost of the costliest subtask as a multiple of the mean.
func slowest(total []int64, parallelism int) float64 {
	subtasks := make([]int64, parallelism)
	sum := int64(0)
	for i, cost := range total {
		subtasks[murmur(arraysHash(Flink.Key(i)))%parallelism] += cost
		sum += cost
	}
	return float64(slices.Max(subtasks)) * float64(parallelism) / float64(sum)
}

// TestPack: no subtask gets more than 1.3 times the mean.
func TestPack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	costs := make([]int64, 10_000)
	for i := range costs {
		costs[i] = int64(1e6 * math.Pow(100, r.Float64()))
	}
	for _, parallelism := range []int{1, 2, 7, 50, 64, 200, 500} {
		lane, total := Pack(costs, 4096)
		require.LessOrEqual(t, slowest(total, parallelism), 1.3, parallelism)
		require.True(t, slices.IsSortedFunc(total, func(a, b int64) int { return int(b - a) }))
		again := make([]int64, len(total))
		for i, l := range lane {
			again[l] += costs[i]
		}
		require.Equal(t, total, again)
	}
	lane, total := Pack([]int64{15, 15, 15, 15}, 4096)
	require.Equal(t, []int{0, 1, 2, 3}, lane)
	require.EqualValues(t, 1, slowest(total, 2))
	lane, total = Pack([]int64{1, 5, 0, 4, 2}, 2)
	require.Equal(t, []int{0, 0, 0, 1, 1}, lane)
	require.Equal(t, []int64{6, 6}, total)
	lane, total = Pack(nil, 10)
	require.Empty(t, lane)
	require.Empty(t, total)
}
