package shuffle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// MostWorst is the largest Count of input.Worst, and MostWorstInAll the largest number of examples in
// the lists of all labels and slices together.
const (
	MostWorst      = 10_000
	MostWorstInAll = 200_000
)

// CheckWorst returns an error if lists have more than MostWorstInAll examples together. setting is
// the section of their options.
func (j *Job) CheckWorst(listed int, setting settings.Setting) error {
	if listed <= MostWorstInAll {
		return nil
	}
	return fmt.Errorf("listed examples: those of all labels and slices are more than %d: in %s, lower count, or leave label or slice out of per", MostWorstInAll, j.Params.Names.Of(setting))
}

// WorstExample is an example with a high loss, or one that changed since a baseline.
type WorstExample struct {
	// Examples are sorted by Loss, and by Margin if losses are equal; see metrics.LossEvaluator.
	// For a change, Loss is how much the score of the true class changed, or 0 if it is not known,
	// and Margin is the margin of the wrong prediction.
	Loss, Margin    float64
	ID              slice.Value // null if it has none
	True, Predicted string
	Score           float64 // NaN if there is none
	// Baseline and BaselineScore are, of a change, the prediction of the baseline and its score.
	Baseline      string
	BaselineScore float64
	// At is the place of its first row. The file is "" if it is not from a file.
	At report.SkippedRow
}

// Before reports whether the example is worse than another. If both are equally bad, that does not
// depend on where they are, unless they look alike.
func (e *WorstExample) Before(other *WorstExample) bool { return compareWorst(*e, *other) < 0 }

func compareWorst(a, b WorstExample) int {
	return cmp.Or(
		cmp.Compare(b.Loss, a.Loss), cmp.Compare(b.Margin, a.Margin), a.ID.Compare(b.ID),
		strings.Compare(a.True, b.True), strings.Compare(a.Predicted, b.Predicted), cmp.Compare(b.Score, a.Score),
		strings.Compare(a.Baseline, b.Baseline), cmp.Compare(b.BaselineScore, a.BaselineScore),
		report.ComparePlaces(a.At, b.At),
	)
}

// Worst holds the worst examples of a slice by label, at most Count of each, the worst first. The
// list of AllLabels is for the slice as a whole.
type Worst struct {
	Count int
	Lists map[int32][]WorstExample
}

// AllLabels stands for a label in Worst.
const AllLabels = -1

// ChangeOf stands, in a Worst of changes, for a label and whether the prediction of the baseline was right
// and the new one is wrong, or the reverse.
func ChangeOf(label int32, improved bool) int32 {
	if label *= 2; improved {
		label++
	}
	return label
}

// OfChange returns what ChangeOf was called with.
func OfChange(key int32) (label int32, improved bool) { return key >> 1, key&1 == 1 }

// Merge adds the examples of from and leaves from unchanged.
func (w *Worst) Merge(from *Worst) {
	w.Count = max(w.Count, from.Count)
	if w.Lists == nil {
		w.Lists = make(map[int32][]WorstExample, len(from.Lists))
	}
	for label, list := range from.Lists {
		w.Lists[label] = WorstOf(slices.Concat(w.Lists[label], list), w.Count)
	}
}

// WorstOf sorts examples and returns the first of them, at most count.
func WorstOf(list []WorstExample, count int) []WorstExample {
	slices.SortFunc(list, compareWorst)
	kept := min(len(list), count)
	clear(list[kept:]) // so that their strings can be freed
	return list[:kept]
}

// Relabel makes each list the list of the label that to returns for its label, among so many labels; AllLabels stays.
func (w *Worst) Relabel(labels int, to func(label int32) int32) error {
	return w.rekey(func(key int32) (int32, error) { return relabelled(key, labels, to) })
}

// RelabelChanges does the same for changes.
func (w *Worst) RelabelChanges(labels int, to func(label int32) int32) error {
	return w.rekey(func(key int32) (int32, error) {
		label, improved := OfChange(key)
		label, err := relabelled(label, labels, to)
		return ChangeOf(label, improved), err
	})
}

func relabelled(label int32, labels int, to func(int32) int32) (int32, error) {
	switch {
	case label == AllLabels:
		return label, nil
	case label < 0 || int(label) >= labels:
		return 0, fmt.Errorf("it lists examples of label %d of %d", label, labels)
	}
	return to(label), nil
}

func (w *Worst) rekey(to func(int32) (int32, error)) error {
	if w == nil {
		return nil
	}
	lists := make(map[int32][]WorstExample, len(w.Lists))
	for key, list := range w.Lists {
		key, err := to(key)
		if err != nil {
			return err
		}
		lists[key] = list
	}
	w.Lists = lists
	return nil
}

func worstFields(c *wire.Coder, w *Worst) { listsFields(c, w, worstExampleFields) }

// keptWorstFields lists the fields without the places of examples.
func keptWorstFields(c *wire.Coder, w *Worst) { listsFields(c, w, keptExampleFields) }

func listsFields(c *wire.Coder, w *Worst, ofExample func(*wire.Coder, *WorstExample)) {
	if wire.Int(c, &w.Count); w.Count < 0 || w.Count > MostWorst {
		c.Fail("%d worst examples of a slice or label", w.Count)
	}
	wire.Map(c, &w.Lists, wire.Int, func(c *wire.Coder, list *[]WorstExample) {
		wire.List(c, list, ofExample)
		if len(*list) > w.Count || !slices.IsSortedFunc(*list, compareWorst) {
			c.Fail("worst examples that are too many or not sorted")
		}
	})
}

func worstExampleFields(c *wire.Coder, e *WorstExample) {
	keptExampleFields(c, e)
	wire.String(c, &e.At.File)
	wire.Int(c, &e.At.RowGroup)
	wire.Int(c, &e.At.Row)
	wire.Int(c, &e.At.Line)
}

func keptExampleFields(c *wire.Coder, e *WorstExample) {
	c.Float(&e.Loss)
	c.Float(&e.Margin)
	id := slice.Key{{Value: e.ID}}
	c.Embed(func(dst []byte) ([]byte, error) { return id.AppendBinary(dst), nil }, func(data []byte) (err error) {
		var rest []byte
		if id, rest, err = slice.Decode(data); err == nil && (len(id) != 1 || id[0].Column != "" || len(rest) > 0) {
			err = fmt.Errorf("the id of an example is %s", id)
		}
		return err
	})
	if len(id) == 1 {
		e.ID = id[0].Value
	}
	wire.String(c, &e.True)
	wire.String(c, &e.Predicted)
	c.Float(&e.Score)
	wire.String(c, &e.Baseline)
	c.Float(&e.BaselineScore)
}
