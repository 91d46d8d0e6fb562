// Package hash has the hash of integers on which all other hashes are built.
package hash

// Mix is the finalizer of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014; constants of
// Stafford's variant 13), a bijection.
func Mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
