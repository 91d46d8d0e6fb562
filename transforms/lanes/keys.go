// Package lanes divides the work of a job into lanes of about equal cost, and gives each lane a key
// that the runner maps to the right subtask. A runner executes all work with the same key together.
//
//	shards, by cost ── Pack ──► lanes 0 … n−1 ── Hashing.Key ──► keys ── runner ──► subtask lane % parallelism
package lanes

import (
	"encoding/binary"
	"math/bits"
)

// Hashing says how a runner maps the bytes of a key to one of its subtasks. Without countermeasures,
// a few hundred keys that are hashed leave many subtasks idle, and give others several times the
// mean.
type Hashing string

const (
	// Unknown is for a runner that moves keys between workers, such as Dataflow, or that has a
	// single process.
	Unknown Hashing = ""
	// Flink is for Beam's Flink runner and batches. The hash of a key is Arrays.hashCode of its
	// encoding (EncodedValueComparator of Beam). The subtask is the murmurHash of this hash modulo
	// the parallelism (OutputEmitter and MathUtils of Flink).
	Flink Hashing = "flink"
	// Spark is for Beam's Spark runner: the partition is Arrays.hashCode of the encoding of the key
	// (ByteArray of Beam) modulo the number of partitions (HashPartitioner of Spark).
	Spark Hashing = "spark"
)

// Key returns the key of a lane, which is not negative. Lane i goes to subtask i modulo the
// parallelism, whatever the parallelism is.
func (h Hashing) Key(lane int) int {
	switch h {
	case Flink:
		return withHash(murmurInverse(uint32(lane)))
	case Spark:
		return withHash(uint32(lane))
	}
	return lane
}

// keyBytes is the length of the encoding of a key that withHash returns.
const keyBytes = 8

// withHash returns the integer whose encoding has the given Arrays.hashCode. Beam's SDK for Go
// encodes an int as a signed varint, with its length before it:
//
//	hash = 31·(… 31·(31·1 + length) + byte 0 …) + byte 7
//
// All bytes except the last have the high bit, so they are -128 to -1 in Java. That is more than 31
// values, so the digits of the missing amount, to base 31, give the bytes.
func withHash(hash uint32) int {
	least := uint32(31 + keyBytes) // with the smallest bytes, which are -128 except for the last one, 0
	for range keyBytes - 1 {
		least = least*31 - 128
	}
	missing := uint64(hash - least*31)
	for missing%31 == 0 { // the last byte of a varint is not 0
		missing += 1 << 32
	}
	var encoded [keyBytes]byte
	for i := keyBytes - 1; i >= 0; i-- {
		encoded[i] = byte(missing % 31)
		missing /= 31
		if i < keyBytes-1 {
			encoded[i] |= 0x80
		}
	}
	key, _ := binary.Varint(encoded[:])
	return int(key)
}

// murmurInverse returns the code for which Flink's MathUtils.murmurHash returns the given hash,
// which must be below 2³¹.
func murmurInverse(hash uint32) uint32 {
	// Undo the final mix: a shift of half of the bits or more is its own inverse.
	x := hash ^ hash>>16
	x *= inverse(0xc2b2ae35)
	x ^= x>>13 ^ x>>26
	x *= inverse(0x85ebca6b)
	x ^= x >> 16

	x ^= 4
	x = (x - 0xe6546b64) * inverse(5)
	x = bits.RotateLeft32(x, -13) * inverse(0x1b873593)
	return bits.RotateLeft32(x, -15) * inverse(0xcc9e2d51)
}

// inverse returns the number that an odd number must be multiplied by to get 1, modulo 2³².
func inverse(odd uint32) uint32 {
	x := odd // right in its last three bits; each step doubles their number
	for range 4 {
		x *= 2 - odd*x
	}
	return x
}
