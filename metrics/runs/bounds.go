package runs

import (
	"cmp"
	"slices"
)

// Knot stands for some consecutive entries of a run.
type Knot struct {
	Image   uint64 // the lowest of them
	Entries int
}

// Knots summarises a run: it divides its entries among at most n knots of equal
// size, give or take one.
func Knots(run []byte, n int) ([]Knot, error) {
	all := NewReader(run).Len()
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

// Bounds chooses images at which to cut runs into parts of about as many entries:
// at most parts-1, descending, and fewer if there are too few scores or some are
// too frequent. It sorts the knots, whose order does not matter. With n knots of
// each run, no part has more than 2/n of all entries over its due, but for those
// of one score.
func Bounds(knots []Knot, parts int) []uint64 {
	slices.SortFunc(knots, func(a, b Knot) int { return cmp.Compare(b.Image, a.Image) })
	all := 0
	for _, k := range knots {
		all += k.Entries
	}
	var bounds []uint64
	sum, full := 0, 0 // entries so far, and how many parts they fill
	for i := range len(knots) - 1 {
		sum += knots[i].Entries
		if now := sum * parts / max(all, 1); now > full && knots[i].Image > knots[i+1].Image {
			bounds = append(bounds, knots[i].Image)
			full = now
		}
	}
	return bounds
}
