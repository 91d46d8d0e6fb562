package parquet

import (
	"sync"
	"weak"
)

// spares are values of which row groups that are read side by side need some each, and the next row groups as many
// again. Other than a sync.Pool, which has lists for each processor, it never has more values than were in use at
// once. When none is in use any more, they may be collected.
type spares[T any] struct {
	mu   sync.Mutex
	used int                // values
	idle *[]*T              // while others are used
	last weak.Pointer[[]*T] // idle, while none is used
}

// get returns a value that is used by nobody, maybe a new one.
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

// put takes back a value that get returned.
func (s *spares[T]) put(v *T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*s.idle = append(*s.idle, v)
	if s.used--; s.used == 0 {
		s.last, s.idle = weak.Make(s.idle), nil
	}
}
