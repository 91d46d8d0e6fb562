package tabular

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

// mostBlocks limits the blocks in memory, however many cores there are.
const mostBlocks = 8

// inBlocks divides items 0 to n−1 into blocks of the given size, calls encode for several blocks at a
// time, with their first item and the first of the next block, and write for their encodings one by one,
// in order. It panics if encode panics.
func inBlocks[B any](n, size int, encode func(from, to int) (B, error), write func(B) error) (err error) {
	type result struct {
		block    B
		err      error
		panicked error
	}
	most := min(runtime.GOMAXPROCS(0), mostBlocks)
	var pending []chan result // oldest first
	for next := 0; next < n || len(pending) > 0; {
		for err == nil && next < n && len(pending) < most {
			from, done := next, make(chan result, 1)
			to := min(from+size, n)
			next, pending = to, append(pending, done)
			go func() {
				var r result
				defer func() {
					if p := recover(); p != nil {
						r.panicked = fmt.Errorf("%v\n%s", p, debug.Stack())
					}
					done <- r
				}()
				r.block, r.err = encode(from, to)
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
			next = n // wait only for the blocks that are being encoded
		}
	}
	return err
}
