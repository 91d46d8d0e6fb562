package arrow

import (
	"fmt"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/columns"
)

// limiter is an allocator that bounds what a small file can make the decoder allocate, because
// compressed buffers state their own decompressed size. It panics with a [columns.Stop]: arrow-go
// offers no other way to abort the decoding.
type limiter struct {
	memory.Allocator
	one, all int64 // limits in bytes of one buffer, and of all buffers in use
	used     atomic.Int64
	option   string // the setting that raises the limits
}

// newLimiter returns a limiter for a file of the given size. Buffers as large as the file are
// always allowed.
func newLimiter(o *columns.Options, size int64) *limiter {
	return &limiter{
		Allocator: memory.DefaultAllocator, one: max(o.MaxPage, size) + 64, all: 8 * (o.MaxPage + size), option: o.Names.Of(settings.MaxPage),
	}
}

// Allocate implements memory.Allocator.
func (l *limiter) Allocate(size int) []byte {
	l.take(size, size)
	return l.Allocator.Allocate(size)
}

// Reallocate implements memory.Allocator.
func (l *limiter) Reallocate(size int, b []byte) []byte {
	l.take(size, size-cap(b))
	return l.Allocator.Reallocate(size, b)
}

// Free implements memory.Allocator.
func (l *limiter) Free(b []byte) {
	l.used.Add(int64(-cap(b)))
	l.Allocator.Free(b)
}

func (l *limiter) take(size, more int) {
	if size < 0 || int64(size) > l.one {
		panic(columns.Stop{Err: fmt.Errorf("a buffer of %d bytes is larger than %s allows; set it to a larger value if the file is to be trusted", size, l.option)})
	}
	if l.used.Add(int64(more)) > l.all {
		panic(columns.Stop{Err: fmt.Errorf("the buffers of a record batch need more than %d bytes: write smaller record batches, or set %s to a larger value", l.all, l.option)})
	}
}
