package input

import (
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/transforms/internal/rows"
)

// Shuffled estimates from the first ids of a file whether rows are in random order. all is the number of rows of
// all files.
//
// Rows are so if nearly every id differs from the one before, and ids come again as often as they would if each
// of them had at least two rows among all: of n rows in random order, a pair has the same id with a probability of
// about (r - 1)/all, where r is the number of rows of an id. A few such pairs prove nothing.
func Shuffled(ids *columns.Column, all int64) bool {
	const enoughPairs, mostTogether = 8, 0.1
	n := ids.Len()
	met := make(map[uint64]int, n)
	together, pairs := 0, 0
	hashes := rows.Hash(nil, ids)
	for i, h := range hashes {
		if i > 0 && h == hashes[i-1] {
			together++
		}
		pairs += met[h]
		met[h]++
	}
	expected := float64(n) * float64(n-1) / 2 / float64(max(all, 1)) // if each id had two rows
	return float64(together) <= mostTogether*float64(n) && pairs-together >= enoughPairs && float64(pairs) >= expected
}
