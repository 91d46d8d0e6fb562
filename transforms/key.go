package transforms

import (
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/transforms/internal/fold"
	"github.com/beameval/beameval/transforms/internal/join"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
	"github.com/beameval/beameval/transforms/lanes"
)

// grouped brings the elements of each key together, and passes them to fn: in is a PCollection of KV<int, V>, and fn a
// DoFn of (int, func(*V) bool), as after a GroupByKey. It returns the outputs of fn.
//
// many says that a key may have more than a few MB of elements. Flink makes one record of all values of a GroupByKey,
// and cannot sort a record that exceeds its sort buffer. If the division has a bundle for each key, the elements of a
// key then arrive one by one in such a bundle, and remain separate records.
func grouped(s beam.Scope, d *lanes.Division, many bool, fn workers.GroupFn, in beam.PCollection) []beam.PCollection {
	if many && d.BundlePerKey {
		return beam.ParDoN(s, fn.OneByOne(), in)
	}
	return beam.ParDoN(s, fn, beam.GroupByKey(s, in))
}

// inLanes makes one PCollection of tasks, KV<int, shuffle.TaskInput>. If the job is divided, or the run has
// found something that all tasks need, it replaces the key of each task by its lane, and adds a copy of what was found to
// each lane: then all tasks of a lane are one task. ofShards is as in foldTasks.
func inLanes(s beam.Scope, j shuffle.Job, known prerequisites, ofShards bool, tasks []beam.PCollection) beam.PCollection {
	found := slices.Clone(known.inputs)
	if known.labels.IsValid() {
		found = append(found, beam.ParDo(s, fold.LabelsInput, known.labels))
	}
	if len(found) == 0 && j.Division.Lanes == 0 {
		return beam.Flatten(s, tasks...)
	}
	n := laneCount(&j, known.labels.IsValid(), ofShards)
	for i := range tasks {
		tasks[i] = beam.ParDo(s, &fold.LaneFn{Lanes: n, Hashing: j.Division.Hashing}, tasks[i])
	}
	if len(found) > 0 {
		tasks = append(tasks, copies(s, &j.Division, n, beam.Flatten(s, found...)))
	}
	return beam.Flatten(s, tasks...)
}

// laneCount returns the number of lanes of tasks. labels says whether each gets a copy of the labels.
func laneCount(j *shuffle.Job, labels, ofShards bool) int {
	n := fold.BoundLanes
	switch {
	case j.Division.Lanes > 0:
		n = j.Division.Lanes
	case j.Windowed:
		n = fold.WindowLanes
	case labels || j.Searches(): // there may be many labels or candidates
		n = fold.LabelLanes
	}
	if j.ByExample() && !ofShards { // a task is a bucket of rows
		n = min(n, j.Division.BucketCount())
	}
	return n
}

// copies gives each shuffle.TaskInput of found to each of n lanes. It returns KV<int, shuffle.TaskInput>, by lane.
func copies(s beam.Scope, d *lanes.Division, n int, found beam.PCollection) beam.PCollection {
	levels := fold.CopyLevels(d, n)
	copied := beam.ParDo(s, &levels[0], found)
	for _, level := range levels[1:] {
		copied = beam.ParDo(s, &fold.CopyPerKeyFn{CopyFn: level, PerKey: workers.NewBundlePerKey()}, copied)
	}
	return copied
}

// spread spreads shards over workers. It takes and returns a PCollection of input.Shard.
func spread(s beam.Scope, d lanes.Division, shards beam.PCollection) beam.PCollection {
	if !d.Bundles {
		return beam.Reshuffle(s, shards)
	}
	byLane := beam.ParDo(s, &fold.ShardLaneFn{Division: d}, shards)
	return beam.ParDo(s, &fold.ShardsPerKeyFn{PerKey: workers.NewBundlePerKey()}, byLane)
}

// findScattered takes the hashes of the ids in each shard, KV<int, shuffle.Spilled> by bucket, and finds the
// examples with rows in several shards. It returns inputs of the shards' tasks, KV<int, shuffle.TaskInput>.
func findScattered(s beam.Scope, j shuffle.Job, keys beam.PCollection) beam.PCollection {
	return grouped(s, &j.Division, j.Division.Bundles, &join.FindScatteredFn{Division: j.Division}, keys)[0]
}
