package pipeline

import (
	"errors"
	"fmt"
	"slices"

	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms"
)

// findSlices returns the slices, and which of their columns belong to the truth.
func findSlices(t *tables) (all []transforms.Slice, ofTruth []string, err error) {
	met := make(map[string]bool)
	for i, slice := range t.cfg.AllSlices() {
		var out transforms.Slice
		for _, c := range slice {
			if !met[c.Column] {
				truth, err := t.sliceColumn(c.Column)
				if err != nil {
					at := fmt.Sprintf("slices[%d]", i)
					if i >= len(t.cfg.Slices) {
						at = "groups.by"
					}
					return nil, nil, t.cfg.Errorf(at, "%w", err)
				}
				if truth {
					ofTruth = append(ofTruth, c.Column)
				}
			}
			if err := t.checkBinning(&c, slices.Contains(ofTruth, c.Column)); err != nil {
				return nil, nil, t.cfg.Errorf(fmt.Sprintf("slices[%d]", i), "%w", err)
			}
			column := transforms.SliceColumn{Column: c.Column, Bins: c.Bins, Quantiles: c.Quantiles}
			for _, v := range c.Values {
				column.Values = append(column.Values, transforms.SliceValue(v))
			}
			out, met[c.Column] = append(out, column), true
		}
		all = append(all, out)
	}
	return all, ofTruth, nil
}

// checkBinning checks that a slice column has numbers if they are to be divided into intervals.
func (t *tables) checkBinning(c *config.SliceColumn, ofTruth bool) error {
	if c.Bins == nil && c.Quantiles == 0 {
		return nil
	}
	of := t.predictions
	if ofTruth {
		of = t.truth
	}
	return of.numbers(c.Column)
}

// sliceColumn reports whether a slice column is taken from the truth: because the predictions lack
// it, or because queries without predictions are evaluated.
func (t *tables) sliceColumn(name string) (ofTruth bool, err error) {
	err = t.predictions.sliceColumn(name)
	if t.truth == nil {
		return false, err
	}
	other := t.truth.sliceColumn(name)
	if t.evaluatesMissing() {
		if other != nil {
			other = fmt.Errorf("queries without predictions are evaluated, and the truth does not have their values: %w; give the truth the column, or leave ranking.missing_queries out", other)
		} else if name != t.truth.column(t.layout.id()) {
			t.note("slices: column %q of the truth", name)
		}
		return true, other
	}
	switch {
	case err == nil && other == nil && name != t.truth.column(t.layout.id()): // ids are equal in both
		t.note("slices: column %q of the predictions, not that of the truth", name)
	case err != nil && other == nil:
		t.note("slices: column %q of the truth", name)
		return true, nil
	case err != nil:
		return false, fmt.Errorf("%w; the truth has none either: %w", err, other)
	}
	return false, err
}

// findParams returns which metrics are computed, and how.
func findParams(t *tables, l *labels, cfg *config.Config) (p metrics.Params, err error) {
	p = metrics.Params{
		Task: t.task, Labels: l.Len(), ScoreType: cfg.Input.ScoreType, Sparse: t.predictions.has(roleScoreLabel),
		Decisions: t.task&(metrics.Regression|metrics.Ranking) == 0, Bins: cfg.Calibration.Bins,
		Names: settings.Keys,
	}
	if t.predictions.has(roleScore) {
		scores, err := t.predictions.field(roleScore)
		if err != nil {
			return p, err
		}
		p.Scores, p.LogLossEps = true, cfg.LogLossEps
		if p.LogLossEps == 0 {
			p.LogLossEps = machineEpsilon(scores)
		}
	}
	if cfg.Propensity.Frequencies != "" {
		p.Propensity = &metrics.Propensity{A: cfg.Propensity.A, B: cfg.Propensity.B}
	}
	if err := setCurves(&p, t, cfg); err != nil {
		return p, err
	}
	if t.task == metrics.Ranking {
		p.ScoreType = metrics.RawScore
		if p.Ranking, err = findRanking(t); err != nil {
			return p, err
		}
	}
	p.Metrics, err = findMetrics(&p, cfg)
	return p, err
}

// machineEpsilon returns the machine epsilon of the type of scores. scikit-learn clips
// probabilities to it for log loss.
func machineEpsilon(f columns.Field) float64 {
	if f.Type != columns.Float {
		return 0x1p-52
	}
	switch f.Bits {
	case 16:
		return 0x1p-10
	case 32:
		return 0x1p-23
	}
	return 0x1p-52
}

// exactScores is the maximum number of scores that are sorted if the configuration does not decide.
// Curves of more scores are bounded.
const exactScores = 200_000_000

// pointsOfLine is the maximum number of points that a line of the grid adds to a drawn curve; see
// curves.Outline.
const pointsOfLine = 4

// setCurves sets how the metrics of curves are computed, and for what thresholds are tuned.
func setCurves(p *metrics.Params, t *tables, cfg *config.Config) error {
	if p.Scores && !p.Sparse && t.task != metrics.Ranking || t.task == metrics.Regression {
		if cfg.Curves.Mode == config.CurvesAuto {
			cfg.Curves.Mode = curveMode(t, p.Labels)
		}
		p.Quantiles = cfg.Calibration.Strategy == config.StrategyQuantile
		if p.Quantiles && cfg.Curves.Mode == metrics.BoundedCurves {
			return cfg.Errorf("calibration.strategy", "%s needs all scores in order: set curves.mode to exact", config.StrategyQuantile)
		}
		p.Curves, p.CurveBins, p.CurveLines = cfg.Curves.Mode, cfg.Curves.Bins, cfg.Curves.Points/pointsOfLine
	}
	name := cfg.TuneThresholds
	if name == "" {
		return nil
	}
	if p.Curves == metrics.NoCurves {
		return cfg.Errorf("tune_thresholds", "needs a score for every label of every example")
	}
	criterion, ok := criterionOf(name)
	if !ok {
		return cfg.Errorf("tune_thresholds", "%q is none of f<beta>, youden and recall_at_precision@<p>, such as f1 or recall_at_precision@0.9", name)
	}
	p.Tuning = &criterion
	return nil
}

// curveMode returns how curves are computed if the configuration does not decide.
func curveMode(t *tables, labels int) metrics.CurveMode {
	scores, _ := t.predictions.rows()
	if t.task&(metrics.Multiclass|metrics.Multilabel) != 0 && !t.layout.long {
		scores *= int64(labels)
	}
	if scores <= exactScores {
		return metrics.ExactCurves
	}
	t.warn("metrics of curves are bounded, within low and high: %d scores are more than %d; curves.mode: exact sorts them all", scores, int64(exactScores))
	return metrics.BoundedCurves
}

// findRanking returns how queries are evaluated.
func findRanking(t *tables) (metrics.RankingOptions, error) {
	r := &t.cfg.Ranking
	if r.Ties == metrics.ItemTies && !t.predictions.has(roleItem) {
		return metrics.RankingOptions{}, t.cfg.Errorf("ranking.ties", "item needs the column of the items: set input.columns.item (%w)", t.predictions.absent(roleItem.names()))
	}
	return metrics.RankingOptions{
		Gain: r.Gain, Ties: r.Ties, RelevanceThreshold: r.RelevanceThreshold, MaxRelevance: r.MaxRelevance, EmptyQueries: r.EmptyQueries,
	}, nil
}

// findMetrics returns the metrics that the configuration names or, if it names none, all that p
// allows.
func findMetrics(p *metrics.Params, cfg *config.Config) ([]string, error) {
	with := metrics.DefaultArguments()
	with["beta"], with["k"] = cfg.Beta, nil
	// Omit cut-offs beyond the number of labels, except the smallest.
	for i, k := range cfg.K {
		if p.Labels == 0 || p.Task == metrics.Ranking || k <= p.Labels || i == 0 {
			with["k"] = append(with["k"], float64(k))
		}
	}
	for i, name := range cfg.Metrics {
		_, err := p.Select([]string{name}, with)
		var unknown *metrics.UnknownMetricError
		if errors.As(err, &unknown) {
			err = fmt.Errorf("%w; did you mean %q? docs/metrics.md lists them all", err, quote.Nearest(name, unknown.Known))
		}
		if err != nil {
			return nil, cfg.Errorf(fmt.Sprintf("metrics[%d]", i), "%w", err)
		}
	}
	names, err := p.Select(cfg.Metrics, with)
	if err != nil {
		return nil, cfg.Errorf("metrics", "%w", err)
	}
	return names, nil
}
