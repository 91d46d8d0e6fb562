package pipeline

import (
	"fmt"

	"github.com/beameval/beameval/transforms"
)

// The job servers of Flink and Spark accept 100 messages of output from a running bundle, and more
// only when the bundle has ended; a worker that sends more blocks forever. A message has 2 to 4 MB.
// The input is therefore divided into bundles with less output:
//
//	row groups ─► shards            a shard with too much output is split into its row groups
//	shards     ─► bundles (keys)    as many bundles as are needed to stay below bundleBytes each
//
// A row group cannot be split, so a single row group with too much output is an error.

// bundleBytes is the approximate maximum output of a bundle. The output is estimated: a row has
// scoreBytes for each score and weightBytes for its weight; a row of an example also has rowBytes
// and the uncompressed size of the row in its file.
const (
	bundleBytes = 150 << 20
	scoreBytes  = 9
	weightBytes = 8
	rowBytes    = 40
	compression = 2

	leastBundles = 16
)

// limited reports whether a runner limits the output of a running bundle.
func limited(runner string) bool { return runner == "flink" || runner == "spark" }

// bundles returns the number of bundles into which shards must be divided; 0 means any number. It
// splits shards of several row groups whose output is too large.
func (p *Plan) bundles() (most int, err error) {
	for _, side := range []struct {
		shards *[]shard
		scores int64 // size of those of a row
	}{{&p.shards, p.scoresOfRow()}, {&p.truth, 0}} {
		divided, err := p.divided(*side.shards, side.scores)
		if err != nil {
			return 0, err
		}
		*side.shards = divided
		n, err := p.fewest(divided, side.scores)
		if err != nil {
			return 0, err
		}
		most = max(most, n)
	}
	return most, nil
}

// scoresOfRow returns the size in bytes of the sorted scores of a row of predictions.
func (p *Plan) scoresOfRow() int64 {
	if !p.spec.Params.Curving() {
		return 0
	}
	size := int64(scoreBytes)
	if p.spec.Columns.Weight != "" {
		size += weightBytes
	}
	if !p.spec.Long {
		size *= int64(len(p.spec.Params.ScoredLabels()))
	}
	return size
}

// byExample reports whether examples are assembled from rows.
func (p *Plan) byExample() bool { return p.spec.Long || p.spec.Truth != nil || p.spec.PerQuery }

// size estimates the output of rows of a shard, with scores of the given size each.
func (p *Plan) size(s *shard, rows, scores int64) int64 {
	if p.byExample() {
		scores += rowBytes + compression*s.rowBytes
	}
	return rows * scores
}

// divided splits shards of several row groups that have much output, because a shard is folded in
// one bundle. It is an error if the output of a single row group is too large.
func (p *Plan) divided(list []shard, scores int64) (all []shard, err error) {
	for i := range list {
		s := &list[i]
		if p.size(s, s.rows(), scores) <= bundleBytes/4 {
			all = append(all, *s)
			continue
		}
		for g, rows := range s.groups {
			part := *s
			part.First, part.Groups, part.groups = s.First+g, 1, s.groups[g:][:1]
			if size := p.size(s, rows, scores); size > bundleBytes {
				write := "write row groups"
				if s.Plan != nil { // only compressed text files have such large blocks
					write = "do not compress the text, or write files"
				}
				return nil, fmt.Errorf("%s: row group %d has %d rows, of which about %d MB would be shuffled; Beam's job server takes at most %d MB of a row group: %s of at most %d rows%s",
					s.File, part.First, rows, size>>20, bundleBytes>>20, write, rows*bundleBytes/size, p.orBounded())
			}
			if rows > 0 {
				all = append(all, part)
			}
		}
	}
	return all, nil
}

// fewest returns the smallest sufficient number of bundles for shards; 0 means any number.
func (p *Plan) fewest(list []shard, scores int64) (int, error) {
	var rows, total int64
	sizes := make([]int64, len(list))
	for i := range list {
		sizes[i] = p.size(&list[i], list[i].rows(), scores)
		rows += list[i].rows()
		total += sizes[i]
	}
	if total <= bundleBytes {
		return 0, nil
	}
	least := leastBundles
	if p.spec.Params.Curving() {
		least *= 4 // every worker gets the same share, and partials are small
	}
	n, ok := transforms.Bundles(shardsOf(list), sizes, bundleBytes, least)
	if !ok || p.byExample() && rows*scores > transforms.ExampleBundles*bundleBytes {
		return 0, fmt.Errorf("about %d GB would be shuffled, more than Beam's job server takes: use another runner%s", total>>30, p.orBounded())
	}
	return n, nil
}

// orBounded suggests a setting that reduces what is shuffled, if there is one.
func (p *Plan) orBounded() string {
	if p.scoresOfRow() == 0 {
		return ""
	}
	return ", or set curves.mode to bounded"
}
