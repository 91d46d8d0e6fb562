package transforms

import (
	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/transforms/internal/fold"
	"github.com/beameval/beameval/transforms/internal/ranges"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// foldTasks folds tasks: one or more PCollections of KV<int, shuffle.TaskInput>, by task. It returns
//
//   - partials: KV<[]byte, shuffle.Partial>, by slice
//   - scores: KV<int, ranges.Piece>, by range, if metrics need curves
//   - rows: KV<int, shuffle.TaskInput>, by bucket, if the tasks are shards whose examples have several rows: the
//     rows of examples with rows in several shards, which are further tasks
//
// ofShards says that the tasks are such shards.
func foldTasks(s beam.Scope, j shuffle.Job, known prerequisites, ofShards bool, tasks ...beam.PCollection) (partials, scores, rows beam.PCollection) {
	inputs := inLanes(s, j, known, ofShards, tasks)
	return foldInputs(s, j, j.Division.Bundles && (j.ByExample() || j.Params.Curving()), inputs)
}

// foldInputs folds the inputs of tasks, KV<int, shuffle.TaskInput> by the key of the task. It returns what foldTasks
// does. many says that the inputs or the output of a task may be large.
func foldInputs(s beam.Scope, j shuffle.Job, many bool, inputs beam.PCollection) (partials, scores, rows beam.PCollection) {
	out := grouped(s, &j.Division, many, &fold.Fn{Job: j}, inputs)
	return out[0], out[1], out[2]
}

// foldAgain folds the inputs of further passes, which it takes from partials, KV<[]byte, shuffle.Partial>. It returns
// the other partials, and those of the passes, both by slice.
func foldAgain(s beam.Scope, j shuffle.Job, partials beam.PCollection) (others, further beam.PCollection) {
	others, inputs := beam.ParDo2(s, &fold.AgainFn{Hashing: j.Division.Hashing}, partials)
	further, _, _ = foldInputs(s, j, true, inputs)
	return others, further
}

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
