package metrics

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/metrics/internal/exactcurve"
	"github.com/beameval/beameval/metrics/internal/forecast"
)

// provides returns what the examples of p have.
func (p *Params) provides() Needs {
	var n Needs
	if p.Decisions {
		n |= NeedDecisions
	}
	if p.Scores {
		n |= NeedScores
	}
	if p.Scores && !p.Sparse && p.ScoreType != RawScore {
		n |= NeedProbabilities
	}
	if p.Scores && !p.Sparse && p.ScoreType == Logit {
		n |= NeedLogits
	}
	if p.Task == Regression && !p.NoEstimate {
		n |= needEstimate
	}
	if p.Task == Grading {
		n |= p.Grades.provides()
	}
	if p.Task == Agreement && !p.Raters.Names {
		n |= needNumbers
	}
	if p.Propensity != nil {
		n |= needPropensity
	}
	if p.Judgements {
		n |= needJudgements
	}
	n |= Needs(p.Has) << firstRole
	if p.Judged || p.has(HasJudgedClass) {
		n |= needJudged
	}
	if len(p.QuantileLevels) > 0 {
		n |= needRole(roles.Quantiles)
	}
	if p.Costs != nil || p.has(HasErrorCosts) {
		n |= needCosts
	}
	if p.Curves != NoCurves && !p.Sparse && (p.Scores || n&needEstimate != 0) {
		n |= needCurve
	}
	if n&needCurve != 0 && p.Curves == ExactCurves {
		n |= needExactCurve
	}
	return n
}

// Select converts names of metrics, which may be aliases, to their main names; capitals, dashes, and a _score as in
// scikit-learn's f1_score, do not matter. A name without an
// average ("f1") stands for the metric of each label, and one without an argument ("pinball",
// "ndcg@k") for the metric with each of the arguments in with; metrics of forecasts of quantiles have
// the arguments that p.QuantileLevels allow. No names stand for all metrics that
// the task and the examples of p allow, except comparisons of all pairs of classes or raters if there are
// more than 100 of them, metrics of the order of classes unless p.Ordinal, and metrics that are computed
// only on request. Select returns an error for an unknown name ([UnknownMetricError]) and for
// a metric that needs what the examples do not have. Names stand for at most 100,000 metrics.
func (p *Params) Select(names []string, with Arguments) ([]string, error) {
	if err := with.check(); err != nil {
		return nil, err
	}
	with = p.withLevels(with)
	var selected []string
	met := map[string]bool{}
	add := func(c choice) {
		if !met[c.full] {
			met[c.full] = true
			selected = append(selected, c.full)
		}
	}
	if len(names) == 0 {
		for c := range p.every(with) {
			if p.missing(c) == 0 && !p.onRequest(c) {
				add(c)
			}
		}
		if len(selected) == 0 {
			return nil, fmt.Errorf("no metric of task %s can be computed: there are neither probabilities nor predictions", p.Task)
		}
		return selected, nil
	}
	all := 0
	for _, name := range names {
		found, err := p.lookup(name, with)
		if err != nil {
			return nil, cmp.Or(p.inBrackets(name, with), err)
		}
		if all += len(found); all > mostSelected {
			return nil, fmt.Errorf("there are more than %d metrics, with all arguments: name fewer", mostSelected)
		}
		for _, c := range found {
			if err := cmp.Or(p.possible(c, name), p.agrees(c, name)); err != nil {
				return nil, err
			}
			add(c)
		}
	}
	return selected, nil
}

// mostSelected limits the metrics that names stand for, each with all of its arguments; repetitions count.
const mostSelected = 100_000

// NeedItems returns which of HasItems and HasCategories p.Metrics need.
func (p *Params) NeedItems() (needed Roles) {
	for c := range p.chosen() {
		needed |= c.metric.needs.roles() & (HasItems | HasCategories)
	}
	return needed
}

// ScoreThresholds returns the thresholds in the names of metrics that compare probabilities with them.
func (p *Params) ScoreThresholds() (list []float64) {
	for c := range p.chosen() {
		if strings.HasPrefix(c.metric.name, "net_benefit@") {
			list = append(list, c.arg)
		}
	}
	return list
}

// comparedClasses is the largest number of classes, or raters, for which all pairs are compared by default. The
// number of pairs grows quadratically.
const comparedClasses = 100

// onRequest reports whether a metric is computed only if it is requested by name: because it is
// costly or seldom of use, or because it assumes an order of classes that have none.
func (p *Params) onRequest(c choice) bool {
	return c.metric.requested || (c.metric.extra&exactcurve.Pairs != 0 || c.metric.from == kindRaterPairs) && p.Labels > comparedClasses || c.metric.ordinal && !p.Ordinal
}

// missing returns what a metric needs but the examples do not have.
func (p *Params) missing(c choice) Needs {
	provided := p.provides()
	if c.grade > 0 {
		provided = provided&^(needPass|needNumbers) | p.optionsOf(c.grade).provides()
	}
	return p.needsOf(c) &^ provided
}

// needsOf returns what a metric needs under p.
func (p *Params) needsOf(c choice) Needs {
	needs := c.metric.needs
	if p.Quantiles && c.metric.binned {
		needs |= needCurve | needExactCurve
	}
	if len(p.missingLevels(c)) > 0 {
		needs |= needLevels
	}
	if p.SomeAveraged && p.pooledCurve(c) {
		needs |= needAllLabels
	}
	return needs
}

// missingLevels returns the levels of forecasts that a metric needs but p lacks.
func (p *Params) missingLevels(c choice) []float64 {
	if c.metric.missing == nil {
		return nil
	}
	return c.metric.missing(p.QuantileLevels, c.arg)
}

// withLevels adds the levels of quantile forecasts to arguments.
func (p *Params) withLevels(with Arguments) Arguments {
	if len(p.QuantileLevels) == 0 {
		return with
	}
	all := maps.Clone(with)
	if all == nil {
		all = make(Arguments)
	}
	all["quantile"], all["level"] = p.QuantileLevels, forecast.Levels(p.QuantileLevels).Intervals()
	return all
}

// possible returns an error if the examples do not allow a metric.
func (p *Params) possible(c choice, name string) error {
	switch missing := p.missing(c); {
	case missing == 0:
		return nil
	case missing&needAllLabels != 0:
		return fmt.Errorf("metric %q is of the scores of all labels together: leave it out, or %s", name, p.Names.Of(settings.AverageLabels))
	case missing&needEstimate != 0:
		return fmt.Errorf("metric %q needs predictions, and there are only quantiles, intervals or ensembles: set %s", name, p.Names.Of(settings.Estimate))
	case missing&NeedDecisions != 0:
		return fmt.Errorf("metric %q needs decisions: %s", name, p.Names.Of(settings.Decisions))
	case missing&(NeedScores|NeedProbabilities|NeedLogits) != 0 && !p.Scores:
		return fmt.Errorf("metric %q needs scores: %s", name, p.Names.Of(settings.Scores))
	case missing == needPass && c.grade > 0:
		return fmt.Errorf("metric %q needs grades that pass or not: set %s", name, p.Names.Of(settings.ThresholdOf(p.FurtherGrades[c.grade-1].Name)))
	case missing == needPass:
		return fmt.Errorf("metric %q needs grades that pass or not: set %s", name, p.Names.Of(settings.PassThreshold))
	case missing == needNumbers && p.Task == Agreement:
		return fmt.Errorf("metric %q is of ratings that are numbers, and these are names or booleans: leave it out", name)
	case missing == needNumbers:
		return fmt.Errorf("metric %q is of grades that are numbers, and these are booleans: write %s", name, strings.Replace(name, "best", "pass", 1))
	case missing == needPropensity:
		return fmt.Errorf("metric %q needs the labels' propensities: set %s", name, p.Names.Of(settings.Propensity))
	case missing&needJudged != 0:
		return fmt.Errorf("metric %q needs judgements of a model: set %s", name, p.Names.Of(settings.Judged))
	case missing == needJudgements:
		return fmt.Errorf("metric %q needs judgements apart from the results: set %s", name, p.Names.Of(settings.Judgements))
	case missing&needRole(roles.Quantiles) != 0:
		return fmt.Errorf("metric %q needs forecasts of quantiles: set %s", name, p.Names.Of(settings.Quantiles))
	case missing&needLevels != 0:
		return fmt.Errorf("metric %q needs forecasts of other quantiles than %v, namely of %v", name, p.QuantileLevels, p.missingLevels(c))
	case missing.roles() != 0:
		r := missing.roles().First()
		return fmt.Errorf("metric %q needs %s: set %s", name, r.Of().What, p.Names.Of(settings.Batch(r)))
	case missing&needCosts != 0:
		return fmt.Errorf("metric %q needs costs: set %s", name, p.Names.Of(settings.Costs))
	case missing&needCurve != 0 && !p.Sparse:
		return fmt.Errorf("metric %q needs curves", name)
	case missing == needExactCurve:
		return fmt.Errorf("metric %q needs exact curves: set %s", name, p.Names.Of(settings.ExactCurves))
	case p.Sparse:
		return fmt.Errorf("metric %q needs a score for every label: the scores are sparse", name)
	case missing&NeedProbabilities != 0:
		return fmt.Errorf("metric %q needs probabilities: %s", name, p.Names.Of(settings.Probabilities))
	default:
		return fmt.Errorf("metric %q needs logits: %s", name, p.Names.Of(settings.Logits))
	}
}

// agrees returns an error if a metric has been given the name that another tool has for it, and the
// options of rankings differ from what the name implies there.
func (p *Params) agrees(c choice, name string) error {
	is := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	}
	switch o := &p.Ranking; {
	case p.Task != Ranking:
		return nil
	case is("nDCG", "NDCG", "ndcg_cut_") && o.Gain != LinearGain:
		return fmt.Errorf("metric %q has linear gains: set %s; %s has %s gains", name, p.Names.Of(settings.LinearGain), c.full, o.Gain)
	case is("AP", "MAP", "RR", "MRR", "P@", "R@", "RPrec", "Success@", "RBP(", "Bpref", "BPref") && o.RelevanceThreshold != 0 && o.RelevanceThreshold != 1:
		return fmt.Errorf("metric %q counts items of relevance 1 as relevant, but %s is %v: write %s", name, p.Names.Of(settings.RelevantFrom), o.RelevanceThreshold, c.full)
	case is("AP@", "MAP@", "map_cut_") && o.AttainableMAP:
		return fmt.Errorf("metric %q divides by all relevant items, but %s is set: write %s", name, p.Names.Of(settings.AttainableMAP), c.full)
	case is("ERR") && o.MaxRelevance != 0 && o.MaxRelevance != defaultMaxRelevance:
		return fmt.Errorf("metric %q has %v as the highest relevance, but %s is %v: write %s", name, defaultMaxRelevance, p.Names.Of(settings.MaxRelevance), o.MaxRelevance, c.full)
	}
	return nil
}

// OfBaseline returns the Params for a baseline's predictions, to be folded from batches of
// [Batch.SetBaseline]. They keep the metrics of labels and decisions and, if p has BaselineScores,
// of scores and curves; they drop metrics of changes, judgements, prediction sets and forecasts
// of quantiles and ensembles. OfBaseline returns nil if no metric is left.
func (p *Params) OfBaseline() *Params {
	all := p.orNothing()
	if !all.has(HasBaseline) {
		return nil
	}
	lacking := needJudged | Needs(^roles.OfRows())<<firstRole
	if !all.has(HasBaselineScores) {
		lacking |= NeedScores | NeedProbabilities | NeedLogits | needCurve | needExactCurve
	}
	some := *all
	some.Metrics, some.Replicated = nil, nil
	for c := range all.chosen() {
		if all.needsOf(c)&lacking != 0 {
			continue
		}
		some.Metrics = append(some.Metrics, c.full)
		if slices.Contains(all.Replicated, c.full) {
			some.Replicated = append(some.Replicated, c.full)
		}
	}
	if len(some.Metrics) == 0 {
		return nil
	}
	if !all.has(HasBaselineScores) {
		some = some.Only(some.Metrics...)
		some.Scores, some.Sparse = false, false
	}
	some.LabelPairs, some.Tuning, some.CurveLines = false, nil, 0
	some.QuantileLevels, some.Has = nil, all.Has&roles.OfRows()
	some.Digest, some.SpreadOf, some.ScoreHistograms = false, nil, false
	return &some
}

// every yields all metrics of the task with all averages and arguments, and then the metrics of further grades.
func (p *Params) every(with Arguments) iter.Seq[choice] {
	return func(yield func(choice) bool) {
		for grade := range len(p.FurtherGrades) + 1 {
			for c := range p.everyOf(grade, with) {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// everyOf yields all metrics of the task: of the main grade, 0, or of a further one, from 1.
func (p *Params) everyOf(grade int, with Arguments) iter.Seq[choice] {
	return func(yield func(choice) bool) {
		for i := range catalogue {
			m := &catalogue[i]
			if m.tasks&p.Task == 0 || grade > 0 && !m.further {
				continue
			}
			for _, average := range m.averagesIn(p.Task) {
				for _, c := range spellingOf(m, m.name, average).choices(with) {
					if grade > 0 {
						c = c.ofGrade(p, grade)
					}
					if !yield(c) {
						return
					}
				}
			}
		}
	}
}

// compiled holds what names of metrics stand for in a task.
type compiled struct {
	task     Task
	names    []string
	choices  []choice
	distinct []choice  // the choices without duplicates
	benefits []float64 // see benefitThresholds
}

// find returns what p.Metrics stand for, and caches it in p.
func (p *Params) find() ([]choice, error) {
	if c := p.compiled; c == nil || c.task != p.Task || !slices.Equal(c.names, p.Metrics) {
		fresh := &compiled{task: p.Task, names: slices.Clone(p.Metrics)}
		for _, name := range p.Metrics {
			found, err := p.lookup(name, nil)
			if err != nil {
				return nil, err
			}
			fresh.choices = append(fresh.choices, found...)
		}
		met := make(map[string]bool, len(fresh.choices))
		for _, c := range fresh.choices {
			if !met[c.full] {
				fresh.distinct = append(fresh.distinct, c)
			}
			met[c.full] = true
		}
		fresh.benefits = thresholdsOf(fresh.choices)
		p.compiled = fresh
	}
	return p.compiled.choices, nil
}

// chosen yields what p.Metrics stand for, without duplicates. It yields nothing if a name is
// invalid.
func (p *Params) chosen() iter.Seq[choice] {
	return func(yield func(choice) bool) {
		if _, err := p.find(); err != nil {
			return
		}
		for _, c := range p.compiled.distinct {
			if !yield(c) {
				return
			}
		}
	}
}
