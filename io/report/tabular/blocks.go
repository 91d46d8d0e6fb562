package tabular

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

// mostBlocks limits the blocks in memory, however many cores there are.
const mostBlocks = 8

// inBlocks divides items into blocks of the given size, calls encode for several blocks at a time,
// and write for their encodings one by one, in order. It panics if encode panics.
func inBlocks[T, B any](items []T, size int, encode func([]T) (B, error), write func(B) error) (err error) {
	type result struct {
		block    B
		err      error
		panicked error
	}
	most := min(runtime.GOMAXPROCS(0), mostBlocks)
	var pending []chan result // oldest first
	for len(items) > 0 || len(pending) > 0 {
		for err == nil && len(items) > 0 && len(pending) < most {
			n, done := min(size, len(items)), make(chan result, 1)
			block := items[:n]
			items, pending = items[n:], append(pending, done)
			go func() {
				var r result
				defer func() {
					if p := recover(); p != nil {
						r.panicked = fmt.Errorf("%v\n%s", p, debug.Stack())
					}
					done <- r
				}()
				r.block, r.err = encode(block)
			}()
		}
		r := <-pending[0]
		pending = pending[1:]
		if r.panicked != nil {
			panic(r.panicked)
		}
		if err = cmp.Or(err, r.err); err == nil {
			err = write(r.block)
		}
		if err != nil {
			items = nil // wait only for the blocks that are being encoded
		}
	}
	return err
}
