package curves

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// Bins holds the examples of one fold, counted in the bins of the curve of all folds. Merged, the
// Bins of all folds but one give the curve without that fold, at the ends of the bins. The scores
// of the bins are the same for all these curves, so they are kept once, in a Bins of their own.
//
// A [Tracer] fills Bins. It knows the totals of the curve before it starts, so the bins follow the
// data: a bin ends where the weight of all examples passes a multiple of 1/128 of the total, and
// where the weight of the positives passes a multiple of 1/128 of theirs. The score at which the
// positives pass a multiple is a bin of its own (c below).
//
//	all examples  ├────────────┬───────────────────┬───────────────┬─ …  multiples of 1/128
//	positives     ├──────────────────────┬───────────────────────────── …  multiples of 1/128
//	bins          └──── a ─────┴─── b ───┴c┴── d ──┴────── e ──────┴─ …
//
// It follows that
//
//   - there are at most 389 bins;
//   - no bin has more than 1/128 of the examples or of the positives, unless they are tied;
//   - a score has the same bin however the curve is cut into ranges;
//   - with fewer than 128 positives, a positive shares its bin neither with another positive nor
//     with a negative: all areas are exact.
//
// The zero Bins is empty, and the neutral element of merging.
type Bins struct {
	// The bins that have examples, by increasing number. There are millions of them, over many
	// slices, labels and folds: each takes 18 bytes.
	numbers []uint16 // see binner.number
	store
	scores []scoresOfBin // by increasing number, in the Bins that holds the scores of all folds
}

// scoresOfBin holds the lowest and the highest score of a bin.
type scoresOfBin struct {
	number          uint16
	lowest, highest float64
}

// binner numbers the bins of a curve.
type binner struct {
	totals                 Totals
	perWeight, perPositive float64
}

// binShares is the number of equal parts by weight into which the bins divide all examples, and the
// positives.
const binShares = 128

func newBinner(t Totals) binner {
	return binner{t, binShares / (t.Positives + t.Negatives), binShares / t.Positives}
}

// number returns the number of the bin of the examples between two neighbouring points. It never
// decreases along a curve, because neither of its terms does.
func (b *binner) number(before, after Point) uint16 {
	weight := partOf(before.TP+before.FP, b.totals.Positives+b.totals.Negatives, b.perWeight)
	if !(before.FP < b.totals.Negatives) { // only positives are left: they must not share a bin with a negative
		weight++
	}
	positives := partOf(before.TP, b.totals.Positives, b.perPositive) + partOf(after.TP, b.totals.Positives, b.perPositive)
	return weight*(2*binShares+3) + positives
}

// mostBins bounds the numbers of bins.
const mostBins = (binShares + 3) * (2*binShares + 3)

// partOf returns which part of total x has reached. The total itself is a part of its own, so that
// examples below the last positive never share a bin with one: a curve that separates the classes
// still does so.
func partOf(x, total, perTotal float64) uint16 {
	switch {
	case !(x > 0):
		return 0
	case !(x < total):
		return binShares + 1
	}
	return 1 + uint16(min(x*perTotal, binShares-1))
}

// add adds examples of a class to a bin, which must be the last bin of b or have a larger number.
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

// addScores extends a bin by scores that are lower than all added before.
func (b *Bins) addScores(number uint16, lowest, highest float64) {
	last := len(b.scores) - 1
	if last < 0 || b.scores[last].number != number {
		b.scores = append(b.scores, scoresOfBin{number, lowest, highest})
		return
	}
	b.scores[last].lowest = lowest
}

// reset empties b but keeps its memory.
func (b *Bins) reset() {
	*b = Bins{numbers: b.numbers[:0], store: store{ones: b.ones[:0]}, scores: b.scores[:0]}
}

// Empty reports whether b holds neither examples nor scores.
func (b *Bins) Empty() bool { return len(b.numbers) == 0 && len(b.scores) == 0 }

// Fields encodes or decodes the bins, or merges from into them: both must belong to the same curve;
// they may be of different folds and ranges.
func (b *Bins) Fields(v *fields.Visitor, from *Bins) {
	if v.Codes() {
		v.Value(b)
	} else {
		b.merge(from)
	}
}

func (b *Bins) merge(from *Bins) {
	b.mergeScores(from.scores)
	if len(from.numbers) == 0 {
		return
	}
	if from.others != nil {
		b.weighted()
	}
	at := 0
	if !slices.Equal(b.numbers, from.numbers) { // large folds have examples in the same bins
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

// SetWithout sets b to all minus part, which must have been merged into all. b shares all's scores;
// its other memory is reused.
func (b *Bins) SetWithout(all, part *Bins) {
	*b = Bins{numbers: slices.Grow(b.numbers[:0], len(all.numbers)), store: store{slices.Grow(b.ones[:0], len(all.numbers)), b.others[:0]}, scores: all.scores}
	if all.others == nil {
		b.others = nil
	}
	at := 0
	for i, number := range all.numbers {
		ones, less := all.ones[i], &noRows
		if at < len(part.numbers) && part.numbers[at] == number {
			ones[negative] -= part.ones[at][negative]
			ones[positive] -= part.ones[at][positive]
			less = part.rowsOf(at)
			at++
		}
		var others otherRows
		if all.others != nil {
			others = all.others[i].without(less)
		}
		if ones == [2]int64{} && others.empty() {
			continue
		}
		b.numbers, b.ones = append(b.numbers, number), append(b.ones, ones)
		if all.others != nil {
			b.others = append(b.others, others)
		}
	}
}

// mergeScores merges the scores of bins.
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

// makeRoom inserts an empty bin for each of the numbers that b lacks, and returns the place of the
// first. A range of scores covers only a few neighbouring bins of a curve, so only these are
// visited.
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
	// Go from the last bin to the first, so that none is overwritten before it is moved.
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

// opened returns list with n more elements before element at; their values are arbitrary.
func opened[T any](list []T, at, n int) []T {
	list = slices.Grow(list, n)
	list = list[:len(list)+n]
	copy(list[at+n:], list[at:])
	return list
}

// move moves a bin to another place of b.
func (b *Bins) move(to, from int) {
	b.numbers[to] = b.numbers[from]
	b.store.move(to, &b.store, from)
}

// Curve sets c to the curve through the ends of the bins, reusing its memory, and returns it.
func (b *Bins) Curve(c *BinnedCurve) *BinnedCurve {
	n := len(b.numbers)
	*c = BinnedCurve{points: collections.Resize(c.points, n), several: collections.Resize(c.several, n)}
	at, sum := 0, [2]exact.Tally{}
	for i, number := range b.numbers {
		b.addTo(&sum, i)
		for at < len(b.scores) && b.scores[at].number < number {
			at++
		}
		score := math.NaN()
		c.several[i] = false
		if at < len(b.scores) && b.scores[at].number == number {
			score, c.several[i] = b.scores[at].lowest, b.scores[at].lowest < b.scores[at].highest
		}
		c.points[i] = Point{score, sum[positive].Weight(), sum[negative].Weight()}
	}
	c.Positives, c.Negatives = sum[positive], sum[negative]
	return c
}

// Scores returns the numbers of the bins, from the highest scores down, and the lowest score of each. b must be the Bins that
// hold the scores.
func (b *Bins) Scores() (numbers []uint16, lowest []float64) {
	for _, s := range b.scores {
		numbers, lowest = append(numbers, s.number), append(lowest, s.lowest)
	}
	return numbers, lowest
}

// Weights returns the weight of the positives and of the negatives in each of the bins that Scores numbers.
func (b *Bins) Weights(numbers []uint16) (positives, negatives []float64) {
	positives, negatives = make([]float64, len(numbers)), make([]float64, len(numbers))
	at := 0
	for i, number := range b.numbers {
		for at < len(numbers) && numbers[at] < number {
			at++
		}
		if at == len(numbers) || numbers[at] != number {
			continue
		}
		var bin [2]exact.Tally
		b.addTo(&bin, i)
		positives[at], negatives[at] = bin[positive].Weight(), bin[negative].Weight()
	}
	return positives, negatives
}
