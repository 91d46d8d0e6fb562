package pipeline

import (
	"fmt"

	"github.com/beameval/beameval/transforms"
)

// The job servers of Flink and Spark take 100 messages of what a bundle puts out before it ends,
// and the others after it: a worker that has more waits for ever. A message has 2 to 4 MB. So the
// input is divided into bundles that put out less.

// bundleBytes is about how many bytes a bundle puts out at most. What a score, its weight and a row
// of an example come to is a guess: a row has scoreBytes for each score, and a row of an example
// also rowBytes and what it may take without the compression of its file.
const (
	bundleBytes = 150 << 20
	scoreBytes  = 9
	weightBytes = 8
	rowBytes    = 40
	compression = 2

	leastBundles = 16
)

// limited says whether a runner takes only so much of a bundle.
func limited(runner string) bool { return runner == "flink" || runner == "spark" }

// bundles returns into how many bundles shards must be divided; 0 is any number. It divides those
// of several row groups that put out too much.
func (p *Plan) bundles() (int, error) {
	predictions, err := p.divided(p.shards, p.scoresOfRow())
	if err != nil {
		return 0, err
	}
	truth, err := p.divided(p.truth, 0)
	if err != nil {
		return 0, err
	}
	p.shards, p.truth = predictions, truth
	n, err := p.fewest(p.shards, p.scoresOfRow())
	if err != nil {
		return 0, err
	}
	ofTruth, err := p.fewest(p.truth, 0)
	return max(n, ofTruth), err
}

// scoresOfRow returns how many bytes the sorted scores of a row of predictions come to.
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

// byExample says whether examples are put together from rows.
func (p *Plan) byExample() bool { return p.spec.Long || p.spec.Truth != nil || p.spec.PerQuery }

// size returns about how many bytes rows of a shard put out, with scores of so many bytes each.
func (p *Plan) size(s *shard, rows, scores int64) int64 {
	if p.byExample() {
		scores += rowBytes + compression*s.rowBytes
	}
	return rows * scores
}

// divided divides shards of several row groups that put out much, as each is folded in a bundle.
// It is an error if a row group puts out too much.
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
				if s.Plan != nil { // only compressed texts have such large blocks
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

// fewest returns the fewest bundles that do for shards; 0 is any number.
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
		least *= 4 // each worker gets as much, and partials are small
	}
	n, ok := transforms.Bundles(shardsOf(list), sizes, bundleBytes, least)
	if !ok || p.byExample() && rows*scores > transforms.ExampleBundles*bundleBytes {
		return 0, fmt.Errorf("about %d GB would be shuffled, more than Beam's job server takes: use another runner%s", total>>30, p.orBounded())
	}
	return n, nil
}

// orBounded is what else helps if less must be shuffled.
func (p *Plan) orBounded() string {
	if p.scoresOfRow() == 0 {
		return ""
	}
	return ", or set curves.mode to bounded"
}
