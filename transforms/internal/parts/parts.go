// Package parts reads and writes statistics.bin: the statistics of all slices of a report, and the settled
// spec, from which reports of several parts of the data become the report of all of them (transforms.Merge).
//
// # Which point of the graph is tapped
//
// The writer of a report receives one shuffle.Partial of each slice, as CombinePerKey has merged it, and the
// labels. That is all that a report is computed from, so that is what a file holds. A merge reads files instead
// of folding predictions, and from there on is the graph of an evaluation:
//
//	shards ─► fold ──────┐
//	                     ├─► CombinePerKey ─► one partial a slice ─► metrics ─► report, statistics.bin
//	statistics.bin ──────┘
//
// # What is kept
//
// Of the spec, what metrics depend on; no names of files, and nothing of how rows are read or work is divided.
// Of a partial, its statistics and folds, the examples that are listed, without their places, and in the overall slice
// the counts of rows, without the sample of skipped rows. (The report's own files of listed examples lack what a merge
// needs: margins of equal losses, infinite losses and the types of ids.) Metrics of single queries stay in the report's own file of
// them, where a merge reads them; the head has the kind of their ids. A search is not
// kept; Head.LeftOut names it. The ids whose repetition a check counts are not kept either: they would reveal hashes; if hashes
// are asked for (Head.IDs), they serve to tell examples of several parts apart.
//
// Exact curves cannot be merged. With them, the fold also makes the histograms of bounded curves
// (metrics.Params.Portable): the report shows the exact ones, the file has the histograms and a spec with
// bounded curves, as if they had been bounded from the start. If the scores themselves are kept (Head.Scores), there are
// no histograms, and a merge traces the curves of all scores.
//
// A file is canonical: a merged report and the report of all data have the same statistics.bin, so merges can be
// merged, in any order and grouping.
//
// # The format
//
//	magic "beameval statistics\n", version (one byte)
//	blocks: length (4 bytes), checksum (4 bytes), data (zstd)
//
// Numbers are little-endian. The checksum, CRC-32C, is of all that precedes the block, its length and its data:
// blocks can be neither damaged nor exchanged. The first byte of the decompressed data says what they are: the
// head, which is JSON; if they are kept, the hashes of the ids of all examples, ascending; slices, each with its key and its partial, keys ascending; if scores are kept, the table of what
// they belong to and then runs of them (ranges.Kept); or the end, with the number of slices. A reader holds one block at a time, and refuses blocks of more than MostBlock.
//
// # Versions
//
// Files of a version are read by all later programs: testdata has files of each. What changes the encoding of a
// statistic, the number of a kind, a role or a task, or the meaning of a field of the spec needs a new version. A
// field that is added needs one if files that lack it mean something else than its zero value; an older program
// refuses a file with a field that it does not know.
package parts

import "hash/crc32"

// Version is the version of the files that this program writes.
const Version = 1

const magic = "beameval statistics\n"

// MostBlock is the largest size of the data of a block, and so of the statistics of one slice.
const MostBlock = 1 << 30

// fullBlock is the size of data from which on a block is written.
const fullBlock = 1 << 20

// What a block has, by its first byte.
const (
	headBlock   = 'h'
	idsBlock    = 'i'
	slicesBlock = 's'
	tableBlock  = 't'
	runBlock    = 'r'
	endBlock    = 'e'
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)
