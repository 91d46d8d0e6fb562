package files

import (
	"context"
	"sync"
)

// connector connects to a service. The store outlives the context.
type connector func(ctx context.Context) (store, error)

// once returns a function that connects when it is first called, and returns the same store
// from then on: a process has one client, which pools connections. A failure is not kept: on a
// new machine, the service that hands out credentials may start after this process.
func once(connect connector) connector {
	var mu sync.Mutex
	var connected store
	return func(ctx context.Context) (store, error) {
		mu.Lock()
		defer mu.Unlock()
		if connected == nil {
			st, err := connect(ctx)
			if err != nil {
				return nil, err
			}
			connected = st
		}
		return connected, nil
	}
}
