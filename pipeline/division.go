package pipeline

import (
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/transforms/lanes"
)

// How the input is divided on a cluster. Shards are packed into lanes of about equal cost, several
// for each subtask, whose keys the runner spreads evenly:
//
//	row groups ─► shards            a shard that is large, or has much output, is split into row groups
//	shards     ─► lanes (keys)      the costliest first, to the lane that costs least so far
//
// The job servers of Flink and Spark accept 100 messages of output from a running bundle, and more
// only when the bundle has ended; a worker that sends more blocks forever. A message has 2 to 4 MB.
// If there is much output, each lane is therefore a bundle, and there are as many lanes as are needed
// to stay below bundleBytes each. A row group cannot be split, so a single row group with too much
// output is an error.
//
// Rows that are assembled by example are the input of bundles, too, and emitted again for each further
// pass over them (see lanes.Division.PartialBytes), so their lanes are smaller.

// bundleBytes is the approximate maximum output of a bundle. The output is estimated: a row has
// scoreBytes for each score and weightBytes for its weight; a row of an example also has rowBytes
// and the uncompressed size of the row in its file.
const (
	bundleBytes  = 150 << 20
	rowLaneBytes = bundleBytes / 4 // if rows are assembled by example
	scoreBytes   = 9
	weightBytes  = 8
	rowBytes     = 40
	compression  = 2
	hashBytes    = 8 // of the id of an example
)

// The largest numbers of lanes, unless bundles would be too large. Fewer lanes are allowed if each
// is a bundle, because a bundle emits a partial of every slice, and partials are large without
// exact curves.
const (
	mostLanes        = 4096
	mostCurveBundles = 1024
	mostBundles      = 256
)

// smallShard is the size in bytes of shards that are not divided to have more lanes.
const smallShard = 8 << 20

// limited reports whether a runner limits the output of a running bundle.
func limited(runner string) bool { return runner == "flink" || runner == "spark" }

// divide divides the shards for a runner, and returns how. It is an error if the input exceeds the
// limits of the runner.
func (p *Plan) divide(runner string) (d lanes.Division, err error) {
	if InProcess(runner) {
		return d, nil
	}
	if limited(runner) {
		d.BundlePerKey, d.Hashing = true, lanes.Hashing(runner)
	}
	output := int64(0)
	for _, side := range p.sides() {
		divided, err := p.divided(*side.shards, side.scores, d.BundlePerKey)
		if err != nil {
			return d, err
		}
		*side.shards = divided
		output += collections.Sum(slices.Values(p.sizes(divided, side.scores)))
	}
	d.Bundles = d.BundlePerKey && output > p.laneBytes()
	for _, side := range p.sides() {
		d.Lanes = max(d.Lanes, p.pack(*side.shards, side.scores, d.Bundles))
	}
	if d.BundlePerKey {
		d.RangeLanes = p.rangeLanes()
	}
	if d.Bundles && p.byExample() {
		rows := rowLanes(output)
		d.Lanes = max(d.Lanes, rows)
		d.Buckets, err = p.buckets(rows)
	}
	return d, err
}

// mostRowLanes is the largest number of lanes because of the size of rows. With more, which means more buckets, rows
// and hashes would be shuffled in pieces that are too small.
const mostRowLanes = 1 << 14

// rowLanes returns the number of lanes of rows that are assembled by example, given their size. It is a power of
// two like the number of buckets, so no lane has more buckets than that many lanes need.
func rowLanes(size int64) int {
	n := 1
	for int64(n)*rowLaneBytes < size && n < mostRowLanes {
		n *= 2
	}
	return n
}

// laneBytes returns the approximate maximum output of the shards of a lane that is a bundle.
func (p *Plan) laneBytes() int64 {
	if p.byExample() {
		return rowLaneBytes
	}
	return bundleBytes
}

// side is the shards of the predictions, of the truth or of a baseline, and the size of the scores of a row.
type side struct {
	shards *[]shard
	scores int64
}

func (p *Plan) sides() []side {
	return []side{{&p.shards, p.scoresOfRow()}, {&p.truth, 0}, {&p.baseline, 0}}
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
func (p *Plan) byExample() bool {
	return p.spec.Long || p.spec.Truth != nil || p.spec.Baseline != nil || p.spec.PerQuery
}

// size estimates the output of rows of a shard, with scores of the given size each.
func (p *Plan) size(s *shard, rows, scores int64) int64 {
	if p.byExample() {
		scores += rowBytes + compression*s.rowBytes
	}
	return rows * scores
}

// sizes estimates the output of shards.
func (p *Plan) sizes(list []shard, scores int64) []int64 {
	sizes := make([]int64, len(list))
	for i := range list {
		sizes[i] = p.size(&list[i], list[i].rows(), scores)
	}
	return sizes
}

// divided splits shards that are large or, on a runner that limits the output of a bundle, have much
// output. It is an error if the output of a single row group is too large.
func (p *Plan) divided(list []shard, scores int64, limited bool) (all []shard, err error) {
	bytes, most := int64(0), int64(math.MaxInt64)
	for i := range list {
		bytes += list[i].bytes()
	}
	large := max(smallShard, bytes/mostLanes)
	if limited {
		most = bundleBytes / 4
	}
	fits := func(s *shard) bool {
		return (s.bytes() <= large || s.Plan != nil) && p.size(s, s.rows(), scores) <= most
	}
	for i := range list {
		s := &list[i]
		if fits(s) {
			all = append(all, *s)
			continue
		}
		last := -1 // the index in all of the part that row groups may be added to
		for g, rows := range s.groups {
			if rows == 0 {
				continue
			}
			if size := p.size(s, rows, scores); limited && size > bundleBytes {
				return nil, p.tooLarge(s, g, size)
			}
			if last >= 0 {
				longer := s.part(all[last].First-s.First, g+1)
				if fits(&longer) {
					all[last] = longer
					continue
				}
			}
			last = len(all)
			all = append(all, s.part(g, g+1))
		}
	}
	return all, nil
}

// tooLarge returns the error for a row group of a shard with too much output.
func (p *Plan) tooLarge(s *shard, group int, size int64) error {
	rows, write := s.groups[group], "write row groups"
	if s.Plan != nil { // only compressed text files have such large blocks
		write = "do not compress the text, or write files"
	}
	return fmt.Errorf("%s: row group %d has %d rows, of which about %d MB would be shuffled; Beam's job server takes at most %d MB of a row group: %s of at most %d rows%s",
		s.File, s.First+group, rows, size>>20, bundleBytes>>20, write, rows*bundleBytes/size, p.orBounded())
}

// pack packs shards into lanes of about equal cost, and returns the number of lanes. If lanes are
// bundles, their cost is their output; otherwise, the bytes that are read.
func (p *Plan) pack(list []shard, scores int64, bundles bool) int {
	costs, n := p.sizes(list, scores), mostLanes
	switch {
	case !bundles:
		for i := range list {
			costs[i] = list[i].bytes()
		}
	case p.spec.Params.Curving():
		n = mostCurveBundles
	default:
		n = mostBundles
	}
	most := int64(math.MaxInt64)
	if bundles && len(list) > 0 {
		most = max(p.laneBytes(), slices.Max(costs))
		n = max(n, int(collections.Sum(slices.Values(costs))/most))
	}
	for ; ; n += n / 4 {
		lane, total := lanes.Pack(costs, n)
		if n < len(list) && total[0] > most {
			continue
		}
		for i := range list {
			list[i].Lane = lane[i] + 1
		}
		return len(total)
	}
}

// rowsOfPredictions returns the number of rows, without the truth's rows.
func (p *Plan) rowsOfPredictions() (n int64) {
	for i := range p.shards {
		n += p.shards[i].rows()
	}
	return n
}

// Each lane of ranges gets rangeBytes of scores, and there are at least fewRangeLanes, to use all
// subtasks. More lanes emit more partials: each lane emits one for each slice.
const (
	rangeBytes    = 8 << 20
	fewRangeLanes = 16
)

// rangeLanes returns the number of lanes in which scores are traced, each in a bundle.
func (p *Plan) rangeLanes() int {
	bytes := p.rowsOfPredictions() * p.scoresOfRow()
	if bytes == 0 {
		return 0
	}
	return int(max(fewRangeLanes, min(bytes/rangeBytes, mostCurveBundles), bytes/bundleBytes))
}

// buckets returns the number of buckets of examples, and at least the given one. Each bucket is put together by one
// goroutine, and its scores are the output of a bundle.
func (p *Plan) buckets(least int) (int, error) {
	output := p.rowsOfPredictions() * max(p.scoresOfRow(), hashBytes)
	n := int64(max(256, least))
	for n*bundleBytes/2 < output {
		n *= 2
	}
	if n > lanes.MostBuckets {
		return 0, fmt.Errorf("about %d GB of examples with rows in several row groups would be shuffled, more than Beam's job server takes: use another runner%s", output>>30, p.orBounded())
	}
	return int(n), nil
}

// orBounded suggests a setting that reduces what is shuffled, if there is one.
func (p *Plan) orBounded() string {
	if p.scoresOfRow() == 0 {
		return ""
	}
	return ", or set curves.mode to bounded"
}
