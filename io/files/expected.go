package files

import (
	"cmp"
	"slices"

	"golang.org/x/sync/errgroup"
)

const (
	maxPiece      = 8 << 20
	minPiece      = 256 << 10
	piecesBudget  = 64 << 20 // shared by the ranges that are read in parallel
	piecesAtOnce  = 16
	gapsAllowance = 64 << 10 // number of bytes between ranges of a file that may be fetched to save requests,
	gapsPart      = 10       // plus this fraction of the ranges
)

// expect returns a function that reads the file. It fetches the given ranges in pieces, with one
// request for each, and keeps a piece until every range in it has been read to its end.
func (r *readAhead) expect(ranges [][2]int64) readFunc {
	fetch := r.fetch
	pieces, first := r.divide(r.missing(ranges))
	go func() {
		var group errgroup.Group
		group.SetLimit(piecesAtOnce)
		for _, p := range first {
			group.Go(func() error {
				p.prepare(fetch)
				return nil
			})
		}
	}()
	return func(p []byte, off int64) error {
		for len(p) > 0 {
			n, err := len(p), error(nil)
			i := slices.IndexFunc(pieces, func(x *piece) bool { return off < x.end })
			switch {
			case i >= 0 && pieces[i].start <= off:
				n, err = pieces[i].read(fetch, p, off)
			case i >= 0:
				n = int(min(int64(n), pieces[i].start-off))
				fallthrough
			default:
				err = r.readAt(p[:n], off)
			}
			if err != nil {
				return err
			}
			p, off = p[n:], off+int64(n)
		}
		return nil
	}
}

// missing returns the ranges in the order of the file. It cuts off their tails that are in a
// window, such as the footer's.
func (r *readAhead) missing(ranges [][2]int64) (missing [][2]int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, x := range ranges {
		for _, w := range r.windows {
			if w.start < x[1] && x[1] <= w.end {
				x[1] = w.start
			}
		}
		if x[0] < x[1] {
			missing = append(missing, x)
		}
	}
	slices.SortFunc(missing, func(a, b [2]int64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return missing
}

// gaps counts the bytes that are fetched only to save requests, and the bytes of the ranges.
type gaps struct{ bytes, ranges int64 }

func (g *gaps) allow(bytes int64) bool {
	if g.bytes+bytes > gapsAllowance+g.ranges/gapsPart {
		return false
	}
	g.bytes += bytes
	return true
}

// divide divides sorted ranges into pieces: short ranges that are close together share a piece, and
// long ones are split. It also returns the pieces to fetch at once.
func (r *readAhead) divide(ranges [][2]int64) (pieces, first []*piece) {
	r.mu.Lock()
	defer r.mu.Unlock()
	limit := min(max(piecesBudget/int64(max(len(ranges), 1)), minPiece), maxPiece)
	for _, x := range ranges {
		r.gaps.ranges += x[1] - x[0]
	}
	for len(ranges) > 0 {
		n, start, end := 1, ranges[0][0], ranges[0][1]
		for ; n < len(ranges); n++ {
			next := ranges[n]
			if next[0] >= end && (next[1]-start > limit || !r.gaps.allow(next[0]-end)) {
				break
			}
			end = max(end, next[1])
		}
		parts := (end - start + limit - 1) / limit
		for i := range parts {
			p := &piece{start: start + i*(end-start)/parts, end: start + (i+1)*(end-start)/parts}
			for _, x := range ranges[:n] {
				if x[0] < p.end && p.start < x[1] {
					p.ends = append(p.ends, min(x[1], p.end))
				}
			}
			pieces = append(pieces, p)
			if i == 0 {
				first = append(first, p)
			}
		}
		ranges = ranges[n:]
	}
	return pieces, first
}
