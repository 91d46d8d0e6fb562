package pipeline

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms"
)

// decisions settles where predicted classes and label sets come from.
func (p *planner) decisions(ctx context.Context) error {
	if p.task&(metrics.Regression|metrics.Ranking) != 0 {
		return nil
	}
	params := &p.plan.spec.Params
	params.Decisions = true
	if err := p.readThresholds(ctx); err != nil {
		return err
	}
	rule := p.cfg.Decision.Threshold.Default != nil || p.cfg.Decision.TopK > 0 || len(p.cfg.Decision.Threshold.ByLabel) > 0
	prediction := &p.plan.spec.Columns.Prediction
	switch {
	case *prediction != "" && rule && params.Scores:
		p.leave("prediction", *prediction, "column %q is not used: decision says how predictions are made from scores", *prediction)
		*prediction = ""
	case *prediction != "" && rule:
		p.note("decision is not used: there are predictions in column %q, and no scores", *prediction)
		return nil
	case *prediction != "":
		return nil
	}
	d := &transforms.Decision{Threshold: p.cfg.Threshold(), PerLabel: p.cfg.Decision.Threshold.ByLabel, TopK: p.cfg.Decision.TopK}
	p.plan.spec.Decision = d
	switch {
	case p.task == metrics.Multiclass:
		p.note("predictions: the class with the highest score")
	case d.TopK > 0:
		p.note("predictions: the %d labels with the highest scores", d.TopK)
	case len(d.PerLabel) == 0:
		p.note("predictions: score >= %v", d.Threshold)
	}
	known := &p.plan.spec.Labels
	for _, name := range slices.Sorted(maps.Keys(d.PerLabel)) {
		if _, found := known.Label(name); found {
			continue
		}
		suggestion := ""
		if known.Names != nil {
			suggestion = fmt.Sprintf("; did you mean %q?", quote.Nearest(name, known.Names))
		}
		return p.cfg.Errorf("decision.threshold."+name, "%q is not one of the %d labels%s", name, known.Len(), suggestion)
	}
	return nil
}

// slices settles the slices: their columns must exist and hold one value a row.
func (p *planner) slices(context.Context) error {
	for i, slice := range p.cfg.Slices {
		var out transforms.Slice
		for _, c := range slice {
			if err := p.sliceColumn(c.Column); err != nil {
				return p.cfg.Errorf(fmt.Sprintf("slices[%d]", i), "%w", err)
			}
			column := transforms.SliceColumn{Column: c.Column}
			for _, v := range c.Values {
				column.Values = append(column.Values, transforms.SliceValue(v))
			}
			out = append(out, column)
		}
		p.plan.spec.Slices = append(p.plan.spec.Slices, out)
	}
	return nil
}

// sliceColumn settles whose column of a name counts: that of the predictions or, if
// these have none, that of the truth.
func (p *planner) sliceColumn(name string) error {
	if slices.Contains(transforms.SliceColumns(p.plan.spec.Slices), name) {
		return nil // it is settled
	}
	err := p.in.sliceColumn(name)
	if p.truth == nil {
		return err
	}
	other := p.truth.sliceColumn(name)
	switch {
	case err == nil && other == nil && !slices.Contains(p.joined(), name):
		p.note("slices: column %q of the predictions, not that of the truth", name)
	case err != nil && other == nil:
		p.note("slices: column %q of the truth", name)
		p.plan.join.Slices = append(p.plan.join.Slices, name)
		return nil
	case err != nil:
		return fmt.Errorf("%w; the truth has none either: %w", err, other)
	}
	return err
}

// joined are the columns on which predictions and truth are joined, whose values are
// the same in both.
func (p *planner) joined() []string {
	c := &p.cfg.Truth.Columns
	return []string{c.Example, c.Query}
}

// sliceColumn says why a column cannot be one of slices.
func (in *input) sliceColumn(name string) error {
	field, err := in.field(name)
	switch {
	case err != nil && in.hiveKey(name):
		return nil
	case err != nil:
		return in.partly(name, err)
	case field.List:
		return fmt.Errorf("column %q is %s: a slice column must hold one value a row", name, field.Physical)
	}
	return nil
}

// ranking settles how queries are evaluated.
func (p *planner) ranking(context.Context) error {
	if p.task != metrics.Ranking {
		return nil
	}
	cfg := &p.cfg.Ranking
	if cfg.Ties == metrics.ItemTies && p.cfg.Input.Columns.Item == "" {
		return p.cfg.Errorf("ranking.ties", "item needs the column of the items: set input.columns.item (%w)", p.in.absent(namesOfRole("item")))
	}
	p.plan.spec.Params.Ranking = metrics.RankingOptions{
		Gain: cfg.Gain, Ties: cfg.Ties, RelevanceThreshold: cfg.RelevanceThreshold, MaxRelevance: cfg.MaxRelevance, EmptyQueries: cfg.EmptyQueries,
	}
	p.plan.spec.NegativeIsZero = cfg.NegativeRelevance == config.NegativeZero
	return nil
}

// metrics settles the metrics.
func (p *planner) metrics(context.Context) error {
	params := &p.plan.spec.Params
	params.Labels = p.plan.spec.Labels.Len()
	with := metrics.DefaultParameters()
	with.Beta = p.cfg.Beta
	with.K = p.cutOffs()
	for i, name := range p.cfg.Metrics {
		_, err := params.Select([]string{name}, with)
		var unknown *metrics.UnknownMetricError
		if errors.As(err, &unknown) {
			err = fmt.Errorf("%w; did you mean %q? docs/metrics.md lists them all", err, quote.Nearest(name, unknown.Known))
		}
		if err != nil {
			return p.cfg.Errorf(fmt.Sprintf("metrics[%d]", i), "%w", err)
		}
	}
	names, err := params.Select(p.cfg.Metrics, with)
	if err != nil {
		return p.cfg.Errorf("metrics", "%w", err)
	}
	params.Metrics = names
	if params.Scores && params.ScoreType == metrics.RawScore && p.cfg.Decision.Threshold.Default == nil && p.task == metrics.Binary && p.cfg.Input.Columns.Prediction.Column == "" {
		p.note("scores are compared with a threshold of 0: set decision.threshold for another")
	}
	return nil
}

// cutOffs returns the configured values of k, but for those that exceed the
// number of labels, unless all do.
func (p *planner) cutOffs() []float64 {
	var ks []float64
	for i, k := range p.cfg.K {
		if n := p.plan.spec.Labels.Len(); n == 0 || p.task == metrics.Ranking || k <= n || i == 0 {
			ks = append(ks, float64(k))
		}
	}
	return ks
}
