package stores

import (
	"context"
	"sync"
)

// Connector connects to a service. The store outlives the context.
type Connector func(ctx context.Context) (Store, error)

// Once returns a function that connects when it is first called and returns the same store ever
// after: a process has one client, which pools connections. A failure is not cached, because on a
// new machine the service that provides credentials may start later than this process.
func Once(connect Connector) Connector {
	var mu sync.Mutex
	var connected Store
	return func(ctx context.Context) (Store, error) {
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
