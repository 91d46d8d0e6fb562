package transforms

import (
	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/transforms/internal/ranges"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// scoreBounds samples the scores, before the fold, and chooses where to divide them into ranges. It
// returns one shuffle.TaskInput.
func scoreBounds(s beam.Scope, j shuffle.Job, in source) beam.PCollection {
	s = s.Scope("bounds")
	samples := beam.GroupByKey(s, orNone(s, j, ranges.NoSample, in.sample(s, j)))
	return beam.ParDo(s, &ranges.BoundsFn{RangeBytes: j.RangeBytes, Division: j.Division}, samples)
}

// traceCurves takes the merged partials of a fold, KV<[]byte, shuffle.Partial> by slice, and its scores,
// KV<int, ranges.Piece> by range. It returns the partials without the totals of scores, and partials of the curves,
// both by slice.
//
// Before a range can be traced, its worker must know how many examples of each slice score above it. These totals
// are in the merged partials, so a range needs no other range.
func traceCurves(s beam.Scope, j shuffle.Job, merged, scores beam.PCollection) (others, traced beam.PCollection) {
	others, totals := beam.ParDo2(s, &ranges.TotalsFn{Division: j.Division, Spill: shuffle.Spill{Dir: j.TempDir}, Windowed: j.Windowed}, merged)
	many := j.Division.RangeLanes > 0
	return others, grouped(s, &j.Division, many, &ranges.CollectFn{Job: j}, beam.Flatten(s, scores, totals))[0]
}
