// Package interrupted interrupts commands at any point of their work.
package interrupted

import (
	"context"
	"sync/atomic"
)

// After returns a context that is cancelled after it has been looked at so many times.
func After(ctx context.Context, looks int32) context.Context {
	c := &after{Context: ctx}
	c.looks.Store(looks)
	return c
}

type after struct {
	context.Context
	looks atomic.Int32
}

func (c *after) Err() error {
	if c.looks.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}
