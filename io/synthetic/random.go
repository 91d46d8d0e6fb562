package synthetic

// A stream is a source of random numbers that can be read at any place: the generator
// SplitMix64 (Steele, Lea, Flood 2014), whose state is a counter.
type stream uint64

const gamma = 0x9e3779b97f4a7c15

// newStream returns the stream of a seed for a purpose. Those of two purposes are
// unrelated, so that a column more changes no other.
func newStream(seed uint64, purpose string) stream {
	hash := uint64(14695981039346656037) // FNV-1a
	for i := range len(purpose) {
		hash = (hash ^ uint64(purpose[i])) * 1099511628211
	}
	return stream(mix(mix(seed+gamma) ^ hash))
}

func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// bits returns the i-th number of the stream.
func (s stream) bits(i int64) uint64 { return mix(uint64(s) + uint64(i)*gamma) }

// uniform returns a number between 0 and 1, both excluded. One minus it is exact.
func (s stream) uniform(i int64) float64 { return (float64(s.bits(i)>>12) + 0.5) * 0x1p-52 }

// pair returns two coarser numbers for the price of one.
func (s stream) pair(i int64) (u, v float64) {
	x := s.bits(i)
	return (float64(x>>32) + 0.5) * 0x1p-32, (float64(x&0xffffffff) + 0.5) * 0x1p-32
}

// skewed turns a uniform number into one from 0 to n-1, small ones more often: the
// frequency of r falls like r^(-2/3). It needs no table, however large n is.
func skewed(u float64, n int) int {
	return min(int(u*u*u*float64(n)), n-1)
}
