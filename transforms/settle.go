package transforms

import (
	"errors"
	"fmt"
	"slices"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// settle returns the spec with its defaults, for files or for predictions in memory. It returns an
// error if the spec is invalid.
func settle(spec Spec, memory bool) (*settled, error) {
	s := &settled{shuffle.Job{Spec: spec}}
	p, c := &s.Params, &s.Columns
	said := p.Scores || p.Decisions || c.Score != "" || c.Prediction != ""
	s.Either = memory && p.Task&metrics.Classifying != 0 && !said
	if err := s.complete(memory); err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	if memory {
		s.nameFields()
	}
	err := broken(s.roleRules(memory), s.rowRules(memory), s.labelRules(), s.decisionRules(), s.resultRules(), s.samplingRules(memory), s.confidenceRules(memory), s.searchRules())
	if err == nil {
		s.derive()
	}
	return s, err
}

// broken returns the first rule that is broken, as an error, or nil.
func broken(lists ...[]rule) error {
	for _, rules := range lists {
		for _, r := range rules {
			if r.broken {
				return errors.New("spec: " + r.why)
			}
		}
	}
	return nil
}

// complete sets the defaults of Params: the columns say what examples have.
func (s *settled) complete(memory bool) error {
	p, task := &s.Params, s.Params.Task
	p.Scores = p.Scores || s.Columns.Score != ""
	p.SomeAveraged = p.SomeAveraged || len(s.AverageLabels) > 0
	p.Sparse = !s.CompleteScores && (p.Sparse || s.Columns.ScoreLabel != "")
	given := roles.Given{Task: roles.Task(task), Has: s.columns()}
	if r, err := given.CheckTask(); err != nil {
		return fmt.Errorf("%s: %w", s.set(r), err)
	}
	if s.Baseline != nil {
		p.Has |= metrics.HasBaseline
	}
	found := s.columns().Batch() &^ (metrics.HasItems | metrics.HasCategories) // which only some metrics need
	if p.Sparse || s.CompleteScores {
		found &^= metrics.HasBaselineScores
	}
	p.Has |= found
	p.NoEstimate = p.NoEstimate || task == metrics.Regression && !memory && s.Columns.Prediction == "" && s.columns().HasAny(roles.Quantiles, roles.Ensemble)
	p.Judgements = p.Judgements || task == metrics.Ranking && s.Truth != nil
	p.Decisions = p.Decisions || task&metrics.Classifying != 0 && (p.Scores || !memory)
	dense := p.Scores && !p.Sparse && task&metrics.Classifying != 0
	if p.Curves == metrics.NoCurves && len(p.Metrics) == 0 && (dense || task == metrics.Regression && !p.NoEstimate) {
		p.Curves = metrics.ExactCurves
	}
	if task&finding != 0 {
		if err := s.countLabels(); err != nil {
			return err
		}
	}
	full := *p
	full.Labels = max(p.Labels, 1)
	if task == metrics.Preference && p.Labels == 0 {
		full.Labels = 2
	}
	if err := full.Complete(); err != nil {
		return err
	}
	if task&finding != 0 && p.Labels == 0 && len(p.Metrics) == 0 {
		full.Metrics = nil // they depend on the number of labels
	}
	full.Labels = p.Labels
	if s.Histograms = s.Histograms && !p.NoEstimate && (task&(metrics.Regression|metrics.Ranking) != 0 || task == metrics.Binary && p.Has.Has(roles.BaselineScore)); s.Histograms {
		full.SpreadOf = report.Headlines(task.String(), nil, full.QueryMetrics())
	}
	s.Params = full
	return nil
}

// countLabels sets the number of labels, or 0 if they are found in the data.
func (s *settled) countLabels() error {
	if s.Params.Task == metrics.Agreement && s.Labels.Len() == 0 { // each of these columns is of a rater
		s.Labels.Names = slices.Clone(s.Columns.Wide[s.Columns.Raters])
	}
	n, said := s.Labels.Len(), s.Params.Labels
	switch {
	case n < 0 || said < 0:
		return fmt.Errorf("a vocabulary of %d Labels", min(n, said))
	case said != 0 && n == 0:
		s.Labels = input.NumberedLabels(said)
	case said != 0 && said != n:
		return fmt.Errorf("Params.Labels is %d, but there are %d Labels: leave it 0", said, n)
	}
	s.Params.Labels = s.Labels.Len()
	return nil
}

// naming are the classifying tasks with a vocabulary; finding are all tasks with one.
const (
	naming  = metrics.Multiclass | metrics.Multilabel
	finding = metrics.AnyTask &^ (metrics.Binary | metrics.Unlabelled)
)
