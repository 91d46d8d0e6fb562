// Package heap measures how much memory tests take.
package heap

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// Allocated returns how many bytes are allocated while a function runs, by it or elsewhere in the
// process. It stops nothing, as runtime.ReadMemStats does.
func Allocated(f func()) uint64 {
	before := total()
	f()
	return total() - before
}

// Peak returns how many bytes are live at most while a function runs, in addition to those before.
// It knows what is live after each garbage collection, and makes collections frequent.
func Peak(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	before := live()
	var most atomic.Uint64
	var done atomic.Bool
	type cycle struct{ _ *int } // garbage, which is collected once
	var watch func(*cycle)
	watch = func(*cycle) {
		for now := live(); ; {
			last := most.Load()
			if now <= last || most.CompareAndSwap(last, now) {
				break
			}
		}
		if !done.Load() {
			runtime.SetFinalizer(new(cycle), watch)
		}
	}
	runtime.SetFinalizer(new(cycle), watch)
	f()
	done.Store(true)
	return max(most.Load(), before) - before
}

func total() uint64 { return read("/gc/heap/allocs:bytes") }

// live returns the bytes that the last collection of garbage found in use.
func live() uint64 { return read("/gc/heap/live:bytes") }

func read(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
