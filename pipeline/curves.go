package pipeline

import (
	"context"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
)

// exactScores is how many scores are sorted where the configuration leaves it
// open: for more, curves are known within an interval.
const exactScores = 200_000_000

// pointsOfLine is how many points a line of the grid of a drawing may cost; see
// curves.Outline.
const pointsOfLine = 4

// curves settles how the metrics of curves are computed.
func (p *planner) curves(context.Context) error {
	params, cfg := &p.plan.spec.Params, &p.cfg.Curves
	if !params.Scores && p.task != metrics.Regression || params.Sparse || p.task == metrics.Ranking {
		return nil
	}
	if cfg.Mode == config.CurvesAuto {
		cfg.Mode = metrics.ExactCurves
		scores := p.plan.Rows
		if p.task&(metrics.Multiclass|metrics.Multilabel) != 0 && !p.plan.spec.Long {
			scores *= int64(p.plan.spec.Labels.Len())
		}
		if scores > exactScores {
			cfg.Mode = metrics.BoundedCurves
			p.warn("metrics of curves are bounded, within low and high: %d scores are more than %d; curves.mode: exact sorts them all", scores, int64(exactScores))
		}
	}
	params.Quantiles = p.cfg.Calibration.Strategy == config.StrategyQuantile
	if params.Quantiles && cfg.Mode == metrics.BoundedCurves {
		return p.cfg.Errorf("calibration.strategy", "%s needs all scores in order: set curves.mode to exact", config.StrategyQuantile)
	}
	params.Curves, params.CurveBins, params.CurveLines = cfg.Mode, cfg.Bins, cfg.Points/pointsOfLine
	return nil
}

// warn adds a warning to the report.
func (p *planner) warn(format string, args ...any) {
	p.note(format, args...)
	p.warnings = append(p.warnings, p.plan.Notes[len(p.plan.Notes)-1])
}
