package transforms

import (
	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/quantiles"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// The job in its plain form, for files of known labels and metrics without curves. Each line is a PCollection:
//
//	input.Shard                     row groups of a file
//	   │ ParDo fold.ShardTask
//	KV<int, shuffle.TaskInput>      all inputs with the same key are one task
//	   │ GroupByKey, ParDo fold.Fn: read the rows, and fold them into statistics
//	KV<[]byte, shuffle.Partial>     statistics of a slice in a bundle
//	   │ CombinePerKey shuffle.MergeFn
//	KV<[]byte, shuffle.Partial>     statistics of a slice
//	   │ ParDo evaluateFn: compute the metrics (in one process, writeFn does that)
//	KV<int, outcomeElement>         a slice with its metrics; all have the same key
//	   │ GroupByKey, ParDo writeFn
//	the files of the report
//
// evaluate adds the job to a pipeline, except for the last two steps, which Evaluation.WriteReport adds.
func evaluate(s beam.Scope, spec settled, in source) Evaluation {
	labelled := spec.labelled()
	known := find(s, &spec, in)
	j := spec.ofWorkers()
	partials, scores := in.fold(s, j, known)
	all := completed(s, j, partials, scores)
	merged, counts := mergeSlices(s, j, orNone(s, j, noRows, all...))
	e := Evaluation{spec: spec, slices: merged, labels: known.labels, counts: counts, known: labelled}
	if j.Params.Curving() {
		e.scores = scores
	}
	return e
}

// ofWorkers returns the job without what only the writer of the report reads: the files of the training data.
func (s *settled) ofWorkers() shuffle.Job {
	j := s.Job
	if j.Training != nil {
		j.Training = new(input.TrainingFiles)
	}
	return j
}

// source is the input of an evaluation: shards (read.go), predictions, or predictions in windows
// (predictions.go). Its methods are the steps that read it.
type source interface {
	// fold folds the data into partials, KV<[]byte, shuffle.Partial> by slice, and, if metrics need
	// curves, scores, KV<int, ranges.Piece> by range.
	fold(s beam.Scope, j shuffle.Job, known prerequisites) (partials, scores beam.PCollection)
	// labels returns the labels in the data, a PCollection of labelSet.
	labels(beam.Scope) beam.PCollection
	// sample returns samples of the scores, a PCollection of KV<int, ranges.Sample> with a single key.
	sample(beam.Scope, shuffle.Job) beam.PCollection
	// tallies counts the numbers in the slice columns that are divided by cuts: a PCollection of
	// quantiles.Tallies.
	tallies(beam.Scope, shuffle.Job, shuffle.Cuts) beam.PCollection
}

// The job in full. What the spec leaves open is found before the fold, and every task gets a copy of
// it. Scores are traced after the fold. If the statistics of all slices exceed what a runner accepts from
// one bundle, other bundles fold the inputs again, for other slices; see package fold.
//
//	source ─┬─► labels ───────────┐ if they are only in the data (labels.go)
//	        ├─► sample ─► bounds ─┤ if metrics need curves (fold.go)
//	        ├─► tallies ─► cuts ──┤ if slices are quantiles
//	        ├─► counts ─► plan ───┤ if the worst slices are searched (search.go)
//	        │                     ▼ prerequisites
//	        └─► tasks ─────────► fold ─┬─► partials ─► merged ─► totals of scores ─┬─────┐
//	                                   │                │                          │     │
//	                                   │        inputs ─┴─► fold, other slices ────│─────┤
//	                                   │                                           ▼     │
//	                                   └─► scores ───────────────────────► curves traced ┤
//	                                                                                     ▼
//	                                           Evaluation ◄── merged: one partial per slice

// prerequisites are what the run itself finds for the tasks of a fold.
type prerequisites struct {
	labels beam.PCollection   // shuffle.Spilled, the packed labels; invalid if the job has them
	inputs []beam.PCollection // each of one shuffle.TaskInput: bounds of scores, cuts of slice columns, the plan of a search
}

// find finds what the fold needs and the spec leaves open. It moves labels from the spec to the prerequisites if they
// are packed.
func find(s beam.Scope, spec *settled, in source) prerequisites {
	known := prerequisites{labels: vocabulary(s, spec, in)}
	j := spec.ofWorkers()
	if j.Params.Curving() {
		known.inputs = append(known.inputs, scoreBounds(s, j, in))
	}
	ofSlices := prerequisites{labels: known.labels} // a search needs no bounds of scores
	if cuts := j.Cuts(); len(cuts.List) > 0 {
		ofSlices.inputs = []beam.PCollection{sliceCuts(s, j, cuts, in)}
	}
	known.inputs = append(known.inputs, ofSlices.inputs...)
	if j.Search != nil {
		known.inputs = append(known.inputs, searchSlices(s, j, ofSlices, in))
	}
	return known
}

// sliceCuts finds where quantiles divide the numbers of slice columns. It returns one
// shuffle.TaskInput.
func sliceCuts(s beam.Scope, j shuffle.Job, cuts shuffle.Cuts, in source) beam.PCollection {
	s = s.Scope("quantiles")
	all := beam.Combine(s, &quantiles.MergeFn{}, orNone(s, j, quantiles.NoTallies, in.tallies(s, j, cuts)))
	return beam.ParDo(s, &quantiles.CutFn{Cuts: cuts}, all)
}

// completed takes the partials and scores of a fold, and returns all partials, KV<[]byte, shuffle.Partial> by
// slice: of the fold, of further passes and of curves.
func completed(s beam.Scope, j shuffle.Job, partials, scores beam.PCollection) (all []beam.PCollection) {
	if j.Params.Curving() {
		partials, _ = mergeSlices(s.Scope("totals"), j, partials)
	}
	if j.InPasses() {
		further := beam.PCollection{}
		partials, further = foldAgain(s.Scope("passes"), j, partials)
		all = append(all, further)
	}
	if j.Params.Curving() {
		traced := beam.PCollection{}
		partials, traced = traceCurves(s.Scope("curves"), j, partials, scores)
		all = append(all, traced)
	}
	return append(all, partials)
}
