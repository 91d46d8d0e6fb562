package pipeline

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/pipeline/internal/computed"
	"github.com/beameval/beameval/transforms"
)

// findSlices finds the slices, and which of their columns belong to the truth.
func (p *planner) findSlices() error {
	met := make(map[string]bool) // whether the columns belong to the truth
	for i, slice := range p.cfg.AllSlices() {
		at := fmt.Sprintf("slices[%d]", i)
		if i >= len(p.cfg.Slices) {
			at = "groups.by"
		}
		var out transforms.Slice
		for _, c := range slice {
			ofTruth, known := met[c.Column]
			if !known {
				var err error
				if ofTruth, err = p.sliceColumn(c.Column); err != nil {
					return p.cfg.Errorf(at, "%w", err)
				}
				met[c.Column] = ofTruth
				p.takeFromTruth(c.Column, ofTruth)
			}
			if err := p.checkBinning(&c, ofTruth); err != nil {
				return p.cfg.Errorf(at, "%w", err)
			}
			column := transforms.SliceColumn{Column: c.Column, Bins: c.Bins, Quantiles: c.Quantiles}
			for _, v := range c.Values {
				column.Values = append(column.Values, transforms.SliceValue(v))
			}
			out = append(out, column)
		}
		p.spec.Slices = append(p.spec.Slices, out)
	}
	return nil
}

// checkSampling checks that rows were drawn if the configuration says what they stand for.
func (p *planner) checkSampling() error {
	if p.cfg.Finite() && p.spec.Sampling == nil {
		return p.cfg.Errorf("sampling.finite", "is about rows that were drawn: set input.columns.sampling_probability")
	}
	return nil
}

// checkEstimate checks that metrics of rows without a label can be estimated.
func (p *planner) checkEstimate() error {
	const key = "unlabelled"
	in, spec := p.predictions, &p.spec
	estimated := func(c transforms.SliceColumn) bool { return c.Column == transforms.Estimated }
	switch truth := spec.Truth; {
	case !spec.EstimateUnlabelled:
	case !in.has(roles.Score):
		return p.cfg.Errorf(key, "%s needs scores: set input.columns.score", config.Estimate)
	case spec.Sampling != nil:
		return p.cfg.Errorf(key, "%s evaluates rows that were not drawn, and column %q has the probabilities of rows that were: leave one out", config.Estimate, p.of(roles.SamplingProbability).column(roles.SamplingProbability))
	case in.has(roles.ScoreLabel):
		return p.cfg.Errorf(key, "%s needs a score of each class, but column %q has those of some", config.Estimate, in.column(roles.Score))
	case slices.ContainsFunc(slices.Concat(spec.Slices...), estimated):
		return p.cfg.Errorf(key, "%s adds the column %q to the slices of rows without a label, and slices has such a column: rename it", config.Estimate, transforms.Estimated)
	case truth != nil && len(truth.Slices) > 0:
		return p.cfg.Errorf(key, "%s evaluates predictions without truth, which have no value of column %q of the truth: take slices and confidence.by from the predictions", config.Estimate, truth.Slices[0])
	}
	return nil
}

// takeFromTruth makes a column one of the slice columns of the truth, if it belongs to it.
func (p *planner) takeFromTruth(column string, ofTruth bool) {
	if ofTruth {
		p.spec.Truth.Slices = append(p.spec.Truth.Slices, column)
	}
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

// findParams finds which metrics are computed, and how.
func (p *planner) findParams() error {
	cfg, m := p.effective, &p.spec.Params
	*m = metrics.Params{
		Task: p.task, Labels: p.labels.Len(), ScoreType: cfg.Scores(), Sparse: p.predictions.has(roles.ScoreLabel) && !cfg.Input.CompleteScores,
		Decisions: p.task&withoutDecisions == 0, Bins: cfg.Calibration.Bins, LabelPairs: cfg.LabelPairs, MaxDistinct: cfg.MaxDistinct,
		QuantileLevels: p.levels, Has: p.given(), NoEstimate: p.task == metrics.Regression && !p.predictions.has(roles.Prediction),
		Judged: p.predictions.has(roles.Judged), Drawn: p.judgesDrawn(), Names: settings.Keys,
	}
	p.takeResults()
	if cfg.Input.CompleteScores && (!p.predictions.has(roles.ScoreLabel) || p.layout.long) {
		return p.cfg.Errorf("input.complete_scores", "is for sparse scores in a row for each example, and these are not: leave it out")
	}
	if cfg.ChangedExamples != nil && !m.Has.Has(roles.BaselinePrediction) {
		return p.cfg.Errorf("changed_examples", "there is no baseline from which predictions could have changed: set input.columns.baseline_score or baseline_prediction, or input.baseline_predictions")
	}
	if p.predictions.has(roles.Score) {
		scores, err := p.predictions.field(roles.Score)
		if err != nil {
			return err
		}
		m.Scores, m.LogLossEps = true, cmp.Or(cfg.LogLossEps, machineEpsilon(scores))
	}
	if cfg.Propensity.Frequencies != "" {
		m.Propensity = &metrics.Propensity{A: cfg.Propensity.A, B: cfg.Propensity.B}
	}
	return inTurn(p.findCosts, p.findCurves, p.findTuning, p.findRanking, p.findGrades, p.findRatings, p.findMetrics, p.checkSystems, p.checkAverages)
}

// findCosts finds what predictions cost.
func (p *planner) findCosts() error {
	cfg, m := p.effective, &p.spec.Params
	if n := len(cfg.Costs.Classes); n > 0 && n != m.Labels {
		return p.cfg.Errorf("costs", "has the costs of %d true classes, but there are %d labels", n, m.Labels)
	}
	m.Costs = cfg.Costs.Matrix()
	return nil
}

// checkAverages checks that averages are over labels that exist, if planning found the labels.
func (p *planner) checkAverages() error {
	if p.labels.Len() == 0 {
		return nil
	}
	for i, name := range p.effective.AverageLabels {
		if _, found := p.labels.Label(name); !found {
			return p.cfg.Errorf(fmt.Sprintf("average_labels[%d]", i), "%q is not one of the %d labels", name, p.labels.Len())
		}
	}
	return nil
}

// given returns the roles that batches have, which follow from the columns.
func (p *planner) given() metrics.Roles {
	columns := p.all()
	if len(p.judgements()) == 0 { // they are predictions or scores
		columns &^= metrics.HasJudgedClass
	}
	return columns.Batch()
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

// findCurves finds how the metrics of curves are computed.
func (p *planner) findCurves() error {
	cfg, m := p.effective, &p.spec.Params
	if !(m.Scores && !m.Sparse && p.task&metrics.Classifying != 0) && p.task != metrics.Regression || m.NoEstimate {
		return nil
	}
	if cfg.Curves.Mode == config.CurvesAuto {
		cfg.Curves.Mode = curveMode(p.tables, m.Labels)
	}
	m.Quantiles = cfg.Calibration.Strategy == config.StrategyQuantile
	if m.Quantiles && cfg.Curves.Mode == metrics.BoundedCurves {
		return cfg.Errorf("calibration.strategy", "%s needs all scores in order: set curves.mode to exact", config.StrategyQuantile)
	}
	m.Curves, m.CurveBins, m.CurveLines = cfg.Curves.Mode, cfg.Curves.Bins, cfg.Curves.Points/pointsOfLine
	return nil
}

// findTuning finds the objective for which thresholds are tuned.
func (p *planner) findTuning() error {
	name := p.cfg.TuneThresholds
	if name == "" {
		return nil
	}
	if p.spec.Params.Curves == metrics.NoCurves {
		return p.cfg.Errorf("tune_thresholds", "needs a score for every label of every example")
	}
	criterion, ok := criterionOf(name)
	if name == leastCost {
		if criterion, ok = criterionOfCosts(&p.spec.Params); !ok {
			return p.cfg.Errorf("tune_thresholds", "%s needs costs by which fp costs more than tn, and fn more than tp: set costs or, in a binary task, input.columns.cost_fp and cost_fn", name)
		}
	}
	if !ok {
		return p.cfg.Errorf("tune_thresholds", "%q is none of f<beta>, youden, recall_at_precision@<p> and expected_cost, such as f1 or recall_at_precision@0.9", name)
	}
	if name == leastCost && p.spec.Params.Has.Has(roles.CostFP) && p.spec.Params.Curves == metrics.BoundedCurves {
		return p.cfg.Errorf("tune_thresholds", "%s of columns needs all scores in order: set curves.mode to exact", name)
	}
	p.spec.Params.Tuning = &criterion
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
	t.warn("bounded_curves", "metrics of curves are bounded, within low and high: %d scores are more than %d; curves.mode: exact sorts them all", scores, int64(exactScores))
	return metrics.BoundedCurves
}

// findRanking finds how queries are evaluated.
func (p *planner) findRanking() error {
	if p.task != metrics.Ranking {
		return nil
	}
	r := &p.cfg.Ranking
	if r.Ties == metrics.ItemTies && !p.predictions.has(roles.Item) {
		return p.cfg.Errorf("ranking.ties", "item needs the column of the items: set input.columns.item (%w)", p.predictions.absent(roles.Item.Of().Names))
	}
	m := &p.spec.Params
	m.ScoreType, m.Judgements = metrics.RawScore, p.truth != nil
	m.CatalogSize, m.FrequencyTotal = r.CatalogSize, r.FrequencyTotal
	p.spec.Params.Ranking = metrics.RankingOptions{
		Gain: r.Gain, Ties: r.Ties, RelevanceThreshold: r.RelevanceThreshold, MaxRelevance: r.MaxRelevance, EmptyQueries: r.EmptyQueries,
		AttainableMAP: r.MapDivisor == "attainable",
	}
	return nil
}

// checkSystems checks the number of the systems of preferences, and that the reference is one of them,
// if planning found them.
func (p *planner) checkSystems() error {
	known := p.labels.Vocabulary
	if known.Len() == 0 {
		known = p.labels.found
	}
	if p.task != metrics.Preference || known.Len() == 0 {
		return nil
	}
	m := p.spec.Params
	if m.Labels = known.Len(); m.Labels < 2 || m.Labels > metrics.MostSystems {
		return m.Complete()
	}
	name := p.cfg.Preference.Reference
	if _, found := known.Label(name); name == "" || found {
		return nil
	}
	return p.cfg.Errorf("preference.reference", "%q is not one of the %d systems; did you mean %q?", name, known.Len(), quote.Nearest(name, known.Names))
}

// findMetrics finds the metrics that the configuration names or, if it names none, all that the
// data allow.
func (p *planner) findMetrics() (err error) {
	m, with := &p.spec.Params, metrics.DefaultArguments()
	with["beta"], with["k"] = p.cfg.Beta, nil
	m.Ordinal = p.cfg.Ordinal
	// Omit cut-offs beyond the number of labels, except the smallest.
	for i, k := range p.cfg.K {
		if m.Labels == 0 || m.Task&metrics.Unlabelled != 0 || k <= m.Labels || i == 0 {
			with["k"] = append(with["k"], float64(k))
		}
	}
	if m.Metrics, err = m.Select(p.cfg.Metrics, with); err != nil && len(p.cfg.Metrics) == 0 {
		return p.cfg.Errorf("metrics", "%w", err)
	}
	if err != nil { // the names up to one that cannot be selected cannot be selected together
		i := sort.Search(len(p.cfg.Metrics)-1, func(i int) bool { _, err := m.Select(p.cfg.Metrics[:i+1], with); return err != nil })
		var unknown *metrics.UnknownMetricError
		if errors.As(err, &unknown) {
			err = fmt.Errorf("%w; did you mean %q? beameval metrics %s lists them all", err, quote.Nearest(p.cfg.Metrics[i], unknown.Known), unknown.Task)
		}
		return p.cfg.Errorf(fmt.Sprintf("metrics[%d]", i), "%w", err)
	}
	m.Has &^= metrics.HasItems | metrics.HasCategories
	m.Has |= m.NeedItems()
	if len(p.cfg.Metrics) > 0 {
		p.effective.Metrics = slices.Clone(m.Metrics) // the report shows them in this order
	}
	return nil
}

// findHeadlines checks that the metrics to show first are computed, and finds their main names.
func (p *planner) findHeadlines() error {
	known, asked := computed.In(&p.spec.Params, transforms.GroupMetrics(p.spec.Groups)), &p.effective.Report
	main := func(name, key string) (string, error) {
		found, err := known.Metric(name)
		if err != nil {
			return "", p.cfg.Errorf("report."+key, "%w", err)
		}
		return found, nil
	}
	var err error
	asked.Headline = slices.Clone(asked.Headline)
	for i, name := range asked.Headline {
		if asked.Headline[i], err = main(name, fmt.Sprintf("headline[%d]", i)); err != nil {
			return err
		}
	}
	if asked.SortBy == "" {
		return nil
	}
	if asked.SortBy, err = main(asked.SortBy, "sort_by"); err == nil && known.OfEachLabel(asked.SortBy) {
		return p.cfg.Errorf("report.sort_by", "%s is a metric of each label: name an average of it", asked.SortBy)
	}
	return err
}

// findGroups finds how groups are compared, if they are. It adds the compared metrics to the
// computed ones.
func (p *planner) findGroups() error {
	g, m := &p.cfg.Groups, &p.spec.Params
	if len(g.By) == 0 {
		return nil
	}
	if m.Task != metrics.Binary && len(g.Metrics) == 0 {
		return p.cfg.Errorf("groups", "selection rates and error rates are of task binary, the task is %s: set groups.metrics to the metrics to compare", m.Task)
	}
	var asked []string
	for i, name := range g.Metrics {
		found, err := m.Select([]string{name}, nil)
		if err == nil && m.OfEachLabel(found[0]) {
			err = fmt.Errorf("%s is a metric of each label: name an average of it", found[0])
		}
		if err != nil {
			return p.cfg.Errorf(fmt.Sprintf("groups.metrics[%d]", i), "%w", err)
		}
		asked = append(asked, found...)
	}
	if m.Task == metrics.Binary {
		asked = append(asked, "accuracy", "fnr", "fpr", "predicted_positive_rate", "recall")
	}
	slices.Sort(asked)
	names := slices.Compact(asked)
	all, err := m.Select(slices.Concat(m.Metrics, names), nil)
	if err != nil {
		return p.cfg.Errorf("groups", "%w", err)
	}
	m.Metrics = all
	p.spec.Groups = &transforms.Groups{By: g.By, Reference: g.References(), Metrics: names, MinSupport: int64(g.MinSupport)}
	return nil
}
