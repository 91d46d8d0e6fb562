// Package runs holds scored examples in compact byte strings, from which exact ROC and
// precision-recall curves are swept at any scale.
//
// A run is what a worker makes of some examples: a [Builder] collects and encodes them.
// Workers that take a range of scores each need runs that are divided by score: [Bounds]
// chooses where, from a sample of the scores, and a [Divider] says in which range a score is.
// A [Sorter] reads runs and sorts all of their entries, from the highest score to the lowest.
//
// An example has one entry for each of its labels that has a score, however many slices it
// is in. The entry has a tag, a small number that stands for the slices and the class of the
// example ([Tag]).
//
// The package knows nothing of metrics: package curves sweeps the sorted entries.
//
// # Format
//
// A run is a sequence of blocks of up to 512 entries, in any order. No bytes are a run of no
// entries. A block begins with a header: the number of entries and of bytes that follow, 2
// bytes each, little-endian. Then come columns: labels, tags, counts less one, weights and
// images. Every column is packed by itself (column.go).
package runs

import (
	"math"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
)

// Run is an encoded run, and what its tags stand for.
type Run struct {
	Data []byte
	Tags []uint32 // by tag of this run: the tag that all sorted runs have in common
}

// Entry is some examples of the same score, label, tag and weight.
type Entry struct {
	Image  uint64  // of the score
	Weight float64 // of each example
	Label  uint32  // that the score is of
	Tag    uint32
	Count  uint32 // how many examples, from 1 on
}

const signBit = 1 << 63

// The images of the infinities. No image of a score is outside of them, and none is 0.
var (
	highest = Image(math.Inf(1))
	lowest  = Image(math.Inf(-1))
)

// Image maps scores to integers in the same order, infinities and denormals included. -0 and
// 0 have the same image. A score is not NaN.
func Image(score float64) uint64 {
	b := math.Float64bits(score + 0) // -0 + 0 is 0
	return b ^ (uint64(int64(b)>>63) | signBit)
}

// Score returns the score that has an image. For that of the two zeros it returns 0.
func Score(image uint64) float64 {
	return math.Float64frombits(image ^ (uint64(^int64(image)>>63) | signBit))
}

// Tag is what an entry's tag stands for.
type Tag struct {
	Class  int32
	Group  int32   // if examples are in groups
	Slices []int32 // ascending
}

// Totals tallies the positives and the negatives of a slice.
type Totals struct{ Positive, Negative exact.Tally }

// Merge adds the examples of from, and does not change from.
func (t *Totals) Merge(from *Totals) {
	t.Positive.Merge(&from.Positive)
	t.Negative.Merge(&from.Negative)
}

// Reset empties the totals, and keeps their memory.
func (t *Totals) Reset() {
	t.Positive.Reset()
	t.Negative.Reset()
}

// Append appends the canonical encoding.
func (t *Totals) Append(dst []byte) []byte { return t.Negative.Append(t.Positive.Append(dst)) }

// Decode replaces t by what Append wrote.
func (t *Totals) Decode(d *wire.Decoder) {
	t.Positive.Decode(d)
	t.Negative.Decode(d)
}
