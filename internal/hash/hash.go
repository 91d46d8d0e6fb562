// Package hash has the hash of integers on which all other hashes are built.
package hash

import "math/bits"

// Mix is the finalizer of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014; constants of
// Stafford's variant 13), a bijection.
func Mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// gamma is of SplitMix64: without it, seed 0 would change nothing.
const gamma = 0x9e3779b97f4a7c15

// Divider divides hashes into parts, all with equal probability.
type Divider struct{ parts, seed uint64 }

// NewDivider returns the Divider into n parts that a seed selects.
func NewDivider(n int, seed uint64) Divider { return Divider{uint64(n), Mix(seed + gamma)} }

// Part returns the part of a hash.
func (d Divider) Part(h uint64) uint64 {
	part, _ := bits.Mul64(Mix(h+d.seed), d.parts)
	return part
}
