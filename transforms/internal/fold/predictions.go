package fold

import (
	"context"
	"slices"

	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/ingest"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
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

// foldPredictions folds packed predictions.
func (f *folder) foldPredictions(ctx context.Context, packed *shuffle.Spilled, progress *workers.Progress) error {
	if f.search.idle() {
		return nil
	}
	var list []input.Prediction
	if err := shuffle.Unpack(packed, &list, batches.PredictionsFields); err != nil {
		return err
	}
	progress.Rows(ctx, len(list))
	return f.foldList(list)
}

// foldList folds predictions, each with a decision or with scores.
func (f *folder) foldList(list []input.Prediction) error {
	if !f.job.Either {
		return f.fold(batches.OfPredictions(&f.job, f.slicer.Columns, f.dicts, list))
	}
	scored := func(p input.Prediction) bool { return len(p.Predicted) == 0 && len(p.Scores) > 0 }
	if decided := keep(list, scored, false); len(decided) > 0 {
		if err := f.fold(batches.OfPredictions(&f.job, f.slicer.Columns, f.dicts, decided)); err != nil {
			return err
		}
	}
	return f.foldScored(keep(list, scored, true))
}

// foldScored folds predictions with scores instead of decisions.
func (f *folder) foldScored(list []input.Prediction) error {
	if len(list) == 0 {
		return nil
	}
	j := f.job
	j.Params.Scores, j.Columns.Prediction = true, ""
	if f.scored == nil {
		f.scored = ingest.NewConverter(&j.Spec, f.vocab, &f.counts.Found)
	}
	return f.foldBy(f.scored, batches.OfPredictions(&j, f.slicer.Columns, f.dicts, list))
}

// keep returns the predictions for which is returns want.
func keep(list []input.Prediction, is func(input.Prediction) bool, want bool) []input.Prediction {
	return slices.DeleteFunc(slices.Clone(list), func(p input.Prediction) bool { return is(p) != want })
}
