package fold

import (
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// Predictions folds predictions in memory into partials. It must be used by a single goroutine, and
// reuses its memory for further partials.
type Predictions struct{ folder *folder }

// NewPredictions returns Predictions for a job whose labels are known and whose curves need not be
// traced.
func NewPredictions(j shuffle.Job) (*Predictions, error) {
	vocab := j.Labels
	vocab.Prepare()
	f, err := newFolder(j, &vocab, nil, new(firstBad))
	return &Predictions{f}, err
}

// Fold adds predictions to the partial of the overall slice.
func (p *Predictions) Fold(into *shuffle.Partial, list []input.Prediction) error {
	f := p.folder
	f.counts = shuffle.RowCounts{}
	if err := f.foldList(list); err != nil {
		return err
	}
	return f.emit(func(_ string, folded shuffle.Partial) error {
		into.Merge(&folded)
		return nil
	})
}
