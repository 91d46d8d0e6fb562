package shuffle

import (
	"math"

	"github.com/beameval/beameval/internal/wire"
)

// MostIDs is the largest number of distinct ids that are counted. Of more, those with the smallest hashes
// are: the same ones however the rows are divided, because none of them is ever left out of a part.
const MostIDs = 1 << 13

// IDs counts how often ids occur, by their hashes.
type IDs struct {
	Hashes []uint64 // ascending
	Counts []int64  // of each
	Left   bool     // there are more ids
}

// Limit returns the largest hash that may still be counted.
func (d *IDs) Limit() uint64 {
	if len(d.Hashes) < MostIDs {
		return math.MaxUint64
	}
	return d.Hashes[MostIDs-1]
}

// Merge adds the counts of from.
func (d *IDs) Merge(from *IDs) {
	sum := IDs{
		Hashes: make([]uint64, 0, min(len(d.Hashes)+len(from.Hashes), MostIDs)), Counts: make([]int64, 0, min(len(d.Hashes)+len(from.Hashes), MostIDs)),
		Left: d.Left || from.Left,
	}
	for i, j := 0, 0; i < len(d.Hashes) || j < len(from.Hashes); {
		if len(sum.Hashes) == MostIDs {
			sum.Left = true
			break
		}
		switch {
		case j == len(from.Hashes) || i < len(d.Hashes) && d.Hashes[i] < from.Hashes[j]:
			sum.Hashes, sum.Counts = append(sum.Hashes, d.Hashes[i]), append(sum.Counts, d.Counts[i])
			i++
		case i == len(d.Hashes) || from.Hashes[j] < d.Hashes[i]:
			sum.Hashes, sum.Counts = append(sum.Hashes, from.Hashes[j]), append(sum.Counts, from.Counts[j])
			j++
		default:
			sum.Hashes, sum.Counts = append(sum.Hashes, d.Hashes[i]), append(sum.Counts, d.Counts[i]+from.Counts[j])
			i, j = i+1, j+1
		}
	}
	*d = sum
}

// Share returns the share of ids that are counted.
func (d *IDs) Share() float64 {
	if !d.Left {
		return 1
	}
	return float64(d.Limit()) / math.MaxUint64
}

func idsFields(c *wire.Coder, d *IDs) {
	HashesFields(c, &d.Hashes)
	wire.List(c, &d.Counts, wire.Int[int64])
	c.Bool(&d.Left)
	if c.Reading() && (len(d.Counts) != len(d.Hashes) || len(d.Hashes) > MostIDs) {
		c.Fail("%d counts of %d ids", len(d.Counts), len(d.Hashes))
	}
}
