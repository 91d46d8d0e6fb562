package queries

import "github.com/beameval/beameval/metrics/scoreruns"

// keyed is an item or a relevance to be sorted. Higher numbers have lower keys.
type keyed struct {
	key  uint64
	item int32
}

func keyOf(x float64) uint64 { return ^scoreruns.Image(x) }

func (k keyed) number() float64 { return scoreruns.Score(^k.key) }

// oneIf returns 1 if b is true and 0 otherwise. The compiler generates no branch for it.
func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// insertions is the length up to which lists are sorted by insertion.
const insertions = 6

// sortDown sorts a list by key, that is, highest numbers first. Equal keys keep their order. It
// returns the number of pairs that were in the wrong order. spare must have room for at least as
// many elements. Merging has no branch on the comparison of two keys, which the processor could not
// predict. It proceeds from both ends at once, because each end has to wait for its previous
// comparison.
func sortDown(list, spare []keyed) (wrong int) {
	if len(list) <= insertions {
		for i, x := range list {
			at := i
			for ; at > 0 && x.key < list[at-1].key; at-- {
				list[at] = list[at-1]
			}
			list[at] = x
			wrong += i - at
		}
		return wrong
	}
	half := len(list) / 2
	wrong = sortDown(list[:half], spare[:half]) + sortDown(list[half:], spare[half:])
	if list[half-1].key <= list[half].key {
		return wrong
	}
	spare = spare[:len(list)]
	copy(spare, list)
	left, right := 0, half
	leftEnd, rightEnd := half, len(spare)
	for i := range half {
		next, before := left, oneIf(spare[right].key < spare[left].key)
		if before != 0 {
			next = right
		}
		list[i] = spare[next]
		wrong += before * (half - left)
		right += before
		left += 1 - before

		last, after := rightEnd-1, oneIf(spare[leftEnd-1].key <= spare[rightEnd-1].key)
		if after == 0 {
			last = leftEnd - 1
		}
		list[len(list)-1-i] = spare[last]
		wrong += after * (half - leftEnd)
		rightEnd -= after
		leftEnd -= 1 - after
	}
	switch {
	case left < leftEnd: // the length is odd, and one element remains
		list[half] = spare[left]
	case right < rightEnd:
		list[half] = spare[right]
		wrong += half - left
	}
	return wrong
}
