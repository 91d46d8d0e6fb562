package transforms

import (
	"cmp"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/examples"
	"github.com/beameval/beameval/transforms/internal/fold"
	"github.com/beameval/beameval/transforms/internal/popularity"
	"github.com/beameval/beameval/transforms/internal/quantiles"
	"github.com/beameval/beameval/transforms/internal/ranges"
	"github.com/beameval/beameval/transforms/internal/workers"
	"github.com/beameval/beameval/transforms/lanes"
)

// The graph. All data reach a single DoFn, as tasks: a task is all inputs with the same key.
//
//	source ─┬─► labels ───────────┐ if the spec does not name them
//	        ├─► sample ─► bounds ─┤ if metrics need curves
//	        ├─► tallies ─► cuts ──┤ if slices are quantiles
//	        ├─► counts ─► plan ───┤ if the worst slices are searched
//	        │                     ▼ prerequisites
//	        └─► tasks ─────────► fold ─┬─► partials ─► merged ─► ranges.TotalsFn ─┬─────────┐
//	                                   │                │                       totals      │
//	                                   │        inputs ─┴─► fold, other slices ───│─────────┤
//	                                   │                                          ▼         │
//	                                   └─► scores ───────────────────────► ranges.CollectFn ┤
//	                                                                                        ▼
//	                                              Evaluation ◄── merged: one partial per slice
//
// The second fold is for slices whose statistics exceed what a runner accepts from one bundle: see
// package fold.

// source is the input of an evaluation.
type source interface {
	// labels emits the sets of labels in the data, a PCollection of labelSet.
	labels(beam.Scope) beam.PCollection
	// tallies emits tallies of the numbers in the slice columns that are divided by cuts.
	tallies(beam.Scope, element.Job, element.Cuts) beam.PCollection
	// sample emits samples of the scores, a PCollection of KV<int, ranges.Sample> with a single
	// key.
	sample(beam.Scope, element.Job) beam.PCollection
	// fold folds the data into partials and, if metrics need curves, scores; see foldTasks.
	fold(s beam.Scope, j element.Job, known prerequisites) (partials, scores beam.PCollection)
}

// prerequisites are inputs of tasks that the run itself has to find: the packed labels, invalid if
// the job has them; and, for every task, the bounds that divide scores, the cuts that divide the
// numbers of slice columns, and the plan of a search.
type prerequisites struct {
	labels beam.PCollection
	inputs []beam.PCollection
}

// evaluate adds the evaluation of in to the pipeline.
func evaluate(s beam.Scope, spec settled, in source) Evaluation {
	var labels beam.PCollection
	if !spec.labelled() {
		labels = packLabels(s, &spec, findLabels(s, spec.Job, in))
	}
	switch {
	case spec.ItemFiles != nil && spec.Params.Has.Has(roles.Item):
		labels = packLabels(s, &spec, itemFrequencies(s, &spec))
	case spec.countsLabels():
		labels = packLabels(s, &spec, countFrequencies(s, spec, labels, in))
	case len(spec.Labels.Frequencies.Count) > 0 && !spec.Windowed: // there may be many, and this way they travel only once
		labels = packLabels(s, &spec, beam.Create(s, spec.Labels))
	}
	j := spec.Job
	if j.Training != nil {
		j.Training = new(input.TrainingFiles) // only the writer of the report reads the files
	}
	known := prerequisites{labels: labels}
	if j.Params.Curving() {
		known.inputs = append(known.inputs, scoreBounds(s, j, in))
	}
	var dividing []beam.PCollection
	if cuts := j.Cuts(); len(cuts.List) > 0 {
		dividing = []beam.PCollection{sliceCuts(s, j, cuts, in)}
	}
	known.inputs = append(known.inputs, dividing...)
	if j.Search != nil {
		known.inputs = append(slices.Clip(known.inputs), searchSlices(s, j, prerequisites{labels, dividing}, in))
	}
	partials, scores := in.fold(s, j, known)
	e := Evaluation{spec: spec, labels: labels}
	e.slices, e.counts = mergeSlices(s, j, orNone(s, j, noRows, completed(s, j, partials, scores)...))
	return e
}

// findLabels returns the vocabulary of the labels found in the data.
func findLabels(s beam.Scope, j element.Job, in source) beam.PCollection {
	s = s.Scope("labels")
	sets := orNone(s, j, noLabels, in.labels(s))
	limit := j.NameLimit()
	return beam.ParDo(s, &vocabularyFn{limit}, beam.Combine(s, &unionFn{limit}, sets))
}

// itemFrequencies returns a vocabulary with the frequencies of items. It removes their files from the spec.
func itemFrequencies(s beam.Scope, spec *settled) beam.PCollection {
	fn := &popularity.Fn{Files: *spec.ItemFiles, Names: spec.Params.Names}
	spec.ItemFiles = nil
	return beam.ParDo(s.Scope("items"), fn, beam.Impulse(s))
}

// packLabels packs labels for tasks and outcomes, because there may be millions and they are copied
// to many places. It removes them from the spec.
func packLabels(s beam.Scope, spec *settled, vocab beam.PCollection) beam.PCollection {
	spec.Labels = input.Vocabulary{}
	return beam.ParDo(s, &packLabelsFn{element.Spill{Dir: spec.TempDir}}, vocab)
}

// labels emits the labels that predictions name, each set in the window of its prediction.
func (in predictionsInput) labels(s beam.Scope) beam.PCollection {
	return beam.ParDo(s, labelsOf, in.predictions)
}

// tallies tallies the numbers of predictions in memory.
func (in predictionsInput) tallies(s beam.Scope, _ element.Job, cuts element.Cuts) beam.PCollection {
	return beam.ParDo(s, &quantiles.TallyPredictionsFn{Cuts: cuts}, in.predictions)
}

// sample samples predictions in memory.
func (in predictionsInput) sample(s beam.Scope, j element.Job) beam.PCollection {
	return beam.ParDo(s, &ranges.SamplePredictionsFn{Job: j}, in.predictions)
}

// fold folds predictions in memory.
func (in predictionsInput) fold(s beam.Scope, j element.Job, known prerequisites) (partials, scores beam.PCollection) {
	tasks := beam.ParDo(s, &fold.PackFn{Spill: element.Spill{Dir: j.TempDir}}, in.predictions)
	partials, scores, _ = foldTasks(s, j, known, false, tasks)
	return partials, scores
}

// tallies tallies the numbers of the predictions of windows.
func (in windowsInput) tallies(s beam.Scope, _ element.Job, cuts element.Cuts) beam.PCollection {
	return beam.ParDo(s, &quantiles.TallyWindowFn{TallyPredictionsFn: quantiles.TallyPredictionsFn{Cuts: cuts}}, in.groups)
}

// sample samples the predictions of windows.
func (in windowsInput) sample(s beam.Scope, j element.Job) beam.PCollection {
	return beam.ParDo(s, &ranges.SampleWindowFn{SamplePredictionsFn: ranges.SamplePredictionsFn{Job: j}}, in.groups)
}

// fold folds the predictions of windows.
func (in windowsInput) fold(s beam.Scope, j element.Job, known prerequisites) (partials, scores beam.PCollection) {
	pack := &fold.PackWindowFn{PackFn: fold.PackFn{Spill: element.Spill{Dir: j.TempDir}}}
	partials, scores, _ = foldTasks(s, j, known, false, beam.ParDo(s, pack, in.groups))
	return partials, scores
}

// labels emits the labels in the columns of files.
func (in *parquetInput) labels(s beam.Scope) beam.PCollection {
	limit := in.spec.NameLimit()
	found := []beam.PCollection{beam.ParDo(s, &labelsFn{Columns: in.spec.labelColumns(), Limit: limit}, in.spread())}
	if in.spec.Truth != nil {
		truth := &in.spec.Truth.Columns
		found = append(found, beam.ParDo(s, &labelsFn{Columns: []string{cmp.Or(truth.Class, truth.Label)}, Limit: limit}, in.truth))
	}
	if b := in.spec.Baseline; b != nil && b.Columns.Baseline != "" {
		found = append(found, beam.ParDo(s, &labelsFn{Columns: []string{b.Columns.Baseline}, Limit: limit}, in.baseline))
	}
	return beam.Flatten(s, found...)
}

// tallies tallies the numbers in the columns of files.
func (in *parquetInput) tallies(s beam.Scope, j element.Job, cuts element.Cuts) beam.PCollection {
	own, ofTruth := j.Truth.Split(quantiles.Columns(&cuts))
	var counted []beam.PCollection
	if len(own) > 0 {
		counted = append(counted, beam.ParDo(s, &quantiles.TallyFn{Job: j, Cuts: cuts, Of: own}, in.spread()))
	}
	if len(ofTruth) > 0 {
		counted = append(counted, beam.ParDo(s, &quantiles.TallyFn{Job: j, Cuts: cuts, Of: ofTruth}, in.truth))
	}
	return beam.Flatten(s, counted...)
}

// sample samples shards.
func (in *parquetInput) sample(s beam.Scope, j element.Job) beam.PCollection {
	return beam.ParDo(s, &ranges.SampleFn{Job: j}, beam.GroupByKey(s, beam.ParDo(s, ranges.SampledShard, in.shards)))
}

// fold folds shards. In the simplest case each shard is a task. If examples have several rows,
// foldTasks returns the rows of examples with rows in several shards; they are then folded as tasks
// of their own.
func (in *parquetInput) fold(s beam.Scope, j element.Job, known prerequisites) (partials, scores beam.PCollection) {
	if !j.ByExample() {
		partials, scores, _ = foldTasks(s, j, known, false, beam.ParDo(s, fold.ShardTask, in.shards))
		return partials, scores
	}
	s = s.Scope("by example")
	if j.Scatters() {
		var scattered, counts []beam.PCollection
		for side, shards := range [input.Sides]beam.PCollection{in.spread(), in.truth, in.baseline} {
			if shards.IsValid() {
				rows, skipped := beam.ParDo2(s, &examples.ScatterFn{Job: j, Side: input.Side(side)}, shards)
				scattered, counts = append(scattered, rows), append(counts, skipped)
			}
		}
		partials, scores, _ = foldTasks(s, j, known, false, scattered...)
		return beam.Flatten(s, append(counts, partials)...), scores
	}
	keys := beam.ParDo(s, examples.NewKeysFn(&j), in.spread())
	scattered := findScattered(s, j, keys)
	partials, scores, rest := foldTasks(s, j, known, true, beam.ParDo(s, fold.ShardTask, in.spread()), scattered)
	others, otherScores, _ := foldTasks(s, j, known, false, rest)
	return beam.Flatten(s, partials, others), beam.Flatten(s, scores, otherScores)
}

// foldTasks folds tasks. Each element of tasks is a KV<int, element.TaskInput>, by task. partials
// are KV<[]byte, element.Partial>, by slice, and scores are KV<int, ranges.Piece>, by range. rest
// holds the inputs of further tasks, if wanted: the rows of examples with rows in several shards.
func foldTasks(s beam.Scope, j element.Job, known prerequisites, wanted bool, tasks ...beam.PCollection) (partials, scores, rest beam.PCollection) {
	others := slices.Clone(known.inputs)
	n := fold.BoundLanes
	if j.Searches() { // there may be many candidates
		n = fold.LabelLanes
	}
	if known.labels.IsValid() {
		n = fold.LabelLanes
		others = append(others, beam.ParDo(s, fold.LabelsInput, known.labels))
	}
	if j.Windowed {
		n = fold.WindowLanes
	}
	divided := j.Division.Lanes > 0
	if divided {
		n = j.Division.Lanes
	}
	if j.ByExample() && !wanted { // a task of rows is a bucket
		n = min(n, j.Division.BucketCount())
	}
	if len(others) > 0 || divided {
		for i := range tasks {
			tasks[i] = beam.ParDo(s, &fold.LaneFn{Lanes: n, Hashing: j.Division.Hashing}, tasks[i])
		}
	}
	if len(others) > 0 {
		tasks = append(tasks, copies(s, &j.Division, n, beam.Flatten(s, others...)))
	}
	perKey := j.Division.Bundles && (j.ByExample() || j.Params.Curving())
	return foldInputs(s, j, perKey, beam.Flatten(s, tasks...))
}

// foldInputs folds the inputs of tasks. perKey says that each task is a bundle, if the runner makes one for each key.
func foldInputs(s beam.Scope, j element.Job, perKey bool, inputs beam.PCollection) (partials, scores, rest beam.PCollection) {
	if perKey && j.Division.BundlePerKey {
		return beam.ParDo3(s, fold.NewPerKeyFn(j), inputs)
	}
	return beam.ParDo3(s, &fold.Fn{Job: j}, beam.GroupByKey(s, inputs))
}

// copies gives labels, bounds, cuts and the plan of a search to each of n lanes.
func copies(s beam.Scope, d *lanes.Division, n int, of beam.PCollection) beam.PCollection {
	levels := fold.CopyLevels(d, n)
	copied := beam.ParDo(s, &levels[0], of)
	for _, level := range levels[1:] {
		copied = beam.ParDo(s, &fold.CopyPerKeyFn{CopyFn: level, PerKey: workers.NewBundlePerKey()}, copied)
	}
	return copied
}

// spread spreads shards over workers.
func spread(s beam.Scope, d lanes.Division, shards beam.PCollection) beam.PCollection {
	if !d.Bundles {
		return beam.Reshuffle(s, shards)
	}
	byLane := beam.ParDo(s, &fold.ShardLaneFn{Division: d}, shards)
	return beam.ParDo(s, &fold.ShardsPerKeyFn{PerKey: workers.NewBundlePerKey()}, byLane)
}

// findScattered finds the keys of examples with rows in several shards.
func findScattered(s beam.Scope, j element.Job, keys beam.PCollection) beam.PCollection {
	find := examples.FindScatteredFn{Division: j.Division}
	if j.Division.Bundles && j.Division.BundlePerKey {
		return beam.ParDo(s, &examples.FindScatteredPerKeyFn{FindScatteredFn: find, PerKey: workers.NewBundlePerKey()}, keys)
	}
	return beam.ParDo(s, &find, beam.GroupByKey(s, keys))
}

// scoreBounds chooses where to divide the scores into ranges. It runs before the fold.
func scoreBounds(s beam.Scope, j element.Job, in source) beam.PCollection {
	s = s.Scope("bounds")
	samples := beam.GroupByKey(s, orNone(s, j, ranges.NoSample, in.sample(s, j)))
	return beam.ParDo(s, &ranges.BoundsFn{RangeBytes: j.RangeBytes, Division: j.Division}, samples)
}

// sliceCuts finds where quantiles divide the numbers of slice columns. It runs before the fold.
func sliceCuts(s beam.Scope, j element.Job, cuts element.Cuts, in source) beam.PCollection {
	s = s.Scope("quantiles")
	all := beam.Combine(s, &quantiles.MergeFn{}, orNone(s, j, quantiles.NoTallies, in.tallies(s, j, cuts)))
	return beam.ParDo(s, &quantiles.CutFn{Cuts: cuts}, all)
}

// completed returns all partials: of the fold, of further passes and of curves.
func completed(s beam.Scope, j element.Job, partials, scores beam.PCollection) (all []beam.PCollection) {
	if j.Params.Curving() {
		partials, _ = mergeSlices(s.Scope("totals"), j, partials)
	}
	if j.InPasses() {
		further := beam.PCollection{}
		partials, further = foldAgain(s.Scope("passes"), j, partials)
		all = append(all, further)
	}
	if j.Params.Curving() {
		curves := beam.PCollection{}
		partials, curves = traceCurves(s.Scope("curves"), j, partials, scores)
		all = append(all, curves)
	}
	return append(all, partials)
}

// foldAgain takes the inputs of further passes from partials and folds them. It returns the
// remaining partials and the partials of the passes.
func foldAgain(s beam.Scope, j element.Job, partials beam.PCollection) (others, further beam.PCollection) {
	others, inputs := beam.ParDo2(s, &fold.AgainFn{Hashing: j.Division.Hashing}, partials)
	further, _, _ = foldInputs(s, j, true, inputs)
	return others, further
}

// traceCurves traces the curves of scores, which are keyed by range, into partials of the slices. Before a
// range can be traced, the totals of all examples must be known: merged has them by slice. It
// returns the merged partials without the totals, and the partials of the curves.
func traceCurves(s beam.Scope, j element.Job, merged, scores beam.PCollection) (others, traced beam.PCollection) {
	others, totals := beam.ParDo2(s, &ranges.TotalsFn{Division: j.Division, Spill: element.Spill{Dir: j.TempDir}, Windowed: j.Windowed}, merged)
	pieces := beam.Flatten(s, scores, totals)
	collect := ranges.CollectFn{Job: j}
	if j.Division.RangeLanes > 0 {
		perKey := &ranges.CollectPerKeyFn{CollectFn: collect, PerKey: workers.NewBundlePerKey()}
		return others, beam.ParDo(s, perKey, pieces)
	}
	return others, beam.ParDo(s, &collect, beam.GroupByKey(s, pieces))
}

// mergePartials merges the partials of a single slice or a few.
func mergePartials(s beam.Scope, j element.Job, partials beam.PCollection) beam.PCollection {
	return beam.CombinePerKey(s, &element.MergeFn{}, orNone(s, j, noRows, partials))
}

// mergeSlices merges the partials of each slice. If each key has its own bundle, it also counts the slices.
func mergeSlices(s beam.Scope, j element.Job, partials beam.PCollection) (slices, counts beam.PCollection) {
	if !j.Division.BundlePerKey {
		return beam.CombinePerKey(s, &element.MergeFn{}, partials), counts
	}
	byLane := beam.ParDo(s, &sliceLaneFn{Limit: j.Division.PartialBytes, Names: j.Params.Names, Hashing: j.Division.Hashing}, partials)
	return beam.ParDo2(s, &mergePerKeyFn{PerKey: workers.NewBundlePerKey()}, byLane)
}

// orNone flattens collections, and adds the result for no rows, so that an input without rows is
// evaluated too. It adds nothing for windows: a window without rows does not exist.
func orNone(s beam.Scope, j element.Job, none any, of ...beam.PCollection) beam.PCollection {
	if !j.Windowed {
		of = append(of, beam.ParDo(s, none, beam.Impulse(s)))
	}
	return beam.Flatten(s, of...)
}

// elements returns the partials of all slices, with their metrics if they are computed in parallel; the
// packed labels, unless the spec has them; and the number of slices, if it was counted. All elements have
// the same key.
func (e *Evaluation) elements(s beam.Scope) beam.PCollection {
	var outcome any = sliceOutcome
	if e.spec.Division.Lanes > 0 && !e.labels.IsValid() { // a cluster that knows all labels
		outcome = &evaluateFn{Spec: e.spec}
	}
	all := []beam.PCollection{beam.ParDo(s, outcome, e.slices)}
	if e.labels.IsValid() {
		all = append(all, beam.ParDo(s, labelsOutcome, e.labels))
	}
	if e.counts.IsValid() {
		all = append(all, beam.ParDo(s, countOutcome, beam.GroupByKey(s, e.counts)))
	}
	return beam.Flatten(s, all...)
}

// outcome groups the elements.
func (e *Evaluation) outcome(s beam.Scope) beam.PCollection { return beam.GroupByKey(s, e.elements(s)) }
