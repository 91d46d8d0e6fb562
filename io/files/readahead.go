package files

import (
	"slices"
	"sync"
)

// Sizes of windows. A remote request takes tens of milliseconds regardless of its length, enough
// time to transfer several megabytes. But reading a footer should not cost megabytes.
const (
	firstWindow   = 64 << 10  // for a read that does not continue an earlier one; at the end of a file, it holds most footers
	smallFile     = 192 << 10 // a file of this size is fetched whole if much of it will be read
	windowGrowth  = 4         // for a read that continues an earlier one
	maxWindow     = 8 << 20
	straightRead  = 4 << 20  // a read of this length gains nothing from a window
	windowGap     = 64 << 10 // a read that skips this many bytes still continues the earlier one
	windowsBudget = 64 << 20 // for each file
)

// readAhead serves many small reads of a file from a few long fetches. It keeps the most recently
// used windows, so that several readers, each in a column of its own, can read ahead in parallel.
type readAhead struct {
	size, whole int64 // a file of at most whole bytes is a single window
	fetch       readFunc

	mu      sync.Mutex
	windows []*window // least recently used first
	held    int64     // total size of the windows
	gaps    gaps
}

// window is a piece that an unannounced read plans.
type window struct {
	piece
	before *window // the window that this one continues, if it is still kept
}

// readAt fills p, which is inside the file.
func (r *readAhead) readAt(p []byte, off int64) error {
	for len(p) > 0 {
		w := r.window(off, int64(len(p)))
		if w == nil {
			return r.fetch(p, off)
		}
		n, err := w.read(r.fetch, p, off)
		if err != nil {
			return err
		}
		p, off = p[n:], off+int64(n)
	}
	return nil
}

// window returns the window that contains off. It is nil if length bytes are better read without
// one.
func (r *readAhead) window(off, length int64) *window {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, w := range r.windows {
		if w.start <= off && off < w.end {
			r.windows = append(slices.Delete(r.windows, i, i+1), w)
			return w
		}
	}
	if length >= straightRead {
		return nil
	}
	w := r.plan(off, length)
	for len(r.windows) > 0 && r.held+w.size() > windowsBudget {
		r.drop(r.windows[0])
	}
	r.windows = append(r.windows, w)
	r.held += w.size()
	return w
}

// plan chooses the range of a new window that contains [off, off+length) or a prefix of it.
func (r *readAhead) plan(off, length int64) *window {
	w := &window{piece: piece{start: off}}
	extent := int64(firstWindow)
	for _, before := range r.windows {
		if before.end <= off && off < before.end+windowGap {
			// Keep one earlier window, because a second reader may be slightly behind.
			extent = min(max(before.size()*windowGrowth, firstWindow), maxWindow)
			if before.before != nil {
				r.drop(before.before)
			}
			w.before = before
			break
		}
	}
	w.end = min(off+max(extent, length), r.size)
	for _, other := range r.windows {
		if off < other.start && other.start < w.end {
			w.end = other.start
		}
	}
	// The end of a file is read backwards: first the length of the footer, then the footer.
	switch {
	case r.size <= r.whole && len(r.windows) == 0:
		w.start, w.end = 0, r.size
	case w.before == nil && w.end == r.size:
		w.start = min(off, max(0, r.size-firstWindow))
	}
	return w
}

func (r *readAhead) drop(w *window) {
	if i := slices.Index(r.windows, w); i >= 0 {
		r.windows = slices.Delete(r.windows, i, i+1)
		r.held -= w.size()
	}
	for _, other := range r.windows {
		if other.before == w {
			other.before = nil
		}
	}
}
