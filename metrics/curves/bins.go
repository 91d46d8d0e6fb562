package curves

import (
	"cmp"
	"math"
	"slices"
)

// Bins holds the examples of one jackknife fold by the bins of the curve of all folds. This is all that the
// curves without a fold need: the Bins of all other folds, merged, give the curve at the ends of the bins. A Bins of
// all folds holds the scores of the bins instead, which all of these curves share.
//
// A [Sweep] makes them. As it knows the totals of the curve before it starts, bins follow the data: a bin ends where the weight
// of all examples passes a multiple of 1/128 of the total, or that of the positives a multiple of 1/128 of theirs. The
// score with which the positives pass it is a bin of its own. So there are at most 389 bins; none has more than 1/128
// of the examples or of the positives, unless they are tied; and a score has the same bin however the curve is cut into ranges. With
// fewer than 128 positives, no two of them share a bin, nor do a positive and a negative: all areas are exact.
//
// The zero Bins is empty, and the neutral element of merging.
type Bins struct {
	// The bins that have examples, by number. Of many slices, labels and folds there are millions: they
	// take 18 bytes each.
	numbers []uint16      // see binNumber
	ones    [][2]int64    // how many examples weigh 1: negatives and positives
	others  []otherRows   // those of other weights; nil if there are none
	scores  []scoresOfBin // of the bins of all folds, by number
}

// scoresOfBin are the lowest and the highest score of a bin.
type scoresOfBin struct {
	number          uint16
	lowest, highest float64
}

// binner numbers the bins of a curve.
type binner struct {
	totals                 Totals
	perWeight, perPositive float64
}

// binShares is how many parts of equal weight the bins divide all examples into, and the positives.
const binShares = 128

func newBinner(t Totals) binner {
	return binner{t, binShares / (t.Positives + t.Negatives), binShares / t.Positives}
}

// number returns the number of the bin of the examples between two neighbouring points. It does not decrease along a curve, as it is
// a sum of numbers that do not.
func (b *binner) number(before, after Point) uint16 {
	weight := partOf(before.TP+before.FP, b.totals.Positives+b.totals.Negatives, b.perWeight)
	if !(before.FP < b.totals.Negatives) { // only positives are left: they share no bin with a negative
		weight++
	}
	positives := partOf(before.TP, b.totals.Positives, b.perPositive) + partOf(after.TP, b.totals.Positives, b.perPositive)
	return weight*(2*binShares+3) + positives
}

// mostBins is how many numbers of bins there are.
const mostBins = (binShares + 3) * (2*binShares + 3)

// partOf returns the part of total that x has reached. All is a part of its own: examples below the last positive share no
// bin with one. So a curve that separates the classes still does.
func partOf(x, total, perTotal float64) uint16 {
	switch {
	case !(x > 0):
		return 0
	case !(x < total):
		return binShares + 1
	}
	return 1 + uint16(min(x*perTotal, binShares-1))
}

// add adds examples of a class to a bin. No bin that has examples has a larger number.
func (b *Bins) add(number uint16, class uint32, weight float64, rows int64) {
	last := len(b.numbers) - 1
	if last < 0 || b.numbers[last] != number {
		b.numbers, b.ones = append(b.numbers, number), append(b.ones, [2]int64{})
		if b.others != nil {
			b.others = append(b.others, otherRows{})
		}
		last++
	}
	if weight == 1 {
		b.ones[last][class] += rows
	} else {
		b.weighted()[last][class].AddRows(weight, rows)
	}
}

// addScores adds scores, which are lower than all so far, to a bin.
func (b *Bins) addScores(number uint16, lowest, highest float64) {
	last := len(b.scores) - 1
	if last < 0 || b.scores[last].number != number {
		b.scores = append(b.scores, scoresOfBin{number, lowest, highest})
		return
	}
	b.scores[last].lowest = lowest
}

// weighted returns the other rows of the bins, which it makes if there are none.
func (b *Bins) weighted() []otherRows {
	if b.others == nil {
		b.others = make([]otherRows, len(b.numbers))
	}
	return b.others
}

// reset empties b and keeps its memory.
func (b *Bins) reset() {
	*b = Bins{numbers: b.numbers[:0], ones: b.ones[:0], scores: b.scores[:0]}
}

// Empty reports whether there is nothing.
func (b *Bins) Empty() bool { return len(b.numbers) == 0 && len(b.scores) == 0 }

// Merge adds what from holds, and does not change from. Both are of one curve, but may be of other folds and
// ranges.
func (b *Bins) Merge(from *Bins) {
	b.mergeScores(from.scores)
	if len(from.numbers) == 0 {
		return
	}
	if from.others != nil {
		b.weighted()
	}
	at := 0
	if !slices.Equal(b.numbers, from.numbers) { // those of large folds are
		at = b.makeRoom(from.numbers)
	}
	for i, number := range from.numbers {
		for b.numbers[at] != number {
			at++
		}
		into, ones := &b.ones[at], &from.ones[i]
		into[negative] += ones[negative]
		into[positive] += ones[positive]
		if from.others != nil {
			b.others[at].merge(&from.others[i])
		}
	}
}

// Without returns the Bins of all examples but those of a part, which was merged into b. It shares the scores.
func (b *Bins) Without(part *Bins) Bins {
	rest := Bins{numbers: make([]uint16, 0, len(b.numbers)), ones: make([][2]int64, 0, len(b.numbers)), scores: b.scores}
	at := 0
	for i, number := range b.numbers {
		ones, less := b.ones[i], new(otherRows)
		if at < len(part.numbers) && part.numbers[at] == number {
			ones[negative] -= part.ones[at][negative]
			ones[positive] -= part.ones[at][positive]
			less = part.rowsOf(at)
			at++
		}
		var others otherRows
		if b.others != nil {
			others = b.others[i].without(less)
		}
		if ones == [2]int64{} && others.empty() {
			continue
		}
		rest.numbers, rest.ones = append(rest.numbers, number), append(rest.ones, ones)
		if b.others != nil {
			rest.others = append(rest.others, others)
		}
	}
	return rest
}

// mergeScores adds the scores of bins.
func (b *Bins) mergeScores(from []scoresOfBin) {
	if len(b.scores) == 0 {
		b.scores = append(b.scores, from...)
		return
	}
	for _, f := range from {
		at, found := slices.BinarySearchFunc(b.scores, f.number, func(s scoresOfBin, n uint16) int { return cmp.Compare(s.number, n) })
		if !found {
			b.scores = slices.Insert(b.scores, at, f)
		}
		s := &b.scores[at]
		s.lowest, s.highest = min(s.lowest, f.lowest), max(s.highest, f.highest)
	}
}

// makeRoom makes an empty bin for each of these numbers that has none, and returns the place of the first. A range of scores
// has few of the bins of a curve, one beside the other: only these are looked at.
func (b *Bins) makeRoom(numbers []uint16) (first int) {
	if len(b.numbers) == 0 {
		b.numbers, b.ones = append(b.numbers, numbers...), append(b.ones, make([][2]int64, len(numbers))...)
		if b.others != nil {
			b.others = make([]otherRows, len(numbers))
		}
		return 0
	}
	first, _ = slices.BinarySearch(b.numbers, numbers[0])
	end, there := slices.BinarySearch(b.numbers, numbers[len(numbers)-1])
	if there {
		end++
	}
	lacking, at := 0, first
	for _, number := range numbers {
		for at < end && b.numbers[at] < number {
			at++
		}
		if at == end || b.numbers[at] != number {
			lacking++
		}
	}
	if lacking == 0 {
		return first
	}
	b.numbers, b.ones = opened(b.numbers, end, lacking), opened(b.ones, end, lacking)
	if b.others != nil {
		b.others = opened(b.others, end, lacking)
	}
	// From the last bin to the first: none is overwritten before it is moved.
	old, i := end-1, len(numbers)-1
	for to := end + lacking - 1; to > old; to-- {
		if old >= first && (i < 0 || b.numbers[old] >= numbers[i]) {
			if i >= 0 && b.numbers[old] == numbers[i] {
				i--
			}
			b.move(to, old)
			old--
			continue
		}
		b.numbers[to] = numbers[i]
		b.clear(to)
		i--
	}
	return first
}

// opened returns a list with n more elements, whatever they are, before element at.
func opened[T any](list []T, at, n int) []T {
	list = slices.Grow(list, n)
	list = list[:len(list)+n]
	copy(list[at+n:], list[at:])
	return list
}

// move moves a bin to another place.
func (b *Bins) move(to, from int) {
	b.numbers[to], b.ones[to] = b.numbers[from], b.ones[from]
	if b.others != nil {
		b.others[to] = b.others[from]
	}
}

// clear empties a bin.
func (b *Bins) clear(at int) {
	b.ones[at] = [2]int64{}
	if b.others != nil {
		b.others[at] = otherRows{}
	}
}

// Curve returns the curve through the ends of the bins.
func (b *Bins) Curve() *BinnedCurve {
	c := &BinnedCurve{points: make([]Point, len(b.numbers)), several: make([]bool, len(b.numbers))}
	at := 0
	for i, number := range b.numbers {
		c.add(b.ones[i], b.rowsOf(i))
		for at < len(b.scores) && b.scores[at].number < number {
			at++
		}
		score := math.NaN()
		if at < len(b.scores) && b.scores[at].number == number {
			score, c.several[i] = b.scores[at].lowest, b.scores[at].lowest < b.scores[at].highest
		}
		c.points[i] = Point{score, c.Positives.Weight(), c.Negatives.Weight()}
	}
	return c
}

// rowsOf returns the rows of a bin whose weight is not 1.
func (b *Bins) rowsOf(bin int) *otherRows {
	if b.others == nil {
		return new(otherRows)
	}
	return &b.others[bin]
}
