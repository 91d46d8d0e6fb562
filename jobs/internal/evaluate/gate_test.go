package evaluate

import (
	"net/http"
	"sync"
)

// gate holds back some requests to a server until it is opened, so that a test can act while they
// are in progress.
type gate struct {
	mu   sync.Mutex
	held *held
}

// held is what a closed gate holds.
type held struct {
	which    func(*http.Request) bool
	answered bool          // requests are served, and their answers held
	first    sync.Once     // request
	arrived  chan struct{} // closed at the first request
	opened   chan struct{}
}

// close holds back the matching requests or, if answered is true, the responses to them. The
// returned channel is closed when there is one. Requests pass again after open.
func (g *gate) close(answered bool, which func(*http.Request) bool) (arrived <-chan struct{}, open func()) {
	h := &held{which: which, answered: answered, arrived: make(chan struct{}), opened: make(chan struct{})}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held = h
	return h.arrived, sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.held = nil
		close(h.opened)
	})
}

// before returns the server behind the gate.
func (g *gate) before(server http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		h := g.held
		g.mu.Unlock()
		if h == nil || !h.which(r) {
			server.ServeHTTP(w, r)
			return
		}
		if h.answered {
			server.ServeHTTP(w, r) // what it writes waits in a buffer of the connection
		}
		h.first.Do(func() { close(h.arrived) })
		<-h.opened
		if !h.answered {
			server.ServeHTTP(w, r)
		}
	})
}
