package runs

import "fmt"

// Sorted is the entries of several runs in one order: by score, the highest first.
// Those of equal scores are in an order that depends on the runs only.
type Sorted struct {
	keys    []key
	weights []float64 // by key.at; nil if all are 1
	counts  []uint32  // by key.at; nil if all are 1
}

// Sort decodes runs, which it does not change, and sorts their entries. That takes a
// fraction of the time of merging them entry by entry.
func Sort(runs []Run) (*Sorted, error) {
	n := 0
	for _, run := range runs {
		n += countEntries(run.Data)
	}
	s := &Sorted{keys: make([]key, 0, n)}
	for i, run := range runs {
		if err := s.add(run); err != nil {
			return nil, fmt.Errorf("run %d: %w", i, err)
		}
	}
	sortByOrder(s.keys, make([]key, len(s.keys)))
	return s, nil
}

// countEntries is how many entries a run has, if it is not corrupt.
func countEntries(run []byte) (n int) {
	left := blocksOf(run)
	for b, ok := left.next(); ok; b, ok = left.next() {
		n += b.entries
	}
	return n
}

// add adds the entries of a run.
func (s *Sorted) add(run Run) error {
	room := make([]Entry, blockSize)
	left := blocksOf(run.Data)
	for b, ok := left.next(); ok; b, ok = left.next() {
		entries := room[:b.entries]
		if !left.decode(b, entries) {
			break
		}
		for i := range entries {
			e := &entries[i]
			if int(e.Tag) >= len(run.Tags) {
				return fmt.Errorf("tag %d of %d", e.Tag, len(run.Tags))
			}
			at := len(s.keys)
			s.keys = append(s.keys, key{^e.Image, run.Tags[e.Tag], uint32(at)})
			s.weights = appendUnlessOnes(s.weights, e.Weight, at, cap(s.keys))
			s.counts = appendUnlessOnes(s.counts, e.Count, at, cap(s.keys))
		}
	}
	return left.err
}

// appendUnlessOnes appends the value of entry at; a list of ones is nil.
func appendUnlessOnes[T uint32 | float64](list []T, v T, at, room int) []T {
	if list == nil {
		if v == 1 {
			return nil
		}
		list = make([]T, at, room)
		for i := range list {
			list[i] = 1
		}
	}
	return append(list, v)
}

// Len returns how many entries there are.
func (s *Sorted) Len() int { return len(s.keys) }

// Weighted says whether an entry has a weight other than 1.
func (s *Sorted) Weighted() bool { return s.weights != nil }

// Entry returns entry i, with its common tag.
func (s *Sorted) Entry(i int) Entry {
	k := &s.keys[i]
	e := Entry{Image: ^k.order, Weight: 1, Tag: k.tag, Count: 1}
	if s.weights != nil {
		e.Weight = s.weights[k.at]
	}
	if s.counts != nil {
		e.Count = s.counts[k.at]
	}
	return e
}
