package parquet

import (
	"sync"
	"weak"
)

// spares is a pool of large values. Goroutines that read row groups in parallel each need a few,
// and the next row groups need as many again. Unlike a sync.Pool, which keeps a list for each
// processor, it never holds more values than were in use at the same time. While none is in use, it
// holds the idle values only weakly, so that the garbage collector may free them.
type spares[T any] struct {
	mu   sync.Mutex
	used int                // number of values in use
	idle *[]*T              // idle values, while others are in use
	last weak.Pointer[[]*T] // the idle values, while none is in use
}

// get returns a value that nobody else uses. It may be new.
func (s *spares[T]) get() *T {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used == 0 {
		s.idle = s.last.Value()
	}
	if s.idle == nil {
		s.idle = new([]*T)
	}
	s.used++
	last := len(*s.idle) - 1
	if last < 0 {
		return new(T)
	}
	v := (*s.idle)[last]
	*s.idle = (*s.idle)[:last]
	return v
}

// put returns a value obtained from get to the pool.
func (s *spares[T]) put(v *T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*s.idle = append(*s.idle, v)
	if s.used--; s.used == 0 {
		s.last, s.idle = weak.Make(s.idle), nil
	}
}
