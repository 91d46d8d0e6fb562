// Package scoreruns holds scored examples in compact byte strings, from which exact ROC and
// precision-recall curves are traced at any scale.
//
// A run holds some of the examples that a worker has read: a [Builder] collects and encodes them.
// Each of the workers that trace curves handles one range of scores, so the runs are divided by score:
// [Bounds] chooses where, from a sample of the scores, and a [Divider] finds the range of a score.
// A [Sorter] reads runs and sorts all of their entries, from the highest score to the lowest.
//
// An example has one entry for each of its labels that has a score, however many slices it is in.
// The entry has a tag, a small number that stands for the slices, the fold and the class of the
// example ([Tag]).
//
// The package knows nothing of metrics: package curves traces curves from the sorted entries.
//
// # Format
//
// A run is a sequence of blocks, each of up to 512 entries in any order. An empty byte string is a
// run of no entries. A block has a column for each field of its entries; block.go draws its bytes.
package scoreruns

import (
	"math"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
)

// Run is an encoded run with the meaning of its tags.
type Run struct {
	Data []byte
	Tags []uint32 // by tag of this run: the tag that is common to all runs sorted together
}

// NoTag is the common tag of a tag that no entry of a run has.
const NoTag = math.MaxUint32

// Entry stands for examples of the same score, label, tag and weight.
type Entry struct {
	Image  uint64  // the image of the score
	Weight float64 // of each example
	Label  uint32  // the label that the score belongs to
	Tag    uint32
	Count  uint32 // the number of examples, at least 1
}

const signBit = 1 << 63

// The images of the infinities. The images of all scores lie between them, and none is 0.
var (
	highest = Image(math.Inf(1))
	lowest  = Image(math.Inf(-1))
)

// Image maps scores to integers in the same order, infinities and denormals included. -0 and 0 have
// the same image. The score must not be NaN.
func Image(score float64) uint64 {
	b := math.Float64bits(score + 0) // -0 + 0 is 0
	return b ^ (uint64(int64(b)>>63) | signBit)
}

// Score returns the score of an image. For the image of both zeros it returns 0.
func Score(image uint64) float64 {
	return math.Float64frombits(image ^ (uint64(^int64(image)>>63) | signBit))
}

// Tag is what the tag of an entry stands for.
type Tag struct {
	Class  int32
	Fold   int32   // if examples are divided into folds
	Slices []int32 // ascending
}

// Totals tallies the positives and the negatives of a slice.
type Totals struct{ Positive, Negative exact.Tally }

// Merge adds the examples of from to t and leaves from unchanged.
func (t *Totals) Merge(from *Totals) {
	t.Positive.Merge(&from.Positive)
	t.Negative.Merge(&from.Negative)
}

// Reset empties the totals but keeps their memory.
func (t *Totals) Reset() {
	t.Positive.Reset()
	t.Negative.Reset()
}

// Append appends the canonical encoding.
func (t *Totals) Append(dst []byte) []byte { return t.Negative.Append(t.Positive.Append(dst)) }

// Decode replaces t with the totals that Append encoded.
func (t *Totals) Decode(d *wire.Decoder) {
	t.Positive.Decode(d)
	t.Negative.Decode(d)
}
