package fold

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// worst collects the examples with the highest losses, or those that changed most since a baseline.
// Nearly all examples are ruled out by their loss alone, so only a few are ever described.
type worst struct {
	job          *shuffle.Job
	options      *input.Worst
	setting      settings.Setting // that of the options
	vocab        *input.Vocabulary
	membershipOf shuffle.MembershipOf
	changes      bool // examples that changed are listed
	// in returns where a partial has the examples of its slice.
	in func(*shuffle.Partial) **shuffle.Worst
	// lossesOf calls each for the lists to which an example may belong.
	lossesOf func(e *judged, r int32, each func(list int32, loss, margin float64))

	bySlice map[string]tops
	byTuple [][]tops // the slices of a tuple; nil until they are needed
	listed  int      // the examples that will be listed
}

// judged are examples whose predictions are judged.
type judged struct {
	from *batches.Batch
	*metrics.Batch
	// before has what the baseline predicts in place of all other predictions; nil if nothing needs it.
	before *metrics.Batch
}

// tops holds the worst examples of a slice by label, or by shuffle.ChangeOf.
type tops map[int32]*top

// top holds the worst examples of one slice and label: those that will be listed, and others, up to
// as many again. They are sorted, and the others removed, only when it is full.
type top struct {
	list  []shuffle.WorstExample
	bound *shuffle.WorstExample // an example must be worse than this; nil if any may be listed
}

// listsOf returns the lists that are requested: of the worst examples, and of those that changed.
// membershipOf returns the slices of a tuple.
func listsOf(j *shuffle.Job, vocab *input.Vocabulary, membershipOf shuffle.MembershipOf) (all []*worst, err error) {
	for _, list := range []func(*shuffle.Job, *input.Vocabulary, shuffle.MembershipOf) (*worst, error){newWorst, newChanged} {
		w, err := list(j, vocab, membershipOf)
		if err != nil {
			return nil, err
		}
		if w != nil && (j.Pass.First() || w.options.PerSlice) {
			all = append(all, w)
		}
	}
	return all, nil
}

// newWorst returns nil if worst examples are not listed.
func newWorst(j *shuffle.Job, vocab *input.Vocabulary, membershipOf shuffle.MembershipOf) (*worst, error) {
	if j.Worst == nil {
		return nil, nil
	}
	losses, err := j.Params.NewLossEvaluator("", j.Decision.Threshold)
	w := &worst{job: j, options: j.Worst, setting: settings.WorstExamples, vocab: vocab, membershipOf: membershipOf, bySlice: map[string]tops{},
		in: func(p *shuffle.Partial) **shuffle.Worst { return &p.Worst }}
	w.lossesOf = func(e *judged, r int32, each func(int32, float64, float64)) {
		loss, margin := losses.Loss(e.Batch, r)
		each(shuffle.AllLabels, loss, margin)
		if w.options.PerLabel {
			losses.ByLabel(e.Batch, r, each)
		}
	}
	return w, err
}

// newChanged is newWorst for the examples that changed since a baseline from right to wrong, or from
// wrong to right.
func newChanged(j *shuffle.Job, vocab *input.Vocabulary, membershipOf shuffle.MembershipOf) (*worst, error) {
	if j.Changed == nil {
		return nil, nil
	}
	margins, err := j.Params.NewLossEvaluator("zero_one_loss", j.Decision.Threshold)
	w := &worst{job: j, options: j.Changed, setting: settings.Changed, vocab: vocab, membershipOf: membershipOf, bySlice: map[string]tops{},
		changes: true, in: func(p *shuffle.Partial) **shuffle.Worst { return &p.Changed }}
	w.lossesOf = func(e *judged, r int32, each func(int32, float64, float64)) {
		class, improved := e.Class[r], e.Class[r] == e.Predicted[r]
		if improved == (class == e.Baseline[r]) {
			return
		}
		wrong := e.Batch
		if improved {
			wrong = e.before
		}
		_, margin := margins.Loss(wrong, r)
		change := changeOf(e, r, class)
		each(shuffle.ChangeOf(shuffle.AllLabels, improved), change, margin)
		if w.options.PerLabel {
			each(shuffle.ChangeOf(class, improved), change, margin)
		}
	}
	return w, err
}

// changeOf returns how much the score of a class of row r changed, or 0 if it is not known.
func changeOf(e *judged, r, class int32) float64 {
	if e.Labels == 1 {
		class = 0 // the scores are those of the positive label
	}
	change := math.Abs(scoreOf(e.Batch, r, class) - scoreOf(e.before, r, class))
	if math.IsNaN(change) {
		return 0
	}
	return change
}

// add adds examples in rows of a batch. Those without weight count for no metric, so they are left
// out.
func (w *worst) add(e *judged, rows, tuples []int32) error {
	if ids := e.from.IDs; ids != nil && ids.Offsets != nil {
		return fmt.Errorf("%s: column %q is %s: an id must be one value a row", e.from.Place(nil).File, w.job.Columns.Example, ids.Shape())
	}
	var r int32
	each := func(list int32, loss, margin float64) {
		if loss > 0 || w.changes { // an example whose loss is 0 or undefined is not listed, but a change is
			w.addLoss(w.slicesOf(tuples[r]), list, loss, margin, e, r)
		}
	}
	for _, r = range rows {
		if e.Weight == nil || e.Weight[r] != 0 {
			w.lossesOf(e, r, each)
		}
	}
	return w.job.CheckWorst(w.listed, w.setting)
}

// slicesOf returns the worst examples of the slices of a tuple for which they are listed.
func (w *worst) slicesOf(tuple int32) []tops {
	if !w.options.PerSlice {
		tuple = 0
	}
	for int(tuple) >= len(w.byTuple) {
		w.byTuple = append(w.byTuple, nil)
	}
	if w.byTuple[tuple] == nil {
		keys := []string{shuffle.Overall}
		if w.options.PerSlice {
			keys = w.membershipOf(tuple).Slices
		}
		w.byTuple[tuple] = append([]tops{}, collections.Map(keys, w.slice)...) // not nil, even if there is no slice
	}
	return w.byTuple[tuple]
}

// slice returns the worst examples of a slice.
func (w *worst) slice(key string) tops {
	if w.bySlice[key] == nil {
		w.bySlice[key] = tops{}
	}
	return w.bySlice[key]
}

// addLoss adds the loss of row r, or of one of its labels, to a list of slices.
func (w *worst) addLoss(to []tops, list int32, loss, margin float64, of *judged, r int32) {
	var e shuffle.WorstExample
	described := false
	for _, tops := range to {
		t := tops[list]
		if t == nil {
			t = new(top)
			tops[list] = t
		}
		if t.bound != nil && (loss < t.bound.Loss || loss == t.bound.Loss && margin < t.bound.Margin) {
			continue
		}
		if !described {
			e, described = w.describe(of, r, list), true
			e.Loss, e.Margin = loss, margin
		}
		w.put(t, e)
	}
}

// put adds an example to a list.
func (w *worst) put(t *top, e shuffle.WorstExample) {
	most := w.options.Count
	if t.bound != nil && !e.Before(t.bound) {
		return
	}
	if t.list = append(t.list, e); len(t.list) <= most {
		w.listed++
	}
	if len(t.list) >= 2*most {
		t.list = shuffle.WorstOf(t.list, most)
		bound := t.list[most-1]
		t.bound = &bound
	}
}

// merge adds the examples that from has collected.
func (w *worst) merge(from *worst) error {
	for key, others := range from.bySlice {
		into := w.slice(key)
		for label, t := range others {
			if into[label] == nil {
				into[label] = new(top)
			}
			for _, e := range t.list {
				w.put(into[label], e)
			}
		}
	}
	return w.job.CheckWorst(w.listed, w.setting)
}

// of returns the worst examples of a slice, or nil if none are listed.
func (w *worst) of(slice string) *shuffle.Worst {
	from := w.bySlice[slice]
	if from == nil {
		return nil
	}
	all := &shuffle.Worst{Count: w.options.Count, Lists: make(map[int32][]shuffle.WorstExample, len(from))}
	for label, t := range from {
		all.Lists[label] = shuffle.WorstOf(t.list, all.Count)
	}
	return all
}

// mostNames is the largest number of labels with which an example is described.
const mostNames = 20

// describe returns row r as it is listed, but without its loss. The label is -1 for all labels, and
// matters only in a multilabel task.
func (w *worst) describe(of *judged, r, label int32) shuffle.WorstExample {
	e, from, b := shuffle.WorstExample{Score: math.NaN()}, of.from, of.Batch
	if from.IDs != nil {
		if e.ID = batches.Value(from.IDs, int(r)); e.ID.Kind() == slice.KindString {
			e.ID = slice.String(strings.Clone(e.ID.Text())) // instead of keeping the memory of a whole table
		}
	}
	if from.At != nil {
		e.At = from.At(int(r))
	}
	params := &w.job.Params
	switch task := params.Task; {
	case task == metrics.Regression:
		e.True, e.Predicted = floats.JSON(b.Target[r]), floats.JSON(b.Estimate[r])
	case task&(metrics.Ranking|metrics.Results) != 0: // the loss says it all
	case task == metrics.Multilabel && label == shuffle.AllLabels:
		e.True = w.names(b.True.Row(r))
		if params.Decisions {
			e.Predicted = w.names(b.PredictedSet.Row(r))
		}
	case task == metrics.Multilabel:
		e.True, e.Score = oneIf(slices.Contains(b.True.Row(r), label)), scoreOf(b, r, label)
		if params.Decisions {
			e.Predicted = oneIf(slices.Contains(b.PredictedSet.Row(r), label))
		}
	default:
		e.True = w.vocab.Name(int(b.Class[r]))
		e.Predicted, e.Score = w.decided(b, r)
		if w.changes {
			e.Baseline, e.BaselineScore = w.decided(of.before, r)
		}
	}
	return e
}

// decided returns the class that is predicted for row r of a binary or multiclass batch, if decisions are
// known, and its score. In a binary task, scores are of the positive label.
func (w *worst) decided(b *metrics.Batch, r int32) (class string, score float64) {
	scored := int32(0)
	if w.job.Params.Decisions {
		if class = w.vocab.Name(int(b.Predicted[r])); w.job.Params.Task == metrics.Multiclass {
			scored = b.Predicted[r]
		}
	}
	return class, scoreOf(b, r, scored)
}

// names lists the names of labels.
func (w *worst) names(labels []int32) string {
	shown := labels[:min(len(labels), mostNames)]
	list := collections.Map(shown, func(label int32) string { return w.vocab.Name(int(label)) })
	if n := len(labels) - len(shown); n > 0 {
		list = append(list, fmt.Sprintf("%d more", n))
	}
	return strings.Join(list, ", ")
}

func oneIf(holds bool) string {
	if holds {
		return "1"
	}
	return "0"
}

// scoreOf returns the score of a label of row r, as a probability if there is one, or NaN if it has
// no score.
func scoreOf(b *metrics.Batch, r, label int32) float64 {
	if len(b.Score) == 0 {
		return math.NaN()
	}
	if b.Candidates.Offset == nil && len(b.Probability) > 0 {
		return b.Probability[int(r)*b.Labels+int(label)]
	}
	scores, labels := b.Scored(r)
	if labels != nil {
		i, found := slices.BinarySearch(labels, label)
		if !found {
			return math.NaN()
		}
		label = int32(i)
	}
	return scores[label]
}
