// Package heap measures how much memory tests take.
package heap

import "runtime/metrics"

// Allocated returns how many bytes are allocated while a function runs, by it or elsewhere in the
// process. It stops nothing, as runtime.ReadMemStats does.
func Allocated(f func()) uint64 {
	before := total()
	f()
	return total() - before
}

func total() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
