package metrics

import "github.com/beameval/beameval/metrics/exact"

// Cell is a cell of a confusion matrix that is not empty: of the classes of a
// binary or multiclass task, or of one label (0: not, 1: is).
type Cell struct {
	Label           int // multilabel: the label; otherwise -1
	True, Predicted int
	Count           int64   // examples
	Weight          float64 // their total weight
}

// Confusion returns the confusion matrix of the examples of part, row by row;
// of multilabel examples, that of each label that o.PerLabel wants, and of
// [ConfusedLabels] at least. It is empty if there are no decisions.
func (p *Params) Confusion(part *Partial, o Options) []Cell {
	var cells []Cell
	if s, ok := part.stats[kindConfusion].(*confusion); ok {
		for e := range s.entries() {
			cells = append(cells, Cell{-1, e.truth, e.predicted, e.tally.Rows(), e.tally.Weight()})
		}
		return cells
	}
	s, ok := part.stats[kindLabelCounts].(*labelCounts)
	if !ok {
		return nil
	}
	o.PerLabel = o.PerLabel.confused(p.Labels)
	e := &evaluation{params: p, part: part, options: o}
	for _, label := range e.labels() {
		var found outcomes
		if c := s.get(uint64(label)); c != nil {
			found.Merge(c)
		}
		tn := found.rest(e.weight())
		for _, c := range []struct {
			truth, predicted int
			tally            *exact.Tally
		}{{0, 0, &tn}, {0, 1, &found.fp}, {1, 0, &found.fn}, {1, 1, &found.tp}} {
			if !c.tally.Empty() {
				cells = append(cells, Cell{label, c.truth, c.predicted, c.tally.Rows(), c.tally.Weight()})
			}
		}
	}
	return cells
}
