// Package progress counts what a run in this process has read. Runners tell their counters late or
// never, but the runner direct passes its context on to the DoFns.
package progress

import (
	"context"
	"sync/atomic"
)

// Read is how much was read so far, by all bundles whose contexts descend from one.
type Read struct{ Rows, Groups atomic.Int64 }

type key struct{}

// Count returns a context to run a pipeline with, and what the run reads.
func Count(ctx context.Context) (context.Context, *Read) {
	read := new(Read)
	return context.WithValue(ctx, key{}, read), read
}

// Of returns what counts the run of a context; nil if nothing does.
func Of(ctx context.Context) *Read {
	read, _ := ctx.Value(key{}).(*Read)
	return read
}
