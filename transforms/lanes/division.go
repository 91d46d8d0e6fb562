package lanes

import (
	"cmp"
	"math/bits"
)

// Division says how a job divides its work. The zero value leaves that to the runner.
type Division struct {
	// Lanes is the number of lanes in which inputs are folded. Shard.Lane is the lane of a shard;
	// all other inputs are assigned to lanes by hash.
	Lanes int
	// Bundles says that each lane is a bundle of its own. It is for runners that limit the output
	// of a bundle and make a bundle per key (see BundlePerKey). It needs DoFns with state, which
	// Beam's direct runner does not support.
	Bundles bool
	// BundlePerKey says that the runner makes one bundle of all elements of a key in a stateful step, as
	// Beam's job servers for Flink and Spark do. Partials are then merged in such bundles. On a runner that
	// divides the elements of a key, results would be wrong.
	BundlePerKey bool
	// PartialBytes is the largest size of the statistics that a bundle emits. If all slices need
	// more, each bundle emits the statistics of some slices, and its input is read again for the
	// other slices. 0 means the job server's limit if BundlePerKey is set, otherwise no limit. It
	// needs Lanes, and Bundles or BundlePerKey.
	PartialBytes int
	// RangeLanes is the number of lanes in which the ranges of sorted scores are traced, each a bundle; if 0,
	// every range has a key of its own. It needs BundlePerKey.
	RangeLanes int
	// Buckets is the number of buckets into which examples with rows in several shards are divided:
	// a power of two up to MostBuckets; 0 means 256. Each is put together in memory.
	Buckets int
	// Hashing says how the runner maps keys to its subtasks.
	Hashing Hashing
}

// MostBuckets is the largest number of buckets.
const MostBuckets = 1 << 16

// fewBuckets is the number of buckets if none is set.
const fewBuckets = 256

// BucketCount returns the number of buckets.
func (d *Division) BucketCount() int { return cmp.Or(d.Buckets, fewBuckets) }

// Bucket returns the bucket of an example, given the hash of its id.
func (d *Division) Bucket(hash uint64) int {
	return int(hash >> (64 - bits.TrailingZeros(uint(d.BucketCount()))))
}

// Key returns the key of a lane; see [Hashing].
func (d *Division) Key(lane int) int { return d.Hashing.Key(lane) }

// RangeKey returns the key of a range of scores.
func (d *Division) RangeKey(at int) int {
	if d.RangeLanes > 0 {
		at %= d.RangeLanes
	}
	return d.Key(at)
}

// Valid reports whether a job can be divided in this way.
func (d *Division) Valid() bool {
	n := d.BucketCount()
	return d.Lanes >= 0 && (!d.Bundles || d.Lanes > 0) && d.PartialBytes >= 0 && (d.PartialBytes == 0 || d.Lanes > 0 && (d.Bundles || d.BundlePerKey)) && d.RangeLanes >= 0 && (d.RangeLanes == 0 || d.BundlePerKey) && n > 1 && n <= MostBuckets && n&(n-1) == 0
}
