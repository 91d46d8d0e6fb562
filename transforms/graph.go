package transforms

import (
	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/curves"
	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/examples"
	"github.com/beameval/beameval/transforms/internal/fold"
)

// The graph. What is folded comes to one DoFn as a task: all inputs with the same key.

// source is what is evaluated.
type source interface {
	// labels returns the sets of labels in the data, a PCollection of labelSet.
	labels(beam.Scope) beam.PCollection
	// fold folds the data into partials and, if curves need them, runs of scores; see
	// foldTasks.
	fold(s beam.Scope, j element.Job, labels beam.PCollection) (partials, runs beam.PCollection)
}

// evaluated evaluates an input.
func evaluated(s beam.Scope, spec Spec, in source) Evaluation {
	var labels beam.PCollection
	if !spec.labelled() {
		labels = packed(s, &spec, foundLabels(s, in.labels))
	}
	switch {
	case spec.countsLabels():
		labels = packed(s, &spec, withFrequencies(s, spec, labels, in))
	case len(spec.Labels.Frequencies.Count) > 0: // they may be many, and travel once
		labels = packed(s, &spec, beam.Create(s, spec.labels()))
	}
	j := spec.job()
	partials, runs := in.fold(s, j, labels)
	all := []beam.PCollection{partials}
	if spec.Params.Curving() {
		all = append(all, sweptCurves(s, j, runs))
	}
	return Evaluation{spec, merged(s, all...), labels}
}

// foundLabels returns the vocabulary of the labels that find finds in the data, as sets.
func foundLabels(s beam.Scope, find func(beam.Scope) beam.PCollection) beam.PCollection {
	s = s.Scope("labels")
	sets := beam.Flatten(s, find(s), beam.Create(s, labelSet{}))
	return beam.ParDo(s, vocabularyOfAll, beam.Combine(s, &unionFn{}, sets))
}

// packed packs labels for tasks and outcomes: they may be millions, and are copied to many
// places. The spec then has them no more.
func packed(s beam.Scope, spec *Spec, vocab beam.PCollection) beam.PCollection {
	spec.Labels = input.Vocabulary{}
	return beam.ParDo(s, &packLabelsFn{element.Spill{Dir: spec.TempDir}}, vocab)
}

// labels returns the labels that predictions name.
func (in predictionsInput) labels(s beam.Scope) beam.PCollection {
	return beam.ParDo(s, labelsOf, in.predictions)
}

// fold folds predictions in memory.
func (in predictionsInput) fold(s beam.Scope, j element.Job, labels beam.PCollection) (partials, runs beam.PCollection) {
	tasks := beam.ParDo(s, &fold.PackFn{Spill: element.Spill{Dir: j.TempDir}}, in.predictions)
	partials, runs, _ = foldTasks(s, j, labels, tasks)
	return partials, runs
}

// labels returns the labels in the columns of files.
func (in *parquetInput) labels(s beam.Scope) beam.PCollection {
	found := beam.ParDo(s, &labelsFn{in.spec.labelColumns()}, in.spread())
	if in.spec.Truth == nil {
		return found
	}
	return beam.Flatten(s, found, beam.ParDo(s, &labelsFn{in.spec.Truth.labelColumns()}, in.truth))
}

// fold folds shards: in the simplest case each is a task. Where examples have several rows,
// those with rows in several shards are left over, and folded as tasks of their own.
func (in *parquetInput) fold(s beam.Scope, j element.Job, labels beam.PCollection) (partials, runs beam.PCollection) {
	if !j.ByExample() {
		partials, runs, _ = foldTasks(s, j, labels, beam.ParDo(s, fold.ShardTask, in.shards))
		return partials, runs
	}
	s = s.Scope("by example")
	if j.Truth != nil { // rows of truth are never in the row group of a prediction
		predictions, skipped := beam.ParDo2(s, &examples.ScatterFn{Job: j}, in.spread())
		truth, nameless := beam.ParDo2(s, &examples.ScatterFn{Job: j, Truth: true}, in.truth)
		partials, runs, _ = foldTasks(s, j, labels, predictions, truth)
		return beam.Flatten(s, partials, skipped, nameless), runs
	}
	keys := beam.ParDo(s, &examples.KeysFn{Example: j.Columns.Example, Spill: element.Spill{Dir: j.TempDir}}, in.spread())
	scattered := beam.ParDo(s, examples.FindScattered, beam.GroupByKey(s, keys))
	partials, runs, rest := foldTasks(s, j, labels, beam.ParDo(s, fold.ShardTask, in.spread()), scattered)
	others, otherRuns, _ := foldTasks(s, j, labels, rest)
	return beam.Flatten(s, partials, others), beam.Flatten(s, runs, otherRuns)
}

// foldTasks folds tasks, whose inputs are KV<int, element.TaskInput>s by task. labels are
// the labels, packed; not valid if the job has them. partials are a
// KV<[]byte, element.Partial> by slice, runs a KV<int, curves.Run> by label, and rest the
// inputs of other tasks: rows of examples with rows in several shards.
func foldTasks(s beam.Scope, j element.Job, labels beam.PCollection, tasks ...beam.PCollection) (partials, runs, rest beam.PCollection) {
	if labels.IsValid() {
		for i := range tasks {
			tasks[i] = beam.ParDo(s, fold.ToLane, tasks[i])
		}
		tasks = append(tasks, beam.ParDo(s, fold.CopyLabels, labels))
	}
	return beam.ParDo3(s, &fold.Fn{Job: j}, beam.GroupByKey(s, beam.Flatten(s, tasks...)))
}

// sweptCurves turns runs of scores into partials of the slices.
func sweptCurves(s beam.Scope, j element.Job, runs beam.PCollection) beam.PCollection {
	s = s.Scope("curves")
	cut := &curves.CutFn{WorkerScores: j.WorkerScores, Spill: element.Spill{Dir: j.TempDir}}
	pieces := beam.ParDo(s, cut, beam.CoGroupByKey(s, beam.ParDo(s, curves.OnlyKnots, runs), runs))
	return beam.ParDo(s, &curves.SweepFn{Params: j.Params, Goroutines: j.Goroutines}, beam.GroupByKey(s, pieces))
}

// merged merges the partials of each slice. An input without rows has an overall slice too.
func merged(s beam.Scope, partials ...beam.PCollection) beam.PCollection {
	none := beam.ParDo(s, noRows, beam.Impulse(s))
	return beam.CombinePerKey(s, &element.MergeFn{}, beam.Flatten(s, append(partials, none)...))
}

// outcome groups the partials of all slices and the packed labels, unless the spec has
// them, under one key.
func outcome(s beam.Scope, slices, labels beam.PCollection) beam.PCollection {
	all := beam.ParDo(s, sliceOutcome, slices)
	if labels.IsValid() {
		all = beam.Flatten(s, all, beam.ParDo(s, labelsOutcome, labels))
	}
	return beam.GroupByKey(s, all)
}
