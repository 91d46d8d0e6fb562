package runs

import (
	"cmp"
	"fmt"
	"slices"
)

// Cut divides a run by score at bounds, which are images and must descend, and
// returns one run more than there are bounds, highest scores first. A bound
// itself belongs to the higher side: run i has the images from bounds[i] on that
// are below bounds[i-1]. So all entries of a score are in the same run. Blocks
// without a bound in them are copied unread: if the run is corrupt, the results may be.
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
