package runs

import (
	"cmp"
	"fmt"
	"slices"
)

// Knot stands for some consecutive entries of a run.
type Knot struct {
	Image   uint64 // the lowest of them
	Entries int
}

// Knots summarises a run: it divides the entries among at most n knots, whose sizes differ
// by at most one.
func Knots(run []byte, n int) ([]Knot, error) {
	all := countEntries(run)
	n = min(n, all)
	var knots []Knot
	room := make([]Entry, blockSize)
	before, counted := 0, 0 // entries of earlier blocks, and of knots
	left := blocksOf(run)
	for b, ok := left.next(); ok; b, ok = left.next() {
		entries := room[:b.entries]
		decoded := false // only if a knot ends here
		for len(knots) < n {
			end := all * (len(knots) + 1) / n
			if end > before+b.entries {
				break
			}
			if !decoded && !left.decode(b, entries) {
				return nil, left.err
			}
			decoded = true
			knots = append(knots, Knot{entries[end-before-1].Image, end - counted})
			counted = end
		}
		before += b.entries
	}
	return knots, left.err
}

// Bounds chooses images at which to cut runs into ranges with about as many entries each. It
// returns at most ranges-1, descending; there are fewer if there are too few scores or some
// are too frequent. It sorts the knots, whose order does not matter. With n knots for each
// run, no range has more than 2/n of all entries beyond its due, unless they have one score.
func Bounds(knots []Knot, ranges int) []uint64 {
	slices.SortFunc(knots, func(a, b Knot) int { return cmp.Compare(b.Image, a.Image) })
	all := 0
	for _, k := range knots {
		all += k.Entries
	}
	var bounds []uint64
	sum, full := 0, 0 // entries so far, and how many ranges they fill
	for i := range len(knots) - 1 {
		sum += knots[i].Entries
		if now := sum * ranges / max(all, 1); now > full && knots[i].Image > knots[i+1].Image {
			bounds = append(bounds, knots[i].Image)
			full = now
		}
	}
	return bounds
}

// Cut divides a run at bounds, which are images and must descend. It returns one run more
// than there are bounds, highest scores first. Run i has the images from bounds[i] up that
// are below bounds[i-1]; therefore all entries of a score are in the same run. Blocks
// without a bound inside are copied unread: if the run is corrupt, the results may be, too.
func Cut(run []byte, bounds []uint64) ([][]byte, error) {
	if !slices.IsSortedFunc(bounds, func(a, b uint64) int { return cmp.Compare(b, a) }) {
		return nil, fmt.Errorf("bounds do not descend: %#x", bounds)
	}
	pieces := make([][]byte, len(bounds)+1)
	bound := func(i int) uint64 {
		if i < len(bounds) {
			return bounds[i]
		}
		return 0
	}
	piece := 0
	room := make([]Entry, blockSize)
	left := blocksOf(run)
	for b, ok := left.next(); ok; b, ok = left.next() {
		for b.first < bound(piece) {
			piece++
		}
		following := left
		if after, ok := following.next(); piece == len(bounds) || ok && after.first >= bound(piece) {
			pieces[piece] = append(pieces[piece], b.bytes...)
			continue
		}
		entries := room[:b.entries]
		if !left.decode(b, entries) {
			break
		}
		for len(entries) > 0 {
			n := 0
			for n < len(entries) && entries[n].Image >= bound(piece) {
				n++
			}
			if n > 0 {
				pieces[piece] = appendBlock(pieces[piece], entries[:n])
			}
			if entries = entries[n:]; len(entries) > 0 {
				piece++
			}
		}
	}
	if left.err != nil {
		return nil, left.err
	}
	return pieces, nil
}
