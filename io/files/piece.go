package files

import (
	"slices"
	"sync"
)

// piece is the part of a file that one request fetches. The first read fetches it, unless that was
// done ahead; other reads wait. If the fetch fails, the next read tries again.
type piece struct {
	start, end int64

	mu    sync.Mutex
	begun bool    // a read of it has started
	ends  []int64 // ends of the ranges in the piece that have not been read completely; after the last one, data is released
	data  []byte
	err   error // of the fetch before the first read
}

func (p *piece) size() int64 { return p.end - p.start }

// prepare fetches the piece ahead of the first read, unless that read came first.
func (p *piece) prepare(fetch readFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.begun {
		p.err = p.fill(fetch)
	}
}

func (p *piece) fill(fetch readFunc) error {
	if p.data != nil {
		return nil
	}
	data := make([]byte, p.size())
	if err := fetch(data, p.start); err != nil {
		return err
	}
	p.data = data
	return nil
}

// read copies the part of the piece that begins at off.
func (p *piece) read(fetch readFunc, to []byte, off int64) (int, error) {
	data, err := p.take(fetch, min(off+int64(len(to)), p.end))
	if err != nil {
		return 0, err
	}
	return copy(to, data[off-p.start:]), nil
}

// take returns the data of the piece to a read that ends at end.
func (p *piece) take(fetch readFunc, end int64) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.err
	if p.begun, p.err = true, nil; err == nil {
		err = p.fill(fetch)
	}
	if err != nil {
		return nil, err
	}
	data := p.data
	if i := slices.Index(p.ends, end); i >= 0 {
		if p.ends = slices.Delete(p.ends, i, i+1); len(p.ends) == 0 {
			p.data = nil
		}
	}
	return data, nil
}
