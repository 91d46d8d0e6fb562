package input

import "slices"

// ItemFiles are files that say how frequent the items of rankings are, with a row for each item.
type ItemFiles struct {
	Shards []Shard
	// Item and Count are the columns of the ids of items and of their frequencies.
	Item, Count string
	// MaxItems is the largest number of items. An item takes some 16 bytes on every worker.
	MaxItems int
}

// ItemFrequencies are how frequent items are.
type ItemFrequencies struct {
	// Keys are the hashes of the ids of items, in increasing order, and Counts their frequencies.
	Keys   []uint64
	Counts []float64
	// Head is the lowest frequency of the head; see metrics.HeadFrequency.
	Head float64
}

// Known reports whether the frequencies of items are known.
func (f *ItemFrequencies) Known() bool { return len(f.Keys) > 0 }

// Of returns the frequency of an item, 0 if it is not among them.
func (f *ItemFrequencies) Of(key uint64) float64 {
	if i, found := slices.BinarySearch(f.Keys, key); found {
		return f.Counts[i]
	}
	return 0
}
