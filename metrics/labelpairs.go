package metrics

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// PairedLabels is the number of labels, the first in their order, whose pairs a multilabel task
// counts. It bounds the memory of the pairs.
const PairedLabels = 1000

// labelPairs counts, for each missed label and each wrongly predicted one, the examples with both.
// Only pairs that occur take memory.
type labelPairs struct {
	fields.Keyed[tally, *tally]
}

func (s *labelPairs) Fold(b *Batch, rows []int32) {
	var missed, wrong []int32
	for _, r := range rows {
		truth, predicted := b.True.Row(r), b.PredictedSet.Row(r)
		if missed = appendOthers(missed[:0], truth, predicted); len(missed) == 0 {
			continue
		}
		wrong = appendOthers(wrong[:0], predicted, truth)
		for _, m := range missed {
			for _, p := range wrong {
				s.Value(uint64(m)*PairedLabels + uint64(p)).Add(b.weight(r))
			}
		}
	}
}

// appendOthers appends the paired labels of an increasing list that are not in another.
func appendOthers(dst, list, other []int32) []int32 {
	for _, label := range list {
		if label >= PairedLabels {
			break
		}
		for len(other) > 0 && other[0] < label {
			other = other[1:]
		}
		if len(other) == 0 || other[0] != label {
			dst = append(dst, label)
		}
	}
	return dst
}

func (s *labelPairs) visit(v *fields.Visitor, from statistic) {
	s.Keyed.Fields(v, &from.(*labelPairs).Keyed)
	if !v.Decodes() {
		return
	}
	for key := range s.All() {
		if key >= PairedLabels*PairedLabels || key/PairedLabels == key%PairedLabels {
			v.Fail("pair %d of labels", key)
			return
		}
	}
}

func (s *labelPairs) fits(p *Params) bool {
	for key := range s.All() {
		if labels := uint64(p.Labels); key/PairedLabels >= labels || key%PairedLabels >= labels {
			return false
		}
	}
	return p.Task == Multilabel || s.Size() == 0
}

// LabelPair is a label that was missed, and another that was predicted in its place: in the same
// examples, Label was true and not predicted, and Predicted was predicted and not true.
type LabelPair struct {
	Label, Predicted int
	Count            int64 // of the examples
	Weight           float64
	// Share is the weight as a share of all examples that miss Label. In a multilabel task, the shares
	// of a label may add up to more or less than 1, because an example may have several wrong labels, or
	// none.
	Share float64
	// Lift says how many times as often Predicted is wrongly predicted where Label is missed as in all
	// examples: Share divided by the share of the examples in which Predicted is wrongly predicted. It
	// is at least 0; 1 means that both errors are independent.
	Lift float64
	// Gain is by how much accuracy would rise if all these examples were right; NaN in multilabel tasks.
	Gain float64
}

// LabelPairsOf returns the most heavy pairs of labels of the examples of a partial, heaviest first,
// then by Label and Predicted, and the number of all pairs. In a multiclass task they are the errors in
// the confusion matrix; in a multilabel task, pairs of the first PairedLabels labels, and the partial
// must have one from NewSpread merged into it. It returns nil without p.LabelPairs, or if the partial
// was folded under other Params. Numbers that overflow are infinite or NaN.
func (p *Params) LabelPairsOf(partial *Partial, most int) (pairs []LabelPair, all int) {
	if p = p.orNothing(); !p.LabelPairs || !partial.fits(p) {
		return nil, 0
	}
	e := &evaluation{params: p, partial: partial}
	add := func(label, predicted int, t *exact.Tally) {
		pairs = append(pairs, LabelPair{Label: label, Predicted: predicted, Count: t.Rows(), Weight: t.Weight(), Gain: math.NaN()})
	}
	if p.Task == Multiclass {
		for c := range statisticOf[*confusion](e, kindConfusion).cells() {
			if c.truth != c.predicted {
				add(c.truth, c.predicted, c.tally)
			}
		}
	} else {
		for key, t := range statisticOf[*labelPairs](e, kindLabelPairs).All() {
			add(int(key/PairedLabels), int(key%PairedLabels), &t.Tally)
		}
	}
	slices.SortFunc(pairs, func(a, b LabelPair) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Label, b.Label), cmp.Compare(a.Predicted, b.Predicted))
	})
	all = len(pairs)
	pairs = slices.Clone(pairs[:min(all, most)])
	tables, total := e.labelTables(), e.weight().Weight()
	for i := range pairs {
		pair := &pairs[i]
		pair.Share = pair.Weight / tables.table(pair.Label).FN
		pair.Lift = pair.Share / (tables.table(pair.Predicted).FP / total)
		if p.Task == Multiclass {
			pair.Gain = pair.Weight / total
		}
	}
	return pairs, all
}
