package fold

import (
	"errors"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/ranges"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// model holds the statistics of what one model predicts: the one that is evaluated or a baseline, whose
// slices have keys of their own.
type model struct {
	slicer   *batches.Slicer
	partials *partials
	// histograms holds the histograms from which bounded curves are computed, over all folds; nil
	// if there are no folds or no such curves. See metrics.Params.OfFolds.
	histograms *partials
	foldless   []int32        // tuples without their folds
	scores     *ranges.Scores // nil if no metric needs all scores in order, or in a further pass
}

// newModel returns the statistics of metrics of a model without examples. key returns the key that its
// statistics of a slice have.
func newModel(j *shuffle.Job, of *metrics.Params, slicer *batches.Slicer, bounds *shuffle.Bounds, key func(slice string) string) (*model, error) {
	own := func(of shuffle.MembershipOf) shuffle.MembershipOf {
		return j.Pass.Memberships(func(tuple int32) shuffle.Membership {
			membership := of(tuple)
			for i, slice := range membership.Slices {
				membership.Slices[i] = key(slice)
			}
			return membership
		})
	}
	overall := key(shuffle.Overall)
	parts := of
	m := &model{slicer: slicer}
	if j.Confidence != nil {
		histograms, err := of.HistogramMaker()
		if err != nil {
			return nil, err
		}
		if histograms != nil {
			parts = of.OfFolds()
			m.histograms = newPartials(j, histograms, own(slicer.Foldless), overall)
		}
	}
	maker, err := parts.Maker()
	if err != nil {
		return nil, err
	}
	m.partials = newPartials(j, maker, own(slicer.Membership), overall)
	if !of.Curving() || !j.Pass.First() {
		return m, nil
	}
	if bounds == nil {
		return nil, errors.New("scores to divide into ranges, and no bounds")
	}
	m.scores, err = ranges.NewScores(j, bounds, own(slicer.Membership))
	return m, err
}

// fold adds rows of a batch to the statistics of their slices and, if it is not nil, to spread.
func (m *model) fold(examples *metrics.Batch, rows, tuples []int32, spread *metrics.Partial) error {
	if m.scores != nil {
		if err := m.scores.Add(examples, rows, tuples); err != nil {
			return err
		}
	}
	if err := m.partials.fold(examples, rows, tuples, spread); err != nil || m.histograms == nil {
		return err
	}
	m.foldless = m.slicer.WithoutFolds(m.foldless, tuples)
	return m.histograms.fold(examples, rows, m.foldless, nil)
}

// merge adds the statistics of another model, except its scores.
func (m *model) merge(from *model) error {
	if m.scores != nil {
		m.scores.AddTotals(from.scores)
	}
	if m.histograms != nil {
		if err := m.histograms.merge(from.histograms); err != nil {
			return err
		}
	}
	return m.partials.merge(from.partials)
}

// finish packs whatever still waits.
func (m *model) finish() error {
	m.flush()
	if m.scores == nil {
		return nil
	}
	return m.scores.Finish()
}

// flush merges all cells into their slices.
func (m *model) flush() {
	m.partials.flush()
	if m.histograms != nil {
		m.histograms.flush()
	}
}

// take returns the partial of a slice and releases it, after flush.
func (m *model) take(slice string) shuffle.Partial {
	out := m.partials.take(slice)
	if m.histograms != nil { // then there are folds, and nothing else is of all of them
		out.Stats = m.histograms.take(slice).Stats
	}
	if m.scores != nil {
		out.Totals = m.scores.Totals(slice)
	}
	return out
}
