package queries

import "github.com/beameval/beameval/metrics/runs"

// keyed is an item or a relevance to be sorted. Higher numbers have lower keys.
type keyed struct {
	key  uint64
	item int32
}

func keyOf(x float64) uint64 { return ^runs.Image(x) }

func (k keyed) number() float64 { return runs.Score(^k.key) }

// oneIf returns 1 if b is true, else 0. The compiler makes no branch of it.
func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// insertions is the length up to which lists are sorted by insertion.
const insertions = 6

// sortDown sorts a list by key, that is, highest numbers first. Equal keys keep their order.
// It returns how many pairs were in the wrong order. spare is room for as many elements or
// more. Merging has no branch that depends on how two keys compare, as the processor could
// not predict it, and goes on from both ends at once, as each waits for what it compared before.
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
	case left < leftEnd: // the length is odd, and one is left
		list[half] = spare[left]
	case right < rightEnd:
		list[half] = spare[right]
		wrong += half - left
	}
	return wrong
}
