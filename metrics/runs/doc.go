// Package runs holds scored examples in sorted, compact byte strings, from which
// exact ROC and precision-recall curves are swept at any scale.
//
// A run is what a worker makes of some examples: a [Builder] sorts their scores,
// from the highest to the lowest, joins equal ones and encodes them. [Cut]
// divides runs by score, at bounds that [Bounds] chooses, so that workers can
// take a range of scores each; [AddTotals] sums what the ranges above hold. A
// [Merge] reads many runs as one, and a [Sweep] of it yields, for every slice of
// the data and every distinct score, the weights of positives and negatives
// that score so high or higher. Sums are exact (package exact) and rounded
// once, so that the points are the same bits however the examples were divided
// among runs and ranges.
//
// An example is entered once, however many slices it is in: with a tag, a small
// number that stands for its class and its slices ([Tag]).
//
// # Format
//
// A run is a sequence of blocks of up to 512 entries, in order; no bytes are a
// run of no entries. A block is a header (the first image, 8 bytes; the number
// of entries and of bytes that follow, 2 bytes each, all little-endian) and then
// columns: tags, counts less one, weights, and by how much each image is less
// than the one before. Every column is packed by itself (column.go).
package runs
