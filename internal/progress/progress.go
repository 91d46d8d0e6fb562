// Package progress counts what a run in this process has read. Runners report their counters late
// or never, but the direct runner passes its context on to the DoFns.
package progress

import (
	"context"
	"sync/atomic"
)

// Read counts what has been read so far by all bundles whose contexts descend from the context of
// Count.
type Read struct{ Rows, Groups atomic.Int64 }

type key struct{}

// Count returns a context for running a pipeline, and the counts of the run.
func Count(ctx context.Context) (context.Context, *Read) {
	read := new(Read)
	return context.WithValue(ctx, key{}, read), read
}

// Of returns the counts of the run of a context, or nil.
func Of(ctx context.Context) *Read {
	read, _ := ctx.Value(key{}).(*Read)
	return read
}
