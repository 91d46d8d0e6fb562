package files

import "sync"

// once returns a function that connects when it is first called, and returns the same store
// from then on: a process has one client, which pools connections. A failure is not kept: on a
// new machine, the service that hands out credentials may start after this process.
func once(connect func() (store, error)) func() (store, error) {
	var mu sync.Mutex
	var connected store
	return func() (store, error) {
		mu.Lock()
		defer mu.Unlock()
		if connected == nil {
			st, err := connect()
			if err != nil {
				return nil, err
			}
			connected = st
		}
		return connected, nil
	}
}
